"""The hall: where the season's matches are played, day and night.

It holds the season that is not closed and plays it (``sitting``). Where the store fails, because
its disk is full or its server is gone, all that is under way is broken off; the hall lets go, and
takes the season up again as soon as it can.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import structlog

from sandlot.errors import BotError, SandlotError, SessionError
from sandlot.played import PlayedMatch
from sandlot_server.arbiter import Arbiter, Fault, Limits, Running, Watched
from sandlot_server.launch.bots import LaunchedBot
from sandlot_server.launch.confining import Confine
from sandlot_server.launch.processes import Launcher
from sandlot_server.league.guests import Admission, Guests
from sandlot_server.league.house import house_hashes
from sandlot_server.league.means import Means
from sandlot_server.league.places import DataFolder
from sandlot_server.league.settings import SeasonSettings
from sandlot_server.league.sitting import Sitting
from sandlot_server.store.attempts import RUN_ENDED
from sandlot_server.store.registered import Season, Version
from sandlot_server.store.registry import SERVER, Registry
from sandlot_server.store.store import Store
from sandlot_server.tournament.accounts import write_account

FIRST_SEASON: Final = "season-1"
"""What the season is called that begins where there is none yet."""

GRACE: Final = 60.0
"""Seconds that a remote bot may be away in a match. It may take 40 to notice that it is."""

PATIENCE: Final = 30.0
"""Seconds from a bot's start to its hello."""

PERIOD: Final = 1.0
"""Seconds after which it is looked whether another process has changed something."""

SHORTEST: Final = 0.1
LONGEST: Final = 5.0
"""Seconds to the next try after trouble: from the shortest on, twice as long each time."""

LARGEST_LOG: Final = 16 << 20
"""Bytes of an entrant's log after which no more accounts of faults are added."""


class Hall:
    """Plays the season. Use it as an asynchronous context; leaving it ends all that it began.

    Args:
        store: holds the season; nobody else takes anything up with it.
        registry: what is registered in the same store.
        folder: for the logs and the ledger.
        launched: gives how a version is started that is submitted or of the house.
        confine: gives how these are confined.
        tables: how many matches are played at once.
        on_finished: called with each match when it is stored.
        on_void: called with the reason of each attempt that has come to nothing.
        limits: what bots may do to the arbiter's time and memory.
        grace, patience, period: see ``GRACE``, ``PATIENCE`` and ``PERIOD``.

    Attributes:
        arbiter: its handlers serve the bots that play from their owners' machines.
        looked: set when it has looked for a season, and taken it up if there is one.

    Raises:
        BotError: bots are to be confined as they cannot be here.

    """

    def __init__(
        self,
        store: Store,
        registry: Registry,
        folder: DataFolder,
        *,
        launched: Callable[[Version], LaunchedBot],
        confine: Confine,
        tables: int,
        on_finished: Callable[[PlayedMatch], None] = lambda played: None,
        on_void: Callable[[str], None] = lambda reason: None,
        limits: Limits = Limits(),  # noqa: B008 - a frozen value
        grace: float = GRACE,
        patience: float = PATIENCE,
        period: float = PERIOD,
    ) -> None:
        self._store = store
        self._registry = registry
        self._folder = folder
        self._launched = launched
        self._confinement = confine((folder.root,))
        self._number = tables
        self._on_finished = on_finished
        self._on_void = on_void
        self._patience = patience
        self._period = period
        self.arbiter = Arbiter(
            on_fault=self._account_for,
            on_end=self._session_ended,
            limits=limits,
        )
        self._guests = Guests(self.arbiter, grace=grace, on_change=self.look)
        self.looked = asyncio.Event()
        self._woken = asyncio.Event()
        self._leaving = asyncio.Event()
        self._sitting: Sitting | None = None
        self._healthy = False
        self._wait = SHORTEST
        self._stack = AsyncExitStack()
        self._living: asyncio.Task[None]
        self._log = structlog.get_logger("sandlot.hall")

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._folder.make)
        await asyncio.to_thread(self._confinement.check)
        async with AsyncExitStack() as stack:
            # A short path: the name of a unix socket may have about a hundred characters.
            scratch = stack.enter_context(tempfile.TemporaryDirectory(prefix="sandlot-"))
            address = await self.arbiter.start(f"unix:{scratch}/arbiter")
            stack.push_async_callback(self.arbiter.stop)
            stack.callback(self._guests.close)
            # Left before the arbiter: it waits for the bots, and they for its streams.
            launcher = await stack.enter_async_context(Launcher(self._folder.run, Path(scratch)))
            means = Means(
                store=self._store,
                registry=self._registry,
                folder=self._folder,
                arbiter=self.arbiter,
                guests=self._guests,
                launcher=launcher,
                address=address,
                launched=self._launched,
                confinement=self._confinement,
                tables=self._number,
                patience=self._patience,
                period=self._period,
                on_finished=self._finished,
                on_void=self._on_void,
            )
            self._living = asyncio.create_task(self._live(means), name="hall")
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            await self._stop()
        finally:
            await self._stack.aclose()

    # What others ask for.

    @property
    def healthy(self) -> bool:
        """Whether matches are played, or would be if there were any to play."""
        return self._healthy and not self._living.done()

    @property
    def queue(self) -> int:
        """How many matches of the round have not begun."""
        return 0 if self._sitting is None else self._sitting.queue

    @property
    def connected(self) -> Collection[str]:
        """The remote bots that are there, by the names of entrants."""
        return self._guests.connected

    def look(self) -> None:
        """See at once what has changed in the registry."""
        self._woken.set()

    def running(self) -> list[Running]:
        """Return the matches under way."""
        return self.arbiter.running()

    def watch(self, match: str) -> AsyncGenerator[Watched, None]:
        """Return the public events of a match under way, from its beginning and on to its end.

        Raises:
            SessionError: no such match is under way; or, later, it is broken off.
        """
        return self.arbiter.watch(match)

    async def admit(self, version: Version, revoked: int = 0) -> Admission:
        """Let a remote bot in.

        Args:
            version: what plays.
            revoked: how many tokens of its owner had been revoked when the owner asked for it; its
                session ends when there are more.

        Raises:
            SessionError: it is connected already, plays no more, or nothing is played.
            StoreError: the registry cannot be read.
        """
        now = await asyncio.to_thread(self._registry.version, version.id)
        if now.kind != "remote":
            raise SessionError(f"{now.entrant} is played here: only remote bots are let in")
        if now.status != "active":
            raise SessionError(f"{now.entrant} is {now.status} and plays no more: connect it anew")
        if self._sitting is None or self._leaving.is_set():
            raise SessionError("nothing is played now: connect again later")
        return self._guests.admit(now.entrant, self._sitting.variant, revoked)

    async def drain(self, grace: float, at_once: asyncio.Event) -> None:
        """Come to an end: no match begins any more, and those under way may end.

        Args:
            grace: seconds that they have; after it they are broken off.
            at_once: when this is set they are broken off at once.
        """
        self._leaving.set()
        if self._sitting is not None:
            self._sitting.leave()
        hurried = asyncio.create_task(at_once.wait())
        try:
            both = {self._living, hurried}
            await asyncio.wait(both, timeout=grace, return_when=asyncio.FIRST_COMPLETED)
        finally:
            hurried.cancel()
        await self._stop()

    # Its life.

    async def _stop(self) -> None:
        self._leaving.set()
        self._living.cancel()
        await asyncio.wait({self._living})

    async def _live(self, means: Means) -> None:
        """Play season after season, whatever befalls the store."""
        while not self._leaving.is_set():
            try:
                await self._play(means)
            except Exception as error:
                self._healthy = False
                self.looked.set()
                expected = isinstance(error, SandlotError | OSError)
                self._log.error(
                    "nothing is played",
                    reason=str(error) or type(error).__name__,
                    again_in=self._wait,
                    exc_info=not expected,
                )
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._wait):
                        await self._leaving.wait()
                self._wait = min(2 * self._wait, LONGEST)

    async def _play(self, means: Means) -> None:
        """Play the season that is not closed, until it is; wait if there is none."""
        season = await asyncio.to_thread(self._season)
        if season is None:
            self._healthy = True
            self.looked.set()
            self._woken.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._period):
                    await self._woken.wait()
            return
        await asyncio.to_thread(self._store.take_up, season.name, self._left_behind)
        try:
            await asyncio.to_thread(self._registry.house, house_hashes())
            self._sitting = Sitting(means, season, self._woken)
            self.looked.set()
            self._guests.play(self._sitting.variant)
            if self._leaving.is_set():
                self._sitting.leave()
            self._healthy = True
            await self._sitting.play()
        finally:
            self._sitting = None
            await asyncio.to_thread(self._store.let_go)

    def _left_behind(self, match: str, attempt: int) -> None:
        self._log.warning("match void", match=match, attempt=attempt, reason=RUN_ENDED)

    def _season(self) -> Season | None:
        """Return the season that is not closed; the first one begins by itself."""
        if not self._registry.seasons():
            configuration = SeasonSettings().configuration()
            return self._registry.start_season(FIRST_SEASON, configuration, SERVER)
        return self._registry.season()

    def _finished(self, played: PlayedMatch) -> None:
        self._wait = SHORTEST
        self._on_finished(played)

    # What the arbiter tells.

    def _session_ended(self, bot: str, cause: str, text: str) -> None:
        self._guests.session_ended(bot)
        if self._sitting is not None:
            self._sitting.session_ended(bot, cause, text)

    def _account_for(self, fault: Fault) -> None:
        logs = self._folder.season_logs(fault.setup.tournament)
        try:
            path = self._folder.log(fault.setup.tournament, fault.bot)
            if not path.exists() or os.path.getsize(path) < LARGEST_LOG:
                logs.mkdir(exist_ok=True)
                write_account(logs, fault)
        except (OSError, BotError) as error:  # the match goes on all the same
            self._log.error("no account of a fault", bot=fault.bot, reason=str(error))
