"""A command at a terminal of its own, with somebody at the keys."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from types import TracebackType
from typing import Self

from support.command import SCRIPTS, plain_environment

PATIENCE = 60
"""Seconds after which nothing more is expected to appear."""

CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\r")

TAKE = """
import os, sys
os.close(os.open(os.ttyname(0), os.O_RDWR))  # the first to open it is interrupted by its ^C
os.execv(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """``sandlot`` with these arguments at a terminal of 24 lines and 80 columns."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self._keys, screen = pty.openpty()
        fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        plain = plain_environment()
        del plain["NO_COLOR"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", TAKE, str(SCRIPTS / "sandlot"), *arguments],
            stdin=screen,
            stdout=screen,
            stderr=screen,
            env=plain | {"TERM": "xterm-256color"} | environment,
            start_new_session=True,
        )
        os.close(screen)
        self.raw = ""
        self._seen = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._keys)

    def press(self, keys: str) -> None:
        """Press keys."""
        os.write(self._keys, keys.encode())

    def wait_for(self, text: str) -> str:
        """Wait until the text has appeared since the last wait; return what has, without codes."""
        deadline = time.monotonic() + PATIENCE
        while True:
            shown = CONTROLS.sub("", self.raw[self._seen :])
            if text in shown:
                self._seen = len(self.raw)
                return shown
            assert self._read(deadline), f"{text!r} has not appeared, but {shown!r}"

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit status and what has appeared since the last wait."""
        deadline = time.monotonic() + PATIENCE
        while self._read(deadline):
            pass
        return self._process.wait(PATIENCE), CONTROLS.sub("", self.raw[self._seen :])

    def _read(self, deadline: float) -> bool:
        """Read more of what appears; return False at the end or when the time is up."""
        ready, _, _ = select.select([self._keys], [], [], max(0.0, deadline - time.monotonic()))
        try:
            more = os.read(self._keys, 65_536) if ready else b""
        except OSError:  # Linux says so when the other side of a terminal is closed
            more = b""
        self.raw += more.decode(errors="replace")
        return bool(more)
