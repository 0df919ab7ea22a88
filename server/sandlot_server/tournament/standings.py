"""How the bots stand: a pure function of sums over the results that are stored.

A bot's score is its mean net a hand, or its mean share of first places; the match is the unit of
both, so the interval beside a mean is Student's t over the bot's matches. Sums are whole numbers
(nets in 840ths of a unit, which divides by every number of seats that may split a pot), means are
exact fractions, and ranks come from comparing those: equal means share a rank, whatever the order
in which bots were entered or matches played.

Beside the means stands a rating of the places taken, see `rating`. Two bots are *told apart* where
the 95 % interval of own net less the other's, over the matches they shared, does not hold 0. Each
such test errs in about 5 of 100 cases, so where many pairs are alike some are told apart by chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple

from sandlot_server.tournament.rating import Finish, Rating, ratings

PARTS: Final = 840
"""Nets and shares are summed in whole 840ths."""

CONFIDENCE: Final = 0.95
"""How often an interval holds the true mean."""

RankBy = Literal["net", "places"]


@dataclass(frozen=True, slots=True)
class BotSums:
    """What is stored of one bot, added up over its matches."""

    bot: str
    matches: int
    hands: int
    """Over all its matches; each match has the same number."""
    net_sum: int
    """Its nets of matches, in 840ths of a unit."""
    net_square_sum: int
    """The squares of those."""
    places_share_sum: int
    """Its first places, in 840ths: a first place shared by k bots counts 840 / k."""
    places_share_square_sum: int
    places: dict[int, int] = field(default_factory=dict)
    """By place (R8.2): the matches it took that place in."""
    faults: dict[str, int] = field(default_factory=dict)
    """By cause: how often."""


@dataclass(frozen=True, slots=True)
class PairSums:
    """What is stored of two bots, added up over the matches they shared, as the first sees it."""

    bot: str
    other: str
    matches: int
    difference_sum: int
    """Own net of a match minus the other's, in 840ths of a unit."""
    difference_square_sum: int


class Sums(NamedTuple):
    """What standings are made of: a sum a bot, a sum a pair, and how often matches ended how."""

    bots: list[BotSums]
    pairs: list[PairSums]
    finishes: dict[Finish, int]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over matches, exact, with its 95 % interval."""

    value: Fraction
    interval: tuple[float, float] | None
    """Least and most; None after a single match, which tells nothing of the spread."""

    def to_json(self) -> dict[str, float | None]:
        """Return ``{"mean", "low", "high"}``."""
        low, high = self.interval or (None, None)
        return {"mean": float(self.value), "low": low, "high": high}


@dataclass(frozen=True, slots=True)
class Row:
    """One bot in the standings."""

    rank: int | None
    """1 + the number of bots that are better; None before its first match."""
    bot: str
    matches: int
    hands: int
    net: Mean | None
    """Net units a hand."""
    first_places: Mean | None
    """The share of matches won, 0 to 1; a tied first place counts in equal parts."""
    places: dict[int, int]
    faults: dict[str, int]
    rating: Rating | None = None
    """Of its places; None before its first match."""
    above: Meeting | None = None
    """Against the bot in the row above, over the matches they shared; None if there were none."""

    def to_json(self) -> dict[str, Any]:
        """Return the row as plain values, for ``--json``."""
        return {
            "rank": self.rank,
            "bot": self.bot,
            "matches": self.matches,
            "hands": self.hands,
            "net_a_hand": self.net and self.net.to_json(),
            "first_places": self.first_places and self.first_places.to_json(),
            "places": {str(place): count for place, count in self.places.items()},
            "faults": self.faults,
            "rating": self.rating and self.rating.to_json(),
            "told_apart_from_above": self.above and self.above.told_apart,
        }


@dataclass(frozen=True, slots=True)
class Meeting:
    """One bot against another, over the matches they shared."""

    bot: str
    other: str
    matches: int
    difference: Mean
    """Own net of a match minus the other's, in units."""

    @property
    def told_apart(self) -> bool:
        """Whether the interval of the difference does not hold 0.

        Matches that all ended alike, as well as a single one, tell nothing yet: their interval has
        no width, or there is none.
        """
        low, high = self.difference.interval or (0.0, 0.0)
        return low < high and not low <= 0 <= high

    def to_json(self) -> dict[str, Any]:
        """Return the meeting as plain values, for ``--json``."""
        return {
            "bot": self.bot,
            "other": self.other,
            "matches": self.matches,
            "net_difference": self.difference.to_json(),
            "told_apart": self.told_apart,
        }


@dataclass(frozen=True, slots=True)
class Standings:
    """The table: best first, bots of equal rank in alphabetical order."""

    rank_by: RankBy
    rows: tuple[Row, ...]
    meetings: tuple[Meeting, ...]
    """Both ways round, by bot and other in alphabetical order."""

    def to_json(self) -> dict[str, Any]:
        """Return the standings as plain values, for ``--json``."""
        return {
            "rank_by": self.rank_by,
            "rows": [row.to_json() for row in self.rows],
            "head_to_head": [meeting.to_json() for meeting in self.meetings],
        }


def standings(
    bots: Iterable[BotSums],
    pairs: Iterable[PairSums] = (),
    finishes: Mapping[Finish, int] | None = None,
    *,
    rank_by: RankBy = "net",
) -> Standings:
    """Return the table from the sums of the bots, those of the pairs that met, and the finishes.

    Ranked by mean net a hand, or by mean share of first places; the order of what is given does not
    matter.

    >>> table = standings([
    ...     BotSums("odds", 2, 16, 840 * 8, 840**2 * 40, 840, 840**2),
    ...     BotSums("tight", 2, 16, -840 * 8, 840**2 * 40, 840, 840**2),
    ... ])
    >>> [(row.rank, row.bot, str(row.net.value)) for row in table.rows]
    [(1, 'odds', '1/2'), (2, 'tight', '-1/2')]
    """
    scored = sorted(((_score(sums, rank_by), sums) for sums in bots), key=_best_first)
    played = [score for score, _ in scored if score is not None]
    meetings = [
        Meeting(
            pair.bot,
            pair.other,
            pair.matches,
            _mean(pair.matches, pair.difference_sum, pair.difference_square_sum, Fraction(1)),
        )
        for pair in sorted(pairs, key=lambda pair: (pair.bot, pair.other))
        if pair.matches
    ]
    rated = ratings(finishes or {})
    met = {(meeting.bot, meeting.other): meeting for meeting in meetings}
    rows: list[Row] = []
    for score, sums in scored:
        # Sorted, so the first that ties stands behind all that are better.
        rank = None if score is None else 1 + played.index(score)
        above = met.get((sums.bot, rows[-1].bot)) if rows else None
        rows.append(_row(sums, rank, rated.get(sums.bot), above))
    return Standings(rank_by, tuple(rows), tuple(meetings))


def _row(sums: BotSums, rank: int | None, rating: Rating | None, above: Meeting | None) -> Row:
    net = first_places = None
    if sums.matches:
        a_hand = Fraction(sums.matches, sums.hands)
        net = _mean(sums.matches, sums.net_sum, sums.net_square_sum, a_hand)
        first_places = _mean(
            sums.matches, sums.places_share_sum, sums.places_share_square_sum, Fraction(1)
        )
    return Row(
        rank,
        sums.bot,
        sums.matches,
        sums.hands,
        net,
        first_places,
        places=dict(sorted(sums.places.items())),
        faults=dict(sorted(sums.faults.items())),
        rating=rating,
        above=above,
    )


def _score(sums: BotSums, rank_by: RankBy) -> Fraction | None:
    """Return the mean that ranks a bot, exactly; None before its first match."""
    if not sums.matches:
        return None
    if rank_by == "net":
        return Fraction(sums.net_sum, sums.hands)
    return Fraction(sums.places_share_sum, sums.matches)


def _best_first(scored: tuple[Fraction | None, BotSums]) -> tuple[bool, Fraction, str]:
    score, sums = scored
    return score is None, -(score or Fraction(0)), sums.bot


def _mean(matches: int, total: int, squares: int, scale: Fraction) -> Mean:
    """Return the mean of ``matches`` values given by their sum and sum of squares in 840ths.

    ``scale`` turns a value of a match into the unit shown. The interval is the mean plus or minus t
    times s / sqrt(matches), with s the standard deviation over matches - 1 (Student, 1908). Until
    the square root all is exact, so that large sums of squares lose nothing.

    Raises:
        ValueError: no values have these sums.
    """
    mean = Fraction(total, matches) * scale / PARTS
    spare = squares * matches - total * total  # matches times the squared deviations
    if spare < 0:
        raise ValueError(f"no {matches} numbers have the sum {total} and sum of squares {squares}")
    if matches == 1:
        return Mean(mean, None)
    variance_of_mean = Fraction(spare, matches * matches * (matches - 1)) * (scale / PARTS) ** 2
    reach = _t(matches - 1) * math.sqrt(variance_of_mean)
    return Mean(mean, (float(mean) - reach, float(mean) + reach))


def _t(freedom: int) -> float:
    """Return the quantile of Student's t for the two-sided interval."""
    from scipy.special import stdtrit  # here, for it takes long to import

    quantile: Callable[[float, float], float] = stdtrit
    return float(quantile(freedom, 0.5 + CONFIDENCE / 2))
