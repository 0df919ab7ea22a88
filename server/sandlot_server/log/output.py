"""Writes the log to standard error, and never lets that stop the server.

The disk may be full, the reader may be gone, or be there and not read, as a pager does. Lines that
cannot be written at once are let go, and their number is told with the first that can.
"""

from __future__ import annotations

import logging
import os
import select
from typing import Final

import structlog

PIECE: Final = select.PIPE_BUF
"""Bytes that a pipe takes without waiting when it says that it takes any."""


class StandardError(logging.Handler):
    """Writes each record as a line, whole or not at all as far as the system lets it.

    Args:
        descriptor: what it writes to.

    """

    def __init__(self, descriptor: int = 2) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._room = select.poll()
        self._room.register(descriptor, select.POLLOUT)
        self._torn = False
        self._lost = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, or count it as lost."""
        try:
            line = self.format(record).encode(errors="backslashreplace") + b"\n"
        except Exception:  # a library gave its message other arguments than it has places for
            self._lost += 1
            return
        if not self._write(b"\n" + line if self._torn else line):
            self._lost += 1
        elif self._lost:
            lost, self._lost = self._lost, 0
            structlog.get_logger("sandlot.log").warning("lines of the log were lost", lines=lost)

    def _write(self, line: bytes) -> bool:
        left = line
        try:
            while left and self._room.poll(0):
                left = left[os.write(self._descriptor, left[:PIECE]) :]
        except OSError:
            pass  # the same as no room: there is nobody to tell
        self._torn = bool(left) and (self._torn or len(left) < len(line))
        return not left
