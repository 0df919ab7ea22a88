"""How good a hand is against all that may still come: its chances, and its share of the pot."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb, inf, sqrt
from random import Random
from typing import Any, Final

from sandlot.deals import draw, to_come, unseen
from sandlot.errors import RuleError
from sandlot.game.variants import VARIANTS
from sandlot.hands.ranking import rank_of
from sandlot.observation import Observation

ENUMERATED: Final = 50_000
"""Up to so many completions are gone through one by one; of more, some are drawn."""

_POT: Final = 420  # divides evenly by up to seven seats, so that shares are summed exactly


@dataclass(frozen=True, slots=True)
class Equity:
    """What each seat may expect of the pot, if everybody still in stays in.

    Attributes:
        seat: whose cards were known, the one that decides.
        wins: by seat, the chance to win the pot alone, 0 to 1; 0.0 for one that has folded, here
            and below.
        ties: by seat, the chance to be among several that share the pot (R7.2).
        shares: by seat, the part of the pot that it gets on average; the sum is 1.
        errors: by seat, the standard error of the share: two times in three it is off by less. 0.0
            where it is exact, infinite for a single sample, and 0.0 also where all samples came out
            the same, though the next might not.
        samples: how many deals it was reckoned from: drawn, or all there are.
        exact: whether they are all there are.
    """

    seat: int
    wins: tuple[float, ...]
    ties: tuple[float, ...]
    shares: tuple[float, ...]
    errors: tuple[float, ...]
    samples: int
    exact: bool

    @property
    def win(self) -> float:
        """The chance of the seat that decides to win alone."""
        return self.wins[self.seat]

    @property
    def tie(self) -> float:
        """Its chance to be among several that share the pot."""
        return self.ties[self.seat]

    @property
    def share(self) -> float:
        """The part of the pot that it gets on average."""
        return self.shares[self.seat]

    @property
    def error(self) -> float:
        """The standard error of its share."""
        return self.errors[self.seat]

    def __reduce__(self) -> tuple[Any, ...]:
        by_seat = (self.wins, self.ties, self.shares, self.errors)
        return Equity, (self.seat, *by_seat, self.samples, self.exact)


def equity(
    seen: Observation,
    samples: int = 1000,
    rng: Random | int = 0,
    *,
    variant: str = "baseball",
    enumerated: int = ENUMERATED,
) -> Equity:
    """Return what each seat may expect of the pot, by all the cards that this one has not seen.

    The hand is dealt to its end: other seats' down cards, the streets to come, the bonus cards that
    they bring (R3.3). All deals that agree with what was seen are equally likely; what opponents
    did is not weighed. A folded seat gets no card (R3.5), and what it shows cannot come any more.

    *Completions* are counted as what each seat ends up with, in whatever order it came. Where the
    last face-up card is out, each seat still in lacks a number of the unseen cards, all sets of
    them equally likely; two seats on seventh street that lack none and 3 of 41 have C(41, 3) =
    10,660 completions. If they are few enough, all are gone through, and ``samples`` and ``rng``
    do not matter. While a card is to come face up there are millions, and they are not equally
    likely: then some are drawn.

    Args:
        seen: what the seat knows.
        samples: how many deals to draw, at least 1.
        rng: a seed, or what to draw from; a bot passes ``self.rng``. The same one gives the same
            numbers.
        variant: the game, ``self.start.variant`` for a bot.
        enumerated: up to how many completions are gone through; 0 if none ever should be.

    Raises:
        RuleError: fewer than 1 sample, an unknown variant, or one with other wild cards.

    >>> from fractions import Fraction
    >>> from sandlot.pack import PACK
    >>> hand = VARIANTS["baseball"].deal(seats=2, dealer=0, deck=PACK)
    >>> seen = Observation(hand, 0, [Fraction(0)] * 2, "1-1-1", 1, 1)
    >>> found = equity(seen, samples=2000)
    >>> found.share, round(found.error, 4), found.exact
    (0.49225, 0.0112, False)
    """
    game = VARIANTS.get(variant)
    if game is None:
        raise RuleError(f"the variant {variant!r} is unknown; there is {', '.join(VARIANTS)}")
    if seen.wild != game.wild:
        raise RuleError(
            f"in {variant} the wild ranks are {game.wild!r}, here {seen.wild!r}: "
            "name the variant that is played"
        )
    if samples < 1:
        raise RuleError(f"{samples} samples: draw at least 1")

    weights = game.weights
    hands = to_come(seen, game)
    live = [seat for seat, view in enumerate(seen.seats) if view.live]
    known = [sum([weights[card] for card in hands[seat][0]]) for seat in live]
    downs = [hands[seat][1] for seat in live]
    ups = hands[live[0]][2]  # the same for all
    pool = [int(card) for card in unseen(seen)]

    # How often each set of seats had the best hand: a bit for each seat still in.
    won = [0] * (1 << len(live))
    exact = ups == 0 and _completions(downs, len(pool)) <= enumerated
    if exact:
        _go_through(won, known, downs, [weights[card] for card in pool], 0, -1, 0)
    else:
        drawn_from = rng if isinstance(rng, Random) else Random(rng)
        _sample(won, samples, known, downs, ups, pool, weights, game.gives_bonus, drawn_from)
    return _expected(seen, live, won, exact)


def _completions(lacking: list[int], unseen: int) -> int:
    """Return in how many ways the seats can be given so many of the unseen cards each."""
    ways = 1
    for number in lacking:
        ways *= comb(unseen, number)
        unseen -= number
    return ways


def _go_through(
    won: list[int],
    known: list[int],
    lacking: list[int],
    pool: list[int],
    seat: int,
    best: int,
    winners: int,
) -> None:
    """Count each completion once, giving hands from this seat on; ``pool`` is what cards weigh.

    ``best`` and ``winners`` are the highest rank number before this seat, and who has it.
    """
    last = seat + 1 == len(known)
    in_need = any(lacking[seat + 1 :])
    for drawn in combinations(pool, lacking[seat]):
        rank = rank_of(known[seat] + sum(drawn))
        highest, having = best, winners
        if rank > best:
            highest, having = rank, 1 << seat
        elif rank == best:
            having |= 1 << seat
        if last:
            won[having] += 1
            continue
        rest = pool
        if in_need:
            rest = pool.copy()
            for weight in drawn:
                rest.remove(weight)  # wild cards weigh the same: any one of them will do
        _go_through(won, known, lacking, rest, seat + 1, highest, having)


def _sample(
    won: list[int],
    samples: int,
    known: list[int],
    downs: list[int],
    ups: int,
    pool: list[int],
    weights: tuple[int, ...],
    gives_bonus: tuple[bool, ...],
    rng: Random,
) -> None:
    """Count so many completions drawn by chance; ``pool`` is the numbers of the unseen cards."""
    chance = rng.random
    seats = len(known)
    for _ in range(samples):
        place, best, winners = 0, -1, 0
        for seat in range(seats):
            weight = known[seat]
            end = draw(pool, place, downs[seat], ups, gives_bonus, chance)
            while place < end:
                weight += weights[pool[place]]
                place += 1
            rank = rank_of(weight)
            if rank > best:
                best, winners = rank, 1 << seat
            elif rank == best:
                winners |= 1 << seat
        won[winners] += 1


def _expected(seen: Observation, live: list[int], won: list[int], exact: bool) -> Equity:
    """Return what was counted in the words of ``Equity``."""
    deals = sum(won)
    wins, ties, shares, errors = ([0.0] * len(seen.seats) for _ in range(4))
    for place, seat in enumerate(live):
        alone = shared = parts = squares = 0
        for winners, count in enumerate(won):
            if winners >> place & 1:
                part = _POT // winners.bit_count()
                parts += count * part
                squares += count * part * part
                if part == _POT:
                    alone += count
                else:
                    shared += count
        wins[seat] = alone / deals
        ties[seat] = shared / deals
        shares[seat] = parts / (_POT * deals)
        if not exact:
            # The variance of the mean is spread / (deals - 1) / deals², in parts of the pot.
            spread = deals * squares - parts * parts
            errors[seat] = sqrt(spread / (deals - 1)) / (_POT * deals) if deals > 1 else inf
    return Equity(seen.seat, tuple(wins), tuple(ties), tuple(shares), tuple(errors), deals, exact)
