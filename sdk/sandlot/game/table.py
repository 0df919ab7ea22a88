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
from sandlot.game.money import plus, whole

if TYPE_CHECKING:
    from sandlot.game.events import Event
    from sandlot.game.steps import Bet
    from sandlot.game.variant import Variant
    from sandlot.pack import Card

_NOTHING: Final = Fraction(0)
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
        self.exposed = [0] * seats  # what the up cards weigh (sandlot.hands.ranking)
        self.live = [True] * seats
        # The seats still in, from the dealer's left, the dealer last (R3.1).
        self.remaining = [*range(first, seats), *range(first)]
        self.paid_round = [0] * seats
        self.paid_hand = [0] * seats
        self.won: list[Fraction] = [_NOTHING] * seats
        self.pot = 0
        self.level = 0
        self.to_act: int | None = None
        # What the seat to act may do, in the order check, bet / call, raise, fold; else empty.
        self.legal = _NOBODY
        self.waiting = 0  # how many seats the round still waits for, if nobody raises
        self.history: list[Event] = []

    # The fold: one function an event.

    def happen(self, event: object) -> None:
        """Let an event happen that is there already.

        Raises:
            RuleError: an event or action that this version does not know.
        """
        if isinstance(event, Dealt):
            self.deal(event)
        elif isinstance(event, Acted):
            self.act(event)
        elif isinstance(event, Opened):
            self.open(event)
        elif isinstance(event, Anted):
            self.ante(event)
        elif isinstance(event, Awarded):
            self.award(event)
        elif isinstance(event, Revealed):
            self.reveal(event)
        else:
            raise RuleError(f"the event {event!r} is unknown to this version")

    def ante(self, event: Anted) -> None:
        """Let a seat ante."""
        self.history.append(event)
        self.paid_hand[event.seat] += event.paid
        self.pot += event.paid

    def deal(self, event: Dealt) -> None:
        """Let a seat be dealt a card."""
        self.history.append(event)
        street, seat, card, up, _ = event
        if street != self.street:
            self._begin_street(street)
        if not up:
            self.down[seat] += (card,)
        elif card is not None:
            self.up[seat] += (card,)
            self.exposed[seat] += self.variant.weights[card]

    def open(self, event: Opened) -> None:
        """Let a betting round begin."""
        betting = self.variant.betting.get(event.street)
        if betting is None:
            raise RuleError(f"{self.variant.name} has no betting on street {event.street}")
        self.history.append(event)
        self._begin_street(event.street)
        self.betting = betting
        self.to_act = event.seat
        self.waiting = len(self.remaining)
        self.legal = betting.legal(0)

    def act(self, event: Acted) -> None:
        """Let a seat act."""
        betting = self.betting
        if betting is None:
            raise RuleError(f"seat {event.seat} acts before a betting round has begun")
        self.history.append(event)
        _, seat, action, paid, level, pot = event
        self.paid_round[seat] += paid
        self.paid_hand[seat] += paid
        self.pot = pot
        self.level = level
        name = action.name
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
            self.to_act = self.next_live(seat)
            self.legal = betting.legal(level)
        else:
            self.to_act = None
            self.legal = _NOBODY

    def reveal(self, event: Revealed) -> None:
        """Let a seat show its cards: that changes no money and nobody's turn."""
        self.history.append(event)

    def award(self, event: Awarded) -> None:
        """Let a seat have the pot, or a share of it."""
        self.history.append(event)
        won = self.won[event.seat]
        self.won[event.seat] = event.amount if won is _NOTHING else plus(won, event.amount)

    def _begin_street(self, street: int) -> None:
        self.street = street
        self.level = 0
        self.paid_round = [0] * self.seats

    # What can be read off a table.

    def next_live(self, seat: int) -> int:
        """Return the next seat to the left that is still in."""
        live, seats = self.live, self.seats
        while True:
            seat += 1
            if seat >= seats:
                seat = 0
            if live[seat]:
                return seat

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
        return tuple(
            [
                whole(-paid) if won is _NOTHING else plus(won, -paid)
                for won, paid in zip(self.won, self.paid_hand, strict=True)
            ]
        )
