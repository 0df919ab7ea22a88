"""What one seat may know of a hand."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sandlot.game.actions import Action
    from sandlot.game.events import Event
    from sandlot.game.variant import Variant
    from sandlot.pack import Card


class SeatView(NamedTuple):
    """What everybody may know of one seat. Amounts are in units.

    ``down`` is a number of cards. ``balance`` is the net of the match's completed hands; what the
    seat has paid into this one is ``paid_hand`` and not yet taken off.
    """

    up: tuple[Card, ...]
    down: int
    live: bool
    paid_round: int
    paid_hand: int
    balance: Fraction


class View:
    """What a seat may know of a hand at one moment; a value that later play does not change.

    Attributes:
        seat: whose view it is; None for a spectator.
        dealer: the dealer's seat.
        street: 3 to 7, 0 before the first card.
        wild: the ranks that are wild now, as characters.
        down: the seat's own down cards, in the order dealt.
        seats: a ``SeatView`` a seat.
        pot: units in the pot.
        level: what each seat must have paid in this round.
        raises_left: raises that this round still allows, for the table as a whole.
        to_call: what a call would cost the seat; 0 when it has folded.
        to_act: the seat that is asked now, or None.
        legal: what this seat may do now, in the order check, bet / call, raise, fold; empty
            unless it is its turn.
        history: the events of the hand that the seat has seen, another's down card without face.

    """

    __slots__ = (
        "_history",
        "_length",
        "_seat",
        "dealer",
        "down",
        "legal",
        "level",
        "pot",
        "raises_left",
        "seats",
        "street",
        "to_act",
        "to_call",
        "wild",
    )

    def __init__(
        self,
        seat: int | None,
        dealer: int,
        street: int,
        wild: str,
        down: tuple[Card, ...],
        seats: tuple[SeatView, ...],
        pot: int,
        level: int,
        raises_left: int,
        to_call: int,
        to_act: int | None,
        legal: tuple[Action, ...],
        history: Sequence[Event],
        length: int | None = None,
    ) -> None:
        """Take the attributes in their order.

        ``history`` may be the table's own growing list: only its first ``length`` events count,
        and they are looked at through the seat's eyes when they are asked for.
        """
        self._seat = seat
        self.dealer = dealer
        self.street = street
        self.wild = wild
        self.down = down
        self.seats = seats
        self.pot = pot
        self.level = level
        self.raises_left = raises_left
        self.to_call = to_call
        self.to_act = to_act
        self.legal = legal
        self._history = history
        self._length = len(history) if length is None else length

    @property
    def seat(self) -> int | None:
        """Whose view it is; fixed, since the history is looked at through this seat's eyes."""
        return self._seat

    @property
    def history(self) -> tuple[Event, ...]:
        """The events of this hand that the seat has seen, in order."""
        return self.since(0)

    def since(self, known: int) -> tuple[Event, ...]:
        """Return ``history`` after its first ``known`` events, for who has read those already."""
        seat = self._seat
        return tuple([event.seen_by(seat) for event in self._history[known : self._length]])

    @property
    def up(self) -> tuple[Card, ...]:
        """The seat's own up cards."""
        return () if self.seat is None else self.seats[self.seat].up

    @property
    def cards(self) -> tuple[Card, ...]:
        """All of the seat's own cards, down cards first."""
        return self.down + self.up

    @classmethod
    def fold(
        cls, variant: Variant, seats: int, dealer: int, seat: int | None, events: Iterable[Event]
    ) -> View:
        """Return the view that the seen events alone amount to.

        ``hand.view(seat)`` gives the same from the engine's own state.

        Raises:
            RuleError: an event or action that this version does not know.
        """
        from sandlot.game.table import Table  # the table makes views, so it imports this module

        table = Table(variant, seats, dealer)
        for event in events:
            table.happen(event)
        return View(*table.known_to(seat, (Fraction(0),) * seats))

    def _fields(self) -> tuple[Any, ...]:
        return (
            self.seat,
            self.dealer,
            self.street,
            self.wild,
            self.down,
            self.seats,
            self.pot,
            self.level,
            self.raises_left,
            self.to_call,
            self.to_act,
            self.legal,
            self.history,
        )

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy or a pickle holds what the seat has seen, never the table's own list.
        return type(self), self._fields()

    def __getstate__(self) -> tuple[Any, ...]:
        return self._fields()

    def __repr__(self) -> str:
        shown = " ".join(f"{key}={value}" for key, value in self.to_json().items())
        return f"<{type(self).__name__} {shown}>"

    def to_json(self) -> dict[str, Any]:
        """Return the view as plain data, cards and actions as text, in a fixed order."""
        return {
            "seat": self.seat,
            "dealer": self.dealer,
            "street": self.street,
            "wild": self.wild,
            "down": [str(card) for card in self.down],
            "seats": [
                {
                    "up": [str(card) for card in each.up],
                    "down": each.down,
                    "live": each.live,
                    "paid_round": each.paid_round,
                    "paid_hand": each.paid_hand,
                    "balance": str(each.balance),
                }
                for each in self.seats
            ],
            "pot": self.pot,
            "level": self.level,
            "raises_left": self.raises_left,
            "to_call": self.to_call,
            "to_act": self.to_act,
            "legal": [str(action) for action in self.legal],
            "history": [event.to_json() for event in self.history],
        }
