"""What a run and its worker processes tell each other: a JSON object a line.

Records travel packed, as base64: a quarter of the text, with nothing in it to be escaped.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final, TypeVar

import msgspec

from sandlot_server.store import FinishedMatch
from sandlot_server.tournament.jobs import NotPlayed, Play

T = TypeVar("T")

LINE: Final = 64 << 20
"""Bytes of the longest line: a match of many hands is long."""


class Opening(msgspec.Struct):
    """The first line that a worker is told; jobs follow. See ``Worker``."""

    play: Play
    start_all: bool


class Ready(msgspec.Struct, tag="ready"):
    """The worker can play."""


class Refused(msgspec.Struct, tag="refused"):
    """The worker cannot play: a bot did not come up, or something else is wrong.

    It may come later too, without a bot: what would end the next worker as well.
    """

    bot: str
    reason: str
    account: str


class SecondSession(msgspec.Struct, tag="second-session"):
    """A bot's token was shown while the bot was connected; see ``Worker``. It comes at any time."""

    bot: str


class Done(msgspec.Struct, tag="done"):
    """A job is over: one of the two is there."""

    finished: FinishedMatch | None = None
    not_played: NotPlayed | None = None


def encode(value: object) -> bytes:
    r"""Return a value as a line.

    >>> encode(Refused("mine", "it ends at once", ""))
    b'{"type":"refused","bot":"mine","reason":"it ends at once","account":""}\n'
    """
    return msgspec.json.encode(value, enc_hook=_as_text) + b"\n"


def decoder(kind: type[T] | Any) -> Callable[[bytes], T]:
    """Return what reads a line of a kind of value.

    The function raises ``msgspec.DecodeError``, a ``ValueError``, where a line is of another kind.
    """

    def from_text(wanted: type, text: Any) -> Any:
        if wanted is Fraction:
            return Fraction(text)
        raise NotImplementedError(f"{wanted} is not read from a line")

    return msgspec.json.Decoder(kind, dec_hook=from_text).decode


def _as_text(value: object) -> str:
    if isinstance(value, Fraction):
        return str(value)
    raise NotImplementedError(f"{type(value)} is not written in a line")
