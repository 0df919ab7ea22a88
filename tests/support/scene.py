"""Bots that are small scripts, and a pipe that tells when the last of them is gone."""

from __future__ import annotations

import os
import select
import sys
from pathlib import Path
from typing import Self

from sandlot_server.launch.bots import CommandBot

PRELUDE = """
import os, signal, subprocess, sys, time
life = open({life!r}, "wb", buffering=0)  # held open by whoever still runs
def say(text):
    life.write(text.encode() + b"\\n")
def forever():
    while True:
        signal.pause()
"""

DEADLINE = 60.0
"""Seconds after which a test that waits for an event fails; nothing waits that long."""


class Scene:
    """A directory with scripts; ``next_line`` and ``all_gone`` tell what becomes of them."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        life = directory / "life"
        os.mkfifo(life)
        self._life = os.open(life, os.O_RDONLY | os.O_NONBLOCK)
        self._said = b""

    def script(self, body: str, name: str = "bot.py") -> CommandBot:
        """Write a script that may say things; it and its children are alive until the pipe ends."""
        prelude = PRELUDE.format(life=str(self.directory / "life"))
        (self.directory / name).write_text(prelude + body)
        return CommandBot((sys.executable, "-S", name), self.directory)

    def next_line(self) -> str:
        """Wait for the next thing that a script says."""
        while b"\n" not in self._said:
            piece = self._read()
            assert piece, f"all are gone; the last word was {self._said!r}"
            self._said += piece
        line, _, self._said = self._said.partition(b"\n")
        return line.decode()

    def all_gone(self, deadline: float = DEADLINE) -> str:
        """Wait until no process holds the pipe any more; return what was said until then."""
        while piece := self._read(deadline):
            self._said += piece
        return self._said.decode()

    def _read(self, deadline: float = DEADLINE) -> bytes:
        """Return the next bytes, or nothing when the last writer is gone."""
        poll = select.poll()
        poll.register(self._life, select.POLLIN)  # the end of the pipe is reported as well
        if not poll.poll(deadline * 1000):
            raise TimeoutError("nothing was said, and somebody still runs")
        return os.read(self._life, 65536)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._life)
