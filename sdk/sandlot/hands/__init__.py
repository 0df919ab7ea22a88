"""The value of hands, wild cards and all: at the showdown (R6) and face up (R5).

>>> from sandlot import cards
>>> showdown(cards("8s 8h 8c 8d 3c")) > showdown(cards("As Ks Qs Js Ts"))
True
"""

from __future__ import annotations

from collections.abc import Collection

from sandlot.errors import RuleError
from sandlot.hands.ranking import rank_number
from sandlot.hands.value import Category, Value

__all__ = ["Category", "Value", "exposed", "exposed_rank", "showdown", "showdown_rank"]


def showdown(cards: Collection[int], wild: str = "39") -> Value:
    """Return the value of the best five of all the cards that a seat received (R6).

    ``cards`` are five or more cards or card numbers, in any order; ``wild`` is the wild ranks as
    text (R1.2), "" for none.

    Raises:
        RuleError: there are fewer than five cards (R6.1).
        CardError: something is not a card, or is there twice; a wild rank is none.

    >>> from sandlot import cards
    >>> showdown(cards("9s 5h 2d Ks 8c 6h 3c"))
    <nine-high straight>
    """
    return Value(showdown_rank(cards, wild), cards, wild)


def showdown_rank(cards: Collection[int], wild: str = "39") -> int:
    """Return ``showdown(cards, wild).rank`` alone, for those who value very many hands.

    >>> from sandlot import cards
    >>> hex(showdown_rank(cards("Kd Kc 9s 4c 4d 2h")))
    '0x6d4000'
    """
    if len(cards) < 5:
        raise RuleError(
            f"R6.1: a showdown hand is the best five of all cards received, here are {len(cards)}"
        )
    return rank_number(cards, wild)


def exposed(cards: Collection[int], wild: str = "39") -> Value:
    """Return the value of the face-up cards of a seat, which decides who opens (R5).

    ``cards`` are one to eight. Fewer than five can hold no straight, flush or full house, so R5.2
    is the order of the showdown with cards missing, and one reckoning serves both.

    Raises:
        RuleError: there is no card, or there are more than eight (R5.3).
        CardError: something is not a card, or is there twice; a wild rank is none.

    >>> from sandlot import cards
    >>> exposed(cards("9c")) == exposed(cards("As"))
    True
    """
    return Value(exposed_rank(cards, wild), cards, wild)


def exposed_rank(cards: Collection[int], wild: str = "39") -> int:
    """Return ``exposed(cards, wild).rank`` alone.

    >>> from sandlot import cards
    >>> exposed_rank(cards("Kd 4h")) > exposed_rank(cards("Ks"))
    True
    """
    if not 1 <= len(cards) <= 8:
        raise RuleError(f"R5.3: a seat exposes one to eight cards, here are {len(cards)}")
    return rank_number(cards, wild)
