"""The tables of a season: each match is begun in the store, played, and stored with its record."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from enum import Enum, auto
from typing import Final

import structlog

from sandlot.errors import BotError
from sandlot.played import Entrant, MatchSetup, PlayedMatch
from sandlot.records import utc_now
from sandlot_server.league.means import Means
from sandlot_server.league.settings import SeasonSettings
from sandlot_server.store.registered import Drawn, Season, Version
from sandlot_server.tournament.accounts import log_file
from sandlot_server.tournament.commits import GroupCommit
from sandlot_server.tournament.jobs import StartError
from sandlot_server.tournament.matches import Conditions, finished
from sandlot_server.tournament.pool import BotPool

DEFECT: Final = "a fault of the server's own"
"""Why an attempt is void that broke and should not have; the server's log has the rest."""


GONE: Final = "a remote bot went away before the first card"
"""Why an attempt is void of which nobody has seen a card."""


class Outcome(Enum):
    """What has come of a match: it is stored; or it is void, for a bot is away or it broke."""

    STORED = auto()
    AWAY = auto()
    BROKEN = auto()


class Tables:
    """Plays matches of a season, any number at once, with bots that stay up in between.

    Args:
        means: what it is played with.
        season: which.
        settings: how it is played.
        commits: of the season.
    """

    def __init__(
        self, means: Means, season: Season, settings: SeasonSettings, commits: GroupCommit
    ) -> None:
        self._means = means
        self._season = season.name
        self._commits = commits
        self._logs = means.folder.season_logs(season.name)
        self._conditions = Conditions(
            tournament=season.name,
            variant=settings.variant,
            hands=settings.hands,
            clock=settings.clock,
            strikes=settings.strikes,
            anonymous=settings.anonymous,
            seed=season.seed,
        )
        self._pool = BotPool(
            arbiter=means.arbiter,
            address=means.address,
            launcher=means.launcher,
            bots={},
            confined={},
            logs=self._logs,
            variant=settings.variant,
            most=means.tables * settings.seats,
            patience=means.patience,
        )
        self._log = structlog.get_logger("sandlot.hall").bind(season=season.name)

    async def play(self, match: Drawn, versions: Mapping[str, Version]) -> Outcome:
        """Play a match; its attempt is stored or void when this returns or raises.

        Args:
            match: which; all of its entrants can play.
            versions: by entrant.

        Raises:
            StartError: a bot could not be started again.
            StoreError: the store does not take it; what becomes of the attempt is open.
        """
        attempt = await self._commits.begin(match.match)
        entrants = [Entrant(bot, versions[bot].hash) for bot in match.bots]
        setup = self._conditions.setup(match.match, attempt, entrants, match.first_dealer)
        log = self._log.bind(match=match.match, attempt=attempt, bots=list(match.bots))
        try:
            result = await self._at_arbiter(setup, [versions[bot] for bot in match.bots])
        except StartError as error:
            await self._void(setup, f"bot {error.bot!r} could not be started again")
            raise
        except Exception:
            log.exception("match broken off")
            await self._void(setup, DEFECT)
            return Outcome.BROKEN
        if result is None:
            await self._void(setup, GONE)
            return Outcome.AWAY
        played, started = result
        await self._commits.finish(await finished(played, started))
        log.info("match stored", nets=[str(net) for net in played.net])
        self._means.on_finished(played)
        return Outcome.STORED

    async def _at_arbiter(
        self, setup: MatchSetup, versions: list[Version]
    ) -> tuple[PlayedMatch, str] | None:
        """Return what a match leaves behind and when it began, None if a remote bot is away."""
        here = [version for version in versions if version.kind != "remote"]
        for version in here:
            self._enter(version)
        async with self._pool.seated([version.entrant for version in here]):
            remote = {version.entrant for version in versions} - {one.entrant for one in here}
            # From here to the first card nothing is waited for.
            if not remote <= self._means.guests.connected:
                return None
            started = utc_now()
            return await self._means.arbiter.play(setup), started

    def _enter(self, version: Version) -> None:
        if version.entrant not in self._pool:
            try:
                bot = self._means.launched(version)
            except BotError as error:
                raise StartError(version.entrant, str(error), error.account) from error
            self._pool.enter(version.entrant, bot, self._means.confinement)

    async def _void(self, setup: MatchSetup, reason: str) -> None:
        # Before it is: so nothing is void of which the log does not say why.
        self._log.warning("match void", match=setup.match, attempt=setup.attempt, reason=reason)
        numbers = {setup.match: setup.attempt}
        await asyncio.to_thread(self._means.store.void, self._season, numbers, reason)
        self._means.on_void(reason)

    def reason(self, error: StartError) -> str:
        """Return why a bot could not be started, without the path of its log."""
        return error.reason.removesuffix(f"; see {log_file(self._logs, error.bot)}")

    def session_ended(self, bot: str, cause: str, text: str) -> None:
        """End the process behind a session that has ended."""
        self._pool.session_ended(bot, cause, text)

    async def keep(self, needed: Collection[str]) -> None:
        """End the bots that are not needed any more, and forget them."""
        leaving = [bot for bot in self._pool if bot not in needed]
        await asyncio.gather(*map(self._pool.leave, leaving))
        for bot in leaving:
            self._means.arbiter.dismiss(bot, "it plays no more")

    async def close(self) -> None:
        """End all bots."""
        self._pool.closing()
        await self.keep(())
        await self._pool.closed()
