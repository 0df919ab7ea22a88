"""What callers may do to the server's time and memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sandlot_server.submissions.limits import Limits as SubmissionLimits

ROOM: Final = 4096
"""Bytes of a submission's message beside its archive."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that an honest caller never comes near.

    Attributes:
        calls: calls that an owner may make one after the other without a pause.
        calls_a_minute: calls that an owner may make in the long run.
        at_once: calls of one owner that are under way at once, but for Watch.
        at_once_in_all: those of all owners.
        uploads: submissions that one owner may be sending at once.
        uploads_in_all: those of all owners.
        watches: matches that one owner may watch at once.
        watches_in_all: those of all owners.
        wrong_tokens: wrong tokens that may come from one address without a pause.
        wrong_tokens_a_minute: those in the long run. Beyond it tokens from there that have not been
            good before are not looked at, for as long as it takes until one may be again.
        remembered: owners, addresses and good tokens that are remembered, of each so many.
        archive: bytes of a submission's message.
        message: bytes of any other message.
        text: characters of a text in a message.
        page: what is listed on a page, where the caller does not say.
        most_on_page: what is listed on it at most.
        log: bytes of a log that are given at once.
        part: bytes of a record that are given at once.
        arrival: seconds from the beginning of a call until its message is there.
        answer: seconds that an answer may take, but for those that last: Submit and Watch.
        unread: seconds that a caller may leave an answer unread.
        fresh: seconds for which standings are given again rather than made anew.

    """

    calls: int = 60
    calls_a_minute: int = 240
    at_once: int = 16
    at_once_in_all: int = 512
    uploads: int = 2
    uploads_in_all: int = 16
    watches: int = 8
    watches_in_all: int = 256
    wrong_tokens: int = 20
    wrong_tokens_a_minute: int = 60
    remembered: int = 10_000
    archive: int = SubmissionLimits().archive + ROOM
    message: int = 16 << 10
    text: int = 200
    page: int = 50
    most_on_page: int = 200
    log: int = 256 << 10
    part: int = 64 << 10
    arrival: float = 120.0
    answer: float = 30.0
    unread: float = 30.0
    fresh: float = 5.0
