"""Who sits together: tables at which those meet who have met least.

Entrants are numbers here. ``met[one][other]`` is how many tables two of them have shared, and
``APART`` or more where they must not share any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations, product
from typing import Final, TypeAlias

from sandlot.seeds import Lots

Met: TypeAlias = list[list[int]]

APART: Final = 1_000_000
"""More meetings than there are: what keeps two entrants from one table."""

TRIES: Final = 20
"""How many beginnings are tried; the best end is taken."""

STEPS: Final = 100_000
"""How many exchanges are looked at in all tries. They are counted, not timed: every machine draws
the same round."""


def most_tables(groups: Sequence[Hashable], seats: int) -> int:
    """Return how many tables can be made at once of which none has two of one group.

    >>> most_tables("aaaab", 2), most_tables("abcdefg", 3)
    (1, 2)
    """
    sizes = Counter(groups).values()
    tables = len(groups) // seats
    while sum(min(size, tables) for size in sizes) < tables * seats:
        tables -= 1
    return tables


def best_tables(
    groups: Mapping[int, Hashable], seats: int, met: Met, lots: Lots
) -> list[list[int]]:
    """Return tables of all these entrants, such that those meet who have met least.

    Each try deals them to the tables in an order drawn by lot, and then exchanges two of two tables
    for as long as some exchange makes fewer meetings again.

    Args:
        groups: who sits, and the group of each: as many as sit at some number of tables, of each
            group no more than there are tables.
        seats: of a table.
        met: who has met whom.
        lots: for the order.
    """
    best: list[list[int]] = []
    least = -1
    exchanges = _Exchanges(met)
    for _ in range(TRIES):
        tables = _deal(groups, seats, lots)
        exchanges.improve(tables)
        cost = sum(_cost(table, met) for table in tables)
        if least < 0 or cost < least:
            best, least = tables, cost
        if least == 0 or exchanges.left <= 0:
            break
    return best


def _deal(groups: Mapping[int, Hashable], seats: int, lots: Lots) -> list[list[int]]:
    """Deal entrants out, one group after the other: so members of one come to different tables."""
    seated = list(groups)
    queues: dict[Hashable, list[int]] = {}
    for place in lots.order(len(seated)):
        queues.setdefault(groups[seated[place]], []).append(seated[place])
    number = len(seated) // seats
    tables: list[list[int]] = [[] for _ in range(number)]
    for place, entrant in enumerate([each for queue in queues.values() for each in queue]):
        tables[place % number].append(entrant)
    return tables


def _cost(table: Sequence[int], met: Met) -> int:
    return sum(met[one][other] for one, other in combinations(table, 2))


class _Exchanges:
    """Exchanges of two entrants between two tables; ``left`` may still be looked at."""

    def __init__(self, met: Met) -> None:
        self._met = met
        self.left = STEPS

    def improve(self, tables: list[list[int]]) -> None:
        """Exchange until no exchange makes fewer meetings, or none is left to be looked at."""
        improved = True
        while improved and self.left > 0:
            improved = False
            for one in tables:
                if not _cost(one, self._met):
                    continue
                for other in tables:
                    if other is not one and self._exchange(one, other):
                        improved = True

    def _exchange(self, one: list[int], other: list[int]) -> bool:
        """Make the first exchange that helps, if one does."""
        met = self._met
        for here, there in product(range(len(one)), range(len(other))):
            self.left -= 1
            out, back = met[one[here]], met[other[there]]
            gain = 0
            for place, entrant in enumerate(one):
                if place != here:
                    gain += out[entrant] - back[entrant]
            for place, entrant in enumerate(other):
                if place != there:
                    gain += back[entrant] - out[entrant]
            if gain > 0:
                one[here], other[there] = other[there], one[here]
                return True
        return False
