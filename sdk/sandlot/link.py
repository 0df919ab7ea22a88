"""The stream of a session with an arbiter.

It has an event loop, and whoever has a use for that drives it. Nearly always it is the thread of
the bot, the main one, while it waits for the arbiter: so what comes in and what goes out is handed
from thread to thread nowhere. While the bot thinks for long, a *stand-in*, a thread of its own,
drives the loop, so that an answer leaves although the bot is still at the next one.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from contextlib import suppress
from typing import Any, Final

from sandlot.address import Address, Keepalive, aio_channel, no_connection
from sandlot.errors import SessionError
from sandlot.wire import PLAY, REASON

# Only now: ``sandlot.address`` sets what gRPC looks at when it is imported.
import grpc  # isort: skip
import grpc.aio  # isort: skip

PATIENCE: Final = 0.002
"""Seconds between two looks at what waits while the bot is busy: no answer waits for longer than
twice this. The protocol allows 5 ms."""

PARKED_AFTER: Final = 5
"""Looks at a bot that waits for the arbiter, after which the stand-in does not look any more."""

LOST: Final = frozenset(
    (
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.CANCELLED,
    )
)
"""What gRPC, or who is in between, ends a call with; an arbiter's own end has its reason beside."""


class Link:
    """One stream of ``Play``, from ``open`` to ``close``; all its methods are for one thread.

    Args:
        address: where the arbiter is.
        token: who the bot is.
        runner: has the event loop; it outlives the link, for the next one: what is left of a call
            may come in after its end, and gRPC has no use for a loop that is closed.
        keepalive: how it notices that the arbiter is gone without a word.

    """

    def __init__(
        self,
        address: Address,
        token: str,
        runner: asyncio.Runner,
        keepalive: Keepalive = Keepalive(),  # noqa: B008 - a frozen value
    ) -> None:
        self._address = address
        self._token = token
        self._keepalive = keepalive
        # Both are for all threads: their own methods are atomic.
        self._inbox: deque[bytes | SessionError | None] = deque()
        self._waiting: deque[bytes] = deque()
        self._loop = runner.get_loop()
        self._drive = threading.Lock()  # held by who drives the loop
        self._wake = asyncio.Event()  # set when there is something to write
        self._serving: asyncio.Task[None] | None = None
        self._closed = False
        self._turns = 0  # how often the bot has been given a message
        self._thinks = False  # whether it is busy with that
        self._stand_in = threading.Thread(target=self._watch, name="sandlot-link", daemon=True)
        self._parked = False  # whether the stand-in sleeps until it is on duty again
        self._duty = threading.Event()

    def open(self) -> None:
        """Connect; what is received next says how that went."""
        self._wake.set()
        self._serving = self._loop.create_task(self._serve_to_the_end())
        self._stand_in.start()

    def close(self) -> None:
        """End the stream; what waits is not sent."""
        self._closed = True
        self._thinks = False
        self._duty.set()
        self._take_the_loop()
        try:
            if self._serving is not None and not self._serving.done():
                self._serving.add_done_callback(lambda _: self._loop.stop())
                self._serving.cancel()
                while not self._serving.done():
                    self._loop.run_forever()
            self._go_round()  # or a call to stop that is left would stop the next who drives
        finally:
            self._drive.release()
        self._inbox.append(None)
        if self._stand_in.ident is not None:
            self._stand_in.join()

    def receive(self) -> bytes | None:
        """Wait for the next message; None when the arbiter has ended the session.

        Raises:
            SessionError: there is no arbiter, it refused the bot or ended the session for a reason,
                or the connection was lost.
        """
        self._thinks = False
        if not self._inbox:
            self._take_the_loop()
            try:
                while not self._inbox:
                    self._loop.run_forever()  # until ``_arrived``
            finally:
                self._drive.release()
        message = self._inbox.popleft()
        self._turns += 1
        self._thinks = True
        if self._parked:
            self._duty.set()
        if isinstance(message, SessionError):
            raise message
        return message

    @property
    def empty(self) -> bool:
        """Whether nothing is there to be received."""
        return not self._inbox

    def put(self, written: bytes) -> None:
        """Add to the next message. It goes out with ``send``, or soon if the bot is busy."""
        self._waiting.append(written)

    def send(self) -> None:
        """Send what waits, now."""
        if not self._waiting:
            return
        if not self._drive.acquire(blocking=False):
            self._loop.call_soon_threadsafe(self._wake.set)
            return
        try:
            self._wake.set()
            if self._inbox:  # else ``receive`` is about to drive
                self._go_round()  # in which the write begins
        finally:
            self._drive.release()

    def _go_round(self) -> None:
        """Let the loop do what there is to be done."""
        self._loop.call_soon(self._loop.stop)
        self._loop.run_forever()

    def _take_the_loop(self) -> None:
        """Begin to drive the loop; the stand-in stops, if it does."""
        if not self._drive.acquire(blocking=False):
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._drive.acquire()

    # In the thread of the stand-in.

    def _watch(self) -> None:
        """Look every now and then whether the bot is still at what it was, and stand in for it."""
        seen = idle = 0
        while not self._closed:
            time.sleep(PATIENCE)
            if not self._thinks:
                idle += 1
                if idle >= PARKED_AFTER:
                    self._park()
                    idle = 0
            elif seen != self._turns:
                seen, idle = self._turns, 0
            else:
                self._stand_in_for_the_bot()

    def _park(self) -> None:
        """Sleep until the bot is given a message."""
        self._parked = True
        if not (self._thinks or self._closed):  # looked at only now, or nobody would wake this
            self._duty.wait()
        self._parked = False
        self._duty.clear()

    def _stand_in_for_the_bot(self) -> None:
        """Drive the loop for as long as the bot has no use for it."""
        with self._drive:
            if not self._thinks:  # it has gone on, or closed the link, while this waited
                return
            looking = self._loop.create_task(self._look())
            while self._thinks:
                self._loop.run_forever()
            looking.cancel()

    async def _look(self) -> None:
        """See that what waits does not wait for the bot's next decision."""
        while True:
            if self._waiting:
                self._wake.set()
            await asyncio.sleep(PATIENCE)

    # In the loop.

    async def _serve_to_the_end(self) -> None:
        ended: SessionError | None = None
        try:
            await self._serve()
        except asyncio.CancelledError:
            pass  # by ``close``
        except grpc.aio.AioRpcError as error:
            ended = self._error(error)
        except Exception as error:  # the bot waits, and must hear of whatever it is
            ended = SessionError(f"the stream with {self._address} broke: {error!r}")
        self._arrived(ended)

    async def _serve(self) -> None:
        async with aio_channel(self._address, self._keepalive) as channel:
            method: Any = channel.stream_stream(PLAY)
            call = method(metadata=(("authorization", f"Bearer {self._token}"),))
            writer = asyncio.create_task(self._write(call))
            try:
                while (message := await call.read()) is not grpc.aio.EOF:
                    self._arrived(message)
            finally:
                writer.cancel()
                call.cancel()  # a call that is only dropped is never given back

    def _arrived(self, message: bytes | SessionError | None) -> None:
        """Put what has arrived into the inbox, and let who drives see to it."""
        self._inbox.append(message)
        if not self._closed:
            self._loop.stop()

    async def _write(self, call: Any) -> None:
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):  # the reader sees it, too
            while True:
                await self._wake.wait()
                self._wake.clear()
                message = b"".join([self._waiting.popleft() for _ in range(len(self._waiting))])
                if message:
                    await call.write(message)

    def _error(self, error: grpc.aio.AioRpcError) -> SessionError:
        status, details = error.code(), error.details() or ""
        trailing = error.trailing_metadata() or ()
        reason = "".join([str(value) for key, value in trailing if key == REASON])
        if not reason and status == grpc.StatusCode.UNAVAILABLE:
            return SessionError(no_connection(self._address, details), lost=True)
        if not reason and status in LOST:
            broken = f"the connection to {self._address} broke: {details} ({status.name})"
            return SessionError(broken, lost=True)
        ended = f"the arbiter at {self._address} ended the session: {details} ({status.name})"
        return SessionError(ended, reason=reason)
