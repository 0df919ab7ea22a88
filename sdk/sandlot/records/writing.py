"""From the values of a match to the record's text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast

import msgspec

from sandlot.clock import format_duration
from sandlot.errors import RecordError
from sandlot.game import VARIANTS, Revealed
from sandlot.kept import Kept
from sandlot.pack import text_of
from sandlot.records.lines import (
    FORMAT,
    AnyEvent,
    ClockPart,
    DecisionPart,
    HandLine,
    Line,
    MatchLine,
    ResultLine,
    SeatPart,
    encode,
)
from sandlot.seeds import commitment

if TYPE_CHECKING:
    from fractions import Fraction

    from sandlot.game import Event
    from sandlot.played import MatchSetup, PlayedHand, PlayedMatch

_UTC: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z", re.ASCII)

# What differs between two runs with the same bots and seed. A quote within a JSON text has a
# backslash before it, so these bytes cannot come from an answer or a name.
_STARTED: Final = re.compile(rb',"started":"[^"]*"')
_MS: Final = re.compile(rb',"ms":[0-9]+')

_EVENTS: Final = Kept(lambda event: _encoded(event))

_CHECKSUM: Final = b',"checksum"'


def utc_now() -> str:
    """Return the time now as a record has it: ISO 8601 in UTC, to the millisecond."""
    now = datetime.now(UTC).replace(tzinfo=None)
    return now.isoformat(timespec="milliseconds") + "Z"


@dataclass(frozen=True)
class Record:
    """The record of a match: what was played, and when it started and ended.

    ``started`` and ``ended`` are ISO 8601 in UTC, as ``2026-03-01T12:34:56.789Z``.

    Raises:
        RecordError: a time is written in another way.

    """

    played: PlayedMatch
    started: str
    ended: str

    def __post_init__(self) -> None:
        for name, time in (("started", self.started), ("ended", self.ended)):
            if not _UTC.fullmatch(time):
                raise RecordError(
                    f"{name} is {time!r}: write a time in UTC as '2026-03-01T12:34:56Z', "
                    "as sandlot.records.utc_now() does"
                )

    @property
    def lines(self) -> tuple[bytes, ...]:
        """The record's lines in UTF-8, each with the newline that ends it."""
        return self._written[0]

    @property
    def text(self) -> str:
        """The record's text."""
        return b"".join(self.lines).decode()

    @property
    def digest(self) -> str:
        """SHA-256 of all but the times, in hex: the same for the same bots and seed."""
        return self._written[1]

    @cached_property
    def _written(self) -> tuple[tuple[bytes, ...], str]:
        played = self.played
        before = [as_line(match_line(played.setup, self.started))]
        before.extend(as_line(hand_line(hand)) for hand in played.hands)
        summed = digest(before)
        return (*before, result_text(played, self.ended, before, summed) + b"\n"), summed


def write(played: PlayedMatch, started: str, ended: str) -> str:
    """Return the text of the record of a match.

    Args:
        played: the match.
        started: when the match started, as ``utc_now`` writes it.
        ended: when it ended, likewise.

    Raises:
        RecordError: a time is written in another way.

    """
    return Record(played, started, ended).text


def digest(before: Iterable[bytes]) -> str:
    """Return the digest, in hex, of the lines before the last: SHA-256 without the times.

    The keys ``started`` and ``ms``, which are the last ones of their objects, are cut out together
    with the comma before them; nothing else is changed.
    """
    summed = hashlib.sha256()
    for number, line in enumerate(before):
        summed.update((_MS if number else _STARTED).sub(b"", line))
    return summed.hexdigest()


def checksum(before: Iterable[bytes], last: bytes) -> str:
    """Return the checksum, in hex, of a record: SHA-256 of all bytes before ``,"checksum"``."""
    summed = hashlib.sha256()
    for line in before:
        summed.update(line)
    summed.update(last[: last.rindex(_CHECKSUM)])
    return summed.hexdigest()


def as_line(line: Line) -> bytes:
    """Return the line's text with the newline that ends it."""
    return encode(line) + b"\n"


def match_line(setup: MatchSetup, started: str) -> MatchLine:
    """Return the first line."""
    clock = setup.clock
    return MatchLine(
        format=FORMAT,
        match=setup.match,
        tournament=setup.tournament,
        attempt=setup.attempt,
        variant=setup.variant,
        rules=VARIANTS[setup.variant].rules,
        seats=[
            SeatPart(seat, entrant.bot, entrant.version)
            for seat, entrant in enumerate(setup.entrants)
        ],
        hands=setup.hands,
        first_dealer=setup.first_dealer,
        tournament_commitment=setup.tournament_commitment,
        commitment=commitment(setup.seed),
        clock=ClockPart(
            None if clock is None else format_duration(clock.decision),
            None if clock is None else format_duration(clock.bank),
            setup.strikes,
        ),
        started=started,
    )


def hand_line(hand: PlayedHand) -> HandLine:
    """Return the line of a hand."""
    return HandLine(
        hand=hand.hand,
        dealer=hand.dealer,
        deck=text_of(hand.deck),
        cut=hand.cut,
        # What is written already is written as it is; read back it is one of the parts.
        events=cast("list[AnyEvent]", list(map(_written, hand.events))),
        decisions=[
            DecisionPart(
                decision.seat,
                decision.legal,  # type: ignore[arg-type]  # a tuple is written as a list
                decision.answer,
                decision.applied,
                decision.fault,  # type: ignore[arg-type]
                decision.ms,
            )
            for decision in hand.decisions
        ],
        net=_money(hand.net),
        balance=_money(hand.balance),
    )


def _written(event: Event) -> msgspec.Raw:
    # What is revealed hardly ever comes up again: it would drive out what does.
    return _encoded(event) if type(event) is Revealed else _EVENTS[event]


def _encoded(event: Event) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(event.to_json()))


def result_text(played: PlayedMatch, ended: str, before: list[bytes], digest: str) -> bytes:
    """Return the text of the last line, for the lines before it, without the newline."""
    line = ResultLine(
        net=_money(played.net),
        places=list(played.places),
        faults=list(played.faults),
        seed=played.setup.seed.hex(),
        digest=digest,
        ended=ended,
        checksum="",
    )
    text = encode(line)
    return text.replace(b'"checksum":""', f'"checksum":"{checksum(before, text)}"'.encode())


def _money(amounts: Iterable[Fraction]) -> list[str]:
    return [str(amount) for amount in amounts]
