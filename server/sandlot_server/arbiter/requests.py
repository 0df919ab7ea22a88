"""The requests that one bot has open, and since when its time runs for each.

Time runs from the moment the request was written, or from the bot's latest answer to a request
written *before* it, if that came later: one bot, one thread, many tables. It runs until the answer
is read. So requests are numbered in the order in which they are written, and answers leave marks:
"an answer to number k came at time t" moves the start of every request above k to t.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandlot.match import Ask
    from sandlot_server.arbiter.table import Table


class Request:
    """One decision that a table waits for.

    Attributes:
        table: the table.
        ask: what the seat was asked, and how long it may take.
        number: its place in the order of writing, from 1; 0 while it is not written.
        since: when it was written, by the arbiter's clock.

    """

    __slots__ = ("again", "ask", "number", "since", "table")

    def __init__(self, table: Table, ask: Ask) -> None:
        self.table = table
        self.ask = ask
        self.number = 0
        self.since = 0.0
        self.again = False  # written again after a break: its time runs on, and is not restarted


class Requests:
    """What one bot has been asked and has not answered yet."""

    def __init__(self) -> None:
        self._open: dict[str, Request] = {}  # by match, in the order of writing
        self._late: dict[str, dict[int, int]] = {}  # match -> decision -> number, of those overdue
        self._numbers = 0
        # Marks of answers: numbers and times, both ascending.
        self._answered: list[int] = []
        self._answered_at: list[float] = []

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Request]:
        return iter(self._open.values())

    def has(self, request: Request) -> bool:
        """Tell whether the request is still open."""
        return self._open.get(request.table.match_id) is request

    def add(self, request: Request) -> None:
        """Open a request; its time does not run yet."""
        self._open[request.table.match_id] = request

    def writing(self, requests: Iterable[Request], now: float) -> None:
        """Give numbers to requests that are being written, in their order."""
        for request in requests:
            self._numbers += 1
            request.number = self._numbers
            if not request.again:
                request.since = now

    def written(self, requests: Iterable[Request], now: float) -> None:
        """Let the time of requests run that have just been written."""
        for request in requests:
            if not request.again:
                request.since = now

    def start(self, request: Request) -> float:
        """Return when the time of a written request began to run."""
        place = bisect_left(self._answered, request.number)
        if place == 0:
            return request.since
        return max(request.since, self._answered_at[place - 1])

    def find(self, match: str, decision: int) -> Request | None:
        """Return the open request of this decision, if it has been written."""
        request = self._open.get(match)
        if request is None or request.ask.decision != decision or not request.number:
            return None
        return request

    @property
    def busy(self) -> bool:
        """Whether the bot has a written request to answer. They are written in their order."""
        first = next(iter(self._open.values()), None)
        return first is not None and first.number > 0

    def oldest(self) -> Request | None:
        """Return the written request that has been open the longest."""
        for request in self._open.values():
            if request.number:
                return request
        return None

    def close(self, request: Request) -> None:
        """Take a request off that is answered or has no need of an answer any more."""
        if self.has(request):
            del self._open[request.table.match_id]

    def close_late(self, request: Request) -> None:
        """Take a request off whose time is up; the answer may still come."""
        self.close(request)
        late = self._late.setdefault(request.table.match_id, {})
        late[request.ask.decision] = request.number

    def late(self, match: str, decision: int) -> int | None:
        """Return the number of the overdue request that is answered after all; but once only."""
        return self._late.get(match, {}).pop(decision, None)

    def mark(self, number: int, now: float) -> None:
        """Note that a request was answered now: the bot had no time for those above it before."""
        answered, answered_at = self._answered, self._answered_at
        while answered and answered[-1] >= number:
            answered.pop()
            answered_at.pop()
        answered.append(number)
        answered_at.append(now)
        if len(answered) > 64:
            self._forget_marks()

    def _forget_marks(self) -> None:
        """Drop the marks that a later one outdoes for every request that is open."""
        oldest = self.oldest()
        keep = len(self._answered) - 1
        if oldest is not None:
            keep = min(keep, max(0, bisect_left(self._answered, oldest.number) - 1))
        del self._answered[:keep]
        del self._answered_at[:keep]

    def overdue(self, now: float) -> list[Request]:
        """Return the requests whose time is up."""
        return [each for each in self._open.values() if each.number and self.due(each) <= now]

    def due(self, request: Request) -> float:
        """Return the first moment, in whole milliseconds, that is too late for the request."""
        return self.start(request) + request.ask.allowed + 0.001

    def next_due(self) -> float:
        """Return when the time of the first is up; infinity when none runs."""
        return min((self.due(each) for each in self._open.values() if each.number), default=INF)

    def interrupt(self) -> None:
        """Take note that the stream broke: what was written will have to be written again."""
        for request in self._open.values():
            if request.number:
                request.since = self.start(request)
                request.again = True
        self._answered.clear()
        self._answered_at.clear()

    def forget(self, match: str) -> None:
        """Forget a match that is over."""
        self._open.pop(match, None)
        self._late.pop(match, None)


INF = float("inf")
