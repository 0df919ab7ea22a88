"""Who plays whom, in which seats, and who deals first: the whole tournament as a pure value.

A round plays each table of its design (every group, or a balanced choice) in its n *rotations*, so
that each bot of the table sits in each seat once. In each round the table's circular order and its
first dealer are drawn from the tournament seed. The first dealer's *seat* stays the same over the
rotations: the deal then passes over the same seats in each of them, so every bot of the table deals
exactly as many of its hands as a match has, and sits at every distance from the dealer equally
often, whatever the number of hands.

A match is known by its id, ``ROUND-TABLE-ROTATION``, all counted from 1. What a match is depends on
its id, the bots, the seats, the kind of schedule and the seed; never on the number of rounds or on
the order in which the bots were entered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import comb
from typing import Final, Literal

from sandlot.errors import LeagueError
from sandlot.seeds import table_order
from sandlot_server.tournament.designs import Design, balanced_design, full_design

Kind = Literal["full", "balanced"]

KINDS: Final[dict[Kind, str]] = {"full": "full/1", "balanced": "balanced/1"}
"""Each kind of schedule and the version of the algorithm that lays it out. A change that gives a
match id another meaning takes another number, for a tournament may be half played."""

MOST_GROUPS: Final = 10_000
"""The most tables in a round of every group, at three seats and more."""


@dataclass(frozen=True, slots=True)
class ScheduledMatch:
    """A match to be played: where it stands in the schedule, and who sits where."""

    match: str
    """The id, ``ROUND-TABLE-ROTATION``."""
    round: int
    table: int
    rotation: int
    bots: tuple[str, ...]
    """The names of the bots by seat."""
    first_dealer: int
    """The seat that deals the first hand (R2.1)."""


@dataclass(frozen=True)
class Schedule:
    """All matches of a tournament, in the order of play.

    Within a round, all tables play their first rotation, then all play their second, and so on: so
    after every such pass all bots have played equally often, and within a pass no bot gets further
    ahead of another than ``design.lead`` tables (1 for every group).

    Raises:
        LeagueError: bots, seats, rounds or tables that give no schedule.

    >>> schedule = Schedule(("caller", "odds", "tight"), seats=2, rounds=1, seed=bytes(16))
    >>> for match in schedule:
    ...     print(match.match, *match.bots, match.first_dealer)
    1-1-1 caller odds 1
    1-2-1 tight caller 0
    1-3-1 tight odds 1
    1-1-2 odds caller 1
    1-2-2 caller tight 0
    1-3-2 odds tight 1
    """

    bots: tuple[str, ...]
    """The names, kept in alphabetical order."""
    seats: int
    rounds: int
    seed: bytes = field(repr=False)
    """The tournament seed."""
    kind: Kind = "full"

    def __post_init__(self) -> None:
        object.__setattr__(self, "bots", tuple(sorted(self.bots)))
        check_schedule(self.bots, self.seats, self.kind)
        if self.rounds < 1:
            raise LeagueError(f"{self.rounds} rounds are no tournament: write rounds = 1 or more")

    @property
    def design(self) -> Design:
        """The tables of a round, by numbers of bots."""
        make = full_design if self.kind == "full" else balanced_design
        return make(len(self.bots), self.seats)

    @property
    def matches_a_round(self) -> int:
        """How many matches a round has: each table in each of its rotations."""
        return len(self.design.tables) * self.seats

    def __len__(self) -> int:
        """Return the number of matches of all rounds."""
        return self.rounds * self.matches_a_round

    def __iter__(self) -> Iterator[ScheduledMatch]:
        """Yield the matches in the order of play."""
        for number in range(1, self.rounds + 1):
            yield from self.round(number)

    def round(self, number: int) -> Iterator[ScheduledMatch]:
        """Yield the matches of one round, counted from 1, in the order of play."""
        names = self._names(number)
        tables: list[tuple[list[str], int]] = []
        for table, group in enumerate(self.design.tables, start=1):
            order, first_dealer = table_order(self.seed, number, table, self.seats)
            members = sorted(names[bot] for bot in group)
            tables.append(([members[place] for place in order], first_dealer))
        for rotation in range(1, self.seats + 1):
            for table, (circle, first_dealer) in enumerate(tables, start=1):
                yield ScheduledMatch(
                    f"{number}-{table}-{rotation}",
                    number,
                    table,
                    rotation,
                    tuple(circle[rotation - 1 :] + circle[: rotation - 1]),
                    first_dealer,
                )

    def _names(self, number: int) -> Sequence[str]:
        """Return who plays which number of the design in a round.

        In a balanced schedule this is drawn anew for each round, as if for a table 0, so that what
        a design leaves uneven falls on others each time.
        """
        if self.kind == "full":
            return self.bots
        order, _ = table_order(self.seed, number, 0, len(self.bots))
        return [self.bots[bot] for bot in order]


def check_schedule(bots: Sequence[str], seats: int, kind: str) -> None:
    """Refuse bots and seats that no schedule of the kind can be made of.

    Raises:
        LeagueError: says which setting is wrong and what to write.
    """
    if kind not in KINDS:
        known = " or ".join(f'"{name}"' for name in KINDS)
        raise LeagueError(f"{kind!r} is no kind of schedule: write {known}")
    if len(set(bots)) < len(bots):
        twice = next(name for place, name in enumerate(bots) if name in bots[:place])
        raise LeagueError(f"two bots are named {twice!r}: give one of them another name")
    if seats < 2:
        raise LeagueError(f"a table of {seats} seats has no game: write seats = 2 or more")
    if seats > len(bots):
        raise LeagueError(
            f"{seats} seats a table are more than the {len(bots)} bots: "
            f"write fewer seats or enter more bots"
        )
    groups = comb(len(bots), seats)
    if kind == "full" and seats > 2 and groups > MOST_GROUPS:
        raise LeagueError(
            f"every group of {seats} of {len(bots)} bots makes {groups:,} tables a round, more "
            f'than {MOST_GROUPS:,}: write schedule = "balanced"'
        )
