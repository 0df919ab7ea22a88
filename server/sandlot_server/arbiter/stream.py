"""One stream of ``Play``: a task that reads, a task that writes, and what waits to be written.

A read is never cancelled, nor a write: core would go on with it in memory that is given back. Both
tasks end by themselves once the stream has ended, and look before each step whether it has.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol

import grpc
import structlog

from sandlot.errors import WireError
from sandlot.wire import PROTOCOL, Hello, Welcome, read_request, write_welcome
from sandlot_server.arbiter.endings import (
    Ending,
    broken,
    no_hello,
    other_protocol,
    other_variants,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandlot_server.arbiter.clock import Timekeeper
    from sandlot_server.arbiter.limits import Limits
    from sandlot_server.arbiter.player import Player
    from sandlot_server.arbiter.requests import Request

AT_MOST: Final = 256 << 10
"""Bytes of one message that is written, where it holds more than one item."""

HOLD: Final = 0.005
"""Seconds for which what is to be written waits for more, while the bot is busy anyway."""

ENOUGH: Final = 64 << 10
"""Bytes that do not wait for more."""

STUCK: Final = 1.0
"""Seconds after which a write counts as not getting any further."""


class Context(Protocol):
    """What of gRPC's context a stream needs."""

    async def read(self) -> object:
        """Return the next message, or EOF."""

    async def write(self, message: bytes) -> None:
        """Write a message."""

    async def abort(
        self,
        code: grpc.StatusCode,
        details: str = "",
        trailing_metadata: Sequence[tuple[str, str | bytes]] = (),
    ) -> None:
        """End the stream with a status. Raises ``AbortError``."""


class Stream:
    """One stream of one bot.

    Attributes:
        writing_since: when the write began that is under way, by the arbiter's clock.

    """

    def __init__(
        self, context: Context, player: Player, clock: Timekeeper, limits: Limits, server: str
    ) -> None:
        self.writing_since: float | None = None
        self._context = context
        self._player = player
        self._clock = clock
        self._limits = limits
        self._server = server
        self._pieces: list[tuple[bytes, Request | None]] = []
        self._size = 0
        self._wake = asyncio.Event()
        self._held: asyncio.TimerHandle | None = None  # set while what waits is held back
        self._over = False  # no more reading or writing
        self._ending: asyncio.Future[Ending | None] = asyncio.get_running_loop().create_future()
        self._log = structlog.get_logger("sandlot.arbiter").bind(bot=player.bot)

    def send(self, written: bytes, request: Request | None) -> bool:
        """Put a piece of a ``PlayResponse`` behind what waits.

        Return False if too much waits and the bot does not read: what many tables say at one moment
        is no sign of that, a write that gets no further is.
        """
        self._pieces.append((written, request))
        self._size += len(written)
        if self._held is None or self._due:
            self._release()
        if self._size <= self._limits.outbox or self.writing_since is None:
            return True
        return self._clock.now() - self.writing_since < STUCK

    @property
    def busy(self) -> bool:
        """Whether something is being written, or waits to be."""
        return self.writing_since is not None or bool(self._pieces)

    def finish(self, ending: Ending) -> None:
        """End the stream from this side, once what waits is written."""
        if not self._ending.done():
            self._ending.set_result(ending)
        self._release()

    async def run(self, tasks: set[asyncio.Task[None]]) -> None:
        """Serve the stream to its end. The tasks that outlive it are put into ``tasks``.

        Raises:
            AbortError: the stream ended with a status other than OK.
        """
        for work in (self._read(), self._write()):
            task = asyncio.create_task(work)
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        writer = task
        hello_by = self._clock.call_at(
            self._clock.now() + self._limits.hello,
            lambda: self._refuse_unheard(no_hello(f"no hello within {self._limits.hello:g} s")),
        )
        try:
            ending = await asyncio.shield(self._ending)
            if ending is not None:
                await asyncio.wait({writer}, timeout=self._limits.linger)
        finally:
            self._over = True
            self._release()
            hello_by.cancel()
        if ending is not None and ending.status is not grpc.StatusCode.OK:
            # If the bot is gone meanwhile nobody hears it; gRPC ends the stream all the same.
            with suppress(grpc.aio.InternalError):
                await self._context.abort(ending.status, ending.text, ending.trailing())

    # Reading.

    async def _read(self) -> None:
        text = "the bot closed its stream"
        try:
            if await self._hear_hello():
                while not self._over and await self._hear_next():
                    pass
        except grpc.aio.BaseError as error:
            text = f"the connection is lost: {error}"
        except Exception as error:
            self._log.exception("stream broken")
            for table in list(self._player.tables.values()):
                table.break_off(error)
            self.finish(broken("the arbiter has failed; see its log"))
        finally:
            ending = self._ending.result() if self._ending.done() else None
            self._player.lost(self, text if ending is None else ending.text)
            if not self._ending.done():
                self._ending.set_result(None)

    async def _hear_next(self) -> bool:
        """Hear one message; return False at the end of the stream.

        It is a function of its own so that nothing holds a message, which may be long, while the
        next is waited for, or as long as the collector leaves the frame of the reader alone.
        """
        raw = await self._context.read()
        if raw is grpc.aio.EOF:
            return False
        assert isinstance(raw, bytes)
        await self._hear(raw)
        return True

    async def _hear(self, raw: bytes) -> None:
        """Let happen what a message says; the others have their turn in between."""
        player = self._player
        heard = player.read(raw)
        if self._held is not None and self._due:
            self._release()  # the bot will soon have nothing more to do
        for done, (table, happening) in enumerate(heard, start=1):
            table.handle(happening)
            if done % self._limits.at_once == 0:
                await asyncio.sleep(0)
        if player.floods and player.stream is self:
            player.end_flood()

    async def _hear_hello(self) -> bool:
        """Read the first message; return whether it is a hello that can be welcomed."""
        raw = await self._context.read()
        if not isinstance(raw, bytes):
            return False
        refused: Ending | None = None
        try:
            hello = read_request(raw)[0] if len(raw) <= self._limits.message else None
        except WireError:
            hello = None
        if hello is None:
            refused = no_hello("the first message of a stream must hold a hello")
        elif hello.protocol != PROTOCOL:
            refused = other_protocol(hello.protocol, PROTOCOL)
        else:
            missing = [name for name in self._player.variants if name not in hello.variants]
            if missing:
                refused = other_variants(", ".join(missing), hello.variants)
        if refused is not None:
            self._refuse_unheard(refused)
            return False
        assert hello is not None
        return self._welcome(hello)

    def _welcome(self, hello: Hello) -> bool:
        if self._ending.done():
            return False
        player = self._player
        self.send(
            write_welcome(Welcome(PROTOCOL, self._server, player.bot, player.grace)),
            None,
        )
        player.welcome(hello.sdk)
        return True

    def _refuse_unheard(self, ending: Ending) -> None:
        """End a stream that has not been welcomed."""
        if not self._player.listens:
            self._log.warning("bot refused", reason=ending.reason, text=ending.text)
            self.finish(ending)

    # Writing.

    async def _write(self) -> None:
        try:
            while not self._over:
                if not self._pieces:
                    if self._ending.done():
                        return
                    self._wake.clear()
                    await self._wake.wait()
                    continue
                if not (self._due or self._ending.done()):
                    await self._hold()
                if not self._over:
                    await self._write_next()
        except grpc.aio.BaseError:
            pass  # the reader sees the end, too, and takes note of it

    async def _write_next(self) -> None:
        message, requests = self._next_message()
        self.writing_since = self._clock.now()
        self._player.writing(requests)
        await self._context.write(message)
        self.writing_since = None
        self._player.written(requests)

    @property
    def _due(self) -> bool:
        """Whether what waits should go now.

        It should once at least half of what the bot is asked waits here: so the bot never runs out
        of work, and messages do not split into ever smaller ones.
        """
        return self._size >= ENOUGH or len(self._player.requests) <= 2 * len(self._pieces)

    async def _hold(self) -> None:
        """Hold what waits back a little, for more to travel with it.

        As Nagle's algorithm does: a bot that still has requests to answer loses nothing by it.
        """
        self._wake.clear()
        self._held = asyncio.get_running_loop().call_later(HOLD, self._release)
        await self._wake.wait()

    def _release(self) -> None:
        """Let what waits be written now."""
        if self._held is not None:
            self._held.cancel()
            self._held = None
        self._wake.set()

    def _next_message(self) -> tuple[bytes, list[Request]]:
        size = count = 0
        for piece, _ in self._pieces:
            if size and size + len(piece) > AT_MOST:
                break
            size += len(piece)
            count += 1
        pieces = self._pieces[:count]
        del self._pieces[:count]
        self._size -= size
        requests = [request for _, request in pieces if request is not None]
        return b"".join([piece for piece, _ in pieces]), requests
