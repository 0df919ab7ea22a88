"""The arbiter's clock: what time is taken from bots, and what is the arbiter's own delay."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final, Protocol

TICK: Final = 0.02
"""Seconds between two looks at how late the event loop is."""

SLACK: Final = 0.02
"""Seconds that the loop may be late before the rest counts as the arbiter's own delay."""


class Timer(Protocol):
    """Something that will be called, unless it is cancelled."""

    def cancel(self) -> None:
        """Do not call it."""


class Timekeeper(Protocol):
    """The time that is taken from bots, in seconds, and alarms set by it."""

    def now(self) -> float:
        """Return the time, from some moment on; it never runs backwards."""

    def call_at(self, when: float, alarm: Callable[[], None]) -> Timer:
        """Call ``alarm`` at a time, or soon after it."""


class LoopClock:
    """The monotonic clock, less the time in which the event loop stood still.

    While the arbiter is busy elsewhere, or the machine is, answers lie unread: that is no time that
    a bot has taken. A heartbeat tells: what it is late by, beyond ``SLACK``, has not passed. Until
    it beats again the clock stands, so an alarm never rings before the answers are read that had
    come in time.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._lost = 0.0
        self._due = float("inf")  # of the next beat; none while the heart does not beat
        self._heart: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Let the heart beat, on the running event loop, if it does not."""
        if self._heart is not None:
            return
        self._due = self._monotonic() + TICK
        self._heart = asyncio.get_running_loop().call_later(TICK, self._beat)

    def stop(self) -> None:
        """Let it stop. The clock runs on, without regard to the loop."""
        if self._heart is not None:
            self._heart.cancel()
            self._heart = None
            self.beat()
            self._due = float("inf")

    @property
    def lost(self) -> float:
        """The seconds that did not pass for bots."""
        return self._lost

    def now(self) -> float:
        """Return the time in seconds."""
        return min(self._monotonic(), self._due + SLACK) - self._lost

    def beat(self) -> None:
        """Take off what the heart is late by."""
        now = self._monotonic()
        self._lost += max(0.0, now - self._due - SLACK)
        self._due = now + TICK

    def call_at(self, when: float, alarm: Callable[[], None]) -> Timer:
        """Call ``alarm`` on the event loop once the time has come by this clock."""
        return _Alarm(self, when, alarm)

    def _beat(self) -> None:
        self.beat()
        self._heart = asyncio.get_running_loop().call_later(TICK, self._beat)


class _Alarm:
    """An alarm by a clock that may have stood still in the meantime."""

    def __init__(self, clock: LoopClock, when: float, alarm: Callable[[], None]) -> None:
        self._clock = clock
        self._when = when
        self._alarm = alarm
        self._set()

    def cancel(self) -> None:
        self._handle.cancel()

    def _set(self) -> None:
        rest = max(0.0, self._when - self._clock.now())
        self._handle = asyncio.get_running_loop().call_later(rest, self._ring)

    def _ring(self) -> None:
        if self._clock.now() < self._when:
            self._set()
        else:
            self._alarm()
