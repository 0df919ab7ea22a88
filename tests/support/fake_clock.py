"""A clock that moves when a test moves it."""

from __future__ import annotations

from collections.abc import Callable


class _Alarm:
    def __init__(self, when: float, ring: Callable[[], None]) -> None:
        self.when = when
        self.ring = ring
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class FakeClock:
    """A ``Timekeeper``: time stands still but for ``advance``, which rings what falls due."""

    def __init__(self) -> None:
        self._now = 1000.0
        self._alarms: list[_Alarm] = []

    def now(self) -> float:
        return self._now

    def call_at(self, when: float, alarm: Callable[[], None]) -> _Alarm:
        self._alarms.append(_Alarm(when, alarm))
        return self._alarms[-1]

    def advance(self, seconds: float) -> None:
        """Let so much time pass, ringing every alarm at its own moment, in order."""
        end = self._now + seconds
        while True:
            self._alarms = [alarm for alarm in self._alarms if not alarm.cancelled]
            due = min(self._alarms, key=lambda alarm: alarm.when, default=None)
            if due is None or due.when > end:
                break
            self._alarms.remove(due)
            self._now = max(self._now, due.when)
            due.ring()
        self._now = end
