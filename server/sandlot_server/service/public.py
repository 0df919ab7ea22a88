"""The calls that everybody may make who has a token."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from dataclasses import replace
from importlib.metadata import version
from itertools import islice
from typing import TYPE_CHECKING

from sandlot.v1 import league_pb2
from sandlot_server.service.fresh import Fresh
from sandlot_server.service.league import League
from sandlot_server.service.refusals import Reason, RefusedError
from sandlot_server.service.tables import write_table
from sandlot_server.service.values import public, write_bot, write_match, write_owner
from sandlot_server.service.watching import running_match, watched
from sandlot_server.store.values import MissingError
from sandlot_server.tournament.table import table_of

if TYPE_CHECKING:
    from sandlot_server.store.registered import OwnedBot, Owner


class PublicCalls:
    """Answers WhoAmI, List, Standings, Matches, Record, Running and Watch.

    Every method takes who calls and what the message says, and returns or yields what is answered.
    All may raise ``RefusedError``, and ``StoreError`` for what the medium does not allow.
    """

    def __init__(self, league: League) -> None:
        self._league = league
        self._tables = Fresh(league.limits.fresh, league.clock)
        self._bots = Fresh(float("inf"), league.clock)

    async def who_am_i(
        self, owner: Owner, request: league_pb2.WhoAmIRequest
    ) -> league_pb2.WhoAmIResponse:
        """Say whose token it is."""
        return league_pb2.WhoAmIResponse(
            owner=write_owner(owner), server=f"sandlot/{version('sandlot')}"
        )

    async def list(self, owner: Owner, request: league_pb2.ListRequest) -> league_pb2.ListResponse:
        """List bots by name, with what is public of their versions."""
        registry = self._league.registry
        generation = await asyncio.to_thread(registry.generation)
        bots = await self._bots.get(generation, self._read_bots)
        if request.owner:
            owners = await asyncio.to_thread(registry.owners)
            if request.owner not in {each.name for each in owners}:
                raise RefusedError(Reason.NO_OWNER, f"there is no owner {request.owner!r}")
        rest = [
            bot
            for bot in bots
            if request.owner in ("", bot.owner) and bot.name > request.page_token
        ]
        page = rest[: self._size(request.page_size)]
        return league_pb2.ListResponse(
            bots=map(write_bot, page),
            next_page_token=page[-1].name if len(page) < len(rest) else "",
        )

    async def _read_bots(self) -> tuple[OwnedBot, ...]:
        bots = await asyncio.to_thread(self._league.registry.bots)
        return tuple([replace(bot, versions=tuple(map(public, bot.versions))) for bot in bots])

    async def standings(
        self, owner: Owner, request: league_pb2.StandingsRequest
    ) -> league_pb2.StandingsResponse:
        """Give the table of a season."""
        season = await self._league.some_season(request.season)
        return await self._tables.get(season.name, lambda: self._make_table(season.name))

    async def _make_table(self, season: str) -> league_pb2.StandingsResponse:
        def make() -> league_pb2.StandingsResponse:
            return write_table(table_of(self._league.store, season))

        return await asyncio.to_thread(make)

    async def matches(
        self, owner: Owner, request: league_pb2.MatchesRequest
    ) -> league_pb2.MatchesResponse:
        """List matches that have a result, the one that was begun last first."""
        season = await self._league.some_season(request.season)
        size = self._size(request.page_size)
        try:
            found = await asyncio.to_thread(
                self._league.store.matches,
                season.name,
                bot=request.bot or None,
                most=size + 1,
                before=_position(request.page_token),
            )
        except MissingError:
            raise RefusedError(
                Reason.NO_BOT,
                f"no bot {request.bot!r} has entered season {season.name!r}",
                bot=request.bot,
            ) from None
        page = found[:size]
        return league_pb2.MatchesResponse(
            season=season.name,
            matches=map(write_match, page),
            next_page_token=str(page[-1].position) if len(found) > size else "",
        )

    async def record(
        self, owner: Owner, request: league_pb2.RecordRequest
    ) -> AsyncGenerator[league_pb2.RecordResponse, None]:
        """Give the record of a match that has a result, in parts."""
        season = await self._league.some_season(request.season)

        def read() -> bytes:
            records = self._league.store.records(season.name, request.match)
            return "".join(text for _, text in islice(records, 1)).encode()

        try:
            record = await asyncio.to_thread(read)
        except MissingError:
            raise RefusedError(
                Reason.NO_MATCH,
                f"match {request.match!r} has no result in season {season.name!r}",
                match=request.match,
            ) from None
        step = self._league.limits.part
        for begin in range(0, len(record), step):
            yield league_pb2.RecordResponse(part=record[begin : begin + step])

    async def running(
        self, owner: Owner, request: league_pb2.RunningRequest
    ) -> league_pb2.RunningResponse:
        """List the matches that are being played now."""
        season = await self._league.season("")
        return league_pb2.RunningResponse(
            season=season.name if season is not None and season.status != "closed" else "",
            matches=map(running_match, self._league.hall.running()),
        )

    def watch(
        self, owner: Owner, request: league_pb2.WatchRequest
    ) -> AsyncGenerator[league_pb2.WatchResponse, None]:
        """Show a match that is being played as a spectator sees it."""
        return watched(self._league.hall, request.match)

    def _size(self, asked: int) -> int:
        limits = self._league.limits
        return min(asked or limits.page, limits.most_on_page)


def _position(page_token: str) -> int | None:
    """Return where a page of matches begins.

    Raises:
        RefusedError: that is no token of ours.
    """
    if not page_token:
        return None
    if not re.fullmatch("[0-9]{1,18}", page_token, re.ASCII):
        raise RefusedError(
            Reason.INVALID,
            f"page_token {page_token!r} is not from here: send what the page before gave",
            field="page_token",
        )
    return int(page_token)
