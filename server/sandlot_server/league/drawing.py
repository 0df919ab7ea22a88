"""Who plays whom in the next round of a season: pure, so that it can be drawn again and checked.

Those who have *caught up* have their turn: each sits at one table of the round, and those meet who
have met least. Where they do not fill the tables, those sit out who have not for longest. Who has
played fewer tables is *catching up*: it plays several tables in the round against those that it has
met least, beside everybody's ordinary tables. ``docs/seasons.md`` says it for everybody.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from sandlot.seeds import Lots, table_order
from sandlot_server.league.history import History
from sandlot_server.league.seating import APART, Met, best_tables, most_tables
from sandlot_server.store.registered import HOUSE_OWNER, Drawn, Round, Version

CATCH_UP: Final = 4
"""Tables that one who is catching up plays in a round, at most."""

CAUGHT_UP: Final = 100
"""Tables after which everybody has caught up, however many others have played."""

LEEWAY: Final = 1
"""Tables that one who has caught up may be behind the one who has played most."""

EXTRA: Final = 1
"""Tables beside its own that one who has caught up plays in a round with those who have not."""


def draw(
    number: int,
    entrants: Collection[Version],
    history: History,
    *,
    seats: int,
    apart: bool,
    seed: bytes,
) -> Round:
    """Draw a round of a season; it is without matches where nobody can play.

    Args:
        number: of the round, from 1.
        entrants: those who can play now, in any order.
        history: what has been before.
        seats: of a table.
        apart: whether two bots of one owner are kept from tables of three and more.
        seed: of the season.
    """
    ordered = sorted(entrants, key=lambda version: version.entrant)
    drawing = _Drawing(ordered, history, seats, apart, Lots(seed, f"draw/{number}"))
    tables = [*drawing.in_turn(), *drawing.catching_up()]
    return Round(number, tuple(_matches(number, tables, seats, seed)))


@dataclass(frozen=True, slots=True)
class _Table:
    """Who sits at a table, and who it is played for if somebody catches up."""

    entrants: list[str]
    catching_up: str | None = None


def _matches(number: int, tables: Sequence[_Table], seats: int, seed: bytes) -> Iterator[Drawn]:
    """Yield the rotations of all tables, the first one of all of them first."""
    circles: list[tuple[list[str], int]] = []
    for place, table in enumerate(tables, start=1):
        order, first_dealer = table_order(seed, number, place, seats)
        members = sorted(table.entrants)
        circles.append(([members[each] for each in order], first_dealer))
    for rotation in range(1, seats + 1):
        for place, (circle, first_dealer) in enumerate(circles, start=1):
            yield Drawn(
                f"{number}-{place}-{rotation}",
                tuple(circle[rotation - 1 :] + circle[: rotation - 1]),
                first_dealer,
                tables[place - 1].catching_up,
            )


class _Drawing:
    """A round that is being drawn. Entrants are numbers, in the order of their names."""

    def __init__(
        self, entrants: Sequence[Version], history: History, seats: int, apart: bool, lots: Lots
    ) -> None:
        self._names = [version.entrant for version in entrants]
        self._groups = [_group(version, apart and seats > 2) for version in entrants]
        self._history = history
        self._seats = seats
        self._lots = lots
        self._lot = lots.order(len(entrants))
        self._met = self._meetings()
        self._tables = [min(history.tables(name), CAUGHT_UP) for name in self._names]
        least = max(self._tables, default=0) - LEEWAY
        self._behind = [one for one in self._all if self._tables[one] < least]
        self._level = min([tables for tables in self._tables if tables >= least], default=0)

    @property
    def _all(self) -> range:
        return range(len(self._names))

    def _meetings(self) -> Met:
        """Return who met whom, and who must not."""
        numbers = {name: number for number, name in enumerate(self._names)}
        met = [[0] * len(numbers) for _ in numbers]
        for (one, other), tables in self._history.meetings():
            if one in numbers and other in numbers:
                here, there = numbers[one], numbers[other]
                met[here][there] = met[there][here] = tables
        for here, there in product(self._all, repeat=2):
            if self._groups[here] == self._groups[there]:
                met[here][there] += APART
        return met

    def in_turn(self) -> list[_Table]:
        """Return the tables of those who have caught up."""
        behind = set(self._behind)
        present = [one for one in self._all if one not in behind]
        number = most_tables([self._groups[one] for one in present], self._seats)
        seated: dict[int, Hashable] = {}
        taken: dict[Hashable, int] = {}
        for one in sorted(present, key=self._turn):
            group = self._groups[one]
            if len(seated) < number * self._seats and taken.get(group, 0) < number:
                taken[group] = taken.get(group, 0) + 1
                seated[one] = group
        tables = best_tables(seated, self._seats, self._met, self._lots)
        for table in tables:
            self._sit(table)
        return [_Table([self._names[one] for one in table]) for table in tables]

    def catching_up(self) -> list[_Table]:
        """Return the tables for those who are catching up; call it after ``in_turn``."""
        left = dict.fromkeys(self._all, EXTRA)
        for one in self._behind:
            left[one] = min(CATCH_UP, self._level - self._tables[one] + 1)
        queue = sorted(self._behind, key=self._played)
        tables: list[_Table] = []
        while queue:
            waiting, queue = queue, []
            for one in waiting:
                table = self._table_for(one, left) if left[one] > 0 else []
                if table:
                    self._sit(table)
                    for member in table:
                        left[member] -= 1
                    names = [self._names[member] for member in table]
                    tables.append(_Table(names, catching_up=self._names[one]))
                    queue.append(one)
        return tables

    def _turn(self, one: int) -> tuple[int, int, int]:
        """Return what is the higher the sooner it sits out: turns in a row, tables, its lot."""
        name = self._names[one]
        return self._history.turns(name), self._history.tables(name), self._lot[one]

    def _played(self, one: int) -> tuple[int, int]:
        """Return how much an entrant has played, with what is drawn for it, and its lot."""
        return self._tables[one], self._lot[one]

    def _table_for(self, one: int, left: dict[int, int]) -> list[int]:
        """Return a table for one who is catching up, or nothing if there is none to be made."""
        table = [one]
        met = self._met[one][:]
        while len(table) < self._seats:
            partners = [other for other in self._all if left[other] > 0 and met[other] < APART]
            if not partners:
                return []
            partner = min(partners, key=lambda other: (met[other], *self._played(other)))
            table.append(partner)
            met = [own + theirs for own, theirs in zip(met, self._met[partner], strict=True)]
        return table

    def _sit(self, table: Sequence[int]) -> None:
        for one in table:
            self._tables[one] += 1
            for other in table:
                self._met[one][other] += 1


def _group(version: Version, apart: bool) -> Hashable:
    """Return what two entrants that must not share a table have in common."""
    if apart and version.owner != HOUSE_OWNER:
        return "owner", version.owner
    return "bot", version.bot
