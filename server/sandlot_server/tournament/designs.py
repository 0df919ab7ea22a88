"""Block designs: few tables at which every pair of bots meets equally often.

Where every group of bots is too many tables, a round plays a *design* instead: a choice of groups
in which every bot plays equally often, and every pair meets equally often or as nearly so as the
search came. A design depends on the numbers of bots and seats alone, so that it is the same in
every round, run and place; the seed only says which bot plays which number of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations
from math import comb
from typing import Final

from sandlot.seeds import Lots
from sandlot_server.tournament.play_order import Group, lead, level_order, nearly_level_order

DIFFERENCE_SETS: Final[dict[tuple[int, int], Group]] = {
    (7, 3): (0, 1, 3),
    (13, 4): (0, 1, 3, 9),
    (21, 5): (0, 1, 4, 14, 16),
    (31, 6): (0, 1, 3, 8, 12, 18),
}
"""By (bots, seats): every difference from 1 to bots - 1 comes once among two members (J. Singer,
1938). Moved round the circle of bots, the set makes a projective plane: every pair meets once."""

STEPS: Final = 20_000
"""How many changes a search tries for one symmetry before it gives up. Work is counted, not time,
so that every machine finds the same design."""

SYMMETRIES: Final = 3
"""How many symmetries are tried for one number of tables, the largest first."""

SIZES: Final = 2
"""How many numbers of tables are tried, the fewest first, for one that comes out even."""


@dataclass(frozen=True, slots=True)
class Design:
    """The tables of a round: groups of bots, as numbers from 0, in the order of play."""

    bots: int
    seats: int
    tables: tuple[Group, ...]
    source: str
    """How it was made: "every group", "difference set" or "search"."""

    @property
    def each_plays(self) -> int:
        """At how many tables each bot plays."""
        return len(self.tables) * self.seats // self.bots

    @property
    def meetings(self) -> tuple[int, int]:
        """How often the pairs that meet least and most often meet in a round."""
        met = Counter(pair for table in self.tables for pair in combinations(table, 2))
        counts = [met[pair] for pair in combinations(range(self.bots), 2)]
        return min(counts), max(counts)

    @property
    def lead(self) -> int:
        """By how many tables, at most, one bot is ahead of another at any moment."""
        return lead(self.bots, self.tables)

    def explain(self) -> str:
        """Say for a person how many tables there are, and why.

        >>> print(balanced_design(7, 3).explain())
        7 tables a round (difference set): each bot plays at 3, each pair meets once
        """
        least, most = self.meetings
        if least == most:
            met = "each pair meets " + {1: "once", 2: "twice"}.get(most, f"{most} times")
        else:
            met = f"each pair meets {least} to {most} times, as even as the search came"
        tables = f"{len(self.tables)} table" + ("" if len(self.tables) == 1 else "s")
        return f"{tables} a round ({self.source}): each bot plays at {self.each_plays}, {met}"


@lru_cache(maxsize=128)
def full_design(bots: int, seats: int) -> Design:
    """Return the design of every group of ``seats`` bots."""
    return Design(bots, seats, level_order(bots, seats), "every group")


@lru_cache(maxsize=128)
def balanced_design(bots: int, seats: int) -> Design:
    """Return a design with few tables for these numbers of bots and seats.

    The number of tables is the fewest for which the counting of ``sizes`` allows that every pair
    meets equally often; where no such design is found, the next such number is tried; where neither
    is, it is the fewest with the most even meetings that were found. Where nothing less than every
    group will do (always at two seats), it is every group.
    """
    if (bots, seats) in DIFFERENCE_SETS:
        tables = _moved_round(DIFFERENCE_SETS[bots, seats], bots)
        return Design(bots, seats, nearly_level_order(bots, tables), "difference set")
    nearest: tuple[Group, ...] | None = None
    for _, (number, plays, meet) in zip(range(SIZES), sizes(bots, seats), strict=False):
        uneven_of: dict[tuple[Group, ...], int] = {}
        for turn in symmetries(bots, number, plays)[:SYMMETRIES]:
            search = _Search(bots, seats, number, plays, meet, turn)
            tables = search.run()
            if search.least == 0:
                return Design(bots, seats, nearly_level_order(bots, tables), "search")
            uneven_of[tables] = unevenness(bots, tables)
        if nearest is None:
            nearest = min(uneven_of, key=lambda tables: uneven_of[tables])
    if nearest is None:
        return full_design(bots, seats)
    return Design(bots, seats, nearly_level_order(bots, nearest), "search")


def sizes(bots: int, seats: int) -> Iterator[tuple[int, int, int]]:
    """Yield (tables, tables a bot, tables a pair) for which all pairs may meet equally often.

    The fewest first, and fewer than every group. Counting seats, tables x seats = bots x tables a
    bot; counting a bot's opponents, tables a bot x (seats - 1) = tables a pair x (bots - 1); and
    there are at least as many tables as bots (Fisher's inequality) unless all sit at one.

    >>> next(sizes(12, 6)), list(sizes(8, 3))
    ((22, 11, 5), [])
    """
    for meet in range(1, comb(bots - 2, seats - 2)):
        plays, rest = divmod(meet * (bots - 1), seats - 1)
        tables, rest_too = divmod(bots * plays, seats)
        if not rest and not rest_too and tables >= bots:
            yield tables, plays, meet


def symmetries(bots: int, tables: int, plays: int) -> list[int]:
    """Return the lengths of turns under which a design may stay the same, the longest first.

    A turn of length m moves the bots round in circles of m; one bot may be left over and stays in
    its place. The tables then fall into families of m, and so do those of the bot that stays. With
    the turn of length 1, which moves nobody, every design stays the same.
    """
    return [
        turn
        for turn in range(bots, 0, -1)
        if tables % turn == 0
        and (bots % turn == 0 or (turn > 1 and bots % turn == 1 and plays % turn == 0))
    ]


def unevenness(bots: int, tables: tuple[Group, ...]) -> int:
    """Return how far meetings are from even: over all pairs, the squares of how often they meet.

    The sum of the meetings is fixed, so the smaller the squares the more even they are.
    """
    met = Counter(pair for table in tables for pair in combinations(table, 2))
    return sum(count * count for count in met.values())


def _moved_round(table: Group, turn: int, circles: int = 1) -> tuple[Group, ...]:
    """Return the family of a table: its bots moved 0, 1, ... places on in their circles."""
    moving = circles * turn
    return tuple(
        tuple(
            sorted(
                bot if bot >= moving else bot - bot % turn + (bot + places) % turn for bot in table
            )
        )
        for places in range(turn)
    )


class _Search:
    """A search for the first table of each family, such that the pairs of all families are even.

    Bot c x turn + p is at place p of circle c. Turning moves a pair through all pairs of the same
    two circles and the same difference of places, so it is enough to count these *kinds* of pairs
    in the first tables. A change puts another bot of the same circle into a seat, or lets two
    seats of two tables swap their circles, so each bot always plays equally often. A change that
    makes the counts less even is taken now and then, with chance 2 to the power of minus its harm,
    lest the search be caught (simulated annealing; whole numbers, so that it runs the same
    everywhere).
    """

    def __init__(
        self, bots: int, seats: int, tables: int, plays: int, meet: int, turn: int
    ) -> None:
        self.seats, self.turn = seats, turn
        self.circles = bots // turn
        self.lots = Lots(b"", f"design/{bots}/{seats}/{tables}/{turn}")
        self.kind = self._kinds_of_pairs(bots)
        self.firsts = self._first_tables(bots, tables // turn, plays)
        self.over = [-meet] * (1 + max(map(max, self.kind)))  # by kind: how often above its due
        for table in self.firsts:
            for bot in table:
                for other in table:
                    if other != bot:
                        self.over[self.kind[bot][other]] += 1
        self.least = sum(over * over for over in self.over)

    def _kinds_of_pairs(self, bots: int) -> list[list[int]]:
        """Return the number of the kind of each ordered pair; a bot with itself has none, -1."""
        numbers: dict[tuple[int, int, int], int] = {}
        kinds = [[-1] * bots for _ in range(bots)]
        for one, other in permutations(range(bots), 2):
            moving = max(one, other) < self.circles * self.turn
            places = (one - other) % self.turn if moving else 0
            circles = (one // self.turn, other // self.turn)
            kinds[one][other] = numbers.setdefault((*circles, places), len(numbers))
        return kinds

    def _first_tables(self, bots: int, families: int, plays: int) -> list[list[int]]:
        """Return tables to begin with: the bot that stays at its share, the circles in turn."""
        moving = self.circles * self.turn
        staying = plays // self.turn if moving < bots else 0
        tables: list[list[int]] = []
        dealt = 0
        for family in range(families):
            table = [moving] if family < staying else []
            while len(table) < self.seats:
                circle = dealt % self.circles
                table.append(circle * self.turn + sum(bot // self.turn == circle for bot in table))
                dealt += 1
            tables.append(table)
        return tables

    def run(self) -> tuple[Group, ...]:
        """Return all tables of the most even choice found; ``least`` is its unevenness, 0 if even.

        At most ``STEPS`` changes are tried.
        """
        uneven = self.least
        best = [tuple(table) for table in self.firsts]
        for _ in range(STEPS):
            if self.least == 0:
                break
            change = self._change()
            if change is None:
                continue
            harm = self._make(change)
            if harm > 0 and self.lots.below(65_536) >= 65_536 >> min(harm, 16):
                self._make([(table, seat, old, new) for table, seat, new, old in change[::-1]])
                continue
            uneven += harm
            if uneven < self.least:
                self.least = uneven
                best = [tuple(table) for table in self.firsts]
        return tuple(
            table for first in best for table in _moved_round(first, self.turn, self.circles)
        )

    def _change(self) -> list[tuple[list[int], int, int, int]] | None:
        """Draw a change: (table, seat, new bot, old bot) for one seat or two, if it can be made."""
        below, firsts, turn = self.lots.below, self.firsts, self.turn
        table = firsts[below(len(firsts))]
        seat = below(self.seats)
        bot = table[seat]
        if turn > 1 and (len(firsts) == 1 or below(2) == 0):
            new = self._of_circle(bot // turn)
            return None if new in table else [(table, seat, new, bot)]
        other_table = firsts[below(len(firsts))]
        other_seat = below(self.seats)
        other = other_table[other_seat]
        new, other_new = self._of_circle(other // turn), self._of_circle(bot // turn)
        if other_table is table or new in table or other_new in other_table:
            return None
        return [(table, seat, new, bot), (other_table, other_seat, other_new, other)]

    def _of_circle(self, circle: int) -> int:
        """Draw a bot of a circle; the circle after the last is the bot that stays, alone."""
        return circle * self.turn + (self.lots.below(self.turn) if circle < self.circles else 0)

    def _make(self, change: list[tuple[list[int], int, int, int]]) -> int:
        """Make a change; return by how much the sum of squares grows."""
        kind, over = self.kind, self.over
        harm = 0
        for table, seat, new, old in change:
            for bot in table:
                if bot != old:
                    for gone in (kind[old][bot], kind[bot][old]):
                        harm -= 2 * over[gone] - 1
                        over[gone] -= 1
                    for come in (kind[new][bot], kind[bot][new]):
                        harm += 2 * over[come] + 1
                        over[come] += 1
            table[seat] = new
        return harm
