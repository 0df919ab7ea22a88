"""A season while this server has it: its rounds are drawn and played, until it is closed.

The sitting looks at what there is to do whenever something has happened: a match is over, a remote
bot has come or gone, somebody has changed something in the registry. So there is one place where
matches begin, and none of them begins for an entrant that plays no more.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import structlog

from sandlot.errors import StoreError
from sandlot_server.league.drawing import draw
from sandlot_server.league.history import REMEMBERED, History
from sandlot_server.league.means import Means
from sandlot_server.league.rest import Rest
from sandlot_server.league.settings import SeasonSettings
from sandlot_server.league.tables import Outcome, Tables
from sandlot_server.store.registered import Drawn, Round, Season, Status, Version
from sandlot_server.tournament.commits import GroupCommit
from sandlot_server.tournament.jobs import StartError

STOPPED: Final = "the server that played it was stopped"
"""Why attempts are void that were under way when a server was stopped."""

TROUBLE: Final = "the server had trouble with its store or its machine"
"""Why attempts are void that were under way when nothing could be played any more."""

TRIES: Final = 3
"""How often a match is begun that breaks by a fault of the server's own."""


BUSY: Final = 8
"""Rounds in which one may have matches that are not over; who has so many is not drawn again."""

SHARE: Final = 4
"""One entrant is at a fourth of the tables at once at most, for others want to play, too."""

_ACTIVE: Final[tuple[Status, ...]] = ("active",)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the registry says at one moment; ``season`` is the one that is not closed.

    ``void`` are those matches of open rounds that have lost the result that they had.
    """

    generation: int
    season: Season | None
    active: tuple[Version, ...]
    void: frozenset[str]
    revoked: Mapping[str, int]
    """How many tokens of its owner are worthless, by entrant."""


class Sitting:
    """Plays a season that the store holds.

    Args:
        means: what it is played with.
        season: which.
        woken: set when there may be something to do.
    """

    def __init__(self, means: Means, season: Season, woken: asyncio.Event) -> None:
        self._means = means
        self._season = season
        self._settings = SeasonSettings.of(season.configuration)
        self._woken = woken
        self._log = structlog.get_logger("sandlot.hall").bind(season=season.name)
        self._seen = _Seen(-1, season, (), frozenset(), {})
        self._history = History(self._settings.seats)
        self._rest = Rest()
        self._latest = 0  # the number of the round that was drawn last
        self._level: list[Version] = []  # of whom it is known that nobody is catching up
        self._next = 0.0  # when the next round may begin, by the loop's clock
        self._found = 0  # the number of the latest round that was taken up
        self._awaited = 0.0  # until when who is away may come back to these rounds
        self._versions: dict[str, Version] = {}  # those that play, by entrant
        self._here: set[str] = set()  # those of them that can be asked now
        self._admitted: list[str] = []
        self._entered: set[str] = set()
        self._failed: set[str] = set()
        self._broken: Counter[str] = Counter()
        self._tables: Tables | None = None
        self._leaving = False

    @property
    def queue(self) -> int:
        """How many matches that are drawn have not begun."""
        return self._rest.waiting

    @property
    def variant(self) -> str:
        """What is played."""
        return self._settings.variant

    def session_ended(self, bot: str, cause: str, text: str) -> None:
        """Take note that the session of a bot has ended that was started here."""
        if self._tables is not None:
            self._tables.session_ended(bot, cause, text)

    def leave(self) -> None:
        """Have no match begin any more: ``play`` returns when those under way are over."""
        self._leaving = True
        self._woken.set()

    async def play(self) -> None:
        """Play until the season is closed.

        When this is cancelled, or raises, the matches under way are broken off.

        Raises:
            StoreError: the store does not take it.
            StartError: bots cannot be started by no fault of their own.
        """
        await self._take_up()
        try:
            async with GroupCommit(self._means.store, self._season.name) as commits:
                self._tables = Tables(self._means, self._season, self._settings, commits)
                try:
                    await self._play(self._tables)
                finally:
                    await self._tables.close()
            self._log.info("season left", status=self._status)
        except asyncio.CancelledError:
            await self._break_off(STOPPED)
            raise
        except Exception:
            await self._break_off(TROUBLE)
            raise

    async def _break_off(self, reason: str) -> None:
        """Make void what was under way, as far as the store allows."""
        if not self._rest.running:
            return
        self._log.warning("matches broken off", matches=self._rest.running, reason=reason)

        def told(match: str, attempt: int) -> None:
            self._log.warning("match void", match=match, attempt=attempt, reason=reason)

        # If that fails, whoever takes the season up does it.
        with suppress(StoreError):
            store, name = self._means.store, self._season.name
            await asyncio.to_thread(store.void_running, name, reason, told)
        for _ in range(self._rest.running):
            self._means.on_void(reason)

    async def _take_up(self) -> None:
        """Read how far the season has come."""
        rounds, matches, done = await asyncio.to_thread(self._read)
        for each in rounds:
            self._latest = each.number
            if not each.completed:
                for waiting in self._rest.add(each, done):
                    matches.update(waiting.bots)
        self._history = History(self._settings.seats, rounds, matches)
        if rounds:
            self._found = self._latest
            # Remote bots lost the server that was killed; until then they may find this one.
            self._awaited = asyncio.get_running_loop().time() + self._means.guests.grace
        self._log.info("season taken up", round=self._latest, waiting=self._rest.waiting)

    def _read(self) -> tuple[list[Round], Counter[str], frozenset[str]]:
        registry, name = self._means.registry, self._season.name
        rounds = registry.latest_rounds(name, REMEMBERED)
        left = [match.match for each in rounds if not each.completed for match in each.matches]
        done = self._means.store.done(name, left)
        return rounds, Counter(registry.matches_played(name)), done

    async def _play(self, tables: Tables) -> None:
        try:
            async with asyncio.TaskGroup() as matches:
                while True:
                    self._woken.clear()
                    await self._look()
                    await self._clear(tables)
                    if self._is_over():
                        break
                    if not self._leaving and self._status == "open":
                        await self._go_on(matches, tables)
                    await self._wait()
        except BaseExceptionGroup as group:  # all stop for the first that failed
            raise group.exceptions[0] from None

    @property
    def _status(self) -> str:
        return "closed" if self._seen.season is None else self._seen.season.status

    def _is_over(self) -> bool:
        """Tell whether nothing is to be done any more; matches under way are played to their end.

        A season that is closed keeps rounds that were not played to their end as they are.
        """
        return (self._leaving or self._status == "closed") and not self._rest.running

    async def _wait(self) -> None:
        """Wait until something happens, or it is time to look whether it has."""
        now = asyncio.get_running_loop().time()
        moments = [time - now for time in (self._next, self._awaited) if time > now]
        with suppress(TimeoutError):
            async with asyncio.timeout(min([self._means.period, *moments])):
                await self._woken.wait()

    async def _look(self) -> None:
        """See what has changed in the registry."""
        self._admitted = self._means.guests.admitted  # who comes in meanwhile is new to us
        before, stored = self._seen, self._rest.stored  # what is stored meanwhile is not asked for
        self._seen = await asyncio.to_thread(self._read_registry, before, stored)
        if self._seen is not before:
            for match in self._rest.reopen(self._seen.void):
                self._log.info("match to be played again", match=match.match)
            self._log.debug("registry read", generation=self._seen.generation, status=self._status)
        self._means.guests.revoke(self._seen.revoked)
        connected = self._means.guests.connected
        self._versions = {
            version.entrant: version
            for version in self._seen.active
            if version.entrant not in self._failed
            and (version.kind != "house" or self._settings.house)
        }
        self._here = {
            name
            for name, version in self._versions.items()
            if version.kind != "remote" or name in connected
        }

    def _read_registry(self, before: _Seen, stored: list[str]) -> _Seen:
        registry = self._means.registry
        generation = registry.generation()
        if generation == before.generation:
            return before
        season = registry.season()
        if season is not None and season.name != self._season.name:
            season = None
        void = frozenset(stored) - self._means.store.done(self._season.name, stored)
        active = tuple(registry.with_status(_ACTIVE))
        owners = {owner.name: owner.revoked for owner in registry.owners()}
        revoked = {version.entrant: owners[version.owner] for version in active}
        return _Seen(generation, season, active, void, revoked)

    async def _clear(self, tables: Tables) -> None:
        """Let go of all who play no more."""
        self._note_dropped(self._rest.drop(lambda bot: bot in self._versions))
        needed = {*self._versions, *self._rest.playing}
        await tables.keep(needed)
        for name in self._admitted:
            if name not in needed:
                self._means.guests.dismiss(name, "it plays no more in the league")

    async def _go_on(self, matches: asyncio.TaskGroup, tables: Tables) -> None:
        """Begin what can begin, of the rounds that are drawn and of one more."""
        self._begin(matches, tables)
        away = asyncio.get_running_loop().time() < self._awaited
        for number in self._rest.played(self._is_here):
            if number > self._found or not (away and self._rest.waits(number)):
                await self._complete(number)
        # A round waits for nobody: who thinks long is at its table while others go on.
        if self._rest.running < self._means.tables and await self._draw():
            self._begin(matches, tables)

    def _is_here(self, bot: str) -> bool:
        return bot in self._here

    def _begin(self, matches: asyncio.TaskGroup, tables: Tables) -> None:
        """Begin as many matches as there are tables; nobody sits at more than its share."""
        most = max(1, self._means.tables // SHARE)
        playing = self._rest.playing
        while self._rest.running < self._means.tables and not self._leaving:
            match = self._rest.take(lambda bot: bot in self._here and playing[bot] < most)
            if match is None:
                break
            playing.update(match.bots)
            work = self._play_match(match, tables, self._versions)
            matches.create_task(work, name=f"match {match.match}")

    async def _play_match(
        self, match: Drawn, tables: Tables, versions: Mapping[str, Version]
    ) -> None:
        try:
            outcome = await tables.play(match, versions)
        except StartError as error:
            self._rest.put_back(match)  # to be dropped, if it was the bot's own fault
            await self._fail(error, tables)
        else:
            self._settle(match, outcome)
        self._woken.set()

    def _settle(self, match: Drawn, outcome: Outcome) -> None:
        """Take note of what has come of a match."""
        if outcome is Outcome.STORED:
            self._rest.store(match)
            return
        self._broken[match.match] += outcome is Outcome.BROKEN
        if self._broken[match.match] < TRIES:
            self._rest.put_back(match)
        else:
            self._rest.give_up(match)
            self._history.drop(match.bots)

    async def _fail(self, error: StartError, tables: Tables) -> None:
        """Let a version play no more that cannot be started again."""
        if error.is_ours:
            raise error
        version = self._versions.get(error.bot)
        if version is None or error.bot in self._failed:
            return
        self._failed.add(error.bot)
        reason = tables.reason(error)
        self._log.warning("version failed", bot=error.bot, reason=reason)
        registry = self._means.registry
        await asyncio.to_thread(registry.set_status, version, "failed", reason, error.account)

    async def _complete(self, number: int) -> None:
        """Be done with a round; what is passed over until now is not played."""
        self._note_dropped(self._rest.close(number))
        registry = self._means.registry
        await asyncio.to_thread(registry.complete_round, self._season.name, number)
        self._log.info("round completed", round=number)

    def _note_dropped(self, matches: list[Drawn]) -> None:
        for match in matches:
            self._history.drop(match.bots)
            self._broken.pop(match.match, None)
            self._log.info("match dropped", match=match.match, bots=list(match.bots))

    async def _draw(self) -> bool:
        """Draw the next round if it is time; tell whether there is one."""
        rounds = self._rest.rounds()
        entrants = [self._versions[name] for name in sorted(self._here) if rounds[name] < BUSY]
        if all(version.kind == "house" for version in entrants):
            return False  # there is nothing to learn
        now = asyncio.get_running_loop().time()
        if now < self._next and entrants == self._level:
            return False
        drawn = await asyncio.to_thread(self._drawn, entrants)
        catching_up = {match.catching_up for match in drawn.matches} - {None}
        if not catching_up:
            self._level = entrants
        if not drawn.matches or (now < self._next and not catching_up):
            return False
        self._next = now + self._settings.every
        await asyncio.to_thread(self._write, drawn, entrants)
        self._history.draw(drawn)
        self._rest.add(drawn)
        self._latest = drawn.number
        self._log.info(
            "round drawn",
            round=drawn.number,
            matches=len(drawn.matches),
            entrants=len(entrants),
            catching_up=sorted(filter(None, catching_up)),
        )
        return True

    def _drawn(self, entrants: list[Version]) -> Round:
        settings = self._settings
        return draw(
            self._latest + 1,
            entrants,
            self._history,
            seats=settings.seats,
            apart=settings.apart,
            seed=self._season.seed,
        )

    def _write(self, drawn: Round, entrants: list[Version]) -> None:
        """Have a round on the disk before any of it is played."""
        registry, name = self._means.registry, self._season.name
        new = [version for version in entrants if version.entrant not in self._entered]
        if new:
            registry.enter(name, new)
            self._entered.update(version.entrant for version in new)
        registry.draw_round(name, drawn)
