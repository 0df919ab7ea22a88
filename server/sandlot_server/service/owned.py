"""The calls that concern bots of one's own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from sandlot.errors import SessionError, SubmissionError
from sandlot.v1 import league_pb2
from sandlot_server.league.quotas import QuotaError
from sandlot_server.service.league import League
from sandlot_server.service.refusals import Reason, RefusedError
from sandlot_server.service.values import brief, write_bot, write_version
from sandlot_server.store.values import ConflictError, MissingError

if TYPE_CHECKING:
    from sandlot_server.store.registered import OwnedBot, Owner, Version

T = TypeVar("T")


class OwnedCalls:
    """Answers Submit, Status, Logs, Retire and Connect.

    Every method takes who calls and what the message says, and returns or yields what is answered.
    All may raise ``RefusedError``, and ``StoreError`` for what the medium does not allow.
    """

    def __init__(self, league: League) -> None:
        self._league = league

    async def submit(
        self, owner: Owner, request: league_pb2.SubmitRequest
    ) -> AsyncGenerator[league_pb2.SubmitResponse, None]:
        """Take a bot in, then tell each change of its status."""
        self._begin_something("submit again when it is back")
        try:
            version = await self._league.reception.submit(
                owner, request.archive, request.name or None
            )
        except QuotaError as error:
            raise RefusedError(Reason.QUOTA, str(error)) from None
        except SubmissionError as error:
            raise RefusedError(Reason.SUBMISSION, str(error)) from None
        except ConflictError as error:
            raise _conflict(error) from None
        request.ClearField("archive")  # a trial takes long, and it is on the disk
        yield league_pb2.SubmitResponse(version=write_version(version))
        changes = self._until_draining(self._league.reception.follow(version))
        async with aclosing(changes):
            async for changed in changes:
                if changed.status != version.status:
                    version = changed
                    yield league_pb2.SubmitResponse(version=write_version(version))

    async def status(
        self, owner: Owner, request: league_pb2.StatusRequest
    ) -> league_pb2.StatusResponse:
        """Say how a bot and its versions stand."""
        bot = await self._own(owner, request.bot)
        told = _version_of(bot, request.number or len(bot.versions)) if bot.versions else None
        versions = [one if one is told else brief(one) for one in bot.versions]
        return league_pb2.StatusResponse(bot=write_bot(replace(bot, versions=tuple(versions))))

    async def logs(self, owner: Owner, request: league_pb2.LogsRequest) -> league_pb2.LogsResponse:
        """Read on in the log of a bot."""
        bot = await self._own(owner, request.bot)
        latest = bot.active or next(reversed(bot.versions), None)
        version = _version_of(bot, request.number) if request.number else latest
        if version is None:
            raise RefusedError(Reason.NO_BOT, f"bot {bot.name!r} has no version yet", bot=bot.name)
        season = await self._league.season(request.season)
        most = min(request.most or self._league.limits.log, self._league.limits.log)
        part = await self._league.reception.log_of(
            version,
            None if season is None else season.name,
            -most if request.tail else request.after,
            most,
        )
        return league_pb2.LogsResponse(
            text=part.text, next=part.next, more=part.more, entrant=version.entrant
        )

    async def retire(
        self, owner: Owner, request: league_pb2.RetireRequest
    ) -> league_pb2.RetireResponse:
        """Take a bot out of the league."""
        bot = await self._own(owner, request.bot)
        registry = self._league.registry

        def retire() -> list[Version]:
            stopped = {one.id for one in registry.retire(bot.name, owner.name)}
            return [one for one in registry.bot(bot.name).versions if one.id in stopped]

        try:
            stopped = await asyncio.to_thread(retire)
        except ConflictError as error:
            raise _conflict(error) from None
        self._league.hall.look()
        return league_pb2.RetireResponse(stopped=map(write_version, map(brief, stopped)))

    async def connect(
        self, owner: Owner, request: league_pb2.ConnectRequest
    ) -> league_pb2.ConnectResponse:
        """Enter a bot that plays from its owner's machine."""
        self._begin_something("connect again when it is back")
        try:
            version = await self._league.reception.enroll(owner, request.bot, new=request.new)
            admission = await self._league.hall.admit(version, owner.revoked)
        except QuotaError as error:
            raise RefusedError(Reason.QUOTA, str(error)) from None
        except ConflictError as error:
            raise _conflict(error) from None
        except SessionError as error:
            raise RefusedError(Reason.SESSION, str(error)) from None
        self._league.hall.look()
        season = await self._league.season("")
        variant = "" if season is None else str(season.configuration.get("variant", ""))
        return league_pb2.ConnectResponse(
            token=admission.token,
            version=write_version(version),
            grace_ms=round(1000 * admission.grace),
            variant=variant,
        )

    async def _own(self, owner: Owner, name: str) -> OwnedBot:
        """Return a bot of the caller's, or any bot if the caller is an admin.

        Raises:
            RefusedError: there is none; an owner is not told whether somebody else has one.
        """
        try:
            bot = await asyncio.to_thread(self._league.registry.bot, name)
        except MissingError as error:
            if owner.role == "admin":
                raise RefusedError(Reason.NO_BOT, said(error), bot=name) from None
            bot = None
        if bot is None or (bot.owner != owner.name and owner.role != "admin"):
            raise RefusedError(Reason.NOT_YOURS, f"no bot of yours is called {name!r}", bot=name)
        return bot

    def _begin_something(self, then: str) -> None:
        if self._league.draining.is_set():
            raise RefusedError(Reason.DRAINING, f"the server is about to stop: {then}")

    async def _until_draining(self, steps: AsyncIterator[T]) -> AsyncGenerator[T, None]:
        """Yield what comes, until the server is about to stop.

        Raises:
            RefusedError: it is about to stop.
        """
        draining = asyncio.ensure_future(self._league.draining.wait())
        try:
            while True:
                step = asyncio.ensure_future(anext(steps, None))
                try:
                    await asyncio.wait({step, draining}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    if not step.done():
                        step.cancel()
                if not step.done():
                    raise RefusedError(
                        Reason.DRAINING,
                        "the server is about to stop; what was submitted is kept, and tried when "
                        "it is back: see `sandlot status`",
                    )
                if (value := step.result()) is None:
                    return
                yield value
        finally:
            draining.cancel()


def _version_of(bot: OwnedBot, number: int) -> Version:
    """Return a version by its number.

    Raises:
        RefusedError: the bot has none of that number.
    """
    found = next((one for one in bot.versions if one.number == number), None)
    if found is None:
        raise RefusedError(
            Reason.NO_BOT,
            f"bot {bot.name!r} has no version {number}; its last is {len(bot.versions)}",
            bot=bot.name,
        )
    return found


def said(error: BaseException) -> str:
    """Return what an error of the store says, without which database it is about."""
    while type(error.__cause__) is type(error):
        error = error.__cause__
    return str(error)


def _conflict(error: ConflictError) -> RefusedError:
    return RefusedError(Reason.CONFLICT, said(error))
