"""A TCP proxy that loses connections, or goes silent, when a test wants it to."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Self


class Proxy:
    """Forwards every connection to a port of this machine.

    Attributes:
        port: where it listens.
        opened: how many connections have been made to it.
        said: pieces that have come from the side that connects.

    """

    def __init__(self, port: int) -> None:
        self.port = 0
        self.opened = 0
        self.said = 0
        self._to = port
        self._changed = asyncio.Condition()
        self._silent: set[asyncio.StreamWriter] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *error: object) -> None:
        self.hang_up()
        self.cut()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for writer in self._writers:
            with suppress(OSError):
                await writer.wait_closed()

    def cut(self) -> None:
        """Break off all connections, without a word of farewell."""
        for writer in self._writers:
            writer.transport.abort()

    def go_silent(self) -> None:
        """Forward nothing more over the connections that are open, and leave them open."""
        self._silent |= self._writers

    def hang_up(self) -> None:
        """Take no more connections."""
        self._server.close()

    async def until_said(self, pieces: int) -> None:
        """Wait until the side that connects has sent so many more pieces."""
        wanted = self.said + pieces
        async with self._changed:
            await self._changed.wait_for(lambda: self.said >= wanted)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            writer.transport.abort()
            return
        ways = ((reader, back, True), (there, writer, False))
        self._writers |= {writer, back}
        for way in ways:
            task = asyncio.create_task(self._forward(*way))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _forward(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, outward: bool
    ) -> None:
        with suppress(OSError):
            while piece := await reader.read(1 << 16):
                if writer in self._silent:
                    continue
                writer.write(piece)
                await writer.drain()
                if outward:
                    async with self._changed:
                        self.said += 1
                        self._changed.notify_all()
        if writer not in self._silent:
            writer.close()
