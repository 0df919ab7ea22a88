"""A running match as a spectator sees it, in messages."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from fractions import Fraction
from typing import TYPE_CHECKING

from sandlot.errors import SessionError
from sandlot.game.events import Acted, Anted, Awarded
from sandlot.played import places
from sandlot.v1 import league_pb2, table_pb2
from sandlot.wire import write_event
from sandlot_server.service.refusals import Reason, RefusedError

if TYPE_CHECKING:
    from sandlot.game.events import Event
    from sandlot_server.service.needs import Hall, PublicEvent, RunningMatch


def running_match(running: RunningMatch) -> league_pb2.RunningMatch:
    """Return the message of a match that is being played.

    In an anonymous season it says no more of the bots than they are told of each other.
    """
    setup = running.setup
    named = enumerate(setup.entrants)
    return league_pb2.RunningMatch(
        match=setup.match,
        bots=[f"seat {seat}" if setup.anonymous else each.bot for seat, each in named],
        variant=setup.variant,
        hands=setup.hands,
        first_dealer=setup.first_dealer,
        completed=running.hands,
    )


async def watched(hall: Hall, match: str) -> AsyncGenerator[league_pb2.WatchResponse, None]:
    """Yield what a spectator of a match is told: that it began, what happens, how it ended.

    Raises:
        RefusedError: it is not being played.
    """
    running = next((each for each in hall.running() if each.setup.match == match), None)
    if running is None:
        raise _not_played(match)
    setup = running.setup
    seats = len(setup.entrants)
    net = [Fraction(0)] * seats
    yield league_pb2.WatchResponse(started=running_match(running))
    try:
        async with aclosing(hall.watch(match)) as events:
            async for seen in events:
                _count(net, seen.event)
                dealer = (setup.first_dealer + seen.hand - 1) % seats  # R2.1
                yield league_pb2.WatchResponse(happened=_public_event(seen, dealer))
    except SessionError:  # it is broken off
        yield league_pb2.WatchResponse(ended=league_pb2.WatchedEnd())
        return
    ended = league_pb2.WatchedEnd(net=map(str, net), places=places(tuple(net)))
    yield league_pb2.WatchResponse(ended=ended)


def _public_event(seen: PublicEvent, dealer: int) -> league_pb2.PublicEvent:
    # What is dealt face down has no face for a spectator, whoever has seen to it before.
    shown = seen.event.seen_by(None)
    event = table_pb2.Event.FromString(write_event(shown))
    return league_pb2.PublicEvent(hand=seen.hand, dealer=dealer, event=event)


def _count(net: list[Fraction], event: Event) -> None:
    """Add to the nets what a seat has paid or taken."""
    if isinstance(event, Anted | Acted):
        net[event.seat] -= event.paid
    elif isinstance(event, Awarded):
        net[event.seat] += event.amount


def _not_played(match: str) -> RefusedError:
    return RefusedError(
        Reason.NO_MATCH,
        f"match {match!r} is not being played: `sandlot watch` lists those that are",
        match=match,
    )
