"""One session of a bot with an arbiter, over gRPC."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Protocol

from sandlot.errors import WireError
from sandlot.game.variants import VARIANTS
from sandlot.host import Failure, Host
from sandlot.notices import MatchEnd
from sandlot.wire import (
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
    from sandlot.address import Address
    from sandlot.game.actions import Action


class Stream(Protocol):
    """What a session needs of its stream; see ``sandlot.link``."""

    @property
    def empty(self) -> bool:
        """Whether nothing is there to be received."""

    def receive(self) -> bytes | None:
        """Wait for the next message; None at the end."""

    def put(self, written: bytes) -> None:
        """Add to the next message that is sent."""

    def send(self) -> None:
        """Send it now."""


def play_session(host: Host, address: Address, token: str) -> None:
    """Play with the arbiter at the address until it ends the session.

    Raises:
        SessionError: there is no arbiter, it refused the bot or ended the session for a reason, or
            the connection was lost.
    """
    from sandlot.link import Link  # gRPC takes a tenth of a second to import

    # The stream wants the interpreter while the bot is thinking; it must not wait long for it.
    sys.setswitchinterval(0.001)
    link = Link(address, token)
    link.put(write_hello(Hello(PROTOCOL, _library(), tuple(VARIANTS))))
    link.open()
    try:
        Session(host, link).play()
    finally:
        link.close()


def _library() -> str:
    try:
        return f"sandlot-python/{version('sandlot')}"
    except PackageNotFoundError:
        return "sandlot-python"


class Session:
    """Hands the bot what the arbiter tells, and the arbiter what the bot decides."""

    def __init__(self, host: Host, stream: Stream) -> None:
        self._host = host
        self._stream = stream
        self._reader = ResponseReader()
        self._refused: dict[str, WireError] = {}  # matches that this version cannot play

    def play(self) -> None:
        """Play until the stream ends; raise what it ended with."""
        stream = self._stream
        while True:
            messages = [stream.receive()]
            if self._host.decides_in_batches:
                while not stream.empty:
                    messages.append(stream.receive())
            requests: list[Request] = []
            for message in messages:
                if message is None:
                    return
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
            if stream.empty:
                stream.send()

    def _answer(self, request: Request, answer: Action | Failure) -> None:
        match, decision = request.seen.match, request.seen.decision
        if isinstance(answer, Failure):
            self._say(answer.account)
            self._stream.put(write_exception(match, decision, answer.text))
            return
        try:
            self._stream.put(write_answer(match, decision, answer))
        except WireError as error:
            self._say(f"match {match}, decision {decision}: {error}")
            self._stream.put(write_exception(match, decision, str(error)))

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
                    self._stream.put(write_exception(told.match, 0, failure.text))

    def _refuse(self, match: str, decision: int) -> None:
        self._stream.put(write_exception(match, decision, str(self._refused[match])))

    @staticmethod
    def _say(text: str) -> None:
        print(text.rstrip("\n"), file=sys.stderr, flush=True)
