"""What an author writes: a bot."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from sandlot.errors import BotError

if TYPE_CHECKING:
    from sandlot.game.actions import Action
    from sandlot.notices import HandEnd, MatchEnd, MatchStart
    from sandlot.observation import Observation


class Bot:
    """A bot at one seat in one match; a new object is made for every match.

    Override ``act``, and the hooks that are of use. Draw from ``self.rng`` alone, and the bot
    plays the same again when the match is played again with the same seed.

    Attributes:
        start: what was told when the match began: names, seat, rules, clock.
        rng: ``random.Random`` seeded by the arbiter, privately for this seat and match.

    >>> class Caller(Bot):
    ...     def act(self, seen):
    ...         return Action.CHECK if Action.CHECK in seen.legal else Action.CALL
    """

    start: MatchStart
    rng: random.Random

    def begin(self, start: MatchStart) -> None:
        """Take the seat: sets ``start`` and ``rng``, then calls ``match_started``."""
        self.start = start
        self.rng = random.Random(start.seed)
        self.match_started(start)

    def act(self, seen: Observation) -> Action:
        """Return one of ``seen.legal``. Must be overridden."""
        raise BotError(f"{type(self).__name__} does not say how it acts: write act()")

    def match_started(self, start: MatchStart) -> None:
        """Hear that the match begins."""

    def hand_ended(self, end: HandEnd) -> None:
        """Hear how a hand ended; what others showed is in ``end.events``."""

    def match_ended(self, end: MatchEnd) -> None:
        """Hear how the match ended."""


class BatchBot:
    """A bot that decides for many tables at once; one object serves a whole session.

    Override ``act_many``. It is timed as a whole. Seats are told apart by ``seen.match`` and
    ``seen.seat``; the hooks name them too.
    """

    def act_many(self, seen: list[Observation]) -> list[Action]:
        """Return one action an observation, in the same order. Must be overridden."""
        raise BotError(f"{type(self).__name__} does not say how it acts: write act_many()")

    def match_started(self, start: MatchStart) -> None:
        """Hear that a match begins."""

    def hand_ended(self, end: HandEnd) -> None:
        """Hear how a hand ended."""

    def match_ended(self, end: MatchEnd) -> None:
        """Hear how a match ended."""
