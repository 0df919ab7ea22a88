"""Bots that say what they come to, on the pipe that ``LIFE`` names; it ends when the last is gone.

A line is ``up``, ``match ID COMMITMENT``, ``hand`` or ``ended``.
"""

from __future__ import annotations

import os
import subprocess
import sys

from sandlot import Action, Bot, HandEnd, MatchEnd, MatchStart, Observation

LIFE = os.open(os.environ["LIFE"], os.O_WRONLY)
SLEEP = [sys.executable, "-S", "-c", "import signal; signal.pause()"]
TWICE = """
import os, sys
if os.fork() == 0:
    os.setsid()
    os.execve(sys.argv[1], sys.argv[1:], {})
"""
DAEMON = [sys.executable, "-S", "-c", TWICE]

children: list[subprocess.Popen[bytes]] = []


def say(line: str) -> None:
    """Say a line; it is short enough to go through the pipe whole."""
    os.write(LIFE, f"{line}\n".encode())


say("up")


class Telling(Bot):
    """Plays at random, from what the arbiter gave it."""

    def match_started(self, start: MatchStart) -> None:
        """Say which cards it is about to see."""
        say(f"match {start.match} {start.commitment}")

    def act(self, seen: Observation) -> Action:
        """Draw one of the legal actions."""
        return self.rng.choice(seen.legal)

    def hand_ended(self, end: HandEnd) -> None:
        """Say so."""
        say("hand")

    def match_ended(self, end: MatchEnd) -> None:
        """Say so."""
        say("ended")


class Forking(Telling):
    """Starts processes that would stay for ever: one beside it, one that has left its group, and a
    daemon that has kept neither its parent nor its environment.
    """

    def match_started(self, start: MatchStart) -> None:
        """Start them, once in each process of this bot."""
        if not children:
            children.append(subprocess.Popen(SLEEP, pass_fds=[LIFE]))
            children.append(subprocess.Popen(SLEEP, pass_fds=[LIFE], start_new_session=True))
            subprocess.run([*DAEMON, *SLEEP], pass_fds=[LIFE], env={}, check=True)
        super().match_started(start)
