"""The state of a hand, folded from its events.

Every change to the table passes through ``Table.happen``. The engine (``sandlot.game.hand``) adds
the stock and the program to it; ``fold`` makes the table of a seat from the events it has seen.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from sandlot.errors import RuleError
from sandlot.game.events import Acted, Anted, Awarded, Dealt, Opened, Revealed
from sandlot.game.view import SeatView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandlot.game.actions import Action
    from sandlot.game.events import Event
    from sandlot.game.variant import Variant
    from sandlot.pack import Card

_NOTHING = Fraction(0)


class Table:
    """What lies on the table: cards, money and whose turn it is. Amounts are in units.

    Lists are indexed by seat. A down card that is not known to whom this table belongs is None.
    """

    __slots__ = (
        "dealer",
        "down",
        "history",
        "level",
        "live",
        "paid_hand",
        "paid_round",
        "pot",
        "seats",
        "street",
        "to_act",
        "up",
        "variant",
        "waiting",
        "won",
    )

    def __init__(self, variant: Variant, seats: int, dealer: int) -> None:
        self.variant = variant
        self.seats = seats
        self.dealer = dealer
        self.street = 0
        self.up: list[tuple[Card, ...]] = [()] * seats
        self.down: list[tuple[Card | None, ...]] = [()] * seats
        self.live = [True] * seats
        self.paid_round = [0] * seats
        self.paid_hand = [0] * seats
        self.won: list[Fraction] = [_NOTHING] * seats
        self.pot = 0
        self.level = 0
        self.to_act: int | None = None
        self.waiting = 0  # how many seats the round still waits for, if nobody raises
        self.history: list[Event] = []

    # The fold: one function an event.

    def happen(self, event: Event) -> None:
        """Let the event happen: the only way in which a table changes."""
        self.history.append(event)
        kind = type(event)
        if kind is Dealt:
            self._dealt(event)  # type: ignore[arg-type]
        elif kind is Acted:
            self._acted(event)  # type: ignore[arg-type]
        elif isinstance(event, Opened):
            self._begin_street(event.street)
            self.to_act = event.seat
            self.waiting = sum(self.live)
        elif isinstance(event, Anted):
            self.paid_hand[event.seat] += event.paid
            self.pot += event.paid
        elif isinstance(event, Awarded):
            self.won[event.seat] += event.amount
        elif not isinstance(event, Revealed):
            raise RuleError(f"the event {event!r} is unknown to this version")

    def _dealt(self, event: Dealt) -> None:
        if event.street != self.street:
            self._begin_street(event.street)
        seat, card = event.seat, event.card
        if not event.up:
            self.down[seat] += (card,)
        elif card is not None:
            self.up[seat] += (card,)

    def _acted(self, event: Acted) -> None:
        seat, name = event.seat, event.action.name
        self.paid_round[seat] += event.paid
        self.paid_hand[seat] += event.paid
        self.pot = event.pot
        self.level = event.level
        if name == "bet" or name == "raise":  # every other seat still in must answer (R4.8)
            self.waiting = sum(self.live) - 1
        elif name == "fold":
            self.live[seat] = False
            self.waiting -= 1
        elif name == "check" or name == "call":
            self.waiting -= 1
        else:
            raise RuleError(f"the action {name!r} is unknown to this version")
        self.to_act = self.next_live(seat) if self.waiting else None

    def _begin_street(self, street: int) -> None:
        self.street = street
        self.level = 0
        self.paid_round = [0] * self.seats

    # What can be read off a table.

    def clockwise_from_dealers_left(self) -> list[int]:
        """Return the seats still in, from the dealer's left, the dealer last (R3.1)."""
        first = self.dealer + 1
        live = self.live
        return [seat for seat in (*range(first, self.seats), *range(first)) if live[seat]]

    def next_live(self, seat: int) -> int:
        """Return the next seat to the left that is still in."""
        live, seats = self.live, self.seats
        seat += 1
        while True:
            if seat >= seats:
                seat = 0
            if live[seat]:
                return seat
            seat += 1

    @property
    def wild(self) -> str:
        """The ranks that are wild now, as characters (R1.2)."""
        return self.variant.wild

    @property
    def legal(self) -> tuple[Action, ...]:
        """What the seat to act may do, in the order check, bet / call, raise, fold; else empty."""
        if self.to_act is None:
            return ()
        return self.variant.betting[self.street].legal(self.level)

    @property
    def raises_left(self) -> int:
        """How many raises this round still allows, counted for the whole table (R4.5)."""
        betting = self.variant.betting.get(self.street)
        return 0 if betting is None else betting.raises_left(self.level)

    @property
    def net(self) -> tuple[Fraction, ...]:
        """What each seat has won less what it has paid; sums to 0 once the pot is awarded."""
        return tuple(won - paid for won, paid in zip(self.won, self.paid_hand, strict=True))

    def known_to(
        self, seat: int | None, balances: Sequence[Fraction]
    ) -> tuple[
        int | None,
        int,
        int,
        str,
        tuple[Card, ...],
        tuple[SeatView, ...],
        int,
        int,
        int,
        int,
        int | None,
        tuple[Action, ...],
        list[Event],
        int,
    ]:
        """Return the arguments of a ``View`` for the seat, in their order; None is a spectator.

        Raises:
            RuleError: there is no such seat.
        """
        if seat is not None and not 0 <= seat < self.seats:
            raise RuleError(f"seat {seat}: the seats are numbered 0 to {self.seats - 1} (R1.1)")
        return (
            seat,
            self.dealer,
            self.street,
            self.variant.wild,
            self.down[seat] if seat is not None else (),  # type: ignore[return-value]
            tuple(
                [
                    SeatView(
                        self.up[each],
                        len(self.down[each]),
                        self.live[each],
                        self.paid_round[each],
                        self.paid_hand[each],
                        balances[each],
                    )
                    for each in range(self.seats)
                ]
            ),
            self.pot,
            self.level,
            self.raises_left,
            0 if seat is None or not self.live[seat] else self.level - self.paid_round[seat],
            self.to_act,
            self.legal if seat is not None and seat == self.to_act else (),
            self.history,
            len(self.history),
        )
