"""The audit of a schedule: what it gives each bot, counted.

Everything is counted per *bot*, not per seat: a schedule may use all seats equally and yet give one
bot the same seat all the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from sandlot_server.tournament.schedule import ScheduledMatch


@dataclass(frozen=True, slots=True)
class BotBalance:
    """What the schedule gives one bot."""

    bot: str
    matches: int
    seats: tuple[int, ...]
    """By seat: the matches it plays there."""
    deals: int
    """The hands it deals."""
    distances: tuple[int, ...]
    """By places to the left of the dealer, 0 to seats - 1: the hands it plays there."""
    left: dict[str, int]
    """By other bot: the matches with it as the left-hand neighbour, the one who acts next."""
    met: dict[str, int]
    """By other bot: the matches with it at the table."""


@dataclass(frozen=True, slots=True)
class Spreads:
    """For each count the most less the least, over all bots and all of its places; 0 is fair."""

    matches: int
    seats: int
    deals: int
    distances: int
    left: int
    met: int


@dataclass(frozen=True, slots=True)
class Audit:
    """The balance of a schedule: per bot, and how far apart the bots are."""

    bots: tuple[BotBalance, ...]
    """In alphabetical order."""
    hands: int
    """Hands a match."""
    lead: int
    """By how many matches, at most, one bot was ahead of another at any moment."""

    @property
    def spreads(self) -> Spreads:
        """How far apart the bots are, count by count."""
        return Spreads(
            matches=_spread(bot.matches for bot in self.bots),
            seats=_spread(count for bot in self.bots for count in bot.seats),
            deals=_spread(bot.deals for bot in self.bots),
            distances=_spread(count for bot in self.bots for count in bot.distances),
            left=_spread(count for bot in self.bots for count in bot.left.values()),
            met=_spread(count for bot in self.bots for count in bot.met.values()),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the audit as plain values, for ``--json``."""
        return {
            "hands": self.hands,
            "lead": self.lead,
            "spreads": asdict(self.spreads),
            "bots": [asdict(bot) for bot in self.bots],
        }


def audit(bots: Sequence[str], matches: Iterable[ScheduledMatch], hands: int) -> Audit:
    """Count what matches, in the order of play, give each of the bots; ``hands`` a match.

    The deal passes one seat to the left after each hand (R2.1).
    """
    names = sorted(bots)
    number = {name: index for index, name in enumerate(names)}
    scheduled = list(matches)
    seats = max((len(match.bots) for match in scheduled), default=0)
    in_seat = [[0] * seats for _ in names]
    at_distance = [[0] * seats for _ in names]
    left = [[0] * len(names) for _ in names]
    met = [[0] * len(names) for _ in names]
    played = [0] * len(names)
    lead = 0
    for match in scheduled:
        table = [number[name] for name in match.bots]
        n = len(table)
        each, more = divmod(hands, n)
        for seat, bot in enumerate(table):
            played[bot] += 1
            in_seat[bot][seat] += 1
            left[bot][table[(seat + 1) % n]] += 1
            row = at_distance[bot]
            for dealt in range(n):  # seats that deal first, second, ...: as many hands or one more
                dealer = match.first_dealer + dealt
                row[(seat - dealer) % n] += each + (dealt < more)
        for bot, other in combinations(table, 2):
            met[bot][other] += 1
            met[other][bot] += 1
        lead = max(lead, max(played) - min(played))
    return Audit(
        tuple(
            BotBalance(
                name,
                played[bot],
                tuple(in_seat[bot]),
                at_distance[bot][0] if seats else 0,
                tuple(at_distance[bot]),
                {other: left[bot][index] for other, index in number.items() if index != bot},
                {other: met[bot][index] for other, index in number.items() if index != bot},
            )
            for name, bot in number.items()
        ),
        hands,
        lead,
    )


def _spread(counts: Iterable[int]) -> int:
    found = list(counts)
    return max(found) - min(found) if found else 0
