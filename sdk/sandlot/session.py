"""One session of a bot with an arbiter, over gRPC.

The bot runs in the main thread and nowhere else. One thread reads what the arbiter sends, another
sends what the bot has decided, so that an answer leaves although the bot is still at the next one.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final

from sandlot.errors import SessionError, WireError
from sandlot.game.variants import VARIANTS
from sandlot.host import Failure, Host
from sandlot.notices import MatchEnd
from sandlot.wire import (
    PLAY,
    PROTOCOL,
    Hello,
    Request,
    ResponseReader,
    Told,
    Unknown,
    Warned,
    Welcome,
    write_answer,
    write_exception,
    write_hello,
)

if TYPE_CHECKING:
    import grpc

    from sandlot.game.actions import Action

PATIENCE: Final = 0.004
"""Seconds that a decision waits for others to travel with it. The protocol allows 5 ms."""


def play_session(host: Host, address: str, token: str) -> None:
    """Play with the arbiter at the address until it ends the session.

    Raises:
        SessionError: there is no arbiter, it refused the bot or ended the session for a reason, or
            the connection was lost.
    """
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")  # a bot may start processes of its own
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what it has to say, its errors say, too
    import grpc

    # The sender wants the interpreter while the bot is thinking; it must not wait long for it.
    sys.setswitchinterval(0.001)
    unlimited = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    channel = grpc.insecure_channel(address, options=unlimited)
    outbox = Outbox()
    outbox.put(write_hello(Hello(PROTOCOL, _library(), tuple(VARIANTS))))
    outbox.send()
    method: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(PLAY)
    call = method(iter(outbox), metadata=(("authorization", f"Bearer {token}"),))
    inbox: SimpleQueue[bytes | grpc.RpcError | None] = SimpleQueue()
    reader = threading.Thread(target=_read, args=(call, inbox), name="sandlot-reader", daemon=True)
    reader.start()
    try:
        Session(host, outbox).play(inbox)
    except grpc.RpcError as error:
        raise _session_error(error, address) from None
    finally:
        outbox.close()
        call.cancel()  # a call that is only dropped is never given back
        channel.close()
        reader.join()


def _library() -> str:
    try:
        return f"sandlot-python/{version('sandlot')}"
    except PackageNotFoundError:
        return "sandlot-python"


def _read(call: Any, inbox: SimpleQueue[Any]) -> None:
    """Put every message into the inbox, then how the stream ended: None, or its error."""
    import grpc

    try:
        for raw in call:
            inbox.put(raw)
    except grpc.RpcError as error:
        inbox.put(error)
    else:
        inbox.put(None)


def _session_error(error: Any, address: str) -> SessionError:
    import grpc

    status, details = error.code(), error.details()
    if status == grpc.StatusCode.UNAVAILABLE:
        return SessionError(
            f"no arbiter at {address}, or it is gone: {details}; see that it runs, and try again"
        )
    return SessionError(f"the arbiter at {address} ended the session: {details} ({status.name})")


class Outbox:
    """What the bot has decided and what is not yet sent. Iterating it gives the messages to send.

    A message goes out as soon as ``send`` is called, and at the latest when its first decision has
    waited for ``PATIENCE``.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._waiting: list[bytes] = []
        self._first = 0.0  # when the first that waits was put
        self._now = False
        self._closed = False

    def put(self, written: bytes) -> None:
        """Add to the next message."""
        with self._lock:
            self._waiting.append(written)
            if len(self._waiting) == 1:
                self._first = time.monotonic()
                self._changed.notify()

    def send(self) -> None:
        """Send what waits, now."""
        with self._lock:
            if self._waiting:
                self._now = True
                self._changed.notify()

    def close(self) -> None:
        """End the stream; what waits is not sent."""
        with self._lock:
            self._closed = True
            self._changed.notify()

    def __iter__(self) -> Iterator[bytes]:
        changed = self._changed
        while True:
            with self._lock:
                changed.wait_for(lambda: self._waiting or self._closed)
                until = self._first + PATIENCE
                while not (self._now or self._closed):
                    rest = until - time.monotonic()
                    if rest <= 0:
                        break
                    changed.wait(rest)
                if self._closed:
                    return
                message = b"".join(self._waiting)
                self._waiting.clear()
                self._now = False
            yield message


class Session:
    """Hands the bot what the arbiter tells, and the arbiter what the bot decides."""

    def __init__(self, host: Host, outbox: Outbox) -> None:
        self._host = host
        self._outbox = outbox
        self._reader = ResponseReader()
        self._refused: dict[str, WireError] = {}  # matches that this version cannot play

    def play(self, inbox: SimpleQueue[Any]) -> None:
        """Play until the stream ends; raise what it ended with."""
        while True:
            message = inbox.get()
            messages = [message]
            if self._host.decides_in_batches:
                while not inbox.empty():
                    messages.append(inbox.get())
            requests: list[Request] = []
            for message in messages:
                if message is None:
                    return
                if not isinstance(message, bytes):
                    raise message
                for told in self._reader.read(message):
                    if not isinstance(told, Request):
                        self._hear(told)
                    elif told.seen.match in self._refused:
                        self._refuse(told.seen.match, told.seen.decision)
                    elif self._host.decides_in_batches:
                        requests.append(told)
                    else:
                        self._answer(told, self._host.decide(told.seen))
            if requests:
                answers = self._host.decide_many([request.seen for request in requests])
                for request, answer in zip(requests, answers, strict=True):
                    self._answer(request, answer)
            if inbox.empty():
                self._outbox.send()

    def _answer(self, request: Request, answer: Action | Failure) -> None:
        match, decision = request.seen.match, request.seen.decision
        if isinstance(answer, Failure):
            self._say(answer.account)
            self._outbox.put(write_exception(match, decision, answer.text))
            return
        try:
            self._outbox.put(write_answer(match, decision, answer))
        except WireError as error:
            self._say(f"match {match}, decision {decision}: {error}")
            self._outbox.put(write_exception(match, decision, str(error)))

    def _hear(self, told: Told) -> None:
        match told:
            case Request() | Welcome():
                pass
            case Warned(match, decision, text):
                where = f"match {match}, decision {decision}: " if match else ""
                self._say(f"the arbiter warns: {where}{text}")
            case Unknown(match, decision, error):
                if match and match not in self._refused:
                    self._refused[match] = error
                    self._say(f"match {match} is refused: {error}")
                elif not match:
                    self._say(str(error))
                if decision:
                    self._refuse(match, decision)
            case _ if told.match in self._refused:
                if isinstance(told, MatchEnd):
                    del self._refused[told.match]
            case _:
                failure = self._host.tell(told)
                if failure is not None:
                    self._say(failure.account)
                    self._outbox.put(write_exception(told.match, 0, failure.text))

    def _refuse(self, match: str, decision: int) -> None:
        self._outbox.put(write_exception(match, decision, str(self._refused[match])))

    @staticmethod
    def _say(text: str) -> None:
        print(text.rstrip("\n"), file=sys.stderr, flush=True)
