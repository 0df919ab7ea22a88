"""What a seat is shown, beside what the engine does for one decision: microseconds each.

Equal work: the same positions, every decision of some hundred hands of random play at 2 seats. A
step is ``apply`` of the action that was picked there, with all dealing and the showdown that follow
from it. To observe is to build the ``Observation`` of the seat that is asked there, as the match
does. Its history is looked at through the seat's eyes only when a bot asks for it; so there is a
figure with that, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from random import Random
from statistics import median

from sandlot.game import VARIANTS, Action, Hand
from sandlot.observation import Observation
from sandlot.pack import PACK

HANDS = 300
PASSES = 9
BALANCES = (Fraction(3), Fraction(-3))


def positions() -> list[tuple[Hand, Action]]:
    """Return the hands as they stand before each decision, each with the action picked there."""
    rng = Random(1)
    baseball, deck = VARIANTS["baseball"], list(PACK)
    found = []
    for number in range(HANDS):
        rng.shuffle(deck)
        hand = baseball.deal(2, number % 2, deck)
        while hand.to_act is not None:
            picked = rng.choice(hand.legal)
            found.append((hand.clone(), picked))
            hand.apply(picked)
    return found


def microseconds(do: Callable[[Hand, Action], object]) -> float:
    """Return the time of one call; median of some passes through all positions."""
    kept = positions()
    taken = []
    for _ in range(PASSES):
        given = [(hand.clone(), action) for hand, action in kept]
        began = time.perf_counter()
        for hand, action in given:
            do(hand, action)
        taken.append(1e6 * (time.perf_counter() - began) / len(given))
    return median(taken)


def step() -> float:
    """An engine step."""
    return microseconds(lambda hand, action: hand.apply(action))


def built() -> float:
    """An observation for the seat to act."""
    return microseconds(lambda hand, action: observe(hand))


def read() -> float:
    """An observation for the seat to act, and its history."""
    return microseconds(lambda hand, action: observe(hand).history)


def observe(hand: Hand) -> Observation:
    """Build what the seat to act is asked with."""
    seat = hand.to_act
    assert seat is not None
    return Observation(hand, seat, BALANCES, "1-1-1", 1, 1)
