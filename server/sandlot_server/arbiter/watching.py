"""Matches under way as everybody may see them: what is public of them, as it happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from sandlot.errors import SessionError

if TYPE_CHECKING:
    from sandlot.game.events import Event
    from sandlot.played import MatchSetup
    from sandlot_server.arbiter.table import Table


@dataclass(frozen=True, slots=True)
class Running:
    """A match under way.

    Attributes:
        setup: what is played. It holds the seed, and so all cards: it is not for watchers.
        hands: how many hands have been completed.

    """

    setup: MatchSetup
    hands: int

    @property
    def match(self) -> str:
        """The match's id."""
        return self.setup.match


class Watched(NamedTuple):
    """An event of a match, as somebody sees it who holds no cards; ``hand`` is from 1."""

    hand: int
    event: Event


async def public_events(table: Table) -> AsyncGenerator[Watched, None]:
    """Give the public events of a match from its beginning, then as they happen, to its end.

    The watcher is a place in what the match keeps anyway, and takes what is new when it has the
    time: the match never waits for it, and keeps nothing for it.

    Raises:
        SessionError: the match is broken off.
    """
    woken = asyncio.Event()
    table.watchers.add(woken)
    hand, place = 1, 0
    try:
        while True:
            woken.clear()
            over = table.done.done()
            complete = hand <= table.hands_completed
            events = table.events(hand)[place:] if complete or not over else ()
            place += len(events)
            for event in events:
                yield Watched(hand, event.seen_by(None))
            if complete:
                hand, place = hand + 1, 0
            elif over:
                break
            else:
                await woken.wait()
    finally:
        table.watchers.discard(woken)
    if table.done.cancelled() or table.done.exception() is not None:
        raise SessionError(f"match {table.match_id} is broken off: it will be played again")
