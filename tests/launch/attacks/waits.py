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
            # Its standard error is the bot's own: what is written to it goes into the log.
            ended = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
            for said in ended.stdout.splitlines():
                say(f"{name}: {said}")
            say(f"{name} {ended.returncode}")
        say("all attacks are over")

    def act(self, seen: Observation) -> Action:
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL
