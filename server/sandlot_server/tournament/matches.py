"""From an attempt in the store to a match at the arbiter's, and back with its record."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

from sandlot.clock import Clock
from sandlot.played import Entrant, MatchSetup, PlayedMatch
from sandlot.records import Record, utc_now
from sandlot.seeds import commitment, match_seed
from sandlot_server.store import FinishedMatch, SeatResult, pack


@dataclass(frozen=True, slots=True)
class Conditions:
    """What is the same in all matches of a tournament; ``seed`` is its raw seed."""

    tournament: str
    variant: str
    hands: int
    clock: Clock
    strikes: int
    anonymous: bool
    seed: bytes = field(repr=False)

    def setup(
        self, match: str, attempt: int, entrants: Iterable[Entrant], first_dealer: int
    ) -> MatchSetup:
        """Return an attempt at a match as the arbiter plays it."""
        return MatchSetup(
            match=match,
            tournament=self.tournament,
            attempt=attempt,
            variant=self.variant,
            entrants=tuple(entrants),
            first_dealer=first_dealer,
            seed=match_seed(self.seed, match, attempt),
            hands=self.hands,
            tournament_commitment=commitment(self.seed),
            clock=self.clock,
            strikes=self.strikes,
            anonymous=self.anonymous,
        )


async def finished(played: PlayedMatch, started: str) -> FinishedMatch:
    """Return a match that is over as the store takes it, its record packed.

    Args:
        played: what the match has left behind.
        started: when it began, as ``utc_now`` says it; it ended now.
    """
    setup = played.setup
    record = Record(played, started, utc_now())
    # Packing needs no interpreter: meanwhile other tables play.
    packed = await asyncio.to_thread(pack, record.text)
    return FinishedMatch(
        match=setup.match,
        attempt=setup.attempt,
        hands=setup.hands,
        digest=record.digest,
        record=packed,
        seats=tuple(
            [
                SeatResult(entrant.bot, net, place, faults)
                for entrant, net, place, faults in zip(
                    setup.entrants, played.net, played.places, played.faults, strict=True
                )
            ]
        ),
    )
