"""Starts ``sandlot`` in no time, again and again, for tests that end it as often."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final, Self

from support.command import plain_environment
from support.live_server import DEADLINE, Process
from tournament.live import wait_until_gone


class Forge:
    """Starts the command in no time, again and again: forked off a process that has it imported.

    What takes a start its time is the import. As a context, the process is gone after.
    """

    _PROGRAM: Final = """
import json, os, signal, sys
from sandlot_server.cli import main
import sandlot_server.serving.server, sandlot_server.store.migrations, sandlot_server.store.sqlite

for line in sys.stdin:
    arguments, environment, stderr = json.loads(line)
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.environ.clear()
        os.environ.update(environment)
        for number, path in enumerate((os.devnull, os.devnull, stderr)):
            file = os.open(path, os.O_WRONLY if number else os.O_RDONLY)
            os.dup2(file, number)
            os.close(file)
        sys.exit(main(arguments))
    print(pid, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""

    def __enter__(self) -> Self:
        self._pipes = Path(tempfile.mkdtemp(prefix="forge-"))
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", self._PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=plain_environment(),
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=DEADLINE)
        shutil.rmtree(self._pipes)

    def __call__(self, arguments: Sequence[str], environment: dict[str, str]) -> Process:
        """Start it: a ``Start``. The one before must have ended."""
        pipe = tempfile.mktemp(dir=self._pipes)
        os.mkfifo(pipe)
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(f"{json.dumps([arguments, environment, pipe])}\n")
        stdin.flush()
        return _Forked(int(stdout.readline()), open(pipe), stdout)


class _Forked:
    """A process that was forked off by another one of ours."""

    def __init__(self, pid: int, stderr: IO[str], ends: IO[str]) -> None:
        self.pid = pid
        self._stderr = stderr
        self._ends = ends
        self._status: int | None = None

    @property
    def stderr(self) -> IO[str]:
        """See ``Process``."""
        return self._stderr

    def send_signal(self, sig: int) -> None:
        """See ``Process``."""
        if self._status is None:
            os.kill(self.pid, sig)

    def wait(self, timeout: float | None = None) -> int:
        """See ``Process``."""
        if self._status is None:
            wait_until_gone(self.pid)
            self._status = int(self._ends.readline())
        return self._status
