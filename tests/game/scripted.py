"""Hands set up card by card and played from a script, for tests of single rules."""

from __future__ import annotations

from sandlot import Action, cards
from sandlot.game import VARIANTS, Hand
from sandlot.pack import PACK, text_of


def stacked(first: str) -> str:
    """A whole deck that begins with these cards; the rest is in order, plain cards first.

    Cards that do something by themselves (3, 4, 9) come last, so that a test sees only those that
    it has put there.
    """
    top = cards(first)
    rest = [card for card in PACK if card not in top]
    rest.sort(key=lambda card: (card.rank in (3, 4, 9), card))
    return text_of((*top, *rest))


def dealt(first: str, seats: int = 2, dealer: int | None = None, variant: str = "baseball") -> Hand:
    """A hand whose deck begins with these cards; the last seat deals unless another is named."""
    return VARIANTS[variant].deal(
        seats, seats - 1 if dealer is None else dealer, cards(stacked(first))
    )


def play(hand: Hand, script: str) -> Hand:
    """Apply actions by their names, separated by white space."""
    for name in script.split():
        hand.apply(Action(name))
    return hand


def names(hand: Hand) -> list[str]:
    """The names of what may be done now."""
    return [action.name for action in hand.legal]


def ups(hand: Hand) -> list[str]:
    """Each seat's up cards as text."""
    return [text_of(up) for up in hand.up]
