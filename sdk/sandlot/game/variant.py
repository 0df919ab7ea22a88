"""A game as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sandlot.errors import RuleError
from sandlot.game.hand import Hand
from sandlot.game.steps import Bet, Deal
from sandlot.hands.ranking import weights
from sandlot.pack import PACK, RANKS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandlot.game.steps import Step


@dataclass(frozen=True)
class Variant:
    """A game: who may sit, what is wild, what brings a bonus card, and the program of its hand.

    Attributes:
        name: as written in league files and records.
        version: counts changes of the rules that would change a result.
        least_seats, most_seats: how many may sit.
        wild: the ranks that are wild, as characters (R1.2).
        bonus: the ranks that bring one more up card when dealt up (R3.3); a wild card never does
            (R3.4).
        program: the steps of a hand, in order.

    Raises:
        RuleError: the pack could run out at a full table (R3.7).
    """

    name: str
    version: int
    least_seats: int
    most_seats: int
    wild: str
    bonus: str
    program: tuple[Step, ...]
    betting: dict[int, Bet] = field(init=False, repr=False, compare=False)
    gives_bonus: tuple[bool, ...] = field(init=False, repr=False, compare=False)
    weights: tuple[int, ...] = field(init=False, repr=False, compare=False)
    _each: int = field(init=False, repr=False, compare=False)  # cards a seat, and beside them
    _bonuses: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        betting = {step.street: step for step in self.program if isinstance(step, Bet)}
        bonus_ranks = set(self.bonus) - set(self.wild)
        gives_bonus = tuple(RANKS[card.rank - 2] in bonus_ranks for card in PACK)
        object.__setattr__(self, "betting", betting)
        object.__setattr__(self, "gives_bonus", gives_bonus)
        object.__setattr__(self, "weights", weights(self.wild))
        each = sum([len(step.faces) for step in self.program if isinstance(step, Deal)])
        object.__setattr__(self, "_each", each)
        object.__setattr__(self, "_bonuses", sum(gives_bonus))
        most = each * self.most_seats + self._bonuses
        if most > len(PACK):
            raise RuleError(f"{self.name}: {most} cards could be dealt from a pack of 52 (R3.7)")

    def __reduce__(self) -> tuple[Any, ...]:
        seats = (self.least_seats, self.most_seats)
        return Variant, (self.name, self.version, *seats, self.wild, self.bonus, self.program)

    @property
    def rules(self) -> str:
        """Name and version, ``baseball/1``, as in the record."""
        return f"{self.name}/{self.version}"

    @property
    def streets(self) -> tuple[int, ...]:
        """The numbers of the streets, in order."""
        return tuple(step.street for step in self.program if isinstance(step, Deal))

    def most_dealt(self, seats: int) -> int:
        """Return how many cards a hand can take off the deck, if all stay in to the end (R3.7).

        Raises:
            RuleError: the variant is not for so many seats (R1.1).

        >>> from sandlot.game import VARIANTS
        >>> VARIANTS["baseball"].most_dealt(6)
        46
        """
        if not self.least_seats <= seats <= self.most_seats:
            raise self.not_for(seats)
        return self._each * seats + self._bonuses

    def not_for(self, seats: int) -> RuleError:
        """Return the error that so many seats are."""
        allowed = f"{self.least_seats} to {self.most_seats}"
        return RuleError(f"{seats} seats: {self.name} is for {allowed} (R1.1)")

    def deal(self, seats: int, dealer: int, deck: Iterable[str | int]) -> Hand:
        """Begin a hand: antes are paid and third street is dealt.

        Args:
            seats: how many sit, numbered 0 to seats - 1 clockwise.
            dealer: the dealer's seat.
            deck: all 52 cards, top first, after the cut (R2.3).

        Raises:
            RuleError: the variant is not for so many seats, or there is no such dealer.
            CardError: the deck is not all 52 cards.
        """
        return Hand(self, seats, dealer, deck)
