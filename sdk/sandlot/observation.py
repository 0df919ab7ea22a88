"""What a bot is asked with: the hand as its seat may know it, and where the match stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandlot.game.view import View

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from sandlot.game.actions import Action
    from sandlot.game.events import Event
    from sandlot.game.table import Table
    from sandlot.game.view import SeatView
    from sandlot.pack import Card


class Observation(View):
    """A ``View`` at the moment of a decision, with match, hand, decision and balances added.

    It is the whole visible state, so a bot may be stateless. Two deals that differ only in cards
    hidden from the seat give equal observations, to the byte on the wire.

    Attributes:
        match: the match's id.
        hand: which hand of the match, from 1.
        decision: the ordinal of the decision within the match, all seats counted, from 1.

    All others are those of ``View``; ``seats[i].balance`` is the net of the completed hands.
    """

    __slots__ = ("decision", "hand", "match")

    def __init__(
        self,
        match: str,
        hand: int,
        decision: int,
        seat: int,
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
        """Take the attributes in their order; for ``history`` and ``length`` see ``View``."""
        View.__init__(
            self,
            seat,
            dealer,
            street,
            wild,
            down,
            seats,
            pot,
            level,
            raises_left,
            to_call,
            to_act,
            legal,
            history,
            length,
        )
        self.match = match
        self.hand = hand
        self.decision = decision

    @property
    def seat(self) -> int:
        """The seat that decides; never None, a spectator is not asked."""
        return self._seat  # type: ignore[return-value]

    @classmethod
    def of(
        cls,
        table: Table,
        seat: int,
        balances: Sequence[Fraction],
        match: str,
        hand: int,
        decision: int,
    ) -> Observation:
        """Return what the seat may know of the table, in units, at this decision."""
        return cls(match, hand, decision, *table.known_to(seat, balances))  # type: ignore[arg-type]

    def _fields(self) -> tuple[Any, ...]:
        return (self.match, self.hand, self.decision, *super()._fields())

    def to_json(self) -> dict[str, Any]:
        """Return the observation as plain data, cards and actions as text, in a fixed order."""
        where = {"match": self.match, "hand": self.hand, "decision": self.decision}
        return where | super().to_json()
