"""The league server under load: bots that connect from outside, and many live tables.

``python -m bench.league`` from the root of the repository starts ``sandlot serve`` in a new folder,
connects 100 bots that answer in 1 to 20 ms, and plays at 500 tables for ten minutes. It prints

- faults: there should be none, for every bot answers in good time
- the latency of decisions as the arbiter counts it, thinking included, from the records
- the memory of the server after each tenth of the time
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc.aio

from bench.memory import status
from sandlot.address import Address, aio_channel
from sandlot.v1 import arbiter_pb2, league_pb2
from sandlot.wire import PLAY, PROTOCOL, Hello, write_hello

THINKING = (0.001, 0.020)
"""Seconds that a bot takes for a decision, at least and at most."""

OWNERS = 10
"""Who owns the bots; each the same number."""

SANDLOT = str(Path(sys.executable).with_name("sandlot"))

PARTS = 10
"""How often memory is looked at."""

LOOK = 0.5
"""Seconds between two questions for what is under way."""


@dataclass
class Load:
    """What came of it.

    Attributes:
        matches, hands, decisions: that have been stored.
        faults: by cause.
        void: attempts that came to nothing, by reason.
        p50, p99: of the milliseconds that decisions took by the arbiter's clock.
        megabytes: of the server, after each part.
        live: the most matches that were under way at once.
        seconds: how long it was played.

    """

    matches: int = 0
    hands: int = 0
    decisions: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    void: Counter[str] = field(default_factory=Counter)
    p50: float = 0.0
    p99: float = 0.0
    megabytes: list[float] = field(default_factory=list)
    live: int = 0
    seconds: float = 0.0


class Server:
    """A ``sandlot serve`` of our own, in a folder of its own; a context."""

    def __init__(self, folder: Path, tables: int) -> None:
        self._data = folder / "data"
        self._log = folder / "server.log"
        self._tables = tables
        self.address = ""

    def __enter__(self) -> Server:
        season = ("--seats", "2", "--no-house", "--every", "0s")
        self.admin("season", "start", "load", *season)
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    *(SANDLOT, "serve"),
                    *("--data", str(self._data), "--listen", "127.0.0.1:0"),
                    *("--tables", str(self._tables), "--log", "json"),
                ],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        self.address = line.split()[-1] if line else ""
        assert self.address, self._log.read_text()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait(120)
        if self._process.stdout is not None:
            self._process.stdout.close()

    @property
    def pid(self) -> int:
        """Of its process."""
        return self._process.pid

    @property
    def database(self) -> Path:
        """Where its store is."""
        return self._data / "sandlot.db"

    def admin(self, *words: str) -> str:
        """Run ``sandlot admin``; return what it prints."""
        return command("admin", *words, "--data", str(self._data))


def command(*words: str) -> str:
    """Run a command of Sandlot's; return what it prints."""
    done = subprocess.run(
        [SANDLOT, *words],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    return done.stdout.strip()


class Player:
    """A bot that connects, thinks for a while about each decision, and does anything legal."""

    def __init__(
        self, address: Address, owner: str, name: str, seed: int, gate: asyncio.Semaphore
    ) -> None:
        self._address = address
        self._gate = gate
        self._owner = owner
        self._name = name
        self._rng = random.Random(seed)
        self._answers: list[Any] = []
        self._wake = asyncio.Event()
        self.ended = ""

    async def play(self) -> None:
        """Play until the server ends the session."""
        async with aio_channel(self._address) as channel:
            connect = channel.unary_unary(
                "/sandlot.v1.LeagueService/Connect",
                request_serializer=league_pb2.ConnectRequest.SerializeToString,
                response_deserializer=league_pb2.ConnectResponse.FromString,
            )
            bearer = (("authorization", f"Bearer {self._owner}"),)
            async with self._gate:  # a crowd of unknown tokens from one address is slowed down
                admitted = await connect(league_pb2.ConnectRequest(bot=self._name), metadata=bearer)
            method: Any = channel.stream_stream(PLAY)
            call = method(metadata=(("authorization", f"Bearer {admitted.token}"),))
            await call.write(write_hello(Hello(PROTOCOL, "load", ("baseball",))))
            writing = asyncio.create_task(self._write(call))
            try:
                while (raw := await call.read()) is not grpc.aio.EOF:
                    self._hear(raw)
            except grpc.aio.AioRpcError as error:
                self.ended = f"{error.code().name}: {error.details()}"
            finally:
                writing.cancel()
                call.cancel()

    def _hear(self, raw: bytes) -> None:
        loop = asyncio.get_running_loop()
        for item in arbiter_pb2.PlayResponse.FromString(raw).items:
            if item.WhichOneof("item") == "decision_requested":
                seen = item.decision_requested.observation
                action = self._rng.choice(seen.legal).name
                answer = arbiter_pb2.Decision(match=seen.match, decision=seen.decision)
                answer.action.name = action
                loop.call_later(self._rng.uniform(*THINKING), self._answer, answer)

    def _answer(self, answer: Any) -> None:
        self._answers.append(answer)
        self._wake.set()

    async def _write(self, call: Any) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            ready, self._answers = self._answers, []
            await call.write(arbiter_pb2.PlayRequest(decisions=ready).SerializeToString())


async def watched(server: Server, bots: int, seconds: float, load: Load) -> None:
    """Connect the bots, let them play for so long, and look at the server meanwhile."""
    address = Address.parse(server.address)
    owners = [server.admin("owner", "add", f"owner-{number}") for number in range(OWNERS)]
    gate = asyncio.Semaphore(4)
    players = [
        Player(address, owners[number % OWNERS], f"bot-{number:03}", number, gate)
        for number in range(bots)
    ]
    playing = [asyncio.create_task(player.play()) for player in players]
    while not await live(address, owners[0]):  # noqa: ASYNC110 - no event tells of it
        await asyncio.sleep(LOOK)
    began = time.monotonic()
    for _ in range(PARTS):
        # An end of a session before its time is an end of the measurement.
        done, _rest = await asyncio.wait(
            playing, timeout=seconds / PARTS, return_when=asyncio.FIRST_COMPLETED
        )
        for task in done:
            task.result()
        if done:
            ended = [player.ended for player in players if player.ended]
            raise RuntimeError(f"sessions ended: {ended[:3]}")
        load.megabytes.append(status(server.pid, "VmRSS"))
        load.live = max(load.live, await live(address, owners[0]))
    load.seconds = time.monotonic() - began
    server.admin("season", "pause", "load")
    while await live(address, owners[0]):  # noqa: ASYNC110 - to their end; the same
        await asyncio.sleep(LOOK)
    for task in playing:
        task.cancel()
    await asyncio.wait(playing)


async def live(address: Address, owner: str) -> int:
    """Return how many matches are under way."""
    async with aio_channel(address) as channel:
        running = channel.unary_unary(
            "/sandlot.v1.LeagueService/Running",
            request_serializer=league_pb2.RunningRequest.SerializeToString,
            response_deserializer=league_pb2.RunningResponse.FromString,
        )
        bearer = (("authorization", f"Bearer {owner}"),)
        return len((await running(league_pb2.RunningRequest(), metadata=bearer)).matches)


def read_back(database: Path, load: Load) -> None:
    """Take what the store says of it into account."""
    from sandlot_server.store import Store

    took: Counter[int] = Counter()
    with Store(database) as store:
        for void in store.voids("load"):
            load.void[void.reason] += 1
        for _, record in store.records("load"):
            load.matches += 1
            for line in record.splitlines():
                read = json.loads(line)
                if read["type"] == "hand":
                    load.hands += 1
                    took.update(each["ms"] for each in read["decisions"])
                elif read["type"] == "result":
                    for faults in read["faults"]:
                        load.faults.update(faults)
    load.decisions = took.total()
    load.p50, load.p99 = quantile(took, 0.50), quantile(took, 0.99)


def quantile(counts: Counter[int], share: float) -> float:
    """Return the least value that so large a share of all does not exceed."""
    reached = 0
    for value in sorted(counts):
        reached += counts[value]
        if reached >= share * counts.total():
            return value
    return float("nan")


def run(bots: int, tables: int, seconds: float) -> Load:
    """Measure."""
    load = Load()
    with tempfile.TemporaryDirectory(prefix="sandlot-load-") as folder:
        with Server(Path(folder), tables) as server:
            asyncio.run(watched(server, bots, seconds, load))
        read_back(server.database, load)
    return load


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bots", type=int, default=100, help="how many (100)")
    parser.add_argument("--tables", type=int, default=500, help="how many at once (500)")
    parser.add_argument("--minutes", type=float, default=10, help="how long (10)")
    given = parser.parse_args(arguments)
    load = run(given.bots, given.tables, given.minutes * 60)
    print(f"{load.matches:,} matches, {load.hands:,} hands, {load.decisions:,} decisions")
    print(f"{load.decisions / load.seconds:,.0f} decisions a second, {load.live} tables live")
    print(f"a decision took {load.p50:g} ms (p50), {load.p99:g} ms (p99), thinking included")
    print(f"faults: {dict(load.faults) or 'none'}; void: {dict(load.void) or 'none'}")
    print("megabytes: " + " ".join(f"{each:.0f}" for each in load.megabytes))


if __name__ == "__main__":
    main()
