"""The bots of one arbiter: started when they are needed, kept between matches, never too many.

A bot stays alive from match to match. When room is needed for another one, the bot that has been
idle for longest goes; when a session has ended the process behind it is ended too, and a fresh one
is started for the next match.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from sandlot.errors import BotError
from sandlot_server.arbiter import Arbiter
from sandlot_server.launch.bots import LaunchedBot
from sandlot_server.launch.confining import Confinement
from sandlot_server.launch.processes import BotProcess, Launcher
from sandlot_server.tournament.accounts import log_file, note
from sandlot_server.tournament.jobs import StartError

STARTS: Final = 3
"""How often a bot that has played before is started again before it is given up."""

AT_ONCE: Final = 4
"""How many bots are started at the same time before the first match."""

LAST_WORDS: Final = 1.0
"""Seconds that a process may take to end by itself when its session has ended by its own doing."""


class _Place:
    """One bot of the pool."""

    def __init__(self, name: str, bot: LaunchedBot, confinement: Confinement) -> None:
        self.name = name
        self.bot = bot
        self.confinement = confinement
        self.process: BotProcess | None = None
        self.users = 0  # matches that need it now
        self.starting = asyncio.Lock()
        self.given_up: StartError | None = None


class BotPool:
    """Starts and keeps the processes of bots for one arbiter.

    Bots may also enter and leave later.

    Args:
        arbiter: where they connect.
        address: of the arbiter.
        launcher: starts their processes, and ends them when it is left.
        bots: what to start, by name.
        confined: how each of them is confined, by name.
        logs: the directory of their logs.
        variant: what they must be able to play.
        most: how many processes there may be at once; at least as many as play at once.
        patience: seconds from the start of a process to its hello.

    """

    def __init__(
        self,
        *,
        arbiter: Arbiter,
        address: str,
        launcher: Launcher,
        bots: Mapping[str, LaunchedBot],
        confined: Mapping[str, Confinement],
        logs: Path,
        variant: str,
        most: int,
        patience: float,
    ) -> None:
        self._arbiter = arbiter
        self._address = address
        self._launcher = launcher
        self._logs = logs
        self._variant = variant
        self._most = most
        self._patience = patience
        self._places = {name: _Place(name, bot, confined[name]) for name, bot in bots.items()}
        # Those with a process, the one that was used last at the end.
        self._alive: dict[str, _Place] = {}
        self._making_room = asyncio.Lock()
        self._endings: set[asyncio.Task[None]] = set()
        self._closing = False

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a bot of that name."""
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the bots."""
        return iter(tuple(self._places))

    def enter(self, name: str, bot: LaunchedBot, confinement: Confinement) -> None:
        """Take in another bot, to be started when it is needed."""
        self._places[name] = _Place(name, bot, confinement)

    async def leave(self, name: str) -> None:
        """End a bot that no match needs, and know it no more."""
        place = self._places.pop(name)
        async with place.starting:
            await self._stop(place)

    async def start_all(self) -> None:
        """Start every bot once, so that one that cannot start is found before the first card.

        Raises:
            StartError: one of them did not come up.
        """
        gate = asyncio.Semaphore(min(AT_ONCE, self._most))

        async def start(place: _Place) -> None:
            async with gate, place.starting:
                place.users += 1
                try:
                    await self._start(place)
                finally:
                    place.users -= 1

        places = self._places.values()
        results = await asyncio.gather(*map(start, places), return_exceptions=True)
        for result in results:
            if result is not None:
                raise result
        for place in places:
            if place.name in self._alive and not self._is_ready(place):
                raise await self._fallen(place, "its session ended before the first match")

    @asynccontextmanager
    async def seated(self, bots: Iterable[str]) -> AsyncIterator[None]:
        """Have these bots ready within the context, started anew where they must be.

        Raises:
            StartError: one of them did not come up in three starts, now or for an earlier match.
        """
        places = [self._places[bot] for bot in bots]
        for place in places:
            place.users += 1
        try:
            rounds = 0
            for place in places:  # the one that was used last is the last to go
                if place.name in self._alive:
                    self._alive[place.name] = self._alive.pop(place.name)
            while missing := [place for place in places if not self._is_ready(place)]:
                # While one was started another may have gone.
                if rounds == STARTS:
                    fallen = missing[0]
                    reason = "its session ends before it can play"
                    fallen.given_up = await self._fallen(fallen, reason)
                    raise fallen.given_up
                rounds += 1
                for place in missing:
                    await self._ready(place)
            yield
        finally:
            for place in places:
                place.users -= 1

    def session_ended(self, bot: str, cause: str, text: str) -> None:
        """End the process behind a session that has ended; for ``Arbiter(on_end=...)``."""
        place = self._places.get(bot)  # None: nobody's that was started here
        process = None if place is None else place.process
        if process is not None and not self._closing:
            ending = asyncio.create_task(self._end(bot, process, at_once=cause == "timeout"))
            self._endings.add(ending)
            ending.add_done_callback(self._endings.discard)

    def closing(self) -> None:
        """Take note that the launcher ends all bots now: how they end is of no interest."""
        self._closing = True

    async def closed(self) -> None:
        """Wait until all that was to be ended has ended; the launcher has been left before."""
        await asyncio.gather(*self._endings)

    async def _end(self, bot: str, process: BotProcess, *, at_once: bool) -> None:
        """See that a process ends, and note in the bot's log how it did."""
        exited = asyncio.create_task(process.wait())
        if not at_once:  # it may be on its way out, and how is of interest
            await asyncio.wait({exited}, timeout=LAST_WORDS)
        process.kill()
        note(self._logs, bot, f"process {process.pid} {await exited}")

    def _is_ready(self, place: _Place) -> bool:
        return place.name in self._alive and self._arbiter.is_ready(place.name)

    async def _ready(self, place: _Place) -> None:
        """Start a bot unless it is there, several times if it must be.

        Matches that wait for the same bot share its starts, and its failure.
        """
        async with place.starting:
            for start in range(1, STARTS + 1):
                if place.given_up is not None:
                    raise place.given_up
                if self._is_ready(place):
                    return
                try:
                    await self._start(place)
                except StartError as error:
                    if start == STARTS:
                        place.given_up = error
                        raise

    async def _start(self, place: _Place) -> None:
        """Start the bot's process and wait for its hello."""
        name = place.name
        async with self._making_room:  # nobody takes the room of a process that is not gone yet
            await self._stop(place)
            while len(self._alive) >= self._most:
                idle = next((each for each in self._alive.values() if not each.users), None)
                if idle is None:
                    break  # as many are in use as are needed: see ``most``
                await self._stop(idle)
            self._alive[name] = place
        token = secrets.token_urlsafe(24)
        self._arbiter.expect(name, token, variants=(self._variant,))
        try:
            place.process = await self._launcher.start(
                place.bot,
                name=name,
                address=self._address,
                token=token,
                log=log_file(self._logs, name),
                confinement=place.confinement,
            )
        except BotError as error:
            self._alive.pop(name, None)
            raise StartError(name, str(error), "") from error
        hello = asyncio.create_task(self._arbiter.ready(name))
        exited = asyncio.create_task(place.process.wait())
        try:
            await asyncio.wait(
                {hello, exited}, timeout=self._patience, return_when=asyncio.FIRST_COMPLETED
            )
            if exited.done():
                raise await self._fallen(place, f"{exited.result()} before its hello")
            if not hello.done():
                raise await self._fallen(place, f"no hello within {self._patience:g} s")
        finally:
            hello.cancel()
            exited.cancel()

    async def _fallen(self, place: _Place, reason: str) -> StartError:
        """End what is left of the process; return what is to be said of it."""
        process = place.process
        await self._stop(place)
        said = "" if process is None else process.said()
        return StartError(place.name, f"{reason}; see {log_file(self._logs, place.name)}", said)

    async def _stop(self, place: _Place) -> None:
        process, place.process = place.process, None
        self._alive.pop(place.name, None)
        if process is not None:
            self._arbiter.forget_token(place.name)
            await process.stop()
