"""A league's service on a gRPC server of its own: the store is real, what is around it is not.

Its owners are ``ann`` and ``bob``, ``ida`` the reader and ``tess`` the admin.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, Self

import grpc.aio
from support import stored
from support.league_client import LeagueClient

from sandlot.errors import SessionError
from sandlot_server.arbiter import Running, Watched
from sandlot_server.arbiter.limits import Limits as ArbiterLimits
from sandlot_server.arbiter.limits import server_options
from sandlot_server.league.settings import SeasonSettings
from sandlot_server.service.handler import league_handler
from sandlot_server.service.league import League
from sandlot_server.service.limits import Limits
from sandlot_server.store import Store
from sandlot_server.store.registered import Drawn, Owner, Round, Version
from sandlot_server.store.registry import Registry

ROLES = {"ann": "owner", "bob": "owner", "ida": "reader", "tess": "admin"}


class Part(NamedTuple):
    text: str
    next: int
    more: bool


class Pass(NamedTuple):
    token: str
    grace: float


class FakeReception:
    """Takes what is submitted as a bot of the owner's; ``changes`` are told of it afterwards."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self.changes: asyncio.Queue[Version | None] = asyncio.Queue()
        self.refusal: Exception | None = None
        self.logs: dict[str, str] = {}
        self.entered = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.hold: asyncio.Event | None = None
        """What a call has to wait for."""

    async def submit(self, owner: Owner, archive: bytes, name: str | None = None) -> Version:
        await self._held()
        if self.refusal is not None:
            raise self.refusal
        return self._registry.receive(owner.name, name or "river-rat", archive.hex(), {}, 5)

    async def enroll(self, owner: Owner, bot: str, *, new: bool) -> Version:
        if self.refusal is not None:
            raise self.refusal
        return self._registry.enroll(owner.name, bot, new=new)

    async def follow(self, version: Version) -> AsyncIterator[Version]:
        while (changed := await self.changes.get()) is not None:
            yield changed

    async def log_of(self, version: Version, season: str | None, after: int, most: int) -> Part:
        await self._held()
        log = self.logs.get(version.entrant, "")
        begin = after if after >= 0 else max(0, len(log) + after)
        end = min(len(log), begin + most)
        return Part(log[begin:end], end, end < len(log))

    async def _held(self) -> None:
        self.entered.set()
        if self.hold is not None:
            try:
                await self.hold.wait()
            except asyncio.CancelledError:
                self.cancelled.set()
                raise


class FakeHall:
    """Where ``matches`` are played, of which ``seen`` is seen."""

    def __init__(self) -> None:
        self.looks = 0
        self.matches: list[Running] = []
        self.seen: AsyncGenerator[Watched, None] | None = None
        self.refusal: SessionError | None = None

    def look(self) -> None:
        self.looks += 1

    async def admit(self, version: Version, revoked: int) -> Pass:
        if self.refusal is not None:
            raise self.refusal
        return Pass(f"session of {version.entrant}", 30.0)

    def running(self) -> list[Running]:
        return self.matches

    def watch(self, match: str) -> AsyncGenerator[Watched, None]:
        assert self.seen is not None
        return self.seen


class LeagueRoom(LeagueClient):
    """A league's service, and a way to call it."""

    def __init__(
        self,
        folder: Path,
        limits: Limits = Limits(),  # noqa: B008 - a frozen value
        hall: Any = None,
        receive: int = ArbiterLimits().receive,
    ) -> None:
        self.store = Store(folder / "league.db", create=True)
        self.registry = Registry(self.store)
        self.tokens = {
            name: self.registry.add_owner(name, role, "tests")  # type: ignore[arg-type]
            for name, role in ROLES.items()
        }
        self.reception = FakeReception(self.registry)
        self.hall = FakeHall() if hall is None else hall
        self.now = 1000.0
        self.league = League(
            self.store, self.registry, self.reception, self.hall, limits, lambda: self.now
        )
        self.address = ""
        self._arbiter_limits = ArbiterLimits(receive=receive)
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        server = grpc.aio.server(options=server_options(self._arbiter_limits))
        server.add_generic_rpc_handlers((league_handler(self.league),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        self._stack.callback(self.store.close)
        self._stack.push_async_callback(server.stop, 0)
        self.address = f"127.0.0.1:{port}"
        self.channel = await self._stack.enter_async_context(self.new_channel())
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    # What is in the league.

    def submitted(self, owner: str, bot: str) -> Version:
        """Put a bot in that is active."""
        version = self.registry.receive(owner, bot, f"hash of {bot}", {"run": "bot.py"}, 9)
        return self.registry.set_status(version, "active")

    def season(self, name: str = "spring", *entering: Version, **settings: Any) -> None:
        """Start a season with these."""
        self.registry.start_season(name, SeasonSettings(**settings).configuration(), "tests")
        self.registry.enter(name, entering)

    def play(self, season: str, match: str, nets: Mapping[str, int | Fraction]) -> None:
        """Put a match in that has a result."""
        latest = self.registry.latest_rounds(season, 1)
        number = 1 + max((each.number for each in latest), default=0)
        self.registry.draw_round(season, Round(number, (Drawn(match, tuple(nets), 0),)))
        stored.play(self.store, match, nets, tournament=season)
