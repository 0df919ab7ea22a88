"""A league server in a process of its own, that plays a season in which somebody attacks."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final, Self
from urllib.request import urlopen

import grpc.aio
from google.protobuf.message import Message
from support.command import SCRIPTS, plain_environment
from support.league_client import LeagueClient
from tournament.live import wait_until_gone

from sandlot.clock import Clock
from sandlot.records import verify
from sandlot.v1 import league_pb2 as pb
from sandlot_server.league.places import DataFolder
from sandlot_server.league.settings import SeasonSettings
from sandlot_server.store import Registry, Store
from sandlot_server.store.registered import Role
from sandlot_server.submissions.archive import write_archive

SEASON: Final = "spring"
BY: Final = "operator tess"
SEED: Final = bytes(range(32))
PATIENT: Final = Clock(60.0, 60.0)
"""So that nobody is at fault who has to wait for the processor."""


class Besieged(LeagueClient):
    """The server, its operator and its owners; ``said`` is what has come in its log.

    Args:
        folder: of all that it keeps.
        secret: stands in its environment.

    """

    def __init__(self, folder: Path, secret: str) -> None:
        self.folder = DataFolder(folder)
        self.folder.make()
        self._store = Store(self.folder.database, create=True)
        self.registry = Registry(self._store)
        settings = SeasonSettings(hands=2, house=False, every=0.0, clock=PATIENT)
        self.registry.start_season(SEASON, settings.configuration(), BY, SEED)
        self.tokens = {}
        self.said: list[dict[str, Any]] = []
        self.raw = ""
        self._secret = secret
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._stack.callback(self._store.close)
        words = ("serve", "--data", str(self.folder.root), "--listen", "127.0.0.1:0")
        self.process = await asyncio.create_subprocess_exec(
            str(SCRIPTS / "sandlot"),
            *(*words, "--log", "json", "--metrics", "127.0.0.1:0"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env=plain_environment() | {"OF_THE_OPERATOR": self._secret},
        )
        self._stack.push_async_callback(self._end)
        serving = await self.hear("serving")
        self.address, self._metrics = serving["address"], serving["metrics"]
        self.channel = await self._stack.enter_async_context(self.new_channel())
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    async def _end(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.communicate()

    @property
    def port(self) -> int:
        """Where anybody can call it."""
        return int(self.address.rpartition(":")[2])

    async def hear(self, event: str, **bound: object) -> dict[str, Any]:
        """Wait for the next time that its log says this."""
        assert self.process.stderr is not None
        while line := (await self.process.stderr.readline()).decode():
            self.raw += line
            self.said.append(json.loads(line))
            if self.said[-1]["event"] == event and bound.items() <= self.said[-1].items():
                return self.said[-1]
        raise AssertionError(f"it ended before {event!r}: {self.raw}")

    async def drained(self) -> int:
        """Have it end in good order; return its exit status."""
        self.process.terminate()
        await self.hear("stopped")
        return await self.process.wait()

    # What owners do.

    def add_owners(self, *names: str, role: Role = "owner") -> None:
        """Give each a token."""
        for name in names:
            self.tokens[name] = self.registry.add_owner(name, role, BY)

    async def submit(self, owner: str, files: dict[str, bytes]) -> pb.Version:
        """Hand in a bot; return it as it stands when it is settled."""
        request = pb.SubmitRequest(archive=write_archive(files))
        answers = await self.stream(owner, "Submit", request)
        last: pb.Version = answers[-1].version
        return last

    async def log_of(self, owner: str, bot: str, number: int = 1) -> str:
        """Return the beginning of what the owner of a bot reads in its log."""
        part = await self.call(owner, "Logs", pb.LogsRequest(bot=bot, number=number))
        return str(part.text)

    async def all_told(self, who: str, bot: str) -> bytes:
        """Return all that the server tells somebody, in its answers and beside them."""
        (match, *_) = self._store.matches(SEASON, most=1)
        requests: dict[str, Message] = {
            "WhoAmI": pb.WhoAmIRequest(),
            "List": pb.ListRequest(),
            "Status": pb.StatusRequest(bot=bot),
            "Logs": pb.LogsRequest(bot=bot),
            "Standings": pb.StandingsRequest(),
            "Matches": pb.MatchesRequest(),
            "Record": pb.RecordRequest(match=match.match),
            "Running": pb.RunningRequest(),
        }
        told: bytes = self.raw.encode()
        for method, request in requests.items():
            try:
                told += b"".join([raw async for raw in self.begin(who, method, request)])
            except grpc.aio.AioRpcError as error:  # not everything is for everybody
                told += str(error).encode()
        with await asyncio.to_thread(urlopen, self._metrics) as metrics:
            return told + bytes(metrics.read())

    def faults(self, entrant: str) -> list[dict[str, int]]:
        """Return the faults of an entrant by cause, match by match; every record is whole."""
        for _, text in self._store.records(SEASON):
            assert len(list(verify(text, SEED))) == 1
        return [
            dict(seat.faults)
            for match in self._store.matches(SEASON, bot=entrant, most=10_000)
            for seat in match.seats
            if seat.bot == entrant
        ]

    # What is left.

    def processes(self, named: str) -> list[int]:
        """Return the processes on the command line of which this stands."""
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdecimal() and int(folder.name) != os.getpid():
                try:
                    words = (folder / "cmdline").read_bytes()
                except OSError:  # gone meanwhile
                    continue
                if named.encode() in words:
                    found.append(int(folder.name))
        return found

    async def gone(self, named: str) -> None:
        """Wait until there is none of these processes any more."""
        while found := self.processes(named):
            for pid in found:
                await asyncio.to_thread(wait_until_gone, pid)
