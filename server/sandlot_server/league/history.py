"""What the next round of a season depends on, beside who can play: the rounds before it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from types import MappingProxyType
from typing import Final, TypeAlias

from sandlot_server.store.registered import Round

REMEMBERED: Final = 100
"""How many rounds back it counts who met whom."""

Pair: TypeAlias = tuple[str, str]
"""Two entrants, in alphabetical order."""


class History:
    """Who has played how much, who met whom of late, and who had its turn.

    Matches count when they have a result, meetings and turns when they are drawn.

    Args:
        seats: of a table.
        rounds: the latest rounds in their order, at least ``REMEMBERED`` of them if there are.
        matches: how many with a result each entrant has.
    """

    def __init__(
        self,
        seats: int,
        rounds: Iterable[Round] = (),
        matches: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._seats = seats
        self._matches = Counter(matches)
        self._meetings: Counter[Pair] = Counter()
        self._in_a_row: dict[str, int] = {}
        self._rounds: deque[Round] = deque()
        for each in rounds:
            self.draw(each)

    def draw(self, drawn: Round) -> None:
        """Take note of a round that has been drawn."""
        self._rounds.append(drawn)
        self._meetings.update(_meetings(drawn))
        self._in_a_row = {one: self._in_a_row.get(one, 0) + 1 for one in _had_a_turn(drawn)}
        if len(self._rounds) > REMEMBERED:
            self._meetings -= Counter(_meetings(self._rounds.popleft()))

    def finish(self, entrants: Iterable[str]) -> None:
        """Take note of a match that has a result."""
        self._matches.update(entrants)

    def tables(self, entrant: str) -> int:
        """Return how many tables an entrant has played, in all of their rotations."""
        return self._matches[entrant] // self._seats

    def turns(self, entrant: str) -> int:
        """Return in how many rounds in a row, up to the latest, it has had its turn."""
        return self._in_a_row.get(entrant, 0)

    def meetings(self) -> Iterable[tuple[Pair, int]]:
        """Return how many tables each two entrants shared, if any."""
        return self._meetings.items()


def _meetings(drawn: Round) -> Iterator[Pair]:
    for table in _tables(drawn).values():
        yield from combinations(sorted(table), 2)


def _had_a_turn(drawn: Round) -> set[str]:
    return {bot for match in drawn.matches if match.catching_up is None for bot in match.bots}


def _tables(drawn: Round) -> dict[str, tuple[str, ...]]:
    """Return who sits at each table of a round, by the part of the ids that is the table's."""
    return {each.match.rpartition("-")[0]: each.bots for each in drawn.matches}
