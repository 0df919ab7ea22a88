"""The state of a hand, folded from its events.

Every change to the table is an event, and each kind of event has a method that lets it happen. The
engine (``sandlot.game.hand``) adds the stock and the program to it; ``happen`` repeats events that
are there already, as when the table of a seat is folded from what the seat has seen.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from sandlot.errors import RuleError
from sandlot.game.actions import Action
from sandlot.game.events import Acted, Anted, Awarded, Dealt, Opened, Revealed
from sandlot.game.money import whole

if TYPE_CHECKING:
    from sandlot.game.events import Event
    from sandlot.game.steps import Bet
    from sandlot.game.variant import Variant
    from sandlot.pack import Card

_CLOCKWISE: Final[list[int]] = list(range(52))  # more seats than a pack could serve
_NOBODY: Final[tuple[Action, ...]] = ()


class Table:
    """What lies on the table: cards, money and whose turn it is. Amounts are in units.

    Lists are indexed by seat. A down card that is not known to whom this table belongs is None.
    """

    __slots__ = (
        "betting",
        "dealer",
        "down",
        "exposed",
        "history",
        "legal",
        "level",
        "live",
        "paid_hand",
        "paid_round",
        "pot",
        "remaining",
        "seats",
        "street",
        "to_act",
        "up",
        "variant",
        "waiting",
        "won",
    )

    def __init__(self, variant: Variant, seats: int, dealer: int) -> None:
        first = dealer + 1
        self.variant = variant
        self.seats = seats
        self.dealer = dealer
        self.street = 0
        self.betting: Bet | None = None  # the round that is open, or was the last to be
        self.up: list[tuple[Card, ...]] = [()] * seats
        self.down: list[tuple[Card | None, ...]] = [()] * seats
        self.exposed: list[int] = [0] * seats  # what the up cards weigh (sandlot.hands.ranking)
        self.live: list[bool] = [True] * seats
        # The seats still in, from the dealer's left, the dealer last (R3.1).
        self.remaining: list[int] = _CLOCKWISE[first:seats] + _CLOCKWISE[:first]
        self.paid_round: list[int] = [0] * seats
        self.paid_hand: list[int] = [0] * seats
        self.won: list[int | Fraction] = [0] * seats  # a Fraction where a pot was split
        self.pot = 0
        self.level = 0
        self.to_act: int | None = None
        # What the seat to act may do, in the order check, bet / call, raise, fold; else empty.
        self.legal = _NOBODY
        self.waiting = 0  # how many seats the round still waits for, if nobody raises
        self.history: list[Event] = []

    # The fold: one function an event. It takes the event and, beside it, what the event says: the
    # engine knows that already, and to read it out of a tuple again costs more than all else.

    def happen(self, event: object) -> None:
        """Let an event happen that is there already.

        Raises:
            RuleError: an event or action that this version does not know.
        """
        if isinstance(event, Dealt):
            self.deal(event, event.street, event.seat, event.card, event.up)
        elif isinstance(event, Acted):
            name = event.action.name
            self.act(event, event.seat, name, event.paid, event.level, event.pot)
        elif isinstance(event, Opened):
            self.open(event, event.street, event.seat)
        elif isinstance(event, Anted):
            self.ante(event, event.seat, event.paid)
        elif isinstance(event, Awarded):
            amount = event.amount
            won = amount.numerator if amount.denominator == 1 else amount
            self.award(event, event.seat, won)
        elif isinstance(event, Revealed):
            self.reveal(event)
        else:
            raise RuleError(f"the event {event!r} is unknown to this version")

    def ante(self, event: Anted, seat: int, paid: int) -> None:
        """Let a seat ante."""
        self.history.append(event)
        self.paid_hand[seat] += paid
        self.pot += paid

    def deal(self, event: Dealt, street: int, seat: int, card: Card | None, up: bool) -> None:
        """Let a seat be dealt a card."""
        self.history.append(event)
        if street != self.street:
            self._begin_street(street)
        if not up:
            self.down[seat] += (card,)
        elif card is not None:
            self.up[seat] += (card,)
            number: int = card  # a plain one: compiled, it is the quicker index
            self.exposed[seat] += self.variant.weights[number]

    def open(self, event: Opened, street: int, seat: int) -> None:
        """Let a betting round begin."""
        betting = self.variant.betting.get(street)
        if betting is None:
            raise RuleError(f"{self.variant.name} has no betting on street {street}")
        self.history.append(event)
        if street != self.street or self.level:  # else the deal has just begun it
            self._begin_street(street)
        self.betting = betting
        self.to_act = seat
        self.waiting = len(self.remaining)
        self.legal = betting.legal(0)

    def act(self, event: Acted, seat: int, name: str, paid: int, level: int, pot: int) -> None:
        """Let a seat act."""
        betting = self.betting
        if betting is None:
            raise RuleError(f"seat {seat} acts before a betting round has begun")
        self.history.append(event)
        if paid:
            self.paid_round[seat] += paid
            self.paid_hand[seat] += paid
        self.pot = pot
        if level != self.level:
            self.level = level
            self.legal = betting.legal(level)
        if name == "check" or name == "call":
            self.waiting -= 1
        elif name == "bet" or name == "raise":  # every other seat still in must answer (R4.8)
            self.waiting = len(self.remaining) - 1
        elif name == "fold":
            self.live[seat] = False
            self.remaining = [each for each in self.remaining if each != seat]  # views may share it
            self.waiting -= 1
        else:
            raise RuleError(f"the action {name!r} is unknown to this version")
        if self.waiting:
            live, seats = self.live, self.seats
            seat += 1
            while seat >= seats or not live[seat]:  # on to the left
                seat = 0 if seat >= seats else seat + 1
            self.to_act = seat
        else:
            self.to_act = None
            self.legal = _NOBODY

    def reveal(self, event: Revealed) -> None:
        """Let a seat show its cards: that changes no money and nobody's turn."""
        self.history.append(event)

    def award(self, event: Awarded, seat: int, won: int | Fraction) -> None:
        """Let a seat have the pot, or a share of it."""
        self.history.append(event)
        self.won[seat] += won

    def _begin_street(self, street: int) -> None:
        self.street = street
        self.level = 0
        self.paid_round = [0] * self.seats

    # What can be read off a table.

    @property
    def wild(self) -> str:
        """The ranks that are wild now, as characters (R1.2)."""
        return self.variant.wild

    @property
    def raises_left(self) -> int:
        """How many raises this round still allows, counted for the whole table (R4.5)."""
        betting = self.variant.betting.get(self.street)
        return 0 if betting is None else betting.raises_left(self.level)

    @property
    def net(self) -> tuple[Fraction, ...]:
        """What each seat has won less what it has paid; sums to 0 once the pot is awarded."""
        won = self.won
        return tuple([whole(won[seat] - paid) for seat, paid in enumerate(self.paid_hand)])
