"""How long a bot may think, and how such a time is written: ``1s``, ``250ms``, ``2m``.

Inside, a time is a number of seconds; in league files and records it is text in whole milliseconds,
seconds or minutes.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

from sandlot.errors import ClockError

_MILLISECONDS: Final = {"ms": 1, "s": 1_000, "m": 60_000}
_DURATION: Final = re.compile(r"([0-9]+)(\.[0-9]+)?(ms|s|m)")
_HOW: Final = 'write a number and a unit, as in "250ms", "1s" or "2m"'


@dataclass(frozen=True, slots=True)
class Clock:
    """The time a seat has: a limit for each decision, and a bank for the match behind it.

    Raises:
        ClockError: a time that is below 0, endless or finer than a millisecond, or no time at all
            for a decision.

    >>> Clock()
    Clock(decision=1.0, bank=10.0)
    """

    decision: float = 1.0
    """Seconds for each decision."""
    bank: float = 10.0
    """Seconds for the whole match, used when the limit of a decision is passed."""

    def __post_init__(self) -> None:
        if _milliseconds(self.decision) == 0:
            raise ClockError("a decision needs some time: write at least 1ms")
        _milliseconds(self.bank)


def parse_duration(text: str) -> float:
    """Return the seconds of a duration such as ``1s``, ``1.5s``, ``250ms`` or ``2m``.

    Raises:
        ClockError: the text is no duration, or is finer than a millisecond.

    >>> parse_duration("250ms"), parse_duration("2m")
    (0.25, 120.0)
    >>> parse_duration("10")
    Traceback (most recent call last):
    sandlot.errors.ClockError: '10' has no unit: write "10s" or "10ms"
    """
    found = _DURATION.fullmatch(text)
    if found is None:
        if re.fullmatch(r"[0-9]+", text):
            raise ClockError(f'{text!r} has no unit: write "{text}s" or "{text}ms"')
        raise ClockError(f"{text!r} is no duration: {_HOW}")
    whole, fraction, unit = found.groups(default="")
    digits = fraction[1:].rstrip("0")
    scale: int = 10 ** len(digits)
    milliseconds, rest = divmod(int(whole + digits) * _MILLISECONDS[unit], scale)
    if rest:
        raise ClockError(f"{text!r} is finer than a millisecond: write whole milliseconds")
    try:
        return milliseconds / 1_000
    except OverflowError:
        raise ClockError(f"{text[:12]!r}... is too long: {_HOW}") from None


def format_duration(seconds: float) -> str:
    """Return a duration as text; ``parse_duration`` reads the same seconds back.

    Raises:
        ClockError: below 0, endless, or finer than a millisecond.

    >>> [format_duration(seconds) for seconds in (0, 0.25, 1, 1.5, 90, 120)]
    ['0s', '250ms', '1s', '1500ms', '90s', '2m']
    """
    milliseconds = _milliseconds(seconds)
    unit = (
        "s"
        if milliseconds == 0
        else next(unit for unit in ("m", "s", "ms") if milliseconds % _MILLISECONDS[unit] == 0)
    )
    return f"{milliseconds // _MILLISECONDS[unit]}{unit}"


def _milliseconds(seconds: float) -> int:
    """Return whole milliseconds; a float's own rounding is forgiven, a finer time is not."""
    if not math.isfinite(seconds) or seconds < 0:
        raise ClockError(f"{seconds} seconds is no duration: {_HOW}")
    milliseconds = round(seconds * 1_000)
    if not math.isclose(seconds * 1_000, milliseconds, rel_tol=1e-12, abs_tol=1e-6):
        raise ClockError(f"{seconds} seconds is finer than a millisecond: {_HOW}")
    return milliseconds
