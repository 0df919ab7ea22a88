"""A remote bot, a process of its own, that reaches an arbiter on another's server over a proxy."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final, Self

import grpc
import grpc.aio
from support.arbiter_room import Room
from support.certificates import Certificate
from support.proxy import Proxy

from sandlot.address import Keepalive
from sandlot.played import PlayedMatch
from sandlot_server.arbiter import Limits, server_options

BOT: Final = """
import sys
from sandlot import Action, Bot
from sandlot.address import Address, Keepalive
from sandlot.connect import end_on_error
from sandlot.host import Host
from sandlot.session import play_session

class Asks(Bot):
    '''Says what it is asked, waits for a word, and draws what it does from its own randomness.'''
    def match_started(self, start):
        print("start", flush=True)
    def act(self, seen):
        print(seen.decision, flush=True)
        sys.stdin.readline()
        return self.rng.choice([each for each in seen.legal if each != Action.FOLD])

address, ca, every = sys.argv[1:]
end_on_error(lambda: play_session(
    Host(Asks), Address.parse(address, ca), "bot-0-token",
    keepalive=Keepalive(float(every), float(every)),
))
"""


@asynccontextmanager
async def public_server(
    room: Room, options: list[tuple[str, int]], certificate: Certificate | None = None
) -> AsyncIterator[int]:
    """Serve the room's arbiter on a server of somebody else's; give its port.

    At the end the arbiter is stopped, and then the server.
    """
    server = grpc.aio.server(options=options)
    server.add_generic_rpc_handlers((room.arbiter.handlers(),))
    if certificate is None:
        port = server.add_insecure_port("127.0.0.1:0")
    else:
        credentials = grpc.ssl_server_credentials([certificate.pair])
        port = server.add_secure_port("127.0.0.1:0", credentials)
    await server.start()
    try:
        yield port
    finally:
        await room.arbiter.stop()
        await server.stop(None)


class RemoteBot:
    """The process: ``asked`` waits for what it is asked, ``go`` lets it answer."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.decisions: list[int] = []
        self.starts = 0
        self.said = ""

    async def asked(self) -> int | None:
        """Wait until it is asked; None when it has ended."""
        assert self.process.stdout is not None
        while line := (await self.process.stdout.readline()).decode().strip():
            if line != "start":
                self.decisions.append(int(line))
                return self.decisions[-1]
            self.starts += 1
        return None

    def go(self) -> None:
        """Let it answer."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")

    async def hear(self, text: str) -> None:
        """Wait until its standard error says this."""
        assert self.process.stderr is not None
        while text not in self.said:
            line = await self.process.stderr.readline()
            assert line, f"it has ended, and said: {self.said}"
            self.said += line.decode()

    async def play_on(self) -> None:
        """Let it answer whatever it is asked, until it ends."""
        while await self.asked() is not None:
            self.go()


class RemoteRoom:
    """A room whose first bot comes from elsewhere; the others are as in any room.

    Args:
        directory: where the bot's file is put.
        certificate: with which the server is reached over TLS; None for a server without.
        grace: seconds that the bot may be away, by the room's own clock and the bot's.
        server_pings, bot_pings: seconds between the pings of either side, and to their answers.

    """

    def __init__(
        self,
        directory: Path,
        certificate: Certificate | None,
        *,
        grace: float = 60.0,
        server_pings: float = 20.0,
        bot_pings: float = 20.0,
    ) -> None:
        self.room = Room(grace=grace)
        self._directory = directory
        self._certificate = certificate
        self._server_pings = Keepalive(server_pings, server_pings)
        self._bot_pings = bot_pings
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._stack.enter_async_context(self.room)
        options = server_options(Limits(), self._server_pings)
        server = public_server(self.room, options, self._certificate)
        port = await self._stack.enter_async_context(server)
        self.proxy = await self._stack.enter_async_context(Proxy(port))
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    async def bot(self) -> RemoteBot:
        """Start the bot and wait until it is there."""
        script = self._directory / "asks.py"
        script.write_text(BOT)
        certificate = self._certificate
        address = f"localhost:{self.proxy.port}"
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(script)),
            *(address, "") if certificate is None else (f"tls://{address}", certificate.authority),
            str(self._bot_pings),
            env={"PATH": os.environ["PATH"]},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        self._stack.push_async_callback(_end, process)
        await self.room.arbiter.ready("bot-0")
        return RemoteBot(process)

    def play(self, **setup: Any) -> asyncio.Task[PlayedMatch]:
        """Begin a match in which the remote bot is asked first."""
        return self.room.play(**setup)

    async def noticed(self, times: int = 1) -> None:
        """Wait until the arbiter has noticed so many lost connections."""
        while len(self.room.ended) < times:  # noqa: ASYNC110 - what tells of it is a callback
            await asyncio.sleep(0)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.communicate()
