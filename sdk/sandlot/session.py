"""One session of a bot with an arbiter, over gRPC."""

from __future__ import annotations

import asyncio
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Protocol, TypeAlias

from sandlot.address import Address, Keepalive
from sandlot.attendance import Attendance
from sandlot.errors import SessionError, WireError
from sandlot.game.variants import VARIANTS
from sandlot.host import Failure, Host
from sandlot.notices import MatchEnd
from sandlot.observation import Observation
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


def play_session(
    host: Host,
    address: Address,
    token: str,
    *,
    keepalive: Keepalive = Keepalive(),  # noqa: B008 - a frozen value
    attendance: Attendance | None = None,
) -> None:
    """Play with the arbiter at the address until it ends the session.

    Where the arbiter lets a bot be away for a while, a connection that is lost is made anew, and
    the matches under way go on with the bot's objects as they are.

    Args:
        host: the bot.
        address: where the arbiter is.
        token: who the bot is.
        keepalive: how an arbiter that is gone without a word is noticed.
        attendance: says when to come back, and when to give up.

    Raises:
        SessionError: there is no arbiter, it refused the bot or ended the session for a reason, or
            the connection was lost for good.

    """
    from sandlot.link import Link  # gRPC takes a tenth of a second to import

    # The stream wants the interpreter while the bot is thinking; it must not wait long for it.
    sys.setswitchinterval(0.001)
    attendance = attendance or Attendance()
    last: Last = {}
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        while True:
            link = Link(address, token, runner, keepalive)
            link.put(write_hello(Hello(PROTOCOL, _library(), tuple(VARIANTS))))
            link.open()
            try:
                Session(host, link, attendance, last).play()
                return
            except SessionError as error:
                ended = error
            finally:
                link.close()
            attendance.ended(ended)


def _library() -> str:
    try:
        return f"sandlot-python/{version('sandlot')}"
    except PackageNotFoundError:
        return "sandlot-python"


Last: TypeAlias = dict[str, tuple[Observation, bytes]]
"""By match, what was decided last in it, and upon what: an answer that is lost is given again."""


class Session:
    """Hands the bot what the arbiter tells, and the arbiter what the bot decides.

    Args:
        host: the bot.
        stream: one connection.
        attendance: is told that the bot is there.
        last: what the connections before this one leave behind.

    """

    def __init__(self, host: Host, stream: Stream, attendance: Attendance, last: Last) -> None:
        self._host = host
        self._stream = stream
        self._attendance = attendance
        self._last = last
        self._grace = 0.0
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
                    elif self._grace and self._answer_again(told.seen):
                        pass
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
        seen = request.seen
        match, decision = seen.match, seen.decision
        if isinstance(answer, Failure):
            self._say(answer.account)
            written = write_exception(match, decision, answer.text)
        else:
            try:
                written = write_answer(match, decision, answer)
            except WireError as error:
                self._say(f"match {match}, decision {decision}: {error}")
                written = write_exception(match, decision, str(error))
        self._stream.put(written)
        if self._grace:
            self._last[match] = seen, written

    def _answer_again(self, seen: Observation) -> bool:
        """Give the answer that was lost on its way, if there is one; return whether there is.

        The bot is not asked twice: it may draw from its randomness to decide, or learn from it.
        """
        last = self._last.get(seen.match)
        if last is None or last[0].decision != seen.decision or last[0] != seen:
            return False
        self._stream.put(last[1])
        return True

    def _hear(self, told: Told) -> None:
        match told:
            case Request():
                pass
            case Welcome():
                self._grace = told.grace
                if self._attendance.welcomed(told.grace):
                    for match in self._host.come_back():
                        self._last.pop(match, None)
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
                if isinstance(told, MatchEnd):
                    self._last.pop(told.match, None)
                failure = self._host.tell(told)
                if failure is not None:
                    self._say(failure.account)
                    self._stream.put(write_exception(told.match, 0, failure.text))

    def _refuse(self, match: str, decision: int) -> None:
        self._stream.put(write_exception(match, decision, str(self._refused[match])))

    @staticmethod
    def _say(text: str) -> None:
        print(text.rstrip("\n"), file=sys.stderr, flush=True)
