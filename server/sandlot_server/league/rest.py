"""What is left to play of the rounds that are not completed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator

from sandlot_server.store.registered import Drawn, Round


class Rest:
    """The matches that wait, in the order of their rounds, and those under way.

    >>> rest = Rest()
    >>> _ = rest.add(Round(1, (Drawn("1-1-1", ("a@1", "b@1"), 0),)))
    >>> rest.take(lambda bot: bot == "a@1")
    >>> rest.take(lambda bot: True).match
    '1-1-1'
    >>> rest.waiting, rest.running
    (0, 1)
    """

    def __init__(self) -> None:
        self._open: set[int] = set()
        self._waiting: dict[str, Drawn] = {}
        self._running: dict[str, Drawn] = {}
        self._stored: dict[str, Drawn] = {}  # of open rounds

    def add(self, drawn: Round, done: Collection[str] = ()) -> list[Drawn]:
        """Open a round; return its matches that wait now, those that have no result."""
        self._open.add(drawn.number)
        waiting = [each for each in drawn.matches if each.match not in done]
        self._waiting.update((each.match, each) for each in waiting)
        self._stored.update((each.match, each) for each in drawn.matches if each.match in done)
        return waiting

    @property
    def waiting(self) -> int:
        """How many have not begun."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """How many are under way."""
        return len(self._running)

    @property
    def playing(self) -> Counter[str]:
        """In how many matches under way each entrant is that is in one."""
        return Counter(bot for match in self._running.values() for bot in match.bots)

    def rounds(self) -> Counter[str]:
        """Return in how many rounds each entrant has matches that are not over."""
        left = {(_round(each), bot) for each in self._left() for bot in each.bots}
        return Counter(bot for _, bot in left)

    def take(self, can_play: Callable[[str], bool]) -> Drawn | None:
        """Return the first match that waits and whose entrants can all play; it is under way."""
        for match in self._waiting.values():
            if all(map(can_play, match.bots)):
                self._running[match.match] = self._waiting.pop(match.match)
                return match
        return None

    def put_back(self, match: Drawn) -> None:
        """Have a match wait that was under way."""
        self._waiting[match.match] = self._running.pop(match.match)

    def store(self, match: Drawn) -> None:
        """Take note that a match has its result."""
        self._stored[match.match] = self._running.pop(match.match)

    def give_up(self, match: Drawn) -> None:
        """Take note that a match is not under way any more, and is not played again."""
        del self._running[match.match]

    @property
    def stored(self) -> list[str]:
        """The matches of open rounds that have a result."""
        return list(self._stored)

    def reopen(self, void: Collection[str]) -> list[Drawn]:
        """Have those wait again that have a result no more: an operator has made it void."""
        again = [each for match, each in self._stored.items() if match in void]
        for match in again:
            self._waiting[match.match] = self._stored.pop(match.match)
        return again

    def drop(self, plays: Callable[[str], bool]) -> list[Drawn]:
        """Return the matches that wait and have an entrant that does not play; they are gone."""
        return self._drop(
            [each for each in self._waiting.values() if not all(map(plays, each.bots))]
        )

    def played(self, can_play: Callable[[str], bool]) -> list[int]:
        """Return the rounds of which nothing is under way and nothing that waits can be played."""
        going_on = {_round(each) for each in self._running.values()}
        going_on |= {
            _round(each) for each in self._waiting.values() if all(map(can_play, each.bots))
        }
        return sorted(self._open - going_on)

    def waits(self, number: int) -> bool:
        """Tell whether anything of a round waits."""
        return any(_round(each) == number for each in self._waiting.values())

    def close(self, number: int) -> list[Drawn]:
        """Be done with a round; return what of it waits, which is gone."""
        self._open.discard(number)
        self._stored = {
            match: each for match, each in self._stored.items() if _round(each) != number
        }
        return self._drop([each for each in self._waiting.values() if _round(each) == number])

    def _left(self) -> Iterator[Drawn]:
        yield from self._waiting.values()
        yield from self._running.values()

    def _drop(self, matches: list[Drawn]) -> list[Drawn]:
        for match in matches:
            del self._waiting[match.match]
        return matches


def _round(match: Drawn) -> int:
    return int(match.match.partition("-")[0])
