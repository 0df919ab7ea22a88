"""The steps of which a game is made; a variant's program is a row of them.

A step is data (how much, which street, which faces) with one verb, ``run``, that does it at a
hand. A new game adds a step here; the engine only runs what the program says.

How a step is made again from a pickle is said in each, by ``__reduce__``: a frozen class that is
compiled cannot be filled afterwards, as pickle would do it.

The same events come up in every hand, so a step keeps those that it has made, where it finds them
without a call. They are no part of its value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from sandlot.game.actions import Action
from sandlot.game.events import (
    Acted,
    Anted,
    Dealt,
    Opened,
    Revealed,
    acted,
    anted,
    awarded,
    dealt_to,
    opened,
)
from sandlot.hands.ranking import rank_of
from sandlot.hands.value import LABELS, Value

if TYPE_CHECKING:
    from sandlot.game.hand import Hand
    from sandlot.game.table import Table


class Step:
    """One step of a program."""

    __slots__ = ()

    def run(self, hand: Hand) -> None:
        """Do the step, or what of it can be done before a seat must be asked."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Ante(Step):
    """Every seat antes ``amount`` units, from the dealer's left (R2.2)."""

    amount: int = 1
    # By the number of seats, then by seat.
    _events: dict[int, list[Anted]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def run(self, hand: Hand) -> None:
        """Take the antes."""
        seats, amount = hand.seats, self.amount
        events = self._events.get(seats)
        if events is None:
            self._events[seats] = events = [anted(seat, amount) for seat in range(seats)]
        for seat in hand.remaining:
            hand.ante(events[seat], seat, amount)

    def __reduce__(self) -> tuple[Any, ...]:
        return Ante, (self.amount,)


_DOWN: Final = 0
_UP: Final = 1
_BONUS: Final = 2


@dataclass(frozen=True, slots=True)
class Deal(Step):
    """Deal a street to the seats still in: one pass a face, True for up (R3.1, R3.2)."""

    street: int
    faces: tuple[bool, ...]
    # By the number of seats, then whether dealt down, up, or up as a bonus, then by seat and card.
    _events: dict[int, list[list[list[Dealt]]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def run(self, hand: Hand) -> None:
        """Deal the passes, with the bonus cards that they bring (R3.3)."""
        street, gives_bonus = self.street, hand.variant.gives_bonus
        made = self._events.get(hand.seats) or self._made(hand.seats)
        bonuses = made[_BONUS]
        deck, drawn = hand.deck, hand.drawn
        for up in self.faces:
            events = made[_UP if up else _DOWN]
            for seat in hand.remaining:
                card = deck[drawn]  # the stock never runs out (R3.7)
                number: int = card  # a plain one: compiled, it is the quicker index
                drawn += 1
                hand.deal(events[seat][number], street, seat, card, up)
                while up and gives_bonus[number]:  # at once, before the next seat is served
                    card = number = deck[drawn]
                    drawn += 1
                    hand.deal(bonuses[seat][number], street, seat, card, True)
        hand.drawn = drawn

    def _made(self, seats: int) -> list[list[list[Dealt]]]:
        """Make the events of this street at so many seats."""
        made = [
            [dealt_to(self.street, seat, up, bonus) for seat in range(seats)]
            for up, bonus in ((False, False), (True, False), (True, True))
        ]
        self._events[seats] = made
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Deal, (self.street, self.faces)


_SEATS: Final = 52  # more than a pack can serve
_MOST: Final = 1 << 12  # how many actions of a street are kept

_NO_BET_YET: Final[tuple[Action, ...]] = (Action.CHECK, Action.BET)
_RAISABLE: Final[tuple[Action, ...]] = (Action.CALL, Action.RAISE, Action.FOLD)
_CAPPED: Final[tuple[Action, ...]] = (Action.CALL, Action.FOLD)


@dataclass(frozen=True, slots=True)
class Bet(Step):
    """A fixed-limit betting round, opened by the best exposed hand (R4).

    ``size`` is a bet and a raise in units, ``raises`` the cap for the whole table (R4.5).
    """

    street: int
    size: int = 1
    raises: int = 3
    _base: int = field(init=False, repr=False, compare=False)  # levels run from 0 to below this
    _opened: dict[int, list[Opened]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _acted: dict[int, Acted] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_base", (1 + self.raises) * self.size + 1)

    def run(self, hand: Hand) -> None:
        """Find the opener; the round then waits for its action."""
        seats, street = hand.seats, self.street
        events = self._opened.get(seats)
        if events is None:
            self._opened[seats] = events = [opened(street, seat) for seat in range(seats)]
        opener = self.opener(hand)
        hand.open(events[opener], street, opener)

    def opener(self, table: Table) -> int:
        """Return the seat still in with the best exposed hand, of equals the first one (R4.2)."""
        best, opener = -1, table.dealer
        for seat in table.remaining:
            rank = rank_of(table.exposed[seat])
            if rank > best:
                best, opener = rank, seat
        return opener

    def legal(self, level: int) -> tuple[Action, ...]:
        """Return what the seat to act may do at this level (R4.4, R4.5)."""
        if level == 0:
            return _NO_BET_YET
        return _RAISABLE if level < (1 + self.raises) * self.size else _CAPPED

    def raises_left(self, level: int) -> int:
        """Return how many raises the round still allows at this level (R4.5)."""
        return self.raises if level == 0 else 1 + self.raises - level // self.size

    def act(self, hand: Hand, seat: int, action: Action) -> None:
        """Let the seat do what it has chosen; the action is one of the legal ones (R4.6)."""
        level, paid, by = hand.level, 0, seat
        name = action.name
        if name == "bet" or name == "raise":
            level += self.size
            by += _SEATS
        if name != "fold":
            paid = level - hand.paid_round[seat]
        pot = hand.pot + paid
        # Who acted and whether it was a raise, what was paid, the level and the pot: no two actions
        # have all of them alike. As digits of one number they are found faster than as a tuple.
        key = ((pot * self._base + level) * self._base + paid) * (2 * _SEATS) + by
        event = self._acted.get(key)
        if event is None:
            event = acted(self.street, seat, action, paid, level, pot)
            if len(self._acted) >= _MOST:
                self._acted.clear()
            self._acted[key] = event
        hand.act(event, seat, name, paid, level, pot)

    def __reduce__(self) -> tuple[Any, ...]:
        return Bet, (self.street, self.size, self.raises)


@dataclass(frozen=True, slots=True)
class Showdown(Step):
    """The seats still in show their cards; the best takes the pot, equals share it (R7)."""

    def run(self, hand: Hand) -> None:
        """Reveal and award, both from the dealer's left (R7.1, R7.2)."""
        seats = hand.remaining
        wild, weights = hand.variant.wild, hand.variant.weights
        ranks = []
        for seat in seats:
            down = hand.known_down(seat)
            rank = rank_of(hand.exposed[seat] + sum([weights[card] for card in down]))
            five = Value(rank, down + hand.up[seat], wild).five
            ranks.append(rank)
            hand.reveal(Revealed(seat, down, LABELS[rank >> 20], five))
        best = max(ranks)
        winners = [seat for seat, rank in zip(seats, ranks, strict=True) if rank == best]
        share: int | Fraction = hand.pot
        if len(winners) > 1:
            share = Fraction(hand.pot, len(winners))  # exactly: nothing is rounded
        for seat in winners:
            hand.award(awarded(seat, share), seat, share)

    def __reduce__(self) -> tuple[Any, ...]:
        return Showdown, ()
