"""How a session ends from the arbiter's side: a status of gRPC and a reason that stays the same.

The reason travels in the trailing metadata, under ``sandlot-reason``, and once more in the form
that gRPC's own libraries read, as a ``google.rpc.ErrorInfo``; the text is for a person.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import grpc

from sandlot.wire import REASON
from sandlot_server.reasons import Trailing, error_info


@dataclass(frozen=True, slots=True)
class Ending:
    """How a session ends.

    Attributes:
        status: what the stream ends with.
        reason: one word, the same in every version.
        text: what was wrong and what to do, for a person.
        cause: what it is in the matches that the bot was in: ``timeout`` or ``crash``.

    """

    status: grpc.StatusCode
    reason: str
    text: str
    cause: str = "crash"

    def trailing(self) -> Trailing:
        """Return the trailing metadata that says the reason."""
        return ((REASON, self.reason), *error_info(self.status, self.text, self.reason))


STOPPED: Final = Ending(grpc.StatusCode.OK, "stopped", "the arbiter has stopped")


def no_token() -> Ending:
    """Say that the metadata names nobody."""
    text = "no token: send the metadata 'authorization: Bearer TOKEN'"
    return Ending(grpc.StatusCode.UNAUTHENTICATED, "no-token", text)


def unknown_token() -> Ending:
    """Say that the token is nobody's."""
    text = "this token is nobody's here: take the one that this run of the arbiter gave out"
    return Ending(grpc.StatusCode.UNAUTHENTICATED, "unknown-token", text)


def already_connected(bot: str) -> Ending:
    """Say that the token has a live session."""
    text = f"{bot} is connected already: a token is good for one session at a time"
    return Ending(grpc.StatusCode.ALREADY_EXISTS, "already-connected", text)


def full(text: str) -> Ending:
    """Say that no more bots are let in."""
    text = f"{text}, and no more are let in: try again later"
    return Ending(grpc.StatusCode.RESOURCE_EXHAUSTED, "full", text)


def worn_out(rest: float) -> Ending:
    """Say that the bot has to keep quiet for a while: it flooded, or opened stream after stream."""
    text = f"the bot has opened too many streams, or flooded one: stay away for {rest:.0f} s"
    return Ending(grpc.StatusCode.RESOURCE_EXHAUSTED, "worn-out", text)


def stopping() -> Ending:
    """Say that the arbiter takes no new sessions."""
    return Ending(grpc.StatusCode.UNAVAILABLE, "stopping", "the arbiter is stopping")


def no_hello(text: str) -> Ending:
    """Say that the first message holds no hello, or does not come."""
    return Ending(grpc.StatusCode.FAILED_PRECONDITION, "no-hello", text)


def other_protocol(theirs: int, ours: int) -> Ending:
    """Say that the bot speaks another version of the protocol."""
    text = f"the bot speaks version {theirs} of the protocol, the arbiter version {ours}"
    return Ending(grpc.StatusCode.FAILED_PRECONDITION, "protocol", text)


def other_variants(missing: str, theirs: tuple[str, ...]) -> Ending:
    """Say that the bot cannot play what is played."""
    known = ", ".join(theirs)[:200] or "nothing"
    text = f"{missing} is played here, and the bot plays {known}"
    return Ending(grpc.StatusCode.FAILED_PRECONDITION, "variant", text)


def timed_out() -> Ending:
    """Say that the bot is out by time-outs at one table."""
    text = "out by time-outs: the session is ended, connect anew for the next match"
    return Ending(grpc.StatusCode.ABORTED, "time-outs", text, cause="timeout")


def unread(outbox: int) -> Ending:
    """Say that the bot does not read its stream."""
    text = f"the bot does not read its stream, or {outbox} bytes wait for it"
    return Ending(grpc.StatusCode.ABORTED, "unread", text, cause="timeout")


def flooded(strays: int) -> Ending:
    """Say that the bot says too much that nobody waits for."""
    text = f"the bot floods its stream: {strays} messages and answers that nobody waits for"
    return Ending(grpc.StatusCode.RESOURCE_EXHAUSTED, "flood", text)


def replaced(text: str) -> Ending:
    """Say that the bot is gone or was started anew, by the word of who started it."""
    return Ending(grpc.StatusCode.ABORTED, "replaced", text)


def broken(text: str) -> Ending:
    """Say that the arbiter itself has failed."""
    return Ending(grpc.StatusCode.INTERNAL, "broken", text)
