"""A bot that kills the process it was started by, once for each file in ``lives``."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

from sandlot import Action, Bot, Observation

LIVES = Path("lives")


def take_a_life() -> bool:
    """Take one of the files away; tell whether there was one. Each is taken once."""
    for life in LIVES.iterdir():
        try:
            life.unlink()
        except FileNotFoundError:
            continue
        return True
    return False


class KillsWorker(Bot):
    """Checks or calls, and kills in hand 2 while there are lives left."""

    def act(self, seen: Observation) -> Action:
        """Check, call or kill."""
        if seen.hand == 2 and take_a_life():
            os.kill(os.getppid(), signal.SIGKILL)
            threading.Event().wait()
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL
