"""A rating of the bots, from the places they took: a pure function of counts of finishes.

It says how often one bot ends a match above another, whatever they win, on the scale of Elo: 400
points are odds of ten to one, and the mean of the bots that can be compared is 1500. It is fitted
to all matches at once, so neither the order of play nor that of entry can matter.

**The model** is that of Bradley and Terry (Biometrika 39, 1952) on the pairs of each table: bot i
ends above bot k with probability p_ik = 1 / (1 + exp(b_k - b_i)). With s_ik = 1 where it did, 1/2
where they shared a place and 0 where it did not, the strengths b maximise the log-likelihood

    sum over matches m of w_m * sum over pairs of m of (s_ik ln p_ik + s_ki ln p_ki)
    + sum over bots i of (ln p_i0 + ln p_0i) / 2,                   b_0 = 0,

which is concave. If the places at tables follow Plackett's and Luce's model (Plackett, Applied
Statistics 24, 1975) each pair follows this one with the same strengths, so that the fit aims at
them too. The last sum is the prior: each bot has one draw against an average one. It keeps a bot
that has won all or nothing at a finite rating, and weighs nothing after some matches.

**The weight** of a table of n is w = 3 / (n + 1). Its pairs are not independent: among bots that
are alike the number of others that one beats has variance (n^2 - 1) / 12, and (n - 1) / 4 if they
were. The quotient of these is the weight, 1 with two seats. Then the curvature below is right for
bots that are alike at tables of any size.

**The standard error.** Let A be the curvature of the log-likelihood (minus its second derivatives),
u_m the part of match m in its gradient without the prior, and J the sum of u_m u_m'. The variance
is the greater of two, bot by bot: that of A^-1 J A^-1, where the match is the unit, so that it
holds whatever the dependence within a table is (Huber 1967; White, Econometrica 50, 1982); and that
of A^-1, for a bot that has won three of three shows no spread, and is not known exactly. Both are
those of b less the mean of its group. The 95 % interval reaches 1.96 standard errors either way.

Bots are in one group if a chain of matches joins them. Ratings of different groups cannot be
compared: nothing is known of how they would do against each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.floating[Any]]
    Indices: TypeAlias = NDArray[np.int64]
    Marks: TypeAlias = NDArray[np.int8]

POINT: Final = 400 / math.log(10)
"""Points of the scale in one unit of strength."""

MEAN: Final = 1500.0
"""The mean of the ratings of a group."""

REACH: Final = 1.959963984540054
"""Standard errors from the rating to either end of its 95 % interval."""

_NEAR: Final = 1e-8  # in units of strength: a step this small is the last, its square is left
_STEPS: Final = 200  # it needs some 10
_ROWS: Final = 2**16  # finishes at a time: with seven seats some 100 MB


class Finish(NamedTuple):
    """How a match ended: its bots in alphabetical order, and the place of each."""

    bots: tuple[str, ...]
    places: tuple[int, ...]

    @classmethod
    def of(cls, places: Mapping[str, int]) -> Finish:
        """Return the finish in which each bot took the place given.

        >>> Finish.of({"tight": 1, "odds": 2})
        Finish(bots=('odds', 'tight'), places=(2, 1))
        """
        bots = tuple(sorted(places))
        return cls(bots, tuple(places[bot] for bot in bots))


@dataclass(frozen=True, slots=True)
class Rating:
    """What a bot's places say of its strength."""

    value: float
    """In points: 1500 is the mean of its group."""
    standard_error: float
    group: int
    """Bots of different groups cannot be compared; counted from 1 in alphabetical order."""

    @property
    def interval(self) -> tuple[float, float]:
        """Least and most, with 95 % confidence."""
        reach = REACH * self.standard_error
        return self.value - reach, self.value + reach

    def to_json(self) -> dict[str, float | int]:
        """Return ``{"value", "standard_error", "low", "high", "group"}``."""
        low, high = self.interval
        return {
            "value": self.value,
            "standard_error": self.standard_error,
            "low": low,
            "high": high,
            "group": self.group,
        }


def ratings(finishes: Mapping[Finish, int]) -> dict[str, Rating]:
    """Return the rating of each bot that has played, from how often matches ended in which way.

    The order of what is given does not matter, to the last bit.

    >>> won, lost = Finish.of({"odds": 1, "tight": 2}), Finish.of({"odds": 2, "tight": 1})
    >>> of = ratings({won: 30, lost: 10})
    >>> {bot: f"{rating.value:.0f} ±{rating.standard_error:.0f}" for bot, rating in of.items()}
    {'odds': '1594 ±31', 'tight': '1406 ±31'}
    """
    bots = sorted(set(chain.from_iterable(finish.bots for finish in finishes)))
    if not bots:
        return {}
    import numpy as np  # here, for it takes long to import

    tables = _tables(finishes, bots)
    nothing: Floats = np.zeros((len(bots), len(bots)))
    scores = sum((table.scores(len(bots)) for table in tables), nothing)
    games = scores + scores.T
    strengths = _fit(scores, games)
    spread = sum((table.spread(strengths) for table in tables), nothing)
    inverse = np.linalg.inv(_curvature(strengths, games))
    sandwich = inverse @ spread @ inverse

    rated: dict[str, Rating] = {}
    for number, members in enumerate(_groups(games), start=1):
        centred = strengths[members] - strengths[members].mean()
        within = np.ix_(members, members)
        variances = np.maximum(_centred(inverse[within]), _centred(sandwich[within]))
        for member, strength, variance in zip(members, centred, variances, strict=True):
            rated[bots[member]] = Rating(
                MEAN + POINT * float(strength), POINT * math.sqrt(variance), number
            )
    return dict(sorted(rated.items()))


@dataclass(frozen=True, slots=True)
class _Tables:
    """Some finishes of one number of seats; a row is a finish."""

    bots: Indices
    """By seat."""
    won: Marks
    """By seat and other seat: twice what the first scored off the second, 0 to 2."""
    counts: Indices

    @property
    def weight(self) -> float:
        """That of each pair of such a table."""
        seats: int = self.bots.shape[1]
        return 3 / (seats + 1)

    def scores(self, bots: int) -> Floats:
        """Return the weighted score of each bot off each other."""
        halves = self.won * self.counts[:, None, None]  # whole numbers: any order, the same sum
        return self._by_pair(halves, bots) * (self.weight / 2)

    def spread(self, strengths: Floats) -> Floats:
        """Return the sum over matches of the gradient's outer product with itself."""
        import numpy as np

        of = strengths[self.bots]
        expected = _chance(of[:, :, None] - of[:, None, :]) * (1 - np.eye(of.shape[1]))
        surprise = self.weight * (self.won / 2 - expected).sum(axis=2)
        products = surprise[:, :, None] * surprise[:, None, :] * self.counts[:, None, None]
        return self._by_pair(products, len(strengths))

    def _by_pair(self, values: Floats | Indices, bots: int) -> Floats:
        """Add up values by finish, seat and other seat; return the sum by bot and other bot."""
        import numpy as np

        pairs = self.bots[:, :, None] * bots + self.bots[:, None, :]
        sums: Any = np.bincount(pairs.ravel(), values.ravel(), bots * bots)
        square: Floats = sums.reshape(bots, bots)
        return square


def _tables(finishes: Mapping[Finish, int], bots: Sequence[str]) -> list[_Tables]:
    """Return the finishes by number of seats, ``_ROWS`` at a time, in an order of their own."""
    import numpy as np

    number = {bot: index for index, bot in enumerate(bots)}
    by_seats: dict[int, list[Finish]] = {}
    for finish in finishes:
        by_seats.setdefault(len(finish.bots), []).append(finish)
    tables = []
    for seats, some in sorted(by_seats.items()):
        shape = len(some), seats
        names = chain.from_iterable([finish.bots for finish in some])
        of_bots = np.fromiter(map(number.__getitem__, names), np.int32, len(some) * seats)
        of_places = chain.from_iterable([finish.places for finish in some])
        places = np.fromiter(of_places, np.int8, len(some) * seats).reshape(shape)
        counts = np.fromiter(map(finishes.__getitem__, some), np.int64, len(some))
        order = np.lexsort([*places.T, *of_bots.reshape(shape).T])
        for rows in (order[start : start + _ROWS] for start in range(0, len(order), _ROWS)):
            taken = places[rows]
            won: Marks = np.sign(taken[:, None, :] - taken[:, :, None]) + 1
            won[:, range(seats), range(seats)] = 0  # nobody plays against itself
            seated = of_bots.reshape(shape)[rows].astype(np.int64)
            tables.append(_Tables(seated, won, counts[rows]))
    return tables


def _groups(games: Floats) -> list[Indices]:
    """Return the sets of bots that matches join, each in order, by their first."""
    import numpy as np
    from scipy.sparse.csgraph import connected_components

    number, group = connected_components(games > 0, directed=False)
    sets = [np.flatnonzero(group == each) for each in range(number)]
    return sorted(sets, key=lambda members: int(members[0]))


def _fit(scores: Floats, games: Floats) -> Floats:
    """Return the strengths that maximise the log-likelihood, by Newton's method.

    A second derivative is a sum of p (1 - p), which a move of two bots apart by r multiplies by
    e^r at most. So along the part ln(1 + r) / r of a step the likelihood grows, from wherever; a
    longer part is taken while it still does. As it is concave this climbs to its one maximum, and
    near that in full steps, each of which squares the error.
    """
    import numpy as np

    strengths: Floats = np.zeros(len(scores))
    for _ in range(_STEPS):
        step = np.linalg.solve(_curvature(strengths, games), _gradient(strengths, scores))
        apart = max(step.max(), 0.0) - min(step.min(), 0.0)  # the average bot stays at 0
        if apart < _NEAR:
            return strengths + step
        part = math.log1p(apart) / apart
        while part < 1:
            longer = min(2 * part, 1.0)
            if _gradient(strengths + longer * step, scores) @ step < 0:
                break
            part = longer
        strengths = strengths + part * step
    raise ArithmeticError(f"the ratings have not settled in {_STEPS} steps")


def _gradient(strengths: Floats, scores: Floats) -> Floats:
    """Return the first derivatives of the log-likelihood."""
    chance = _chance(strengths[:, None] - strengths[None, :])
    # What one gains by a pair the other loses, to the last bit: large counts leave no residue.
    gained = scores * chance.T - scores.T * chance
    sums: Floats = gained.sum(axis=1)
    return sums + 0.5 - _chance(strengths)


def _curvature(strengths: Floats, games: Floats) -> Floats:
    """Return minus the second derivatives of the log-likelihood."""
    import numpy as np

    chance = _chance(strengths[:, None] - strengths[None, :])
    pairs = games * chance * chance.T
    alone = _chance(strengths)
    curvature: Floats = np.diag(pairs.sum(axis=1) + alone * (1 - alone)) - pairs
    return curvature


def _chance(apart: Any) -> Floats:
    """Return the probability to end above one that is weaker by so much."""
    from scipy.special import expit

    chance: Floats = expit(apart)
    return chance


def _centred(covariance: Floats) -> Floats:
    """Return the variances of values less their mean."""
    variances: Floats = covariance.diagonal() - 2 * covariance.mean(axis=1) + covariance.mean()
    return variances
