"""Whether a bot is there: how it comes back after its connection was lost, and when it gives up."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Final

from sandlot.errors import SessionError

FIRST_WAIT: Final = 0.5
"""Seconds before it tries to come back for the first time; after that twice as long each time."""

LONGEST_WAIT: Final = 15.0
"""Seconds that it waits at most before it tries again."""

TRY_AGAIN: Final = frozenset(("already-connected", "full"))
"""The arbiter's reasons that pass by themselves, for a bot that comes back: it has not noticed yet
that the connection was lost, or all come back at once."""


def waits(draw: Callable[[], float] = random.random) -> Callable[[], float]:
    """Return a function that gives the seconds to wait, try by try.

    They grow, and are drawn from the upper half: bots that lost one server do not all come back to
    it at one moment.
    """
    longest = FIRST_WAIT / 2

    def next_wait() -> float:
        nonlocal longest
        longest = min(2 * longest, LONGEST_WAIT)
        return longest * (1 + draw()) / 2

    return next_wait


class Attendance:
    """Follows the connections of one bot, and says on standard error what becomes of them.

    Args:
        now: the time in seconds, from some moment on.
        wait: lets so many seconds pass.

    """

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._now = now
        self._wait = wait
        self._next_wait = waits()
        self._grace = 0.0
        self._left: float | None = None  # since when it is away

    def welcomed(self, grace: float) -> bool:
        """Note that it is there, and may be away for so many seconds; return if it was away."""
        left, self._left = self._left, None
        self._grace = grace
        if left is None:
            return False
        _say(f"back after {self._now() - left:.1f} s")
        return True

    def ended(self, error: SessionError) -> None:
        """Take what a connection, or a try to come back, ended with; wait before the next try.

        Raises:
            SessionError: it is not to come back, or has been away for too long.
        """
        passes = self._left is not None and error.reason in TRY_AGAIN
        if not (error.lost or passes) or self._grace <= 0:
            raise error
        now = self._now()
        if self._left is None:
            self._left = now
            self._next_wait = waits()
            _say(f"the connection is lost; back within {self._grace:g} s, or not at all: {error}")
        rest = self._left + self._grace - now
        if rest <= 0:
            raise SessionError(
                f"given up after {now - self._left:.1f} s without a connection: {error}", lost=True
            ) from error
        self._wait(min(rest, self._next_wait()))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
