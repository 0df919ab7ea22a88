"""Passes its trial as a good bot does, and attacks with all that is beside it in the season."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from guesses import Guesses, say  # type: ignore[import-not-found]  # beside it where it plays

from sandlot import Action, Observation
from sandlot.notices import MatchStart

signal.signal(signal.SIGTERM, signal.SIG_IGN)  # one of the attacks is on all that it may end
HERE = Path(__file__).parent
BEGUN = threading.Event()
LINE = b"x" * 4095 + b"\n"
LOUD = 5000  # lines, more than are kept


class Waits(Guesses):  # type: ignore[misc]
    """Plays on while the attacks run: they are none of the hands that answer."""

    def match_started(self, match: MatchStart) -> None:
        if match.match.startswith("trial") or BEGUN.is_set():
            return
        BEGUN.set()
        threading.Thread(target=self._attack, args=(match,), daemon=True).start()

    def _attack(self, match: MatchStart) -> None:
        say(f"its token: {os.environ['SANDLOT_TOKEN']}")
        super().match_started(match)
        for line in (HERE / "plan").read_text().splitlines():
            name, *arguments = line.split()
            words = [sys.executable, "-S", str(HERE / f"{name}.py"), *arguments]
            say(f"{name} ended with {subprocess.run(words, check=False).returncode}")
        say("and now without end")
        for _ in range(LOUD):
            os.write(2, LINE)

    def act(self, seen: Observation) -> Action:
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL
