"""The games that can be played."""

from __future__ import annotations

from typing import Final

from sandlot.game.steps import Ante, Bet, Deal, Showdown
from sandlot.game.variant import Variant

UP, DOWN = True, False

_SEVEN_CARD_STUD: Final = (
    Ante(),
    Deal(3, (DOWN, DOWN, UP)),
    Bet(3),
    Deal(4, (UP,)),
    Bet(4),
    Deal(5, (UP,)),
    Bet(5),
    Deal(6, (UP,)),
    Bet(6),
    Deal(7, (DOWN,)),
    Bet(7),
    Showdown(),
)

VARIANTS: Final = {
    variant.name: variant
    for variant in (
        Variant("baseball", 1, 2, 6, wild="39", bonus="4", program=_SEVEN_CARD_STUD),
        Variant("seven-card-stud", 1, 2, 7, wild="", bonus="", program=_SEVEN_CARD_STUD),
    )
}
"""Every variant by its name. ``seven-card-stud`` is the home game: ante 1, high hand opens."""
