"""What a seat is told about its match, besides being asked to decide.

Each notice holds only what its seat may know: the seed of the match and the cards of others never
travel in one, except cards shown at a showdown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from fractions import Fraction

    from sandlot.clock import Clock
    from sandlot.game.events import Event


@dataclass(frozen=True, slots=True)
class MatchStart:
    """A match begins.

    Attributes:
        match: the match's id.
        seat: the seat of the bot that is told.
        bots: the names by seat; ``seat 0`` and so on when the tournament is anonymous.
        variant, rules: ``baseball`` and ``baseball/1``.
        wild: the ranks that are wild, as characters.
        hands: hands a match.
        first_dealer: the dealer's seat in the first hand.
        clock: time a decision and bank a match, in seconds; None where nobody is timed.
        commitment: SHA-256 of the raw match seed, in hex; the seed is in the record afterwards.
        seed: the seat's own private seed, 32 bytes.

    """

    match: str
    seat: int
    bots: tuple[str, ...]
    variant: str
    rules: str
    wild: str
    hands: int
    first_dealer: int
    clock: Clock | None
    commitment: str
    seed: bytes


class HandEnd(NamedTuple):
    """A hand is completed: its events as the seat has seen them, and the money, by seat.

    ``net`` is what this hand changed, ``balance`` the sum over the hands so far, both in units.
    """

    match: str
    hand: int
    seat: int
    dealer: int
    events: tuple[Event, ...]
    net: tuple[Fraction, ...]
    balance: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """A match is over: net units and place by seat; equal nets share a place (R8.2)."""

    match: str
    seat: int
    net: tuple[Fraction, ...]
    places: tuple[int, ...]


Notice: TypeAlias = MatchStart | HandEnd | MatchEnd
