"""A match as a spectator sees it: a line an event, the money after each hand, the result."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from rich.text import Text

from sandlot.errors import WireError
from sandlot.game import VARIANTS
from sandlot.records import Unfolding
from sandlot.wire.table import read_event, read_fraction
from sandlot_server.cli.replay_page import money, rule, told
from sandlot_server.cli.table_view import Look, signed

if TYPE_CHECKING:
    from rich.console import Console

    from sandlot.game.variant import Variant
    from sandlot.v1 import league_pb2 as pb


class Spectator:
    """Tells of a match what everybody at the table can see.

    Args:
        match: the match.
        out: where it is shown.

    Raises:
        WireError: in every method: what is played is unknown to this version.

    """

    def __init__(self, match: pb.RunningMatch, out: Console) -> None:
        self._match = match
        self._variant = _variant(match.variant)
        self._look = Look.of(out, match.bots, self._variant.wild)
        self._hand: Unfolding | None = None

    def heading(self) -> str:
        """Return which match it is."""
        match = self._match
        return self._look.apart(f"Match {match.match}", match.variant, "cards that all can see")

    def happened(self, public: pb.PublicEvent) -> Iterator[Text]:
        """Yield the lines of the next event."""
        if self._hand is None or self._hand.hand != public.hand:
            balances = self._hand.balances if self._hand else (Fraction(0),) * len(self._look.names)
            self._hand = Unfolding(
                self._match.match, self._variant, public.hand, public.dealer, balances
            )
            yield rule(f"Hand {public.hand} of {self._match.hands}", self._look)
            yield Text.assemble(self._look.who(public.dealer), " deals")
        moment = self._hand.happen(read_event(public.event))
        yield from told(moment, self._look)
        if moment.net is not None:
            yield Text()
            yield from money(
                [("net", moment.net), ("balance", self._hand.balances)],
                self._look,
            )
            yield Text()

    def ended(self, end: pb.WatchedEnd) -> Iterator[Text]:
        """Yield the lines that say how it ended."""
        if not end.net:
            yield Text("The match was broken off; it is void, and is played again.", "bold")
            return
        yield rule("Result", self._look)
        for place, seat in sorted((place, seat) for seat, place in enumerate(end.places)):
            net = signed(read_fraction(end.net[seat]))
            yield Text.assemble((f"{place}. ", "bold"), self._look.who(seat), f"{net:>9}")


def _variant(name: str) -> Variant:
    variant = VARIANTS.get(name)
    if variant is None:
        raise WireError(f"the game {name!r} is unknown to this version of Sandlot: install a newer")
    return variant
