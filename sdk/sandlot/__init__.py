"""Sandlot: Baseball poker for programs.

What a bot author touches is here; the game itself is in ``sandlot.game`` and ``sandlot.hands``, and
matches in this process in ``sandlot.arena``.
"""

from sandlot.bot import BatchBot, Bot
from sandlot.connect import run
from sandlot.errors import SandlotError
from sandlot.game.actions import Action
from sandlot.notices import HandEnd, MatchEnd, MatchStart
from sandlot.observation import Observation
from sandlot.pack import Card, cards

__all__ = [
    "Action",
    "BatchBot",
    "Bot",
    "Card",
    "HandEnd",
    "MatchEnd",
    "MatchStart",
    "Observation",
    "SandlotError",
    "cards",
    "run",
]
