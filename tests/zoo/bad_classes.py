"""Bots on the SDK that misbehave within ``act``."""

import sys
import threading

from sandlot import Action, Bot, Observation
from sandlot.notices import MatchStart


class Good(Bot):
    """Checks or calls."""

    def act(self, seen: Observation) -> Action:
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL


class HangsAtFirst(Good):
    """Hangs at its first decision."""

    def act(self, seen: Observation) -> Action:
        threading.Event().wait()
        return super().act(seen)


class HangsInHandFive(Good):
    """Hangs in hand 5."""

    def act(self, seen: Observation) -> Action:
        if seen.hand == 5:
            threading.Event().wait()
        return super().act(seen)


class Raises(Good):
    """Raises at every decision."""

    def act(self, seen: Observation) -> Action:
        raise ValueError("I cannot count to five")


class RaisesOnce(Good):
    """Raises at its first decision in hand 2 and goes on."""

    raised = False

    def act(self, seen: Observation) -> Action:
        if seen.hand == 2 and not self.raised:
            self.raised = True
            raise KeyError("once")
        return super().act(seen)


class Illegal(Good):
    """Folds where a check is free, raises where there is no bet."""

    def act(self, seen: Observation) -> Action:
        return Action.FOLD if Action.CHECK in seen.legal else Action.BET


class Nonsense(Good):
    """Answers what is no action."""

    def act(self, seen: Observation) -> Action:
        return "all in"  # type: ignore[return-value]


class Prints(Good):
    """Prints to both streams; that is no fault."""

    def act(self, seen: Observation) -> Action:
        print(f"hand {seen.hand}: I see {len(seen.history)} events")
        print("and this goes to standard error", file=sys.stderr)
        return super().act(seen)


class Leaves(Good):
    """Leaves by SystemExit in mid-hand."""

    def act(self, seen: Observation) -> Action:
        if seen.decision > 5:
            sys.exit(4)
        return super().act(seen)


class LeavesGrandchild(Good):
    """Starts a process of its own that would stay for ever."""

    def match_started(self, start: MatchStart) -> None:
        import subprocess

        subprocess.Popen([sys.executable, "-c", "import time\nwhile True: time.sleep(1)"])
