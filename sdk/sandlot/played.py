"""What a match leaves behind: values, of which the record is the text (``sandlot.records``)."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from sandlot.clock import Clock

if TYPE_CHECKING:
    from sandlot.game.events import Event
    from sandlot.pack import Card

FAULT_CAUSES = ("timeout", "illegal", "malformed", "exception", "crash")
"""What a bot can do wrong. Beside them a decision may be marked ``out``: not asked any more."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot at a seat: its name, and its version, which is the hash of its files."""

    bot: str
    version: str


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """Everything that is settled before the first card.

    Attributes:
        match: the match's id within its tournament, as in ``3-12-1``.
        tournament: the tournament's name.
        attempt: from 1; a void attempt is followed by the next, with other cards.
        variant: the name of the game.
        entrants: the bots by seat.
        first_dealer: the dealer's seat in the first hand (R2.1).
        seed: the match's raw seed, from which decks and the bots' private seeds come.
        hands: hands a match (R8.1).
        tournament_commitment: SHA-256 of the tournament's raw seed, in hex.
        clock: time a decision and bank a match; None where nobody is timed, as in the arena.
        strikes: how many faults put a seat out for the rest of the match.
        anonymous: whether the bots are told seats instead of names.

    """

    match: str
    tournament: str
    attempt: int
    variant: str
    entrants: tuple[Entrant, ...]
    first_dealer: int
    seed: bytes
    hands: int = 8
    tournament_commitment: str = ""
    clock: Clock | None = field(default_factory=Clock)
    strikes: int = 3
    anonymous: bool = False


class Decision(NamedTuple):
    """One decision: what was asked, what came, what was done and why.

    Attributes:
        seat: whose decision it was.
        legal: the names of the legal actions, in their order.
        answer: what came: an action's name, else the text of it cut at 200 characters, or None.
        applied: the name of the action that was done.
        fault: None, a cause of ``FAULT_CAUSES``, or ``out``.
        ms: milliseconds that the seat took, by the arbiter's clock.

    """

    seat: int
    legal: tuple[str, ...]
    answer: str | None
    applied: str
    fault: str | None
    ms: int


class PlayedHand(NamedTuple):
    """A completed hand: the deck after the cut, all events, decisions, and the money by seat."""

    hand: int
    dealer: int
    deck: tuple[Card, ...]
    cut: int
    events: tuple[Event, ...]
    decisions: tuple[Decision, ...]
    net: tuple[Fraction, ...]
    balance: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match that is over: its set-up, its hands, and net, place and faults by seat."""

    setup: MatchSetup
    hands: tuple[PlayedHand, ...]
    net: tuple[Fraction, ...]
    places: tuple[int, ...]
    faults: tuple[dict[str, int], ...]


def places(net: tuple[Fraction, ...]) -> tuple[int, ...]:
    """Return each seat's place: 1 + the number of seats with a higher net (R8.2).

    >>> places((Fraction(3), Fraction(3), Fraction(-6)))
    (1, 1, 3)
    """
    return tuple(1 + sum(other > own for other in net) for own in net)
