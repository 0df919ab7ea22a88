"""Looks on while a bot is asked: how long it takes, and whether it does what it must not."""

from __future__ import annotations

import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from types import FrameType
from typing import Final

from sandlot.clock import Clock
from sandlot.game import Action
from sandlot.host import BotClass, Failure, Host
from sandlot.notices import MatchEnd, MatchStart, Notice
from sandlot.observation import Observation
from sandlot.testing.report import Kind
from sandlot.testing.ways_out import WayOut

OURS: Final = str(Path(__file__).parents[1])
"""The directory of this package, whose frames do not belong in the account of a bot."""


class Stopped(Exception):  # noqa: N818  not an error: the check is over
    """Nothing more can be tried."""


class _TooLong(BaseException):
    """Raised into a bot that hangs, where no ``except Exception`` of its own can hold it up."""


class WatchedHost(Host):
    """Hosts a bot and notes what it does wrong.

    Args:
        bot: the class.
        clock: what its times are held against.
        found: called with the kind, the text, the account and the observation of each finding.

    Raises:
        Stopped: when a bot hangs, has used up its time in a match, or would end the process, which
            has been noted then.
    """

    def __init__(
        self,
        bot: BotClass,
        clock: Clock,
        found: Callable[[Kind, str, str, Observation | None], None],
    ) -> None:
        self._clock = clock
        self._found = found
        self._banks: dict[tuple[str, int], float] = {}
        self.decisions = 0
        self.answered = 0
        self.seconds = 0.0
        self.most_seconds = 0.0
        self.slowest: Observation | None = None
        super().__init__(bot)

    def tell(self, notice: Notice) -> None:
        """Tell the bot, and note what goes wrong in its hook."""
        if isinstance(notice, MatchStart):
            self._banks[notice.match, notice.seat] = self._clock.bank
        with self._guarded(None):
            failure = super().tell(notice)
        if failure is not None:
            self._found("hook", failure.text, failure.account, None)
        if isinstance(notice, MatchEnd):
            del self._banks[notice.match, notice.seat]

    def decide_many(self, seen: Sequence[Observation]) -> list[Action | Failure]:
        """Ask the bot, and note its time and what it does to what it is given."""
        if not self.decides_in_batches and len(seen) > 1:
            return [self.decide_many([each])[0] for each in seen]
        self.decisions += len(seen)
        kept = [copy(each) for each in seen]
        began = time.perf_counter()
        with self._guarded(seen[0]):
            answers = super().decide_many(seen)
        seconds = time.perf_counter() - began
        self.answered += sum(isinstance(answer, Action) for answer in answers)
        self._took(seconds, seen)
        for before, after in zip(kept, seen, strict=True):
            if before != after:
                self._found("changes", f"it changed {_difference(before, after)}", "", before)
        return answers

    def _took(self, seconds: float, seen: Sequence[Observation]) -> None:
        self.seconds += seconds
        if seconds > self.most_seconds:
            self.most_seconds, self.slowest = seconds, seen[0]
        over = seconds - self._clock.decision
        if over <= 0:
            return
        for each in seen:
            bank = self._banks[each.match, each.seat] - over
            self._banks[each.match, each.seat] = max(0.0, bank)
            if bank < 0:
                text = (
                    f"took longer than {self._clock.decision:g} s for a decision, and the bank of "
                    f"{self._clock.bank:g} s for the match was used up"
                )
                self._found("timeout", text, "", each)
                raise Stopped  # it would go on like that for hours

    @contextmanager
    def _guarded(self, seen: Observation | None) -> Iterator[None]:
        """Stop a bot that hangs, and note one that would end the process."""
        longest = self._clock.decision + self._clock.bank
        try:
            with _alarm(longest):
                yield
        except _TooLong as error:
            where = "".join(traceback.format_list(_frames(error)))
            self._found("timeout", f"no answer within {longest:g} s; it was here", where, seen)
            raise Stopped from None
        except (KeyboardInterrupt, Exception):
            raise
        except BaseException as error:
            self._found("crash", ending(error), account(error), seen)
            raise Stopped from None


def ending(error: BaseException) -> str:
    """Say what a bot has done that would end its process."""
    how = str(error) if isinstance(error, WayOut) else repr(error)
    return f"would end its process: {how}"


def _difference(before: Observation, after: Observation) -> str:
    """Return the attributes that differ, as ``seen.pot``."""
    one, two = before.to_json(), after.to_json()
    return ", ".join(f"seen.{name}" for name in one if one[name] != two[name])


def account(error: BaseException) -> str:
    """Return the traceback of an error, with the frames that are not ours."""
    lines = traceback.format_list(_frames(error))
    head = ["Traceback (most recent call last):\n"] if lines else []
    return "".join([*head, *lines, *traceback.format_exception_only(error)])


def _frames(error: BaseException) -> list[traceback.FrameSummary]:
    frames = traceback.extract_tb(error.__traceback__)
    return [frame for frame in frames if not frame.filename.startswith(OURS)]


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raise `_TooLong` in the main thread after so many seconds, where that can be done."""
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # again, if the bot caught the first
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
