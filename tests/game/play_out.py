"""Hands and matches drawn by hypothesis, and played out by its choices."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st

from sandlot.game import VARIANTS, Hand
from sandlot.pack import PACK


@st.composite
def fresh_hands(draw: st.DrawFn, variants: tuple[str, ...] = tuple(VARIANTS)) -> Hand:
    """A hand of any variant, number of seats, dealer and deck, before its first action."""
    variant = VARIANTS[draw(st.sampled_from(variants))]
    seats = draw(st.integers(variant.least_seats, variant.most_seats))
    dealer = draw(st.integers(0, seats - 1))
    return variant.deal(seats, dealer, draw(st.permutations(PACK)))


def actions(hand: Hand, choices: st.DataObject) -> Iterator[Hand]:
    """Yield the hand before each of its actions and once when it is over."""
    # Mostly stay in, so that late streets are reached; folds come up all the same.
    while hand.to_act is not None:
        yield hand
        hand.apply(choices.draw(st.sampled_from(hand.legal + hand.legal[:1] * 2)))
    yield hand
