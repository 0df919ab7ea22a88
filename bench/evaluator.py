"""The rank of a hand: hands a second, one call a hand from Python.

Equal work. All sides get hands drawn by the same generator from a whole pack, made into what the
side takes beforehand and outside the time: tuples of our cards, eval7's cards, treys' numbers. A
call takes one hand and returns its rank as a number; two thousand different hands take turns. Our
hands are valued with 3s and 9s wild, so seven in ten hold one; to the peers, which know none, a 3
is a 3. Each of our calls checks its cards, as a user's call does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from bench.timing import rate
from sandlot.equity import equity
from sandlot.game import VARIANTS, Action
from sandlot.hands import showdown_rank
from sandlot.observation import Observation
from sandlot.pack import PACK, Card

HANDS = 2_000
SAMPLES = 10_000


def hands(size: int, number: int = HANDS) -> list[tuple[Card, ...]]:
    """Return so many hands of so many cards, always the same."""
    rng = Random(size)
    return [tuple(rng.sample(PACK, size)) for _ in range(number)]


def calls(evaluate: Callable[[Any], object], given: Sequence[Any]) -> float:
    """Return the calls a second of a function of one hand."""

    def once() -> int:
        for hand in given:
            evaluate(hand)
        return len(given)

    return rate(once)


def sandlot_seven() -> float:
    """``sandlot.hands.showdown_rank`` of 7 cards, wilds among them."""
    return calls(showdown_rank, hands(7))


def sandlot_eleven() -> float:
    """The same of 11 cards, as many as a seat can get."""
    return calls(showdown_rank, hands(11))


def eval7_seven() -> float:
    """``eval7.evaluate`` of 7 cards: compiled from Cython, with tables."""
    import eval7

    return calls(eval7.evaluate, [[eval7.Card(str(card)) for card in hand] for hand in hands(7)])


def treys_seven() -> float:
    """``treys.Evaluator.evaluate`` of 7 cards, 5 of them as the board: pure Python."""
    from treys import Card as TreysCard
    from treys import Evaluator

    evaluate = Evaluator().evaluate
    given = []
    for hand in hands(7):
        numbers = [TreysCard.new(str(card)) for card in hand]
        given.append((numbers[:2], numbers[2:]))

    def once() -> int:  # the one function that takes two things
        for down, board in given:
            evaluate(down, board)
        return len(given)

    return rate(once)


def phevaluator_seven() -> float:
    """``phevaluator.evaluate_cards`` of 7 cards, given as its numbers: C, with tables."""
    from phevaluator import evaluate_cards
    from phevaluator.card import Card as PhCard

    given = [[PhCard(str(card)).id_ for card in hand] for hand in hands(7)]

    def once() -> int:  # it takes each card as an argument
        for hand in given:
            evaluate_cards(*hand)
        return len(given)

    return rate(once)


def fifth_street(seats: int = 6) -> Observation:
    """Return what the seat to act sees on fifth street when everybody has checked."""
    baseball = VARIANTS["baseball"]
    deck = list(PACK)
    Random(5).shuffle(deck)
    hand = baseball.deal(seats, 0, deck)
    while hand.street < 5:
        hand.apply(Action.CHECK)
    assert hand.to_act is not None
    return Observation(hand, hand.to_act, [Fraction(0)] * seats, "1-1-1", 1, 1)


def sandlot_equity() -> float:
    """Samples a second of ``sandlot.equity``, 6 seats on fifth street, ten thousand a call.

    A sample deals all that the seat has not seen (two down cards and two streets for each of the
    other five, bonus cards included), values the six hands with their wilds, and counts.
    """
    seen = fifth_street()

    def once() -> int:
        return equity(seen, SAMPLES, Random(7)).samples

    return rate(once)


def eval7_equity() -> float:
    """Six calls of ``eval7.evaluate`` a sample, ten thousand samples, and no dealing at all."""
    import eval7

    evaluate = eval7.evaluate
    given = [[eval7.Card(str(card)) for card in hand] for hand in hands(7, 6_000)]

    def once() -> int:
        for _ in range(6 * SAMPLES // len(given)):
            for hand in given:
                evaluate(hand)
        return SAMPLES

    return rate(once)
