"""Attacks with all it has, in processes of their own, while it plays."""

import subprocess
import sys
import threading
from pathlib import Path

from sandlot import Action, Bot, Observation
from sandlot.notices import MatchStart


class Everything(Bot):
    """Takes processes, memory, disk and log, as much as there is."""

    attacks: tuple[tuple[str, ...], ...] = (
        ("forks",),
        ("takes_memory", "alone"),
        ("fills_disk", "bytes", "/"),
    )

    def match_started(self, match: MatchStart) -> None:
        for name, *arguments in self.attacks:
            script = str(Path(__file__).parent / f"{name}.py")
            try:
                subprocess.Popen([sys.executable, "-S", script, *arguments])
            except OSError as error:
                print(name, error.strerror)
        print("x" * 200_000)

    def act(self, seen: Observation) -> Action:
        return seen.legal[0]


class Greedy(Everything):
    """Takes more memory than one process could."""

    attacks = (("takes_memory", "together", str(60 << 20)),)

    def act(self, seen: Observation) -> Action:
        threading.Event().wait()  # until it is killed for it
        return super().act(seen)
