"""The engine: one hand, from the antes to the award of its pot.

A hand is a table (the fold of its events) with a stock to deal from and a program to run. It knows
no particular game: what is dealt, bet and shown is in the variant's steps.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from sandlot.errors import RuleError
from sandlot.game.actions import Action
from sandlot.game.events import awarded
from sandlot.game.table import Table
from sandlot.game.view import View
from sandlot.pack import Deck

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandlot.game.events import Event
    from sandlot.game.variant import Variant
    from sandlot.pack import Card


class Hand(Table):
    """One hand in play. Made by ``VARIANTS[name].deal(seats, dealer, deck)``.

    Ask ``to_act`` and ``legal``, then ``apply``; the engine deals on by itself. When ``to_act`` is
    None the hand is completed (R7.3) and ``net`` is final.

    Raises:
        RuleError: a number of seats or a dealer that the variant does not allow (R1.1).
        CardError: the deck is not all 52 cards (R2.3).
    """

    # For the steps: the deck, and how many cards have been drawn off its top.
    __slots__ = ("_step", "deck", "drawn")

    def __init__(
        self, variant: Variant, seats: int, dealer: int, deck: Iterable[str | int] | None
    ) -> None:
        if deck is None:  # blank, for ``clone``
            return
        if not variant.least_seats <= seats <= variant.most_seats:
            raise variant.not_for(seats)
        if not 0 <= dealer < seats:
            raise RuleError(f"dealer {dealer}: the seats are numbered 0 to {seats - 1} (R1.1)")
        Table.__init__(self, variant, seats, dealer)
        self.deck: tuple[Card, ...] = deck if type(deck) is _DECK else _DECK(deck)
        self.drawn = 0
        self._step = 0
        self._run()

    @property
    def over(self) -> bool:
        """Whether the pot has been awarded (R7.3)."""
        return self.to_act is None

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that has happened, in order, hidden cards included."""
        return tuple(self.history)

    def accepts(self, action: object) -> bool:
        """Return whether the seat to act may do this now: an Action that is legal, nothing else."""
        for legal in self.legal:
            if action is legal:  # as nearly always; to compare actions by value is dear
                return True
        return action in self.legal

    def apply(self, action: object) -> None:
        """Let the seat to act do this, then deal on until a seat must be asked again.

        Raises:
            RuleError: the hand is over, or the action is not legal now; nothing has changed.
        """
        seat = self.to_act
        betting = self.betting
        if seat is None or betting is None or not self.accepts(action):
            raise RuleError(self._refusal(action))
        betting.act(self, seat, action)  # type: ignore[arg-type]  # what is accepted is an Action
        if self.to_act is None:
            if len(self.remaining) == 1:  # it takes the pot at once (R4.10)
                winner = self.remaining[0]
                self.award(awarded(winner, self.pot), winner, self.pot)
            else:
                self._run()

    def view(self, seat: int | None) -> View:
        """Return what the seat may know of the hand now; None is a spectator.

        Raises:
            RuleError: there is no such seat (R1.1).
        """
        return View(self, seat, (_NOTHING,) * self.seats)

    def clone(self) -> Hand:
        """Return an independent copy: what is applied to one does not change the other."""
        copy = Hand(self.variant, self.seats, self.dealer, None)
        copy.variant = self.variant
        copy.seats = self.seats
        copy.dealer = self.dealer
        copy.street = self.street
        copy.betting = self.betting
        copy.up = self.up[:]
        copy.down = self.down[:]
        copy.exposed = self.exposed[:]
        copy.live = self.live[:]
        copy.remaining = self.remaining
        copy.paid_round = self.paid_round[:]
        copy.paid_hand = self.paid_hand[:]
        copy.won = self.won[:]
        copy.pot = self.pot
        copy.level = self.level
        copy.to_act = self.to_act
        copy.legal = self.legal
        copy.waiting = self.waiting
        copy.history = self.history[:]
        copy.deck = self.deck
        copy.drawn = self.drawn
        copy._step = self._step
        return copy

    def __copy__(self) -> Hand:
        # A shallow copy would share the seats' cards and money.
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return Hand, (self.variant, self.seats, self.dealer, None), self.__getstate__()

    # For the steps.

    def known_down(self, seat: int) -> tuple[Card, ...]:
        """Return the seat's down cards; the engine knows them all."""
        return self.down[seat]  # type: ignore[return-value]

    def _run(self) -> None:
        program = self.variant.program
        while self.to_act is None and self._step < len(program):
            step = program[self._step]
            self._step += 1
            step.run(self)

    def _refusal(self, action: object) -> str:
        """Say why the action is not legal, by the rule."""
        if self.to_act is None:
            return f"{action}: the hand is over, its pot is awarded (R7.3)"
        legal = self.legal
        name: Any = getattr(action, "name", None)  # perhaps no text
        if type(action) is not Action:
            why = f"it is no Action, as Action.{legal[0].name.upper()} is"
        elif any(name == each.name for each in legal):
            why = "it takes no amount and no cards (R4.6)"
        else:
            why = {
                "check": "after a bet there is no check (R4.5)",
                "bet": "there is a bet already; raise it (R4.4, R4.5)",
                "call": "nobody has bet yet (R4.4)",
                "raise": "nobody has bet yet (R4.4)"
                if self.level == 0
                else "the round has had all its raises (R4.5)",
                "fold": "a check is free, so there is no fold (R4.4)",
            }.get(str(name), "there is no such action (R4.4, R4.5)")
        allowed = ", ".join(map(str, legal))
        return f"seat {self.to_act} may not {action!r}: {why}; allowed: {allowed}"


_NOTHING: Final = Fraction(0)
_DECK: Final = Deck
