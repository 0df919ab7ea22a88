"""A hall with a league that tests fill, small enough to be played for real in processes."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import AsyncExitStack
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Self

import grpc.aio
import structlog
from support.scripted_bot import ScriptedBot

from sandlot.clock import Clock
from sandlot.played import PlayedMatch
from sandlot.records import read, verify
from sandlot_server.launch.bots import ClassBot, LaunchedBot
from sandlot_server.launch.plain import PLAIN
from sandlot_server.league.hall import Hall
from sandlot_server.league.house import house_bot
from sandlot_server.league.places import DataFolder
from sandlot_server.league.settings import SeasonSettings
from sandlot_server.store import Place, Registry, Store
from sandlot_server.store.registered import REMOTE, Round, Version

ZOO: Final = Path(__file__).parents[1] / "zoo"
GOOD: Final = f"{ZOO / 'bad_classes.py'}:Good"
BROKEN: Final = f"{ZOO / 'broken_import.py'}:Broken"
SEED: Final = bytes(range(32))
BY: Final = "operator tess"
SEASON: Final = "spring"


class League:
    """A store with owners, bots and a season, and what tests do to them.

    Args:
        folder: where all is kept.
        place: of the store, if not in the folder.
        settings: of the season; without a house and without pauses if nothing else is said.
    """

    def __init__(self, folder: Path, place: Place | None = None, **settings: Any) -> None:
        self.folder = DataFolder(folder)
        self.folder.make()
        self.store = Store(place or self.folder.database, create=True)
        self.registry = Registry(self.store)
        if not self.registry.seasons():
            asked = {"hands": 1, "house": False, "every": 0.0, "clock": Clock(60.0, 0.0)} | settings
            configuration = SeasonSettings(**asked).configuration()
            self.registry.start_season(SEASON, configuration, BY, SEED)

    def submit(self, *bots: str, run: str = GOOD) -> list[Version]:
        """Have bots active, each in a new version; each has an owner of its own."""
        known = {one.name for one in self.registry.owners()}
        versions = []
        for bot in bots:
            if bot not in known:
                self.registry.add_owner(bot, "owner", BY)
            number = sum(len(one.versions) for one in self.registry.bots() if one.name == bot)
            hash_ = f"{number:02x}" * 32
            waiting = self.registry.receive(bot, bot, hash_, {"run": run}, 9)
            versions.append(self.registry.set_status(waiting, "active"))
        return versions

    def enroll(self, bot: str) -> Version:
        """Have a bot that plays from its owner's machine."""
        if bot not in {one.name for one in self.registry.owners()}:
            self.registry.add_owner(bot, "owner", BY)
        return self.registry.enroll(bot, bot)

    def launched(self, version: Version) -> LaunchedBot:
        """How a version is started."""
        if version.kind == "house":
            return house_bot(version.bot, self.folder.house)
        return ClassBot(version.manifest["run"], self.folder.house)

    def rounds(self) -> list[Round]:
        """The rounds that were drawn."""
        return self.registry.latest_rounds(SEASON, 10_000)

    def check(self) -> Counter[str]:
        """See that what is stored is whole; return how many matches each entrant has.

        No match twice, none that was not drawn as it was played, none lost of a round that is
        completed but those that were dropped; and the standings are those of the records.
        """
        plans = {match.match: match for drawn in self.rounds() for match in drawn.matches}
        nets: defaultdict[str, Fraction] = defaultdict(Fraction)
        matches: Counter[str] = Counter()
        records = dict(self.store.records(SEASON))
        assert set(records) <= set(plans)
        hashes = {
            version.entrant: version.hash
            for bot in self.registry.bots()
            for version in bot.versions
        }
        for match, text in records.items():
            assert len(list(verify(text, SEED))) == 1
            (record,) = read(text)
            setup = record.played.setup
            assert tuple(one.bot for one in setup.entrants) == plans[match].bots
            assert setup.first_dealer == plans[match].first_dealer
            for entrant, net in zip(setup.entrants, record.played.net, strict=True):
                assert entrant.version == hashes[entrant.bot]
                nets[entrant.bot] += net
                matches[entrant.bot] += 1
        for row in self.store.sums(SEASON)[0]:
            assert (row.matches, Fraction(row.net_sum, 840)) == (matches[row.bot], nets[row.bot])
        assert self.registry.matches_played(SEASON) == matches
        return matches

    def missing(self) -> set[str]:
        """The matches of rounds that are completed, and of the latest, without a result."""
        planned = {match.match for drawn in self.rounds() for match in drawn.matches}
        return planned - self.store.done(SEASON)


class Heard:
    """What the hall puts into its log, to be waited for."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self._more = asyncio.Event()

    def note(
        self, logger: object, method: str, event: MutableMapping[str, Any]
    ) -> Mapping[str, Any]:
        """Be a processor of structlog, the last one."""
        self.events.append(dict(event))
        self._more.set()
        raise structlog.DropEvent

    def all(self, event: str, **bound: Any) -> list[dict[str, Any]]:
        """What was said of this so far."""
        return [
            each
            for each in self.events
            if each["event"] == event and all(each.get(key) == bound[key] for key in bound)
        ]

    async def times(self, number: int, event: str, **bound: Any) -> list[dict[str, Any]]:
        """Wait until this was said so often."""
        while len(found := self.all(event, **bound)) < number:
            self._more.clear()
            await self._more.wait()
        return found

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds, which is looked at whenever something is said."""
        while not condition():
            self._more.clear()
            await self._more.wait()


class Playing:
    """A hall that plays the league. As a context, it is gone after, with all it has started."""

    def __init__(self, league: League, tables: int = 2, **options: Any) -> None:
        self.league = league
        self.heard = Heard()
        self.finished: list[PlayedMatch] = []
        self.voids: list[str] = []
        self.hall = Hall(
            league.store,
            league.registry,
            league.folder,
            launched=league.launched,
            confine=lambda private: PLAIN,
            tables=tables,
            on_finished=self.finished.append,
            on_void=self.voids.append,
            **{"patience": 60.0, "period": 60.0} | options,
        )
        self._stack = AsyncExitStack()
        self._tasks: list[asyncio.Task[Any]] = []

    async def __aenter__(self) -> Self:
        before = structlog.get_config()
        self._stack.callback(lambda: structlog.configure(**before))
        structlog.configure(
            processors=[structlog.contextvars.merge_contextvars, self.heard.note],
            cache_logger_on_first_use=False,
        )
        await self._stack.enter_async_context(self.hall)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def public_address(self) -> str:
        """Serve the arbiter to remote bots; return where."""
        directory = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="public-"))
        server = grpc.aio.server()
        server.add_generic_rpc_handlers((self.hall.arbiter.handlers(),))
        address = f"unix:{directory}/public"
        server.add_insecure_port(address)
        await server.start()
        self._stack.push_async_callback(server.stop, None)
        self._stack.push_async_callback(self.hall.arbiter.stop)
        return address

    async def connect(self, address: str, version: Version) -> ScriptedBot:
        """Let a remote bot in, which checks or calls from now on."""
        admission = await self.hall.admit(version)
        bot = await self._stack.enter_async_context(ScriptedBot(address, admission.token))
        await bot.connect()
        self._tasks.append(asyncio.create_task(bot.play_on()))
        return bot

    async def drain(self) -> None:
        """Let what is under way end."""
        await self.hall.drain(60.0, asyncio.Event())


__all__ = ["BROKEN", "GOOD", "REMOTE", "SEASON", "Heard", "League", "Playing"]
