"""What a bot is asked with: the hand as its seat may know it, and where the match stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from sandlot.game.view import View

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from sandlot.game.table import Table


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

    FIELDS: ClassVar[tuple[str, ...]] = (
        *View.FIELDS[:1],
        "match",
        "hand",
        "decision",
        *View.FIELDS[1:],
    )
    """What an observation holds, in order."""

    __slots__ = ("decision", "hand", "match")

    def __init__(
        self,
        table: Table | None,
        seat: int,
        balances: Sequence[Fraction],
        match: str,
        hand: int,
        decision: int,
    ) -> None:
        """Look at a table through a seat's eyes, at this decision; see ``View``."""
        View.__init__(self, table, seat, balances)
        self.match = match
        self.hand = hand
        self.decision = decision

    @classmethod
    def blank(cls) -> Self:
        """Return an observation that holds nothing yet."""
        return cls(None, 0, (), "", 0, 0)

    @property
    def seat(self) -> int:
        """The seat that decides; never None, a spectator is not asked."""
        return self._seat  # type: ignore[return-value]

    def to_json(self) -> dict[str, Any]:
        """Return the observation as plain data, cards and actions as text, in a fixed order."""
        where = {"match": self.match, "hand": self.hand, "decision": self.decision}
        return where | super().to_json()
