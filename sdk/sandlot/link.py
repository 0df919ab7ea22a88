"""The stream of a session with an arbiter, in a thread of its own.

The bot runs in the main thread and nowhere else. Here an event loop reads what the arbiter sends
and writes what the bot has decided, so that an answer leaves although the bot is still at the next
one.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, Final

from sandlot.errors import SessionError
from sandlot.wire import PLAY

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")  # a bot may start processes of its own
os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what it has to say, its errors say, too

import grpc
import grpc.aio

PATIENCE: Final = 0.002
"""Seconds between two looks at what waits while the bot is busy: no answer waits for longer than
twice this. The protocol allows 5 ms."""

UNLIMITED: Final = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]


class Link:
    """One stream of ``Play``, from ``open`` to ``close``.

    Args:
        address: where the arbiter is.
        token: who the bot is.

    """

    def __init__(self, address: str, token: str) -> None:
        self._address = address
        self._token = token
        self._inbox: SimpleQueue[bytes | SessionError | None] = SimpleQueue()
        self._waiting: deque[bytes] = deque()  # for all threads: its own methods are atomic
        self._first: bytes | None = None  # what waited first at the last look
        self._looks = False
        self._idle = False  # whether the bot waits for the arbiter
        self._loop = asyncio.new_event_loop()
        self._wake = asyncio.Event()  # set when there is something to write
        self._thread = threading.Thread(target=self._run, name="sandlot-link", daemon=True)
        self._serving: asyncio.Task[None] | None = None
        self._closed = False

    def open(self) -> None:
        """Connect; what is received next says how that went."""
        self._wake.set()
        self._thread.start()

    def close(self) -> None:
        """End the stream; what waits is not sent."""
        with suppress(RuntimeError):  # the loop has ended by itself
            self._loop.call_soon_threadsafe(self._end)
        self._thread.join()

    # For the thread of the bot.

    def receive(self) -> bytes | None:
        """Wait for the next message; None when the arbiter has ended the session.

        Raises:
            SessionError: there is no arbiter, it refused the bot or ended the session for a reason,
                or the connection was lost.
        """
        self._idle = True
        message = self._inbox.get()
        self._idle = False
        if isinstance(message, SessionError):
            raise message
        return message

    @property
    def empty(self) -> bool:
        """Whether nothing is there to be received."""
        return self._inbox.empty()

    def put(self, written: bytes) -> None:
        """Add to the next message. It goes out with ``send``, or soon if the bot is busy."""
        self._waiting.append(written)

    def send(self) -> None:
        """Send what waits, now."""
        if self._waiting:
            with suppress(RuntimeError):  # the stream has ended; the next ``receive`` tells
                self._loop.call_soon_threadsafe(self._wake.set)

    # In the thread of the stream.

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            ended: SessionError | None = None
            try:
                runner.run(self._serve())
            except asyncio.CancelledError:
                pass  # by ``close``
            except grpc.aio.AioRpcError as error:
                ended = self._error(error)
            except Exception as error:  # the bot's thread waits, and must hear of whatever it is
                ended = SessionError(f"the stream with {self._address} broke: {error!r}")
            self._inbox.put(ended)

    def _end(self) -> None:
        self._closed = True
        if self._serving is not None:
            self._serving.cancel()

    async def _serve(self) -> None:
        if self._closed:  # before this began
            return
        self._serving = asyncio.current_task()
        async with grpc.aio.insecure_channel(self._address, options=UNLIMITED) as channel:
            method: Any = channel.stream_stream(PLAY)
            call = method(metadata=(("authorization", f"Bearer {self._token}"),))
            writer = asyncio.create_task(self._write(call))
            try:
                while (message := await call.read()) is not grpc.aio.EOF:
                    self._inbox.put(message)
                    if not self._looks:
                        self._looks = True
                        self._loop.call_later(PATIENCE, self._look)
            finally:
                writer.cancel()
                call.cancel()  # a call that is only dropped is never given back

    async def _write(self, call: Any) -> None:
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):  # the reader sees it, too
            while True:
                await self._wake.wait()
                self._wake.clear()
                message = b"".join([self._waiting.popleft() for _ in range(len(self._waiting))])
                if message:
                    await call.write(message)

    def _look(self) -> None:
        """See while the bot is busy that what waits does not wait for the bot's next decision."""
        first = self._waiting[0] if self._waiting else None
        if first is not None and first is self._first:
            self._wake.set()
        self._first = first
        self._looks = not (self._idle and self._inbox.empty())
        if self._looks:
            self._loop.call_later(PATIENCE, self._look)

    def _error(self, error: grpc.aio.AioRpcError) -> SessionError:
        status, details = error.code(), error.details()
        if status == grpc.StatusCode.UNAVAILABLE:
            return SessionError(
                f"no arbiter at {self._address}, or it is gone: {details}; see that it runs, and "
                "try again"
            )
        return SessionError(
            f"the arbiter at {self._address} ended the session: {details} ({status.name})"
        )
