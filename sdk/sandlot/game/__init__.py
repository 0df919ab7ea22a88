"""The rules as a state machine: no I/O, no clock, no randomness of its own.

>>> from sandlot.pack import PACK
>>> hand = VARIANTS["baseball"].deal(seats=3, dealer=0, deck=PACK)
>>> while hand.to_act is not None:
...     hand.apply(hand.legal[0])
>>> sum(hand.net)
Fraction(0, 1)
"""

from sandlot.game.actions import Action
from sandlot.game.events import (
    Acted,
    Anted,
    Awarded,
    Dealt,
    Event,
    Opened,
    Revealed,
    event_from_json,
)
from sandlot.game.hand import Hand
from sandlot.game.variant import Variant
from sandlot.game.variants import VARIANTS
from sandlot.game.view import SeatView, View

__all__ = [
    "VARIANTS",
    "Acted",
    "Action",
    "Anted",
    "Awarded",
    "Dealt",
    "Event",
    "Hand",
    "Opened",
    "Revealed",
    "SeatView",
    "Variant",
    "View",
    "event_from_json",
]
