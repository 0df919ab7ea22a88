"""One bot as the arbiter knows it: over all its tables, and from one stream to the next."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, TypeAlias

import structlog

from sandlot.errors import WireError
from sandlot.match import Answered, Happening, Illegible, Raised, TimedOut
from sandlot.wire import Answer, Warned, read_request, write_warning
from sandlot_server.arbiter.endings import (
    STOPPED,
    Ending,
    flooded,
    replaced,
    timed_out,
    unread,
)
from sandlot_server.arbiter.requests import INF, Request, Requests

if TYPE_CHECKING:
    from sandlot_server.arbiter.clock import Timekeeper, Timer
    from sandlot_server.arbiter.limits import Limits
    from sandlot_server.arbiter.stream import Stream
    from sandlot_server.arbiter.table import Table

Heard: TypeAlias = list[tuple["Table", Happening]]
"""What a message makes happen, and where."""


class Player:
    """One bot that is expected: its tables, what it has been asked, and its stream, if it has one.

    Attributes:
        bot: its name.
        variants: what it must be able to play.
        grace: seconds that it may be away before its matches count it as gone.
        from_outside: whether it may come from where strangers can call.
        stream: the stream that speaks for it, from its opening on.
        ready: set while it has said hello and can be asked.
        tables: the matches it plays, by their ids.
        requests: what it has been asked.

    """

    def __init__(
        self,
        bot: str,
        clock: Timekeeper,
        limits: Limits,
        on_end: Callable[[str, str, str], None],
    ) -> None:
        self.bot = bot
        self.variants: Collection[str] = ()
        self.grace = 0.0
        self.from_outside = False
        self.stream: Stream | None = None
        self.ready = asyncio.Event()
        self.tables: dict[str, Table] = {}
        self.requests = Requests()
        self._clock = clock
        self._limits = limits
        self._on_end = on_end
        self._alarm: Timer | None = None
        self._alarm_at = INF
        self._away: Timer | None = None
        self._spent = 0.0
        self._spent_at = 0.0  # when what a second earns back was last taken off
        self._strays = 0
        self._log = structlog.get_logger("sandlot.arbiter").bind(bot=bot)

    # Its stream.

    @property
    def listens(self) -> bool:
        """Whether it has said hello and there is a stream to write to."""
        return self.ready.is_set()

    def start_anew(self) -> None:
        """Forget what an earlier process of the bot has spent of the arbiter's patience."""
        self._spent = 0.0

    @property
    def rest(self) -> float:
        """The seconds for which the bot has to stay away; 0 when it may come."""
        self._spend(0)
        return max(0.0, (self._spent - self._limits.patience) / self._limits.regained)

    def welcome(self, sdk: str) -> None:
        """Begin to speak: the stream has said hello. A bot that was away goes on where it was."""
        self._strays = 0
        self.ready.set()
        if self._away is not None:
            self._away.cancel()
            self._away = None
        self._log.info("bot connected", sdk=sdk[:200], matches=len(self.tables))
        for table in list(self.tables.values()):
            table.come_back(self)

    def send(self, written: bytes, request: Request | None = None) -> None:
        """Put a piece of a ``PlayResponse`` into what is written next; a request with its own."""
        stream = self.stream
        if stream is not None and not stream.send(written, request):
            # Not at once: this may be in the midst of what happens at one of its tables.
            asyncio.get_running_loop().call_soon(self._end_if, stream, unread(self._limits.outbox))

    def warn(self, warned: Warned) -> None:
        """Tell the bot what it did wrong."""
        if self.listens:
            self.send(write_warning(warned))

    def lost(self, stream: Stream, text: str) -> None:
        """Note that the bot's side has ended the stream: it crashed, or may come back in time."""
        if self.stream is not stream:
            return
        self._forget_stream()
        self._log.info("bot gone", text=text, matches=len(self.tables), strays=self._strays)
        if self.tables and self.grace > 0:
            self.requests.interrupt()
            until = self._clock.now() + self.grace
            self._away = self._clock.call_at(until, lambda: self._give_up(text))
        else:
            self._leave_all("crash", text)
        self._on_end(self.bot, "crash", text)

    def stop(self) -> None:
        """End the session as the arbiter stops: nothing is wrong."""
        stream = self.stream
        if stream is not None:
            self._forget_stream()
            stream.finish(STOPPED)

    def gone(self, text: str) -> None:
        """Take the word of who started the bot that it is gone."""
        if self.stream is not None:
            self._end_if(self.stream, replaced(text))
        elif self._away is not None:
            self._give_up(text)

    def expel(self) -> None:
        """End the session of a bot that is out by time-outs."""
        if self.stream is not None:
            self._end_if(self.stream, timed_out())
        elif self._away is not None:
            self._give_up("away, and out by time-outs", "timeout")

    def _end_if(self, stream: Stream, ending: Ending) -> None:
        """End the session from this side, unless it has ended."""
        if self.stream is not stream:
            return
        self._forget_stream()
        self._log.warning(
            "session ended", reason=ending.reason, text=ending.text, strays=self._strays
        )
        self._leave_all(ending.cause, ending.text)
        stream.finish(ending)
        self._on_end(self.bot, ending.cause, ending.text)

    def _forget_stream(self) -> None:
        self._spend(self._limits.reopening)
        self.stream = None
        self.ready.clear()

    def _give_up(self, text: str, cause: str = "crash") -> None:
        if self._away is not None:
            self._away.cancel()
            self._away = None
        self._leave_all(cause, text)

    def _leave_all(self, cause: str, text: str) -> None:
        now = self._clock.now()
        tables = list(self.tables.values())
        elapsed = {
            request.table: min(now - self.requests.start(request), request.ask.allowed)
            for request in self.requests
            if request.number
        }
        self.tables.clear()
        self.requests = Requests()
        self._set_alarm(INF)
        for table in tables:
            table.gone(self, cause, text, elapsed.get(table, 0.0))

    def leave(self, table: Table) -> None:
        """Forget a match that is over."""
        self.tables.pop(table.match_id, None)
        self.requests.forget(table.match_id)

    # What it says.

    def read(self, raw: bytes) -> Heard:
        """Return what a message makes happen; it is read as a whole, at one time."""
        now = self._clock.now()
        if len(raw) > self._limits.message:
            text = f"a message of {len(raw)} bytes; at most {self._limits.message} are read"
            return self._illegible(text, self._limits.oversize, now)
        try:
            hello, answers = read_request(raw)
        except WireError as error:
            return self._illegible(str(error), self._limits.illegible, now)
        if len(raw) >= self._limits.weight:
            self._spend(len(raw) // self._limits.weight)
        if hello is not None:
            self._stray("", 0, "a second hello; the first one counts")
        heard: Heard = []
        numbers: list[int] = []
        requests = self.requests
        for answer in answers:
            request = requests.find(answer.match, answer.decision)
            if request is None:
                late = requests.late(answer.match, answer.decision)
                if late is not None:
                    numbers.append(late)
                self._drop(answer, late is not None)
                if self.floods:
                    break
                continue
            requests.close(request)
            numbers.append(request.number)
            heard.append(
                (request.table, _happening(request, answer, now - requests.start(request)))
            )
            if self._spent > 0:
                self._spent -= 1
        if numbers:
            requests.mark(min(numbers), now)
        return heard

    @property
    def floods(self) -> bool:
        """Whether it has said so much to nothing that its session has to end."""
        return self._spent > self._limits.patience

    def end_flood(self) -> None:
        """End the session of a bot that floods its stream."""
        if self.stream is not None:
            self._end_if(self.stream, flooded(self._strays))

    def _spend(self, cost: int) -> None:
        now = self._clock.now()
        earned = (now - self._spent_at) * self._limits.regained
        self._spent = max(0.0, self._spent - earned) + cost
        self._spent_at = now

    def _illegible(self, text: str, cost: int, now: float) -> Heard:
        """Count a message that cannot be read against the oldest request that is open."""
        self._spend(cost)
        request = self.requests.oldest()
        if request is None:
            self._strays += 1
            self.warn(Warned("", 0, text))
            return []
        elapsed = now - self.requests.start(request)
        self.requests.close(request)
        self.requests.mark(request.number, now)
        return [(request.table, Illegible(request.ask.seat, elapsed, text))]

    def _drop(self, answer: Answer, late: bool) -> None:
        """Drop an answer that nobody waits for."""
        match, decision = answer.match, answer.decision
        if match not in self.tables:
            self._stray("", 0, f"{match[:40]!r} is no match of yours; the answer was dropped")
        elif decision == 0 and answer.exception is not None:
            self._log.info("exception in a hook", match=match, text=answer.exception[:200])
            self._spend(1)
        elif late:
            self._stray(match, decision, "the answer came too late and was dropped")
        else:
            self._stray(match, decision, "this decision is not open; the answer was dropped")

    def _stray(self, match: str, decision: int, text: str) -> None:
        self._spend(1)
        self._strays += 1
        self.warn(Warned(match, decision, text))

    # Its time.

    def writing(self, requests: list[Request]) -> None:
        """Note that these requests are being written, and watch that the bot reads them."""
        now = self._clock.now()
        self.requests.writing(requests, now)
        self._set_alarm_by(now + self._limits.unread)

    def written(self, requests: list[Request]) -> None:
        """Note that these requests have been written: their time runs."""
        if requests:
            self.requests.written(requests, self._clock.now())
            # Nobody's time is up before this; it may ring too early, but never too late.
            self._set_alarm_by(min([each.since + each.ask.allowed for each in requests]))

    def _set_alarm_by(self, when: float) -> None:
        """Have the alarm ring at a time, or before it."""
        if when < self._alarm_at:
            self._set_alarm(when)

    def _set_alarm(self, when: float) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        self._alarm_at = when
        if when < INF:
            self._alarm = self._clock.call_at(when, self._ring)

    def _ring(self) -> None:
        """Look whose time is up. Starts move while the alarm is set: often it is nobody's."""
        self._alarm_at = INF
        self._alarm = None
        now = self._clock.now()
        requests = self.requests
        for request in requests.overdue(now):
            if self.requests is requests and requests.has(request):
                elapsed = now - requests.start(request)
                requests.close_late(request)
                ask = request.ask
                request.table.handle(TimedOut(ask.seat, ask.decision, elapsed))
        stream = self.stream
        due = self.requests.next_due()
        if stream is not None and stream.writing_since is not None:
            read_by = stream.writing_since + self._limits.unread
            if read_by <= now:
                self._end_if(stream, unread(self._limits.outbox))
                return
            due = min(due, read_by)
        self._set_alarm_by(due)


def _happening(request: Request, answer: Answer, elapsed: float) -> Happening:
    seat, decision = request.ask.seat, request.ask.decision
    if answer.action is not None:
        return Answered(seat, decision, answer.action, elapsed)
    if answer.exception is not None:
        return Raised(seat, decision, elapsed, answer.exception)
    return Illegible(seat, elapsed, answer.illegible)
