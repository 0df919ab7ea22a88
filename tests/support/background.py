"""A command that a page starts with ``&``, waited for until it has said what the page shows."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

LIMIT: Final = 60.0
"""Seconds after which a command is taken to hang that was asked to end."""


class Background:
    """A command in a process group of its own, run by bash.

    Args:
        command: it, without the ``&``.
        folder: where it runs.
        environment: all of its variables.

    """

    def __init__(self, command: str, folder: Path, environment: Mapping[str, str]) -> None:
        self.printed = ""
        self._ended = False
        self._more = threading.Condition()
        self._process = subprocess.Popen(
            ["bash", "-c", f"exec {command}"],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def wait_until(self, said: Callable[[str], bool], limit: float) -> bool:
        """Wait until what it has printed is as wanted; return False if that does not come."""
        with self._more:
            self._more.wait_for(lambda: self._ended or said(self.printed), limit)
            return said(self.printed)

    def end(self) -> None:
        """End it, and what it has started, unless it has ended already."""
        self._signal(signal.SIGTERM)
        try:
            self._process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGKILL)
            self._process.wait()
            raise
        finally:
            self._signal(signal.SIGKILL)
            self._reader.join()

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            return

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                with self._more:
                    self.printed += line
                    self._more.notify_all()
        with self._more:
            self._ended = True
            self._more.notify_all()
