"""The steps of which a game is made; a variant's program is a row of them.

A step is data (how much, which street, which faces) with one verb, ``run``, that does it at a
hand. A new game adds a step here; the engine only runs what the program says.

How a step is made again from a pickle is said in each, by ``__reduce__``: a frozen class that is
compiled cannot be filled afterwards, as pickle would do it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from sandlot.game.actions import Action
from sandlot.game.events import Awarded, Revealed, acted, anted, dealt_to, opened
from sandlot.game.money import whole
from sandlot.hands.ranking import rank_of
from sandlot.hands.value import LABELS, Value

if TYPE_CHECKING:
    from sandlot.game.hand import Hand
    from sandlot.game.table import Table


class Step(Protocol):
    """One step of a program."""

    def run(self, hand: Hand) -> None:
        """Do the step, or what of it can be done before a seat must be asked."""


@dataclass(frozen=True, slots=True)
class Ante:
    """Every seat antes ``amount`` units, from the dealer's left (R2.2)."""

    amount: int = 1

    def run(self, hand: Hand) -> None:
        """Take the antes."""
        for seat in hand.remaining:
            hand.ante(anted(seat, self.amount))

    def __reduce__(self) -> tuple[Any, ...]:
        return Ante, (self.amount,)


@dataclass(frozen=True, slots=True)
class Deal:
    """Deal a street to the seats still in: one pass a face, True for up (R3.1, R3.2)."""

    street: int
    faces: tuple[bool, ...]

    def run(self, hand: Hand) -> None:
        """Deal the passes, with the bonus cards that they bring (R3.3)."""
        bonus = hand.variant.gives_bonus
        for up in self.faces:
            for seat in hand.remaining:
                card = hand.draw()
                hand.deal(dealt_to(self.street, seat, up, False)[card])
                while up and bonus[card]:  # at once, before the next seat is served
                    card = hand.draw()
                    hand.deal(dealt_to(self.street, seat, True, True)[card])

    def __reduce__(self) -> tuple[Any, ...]:
        return Deal, (self.street, self.faces)


_NO_BET_YET = (Action.CHECK, Action.BET)
_RAISABLE = (Action.CALL, Action.RAISE, Action.FOLD)
_CAPPED = (Action.CALL, Action.FOLD)


@dataclass(frozen=True, slots=True)
class Bet:
    """A fixed-limit betting round, opened by the best exposed hand (R4).

    ``size`` is a bet and a raise in units, ``raises`` the cap for the whole table (R4.5).
    """

    street: int
    size: int = 1
    raises: int = 3

    def run(self, hand: Hand) -> None:
        """Find the opener; the round then waits for its action."""
        hand.open(opened(self.street, self.opener(hand)))

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
        level = hand.level
        paid = 0
        name = action.name
        if name == "bet" or name == "raise":
            level += self.size
        if name != "fold":
            paid = level - hand.paid_round[seat]
        hand.act(acted(self.street, seat, action, paid, level, hand.pot + paid))

    def __reduce__(self) -> tuple[Any, ...]:
        return Bet, (self.street, self.size, self.raises)


@dataclass(frozen=True, slots=True)
class Showdown:
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
        share = whole(hand.pot)
        if len(winners) > 1:
            share /= len(winners)  # exactly: nothing is rounded
        for seat in winners:
            hand.award(Awarded(seat, share))

    def __reduce__(self) -> tuple[Any, ...]:
        return Showdown, ()
