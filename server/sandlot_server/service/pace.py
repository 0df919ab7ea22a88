"""How often somebody may do something, and how much at once."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sandlot_server.service.refusals import Reason, RefusedError


class Pace:
    """Lets each of many do something so often: a bucket of permits each, filled with time.

    Args:
        burst: permits in a full bucket.
        a_minute: permits that come in a minute.
        remembered: whose buckets are kept; beyond it those are forgotten that did nothing longest.
        clock: gives seconds that only grow.

    >>> now = 0.0
    >>> pace = Pace(burst=1, a_minute=60, remembered=10, clock=lambda: now)
    >>> pace.take("ann"), pace.take("ann")
    (0.0, 1.0)
    >>> now = 1.0
    >>> pace.take("ann")
    0.0
    """

    def __init__(
        self, *, burst: int, a_minute: int, remembered: int, clock: Callable[[], float]
    ) -> None:
        self._burst = float(burst)
        self._a_second = a_minute / 60
        self._remembered = remembered
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # permits, when

    def take(self, who: str) -> float:
        """Take a permit and return 0.0, or else the seconds until there is one."""
        permits = self._permits(who)
        if permits >= 1:
            self._keep(who, permits - 1)
            return 0.0
        self._keep(who, permits)
        return (1 - permits) / self._a_second

    def give_back(self, who: str) -> None:
        """Put a permit back that was not used."""
        self._keep(who, min(self._burst, self._permits(who) + 1))

    def _permits(self, who: str) -> float:
        now = self._clock()
        permits, then = self._buckets.get(who, (self._burst, now))
        return min(self._burst, permits + (now - then) * self._a_second)

    def _keep(self, who: str, permits: float) -> None:
        self._buckets[who] = permits, self._clock()
        self._buckets.move_to_end(who)
        if len(self._buckets) > self._remembered:
            self._buckets.popitem(last=False)


class AtOnce:
    """Counts what is under way, of each and of all.

    Args:
        each: how much of one may be under way.
        in_all: how much of all.
        what: what it is, in the plural, for a person.

    """

    def __init__(self, each: int, in_all: int, what: str) -> None:
        self._each = each
        self._in_all = in_all
        self._what = what
        self._counts = Counter[str]()

    @contextmanager
    def one(self, who: str) -> Iterator[None]:
        """Count one more until the end of the ``with``.

        Raises:
            RefusedError: there are too many.
        """
        if self._counts[who] >= self._each:
            raise RefusedError(
                Reason.TOO_MANY_CALLS,
                f"{self._each} {self._what} of yours are under way: wait until one has ended",
            )
        if self._counts.total() >= self._in_all:
            raise RefusedError(
                Reason.TOO_MANY_CALLS,
                f"{self._in_all} {self._what} are under way here: try again in a while",
            )
        self._counts[who] += 1
        try:
            yield
        finally:
            self._counts[who] -= 1
            if not self._counts[who]:
                del self._counts[who]
