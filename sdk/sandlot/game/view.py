"""What one seat may know of a hand."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

from sandlot.errors import RuleError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sandlot.game.actions import Action
    from sandlot.game.events import Event
    from sandlot.game.table import Table
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


_new: Final = tuple.__new__  # makes a named tuple without the detour through its own


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

    FIELDS: ClassVar[tuple[str, ...]] = (
        "_seat",
        "dealer",
        "street",
        "wild",
        "down",
        "seats",
        "pot",
        "level",
        "raises_left",
        "to_call",
        "to_act",
        "legal",
        "_history",
    )
    """What a view holds, in order."""

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

    def __init__(self, table: Table | None, seat: int | None, balances: Sequence[Fraction]) -> None:
        """Look at a table through a seat's eyes; ``balances`` are those of the completed hands.

        Without a table it is blank; ``restore`` fills it in.

        Raises:
            RuleError: there is no such seat (R1.1).
        """
        if table is None:
            return
        self._seat = seat
        self.dealer = table.dealer
        self.street = table.street
        self.wild = table.variant.wild
        self.down: tuple[Card, ...] = ()
        self.pot = table.pot
        self.level = table.level
        self.raises_left = table.raises_left
        self.to_call = 0
        self.to_act = table.to_act
        self.legal: tuple[Action, ...] = ()
        if seat is not None:
            if not 0 <= seat < table.seats:
                raise RuleError(
                    f"seat {seat}: the seats are numbered 0 to {table.seats - 1} (R1.1)"
                )
            self.down = table.down[seat]  # type: ignore[assignment]
            if table.live[seat]:
                self.to_call = table.level - table.paid_round[seat]
            if seat == table.to_act:
                self.legal = table.legal
        down, paid_hand = table.down, table.paid_hand
        self.seats: tuple[SeatView, ...] = tuple(
            [
                _new(SeatView, (up, len(down[each]), live, paid, paid_hand[each], balances[each]))
                for each, (up, live, paid) in enumerate(
                    zip(table.up, table.live, table.paid_round, strict=True)
                )
            ]
        )
        # The table's own growing list, of which the first events count; they are looked at through
        # the seat's eyes when they are asked for.
        self._history: Sequence[Event] = table.history
        self._length = len(table.history)

    @classmethod
    def blank(cls) -> Self:
        """Return a view that holds nothing yet."""
        return cls(None, None, ())

    @classmethod
    def restore(cls, *fields: Any) -> Self:
        """Return the view with these ``fields()``."""
        view = cls.blank()
        for name, value in zip(cls.FIELDS, fields, strict=True):
            setattr(view, name, value)
        view._length = len(view._history)
        return view

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
        from sandlot.game.table import Table  # which needs a variant's steps, and they the hand

        table = Table(variant, seats, dealer)
        happenings: Iterable[Any] = events  # perhaps one that is no event
        for happening in happenings:
            table.happen(happening)
        return View(table, seat, (Fraction(0),) * seats)

    def fields(self) -> tuple[Any, ...]:
        """Return all that the view holds, in the order of ``FIELDS``."""
        return tuple([getattr(self, name) for name in ("seat", *self.FIELDS[1:-1], "history")])

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.fields() == other.fields()

    def __hash__(self) -> int:
        return hash(self.fields())

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy or a pickle holds what the seat has seen, never the table's own list.
        return type(self).restore, self.fields()

    def __getstate__(self) -> tuple[Any, ...]:
        return self.fields()

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
