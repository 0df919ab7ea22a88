"""What a sandboxed bot writes, moved from a pipe to its log: as much as may be kept, and no more.

What is beyond that is read and dropped, so that a bot which says too much plays on. It is read in
small helpings: who writes without end waits for us, and takes neither the disk nor our time.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sandlot_server.launch.limits import format_size
from sandlot_server.launch.logs import open_log

_HELPING: Final = 64 << 10  # bytes at a time, as many as a pipe holds
_PAUSE: Final = 0.01  # seconds between two helpings
_CUT: Final = "it has written {}, and no more is kept in this run (output, in [sandbox])"


@dataclass(slots=True)
class Allowance:
    """How much of a bot's output is kept: ``most`` bytes over all its starts, ``kept`` by now."""

    most: int
    kept: int = 0


class Output:
    """The output of one process of a bot.

    Args:
        log: the file that it is appended to.
        allowance: how much of it.

    Attributes:
        writer: the number of the pipe's end that the bot writes to; ``begin`` closes it.

    """

    def __init__(self, log: Path, allowance: Allowance) -> None:
        self._log = open_log(log)
        self._allowance = allowance
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)
        self._loop = asyncio.get_running_loop()
        self._pause: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Move what comes, from now on; the bot has its end of the pipe."""
        os.close(self.writer)
        self._go_on()

    def end(self) -> None:
        """Move what is still there; nobody writes any more."""
        self._loop.remove_reader(self._reader)
        if self._pause is not None:
            self._pause.cancel()
        while self._move():
            pass
        os.close(self._reader)
        self._log.close()

    def abandon(self) -> None:
        """Give up: the bot has not been started."""
        os.close(self.writer)
        self.end()

    def _go_on(self) -> None:
        self._pause = None
        self._loop.add_reader(self._reader, self._come)

    def _come(self) -> None:
        self._loop.remove_reader(self._reader)
        if self._move():
            self._pause = self._loop.call_later(_PAUSE, self._go_on)

    def _move(self) -> bool:
        """Move a helping; tell whether there was one."""
        try:
            piece = os.read(self._reader, _HELPING)
        except BlockingIOError:
            return False
        self._keep(piece)
        return bool(piece)

    def _keep(self, piece: bytes) -> None:
        allowance = self._allowance
        if not piece or allowance.kept >= allowance.most:
            return
        kept = piece[: allowance.most - allowance.kept]
        allowance.kept += len(kept)
        if allowance.kept >= allowance.most:
            end = "" if kept.endswith(b"\n") else "\n"
            kept += f"{end}--- cut: {_CUT.format(format_size(allowance.most))}\n".encode()
        with contextlib.suppress(OSError):  # the disk is full, which is not the bot's affair
            self._log.write(kept)
