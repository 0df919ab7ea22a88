"""A match shown again, event by event, as a seat saw it or with all cards open.

What a seat could not know at a moment is not in that moment: it is folded from the events as the
seat saw them (``event.seen_by``), like the seat's own view of a hand in play.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sandlot.errors import RuleError
from sandlot.game import VARIANTS
from sandlot.game.actions import Action
from sandlot.game.events import Acted, Awarded, Dealt, Event, Revealed
from sandlot.game.table import Table
from sandlot.game.variant import Variant
from sandlot.pack import Card
from sandlot.played import Decision, PlayedMatch


@dataclass(frozen=True, slots=True)
class SeatAt:
    """A seat at a moment. Amounts are in units.

    Attributes:
        down: the down cards in the order dealt, None where the viewer does not see the face.
        up: the up cards in the order dealt.
        live: whether the seat is still in.
        paid_round, paid_hand: what it has paid in this round and in this hand.
        balance: the net of the completed hands; this one counts once its pot is awarded.

    """

    down: tuple[Card | None, ...]
    up: tuple[Card, ...]
    live: bool
    paid_round: int
    paid_hand: int
    balance: Fraction

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards that the viewer sees, down cards first."""
        return tuple([card for card in self.down if card is not None]) + self.up


@dataclass(frozen=True, slots=True)
class Moment:
    """The table just after an event.

    Attributes:
        match: the match's id.
        hand: the number of the hand, from 1.
        step: the number of the event within the hand, from 1.
        steps: how many events the hand has; 0 where that is not known yet.
        viewer: the seat that looks on; None where all cards are open.
        event: what has happened, as the viewer saw it.
        decision: the decision that an action came of; None for other events, and for the
            decisions of other seats where a seat looks on.
        dealer: the dealer's seat.
        street: 3 to 7, 0 before the first card.
        wild: the ranks that are wild, as characters.
        bonus: the cards on the table that a 4 dealt face up has brought (R3.3).
        pot, level, raises_left: as in a bot's view.
        to_act: the seat whose turn it is, or None.
        legal: what that seat may do.
        seats: every seat.
        net: what the hand changed, by seat, once its last pot is awarded; else None.

    """

    match: str
    hand: int
    step: int
    steps: int
    viewer: int | None
    event: Event
    decision: Decision | None
    dealer: int
    street: int
    wild: str
    bonus: frozenset[Card]
    pot: int
    level: int
    raises_left: int
    to_act: int | None
    legal: tuple[Action, ...]
    seats: tuple[SeatAt, ...]
    net: tuple[Fraction, ...] | None

    def to_json(self) -> dict[str, Any]:
        """Return the moment as plain data, cards, actions and amounts as text."""
        decision = self.decision
        return {
            "match": self.match,
            "hand": self.hand,
            "step": self.step,
            "viewer": self.viewer,
            "event": self.event.to_json(),
            "decision": decision
            and {
                "answer": decision.answer,
                "applied": decision.applied,
                "fault": decision.fault,
                "ms": decision.ms,
            },
            "dealer": self.dealer,
            "street": self.street,
            "wild": self.wild,
            "pot": self.pot,
            "level": self.level,
            "raises_left": self.raises_left,
            "to_act": self.to_act,
            "legal": [str(action) for action in self.legal],
            "seats": [
                {
                    "down": [None if card is None else str(card) for card in seat.down],
                    "up": [str(card) for card in seat.up],
                    "live": seat.live,
                    "paid_round": seat.paid_round,
                    "paid_hand": seat.paid_hand,
                    "balance": str(seat.balance),
                }
                for seat in self.seats
            ],
            "net": self.net and [str(net) for net in self.net],
        }


def replay(played: PlayedMatch, seat: int | None = None) -> Iterator[Moment]:
    """Yield the moments of a match, one an event.

    Args:
        played: the match, as ``verify`` gives it in a record; one that was only read may hold what
            is no game of poker.
        seat: whose eyes to look through; None shows all cards from the moment they are dealt.

    Raises:
        RuleError: there is no such seat.

    """
    for hand in played.hands:
        yield from replay_hand(played, hand.hand, seat)


def replay_hand(played: PlayedMatch, hand: int, seat: int | None = None) -> Iterator[Moment]:
    """Yield the moments of one hand, counted from 1; see ``replay``."""
    seats = len(played.setup.entrants)
    if seat is not None and not 0 <= seat < seats:
        raise RuleError(f"seat {seat}: the seats are numbered 0 to {seats - 1} (R1.1)")
    now = played.hands[hand - 1]
    before = played.hands[hand - 2].balance if hand > 1 else (Fraction(0),) * seats
    unfolding = Unfolding(
        played.setup.match,
        VARIANTS[played.setup.variant],
        hand,
        now.dealer,
        before,
        viewer=seat,
        steps=len(now.events),
    )
    decided = 0
    for hidden in now.events:
        event = hidden if seat is None else hidden.seen_by(seat)
        decision = None
        if isinstance(event, Acted):
            if seat is None or seat == event.seat:  # others are not told what a seat did wrong
                decision = now.decisions[decided]
            decided += 1
        yield unfolding.happen(event, decision)


class Unfolding:
    """A hand as it unfolds before a viewer, in a record or at a table that still plays.

    Args:
        match: the match's id.
        variant: the game.
        hand: the number of the hand, from 1.
        dealer: the dealer's seat.
        balances: by seat, before the hand.
        viewer: see `Moment`.
        steps: how many events the hand has; 0 where that is not known yet.

    Attributes:
        hand: as above.
        balances: by seat; this hand counts once all of its pot is awarded.

    """

    def __init__(
        self,
        match: str,
        variant: Variant,
        hand: int,
        dealer: int,
        balances: tuple[Fraction, ...],
        *,
        viewer: int | None = None,
        steps: int = 0,
    ) -> None:
        self.hand = hand
        self.balances = balances
        self._match = match
        self._dealer = dealer
        self._viewer = viewer
        self._steps = steps
        self._table = Table(variant, len(balances), dealer)
        self._bonus: frozenset[Card] = frozenset()
        self._step = 0

    def happen(self, event: Event, decision: Decision | None = None) -> Moment:
        """Return the moment just after the next event.

        Args:
            event: as the viewer sees it.
            decision: what it came of, where the viewer is told.

        Raises:
            RuleError: an event or action that this version does not know.

        """
        table = self._table
        table.happen(event)
        self._step += 1
        if isinstance(event, Dealt) and event.bonus and event.card is not None:
            self._bonus |= {event.card}
        elif isinstance(event, Revealed):
            table.down[event.seat] = event.down
        net = None
        balances = self.balances
        if isinstance(event, Awarded) and not sum(table.net):  # all of the pot is awarded
            net = table.net
            balances = tuple([sum(both, Fraction(0)) for both in zip(balances, net, strict=True)])
            self.balances = balances
        return Moment(
            match=self._match,
            hand=self.hand,
            step=self._step,
            steps=self._steps,
            viewer=self._viewer,
            event=event,
            decision=decision,
            dealer=self._dealer,
            street=table.street,
            wild=table.wild,
            bonus=self._bonus,
            pot=table.pot,
            level=table.level,
            raises_left=table.raises_left,
            to_act=table.to_act,
            legal=table.legal,
            seats=_seats(table, balances),
            net=net,
        )


def _seats(table: Table, balances: tuple[Fraction, ...]) -> tuple[SeatAt, ...]:
    return tuple(
        [
            SeatAt(*state)
            for state in zip(
                table.down,
                table.up,
                table.live,
                table.paid_round,
                table.paid_hand,
                balances,
                strict=True,
            )
        ]
    )
