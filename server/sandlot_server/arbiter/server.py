"""The arbiter: serves the streams of the bots and plays matches between them."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import os
from collections.abc import Callable, Collection
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

# Bots are started as processes of their own, and gRPC's handlers for forks hang in that.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # all that matters comes as errors of Python

import grpc
import grpc.aio
import structlog

from sandlot.errors import SessionError
from sandlot.wire import REASON, SERVICE
from sandlot_server.arbiter.clock import LoopClock, Timekeeper
from sandlot_server.arbiter.endings import (
    Ending,
    already_connected,
    no_token,
    stopping,
    unknown_token,
)
from sandlot_server.arbiter.limits import Limits
from sandlot_server.arbiter.player import Player
from sandlot_server.arbiter.stream import Stream
from sandlot_server.arbiter.table import Fault, Table

if TYPE_CHECKING:
    from sandlot.played import MatchSetup, PlayedMatch

BEARER: Final = "Bearer "

COLLECT: Final = (20_000, 10, 50)
"""How often the collector looks for cycles in the process of an arbiter; see ``gc``."""


class Arbiter:
    """Serves bots and plays matches between them; one on an event loop.

    ``expect`` says who may come, ``ready`` waits until it has come, ``play`` plays a match. Any
    number of matches may be played at once.

    Args:
        on_fault: called with every fault of a bot, as it happens.
        on_end: called with a bot's name, a cause (``crash`` or ``timeout``) and a text when its
            session has ended otherwise than by ``stop``: its process should be ended, if it is not.
        on_refused: called with a bot's name and a text when its token was shown while it had a
            session: the stream is refused, and somebody may want to know who has the token.
        limits: what a bot may do to the arbiter's time and memory.
        clock: the time that is taken from bots.

    """

    def __init__(
        self,
        *,
        on_fault: Callable[[Fault], None] = lambda fault: None,
        on_end: Callable[[str, str, str], None] = lambda bot, cause, text: None,
        on_refused: Callable[[str, str], None] = lambda bot, text: None,
        limits: Limits = Limits(),  # noqa: B008 - a frozen value
        clock: Timekeeper | None = None,
    ) -> None:
        self._on_fault = on_fault
        self._on_end = on_end
        self._on_refused = on_refused
        self._limits = limits
        self._loop_clock = LoopClock() if clock is None else None
        self._clock: Timekeeper = self._loop_clock or clock  # type: ignore[assignment]
        self._players: dict[str, Player] = {}
        self._by_token: dict[bytes, Player] = {}
        self._tables: dict[str, Table] = {}
        self._tasks: set[asyncio.Task[None]] = set()  # readers and writers
        self._streams: set[asyncio.Event] = set()  # one a stream, set at its end
        self._server: grpc.aio.Server | None = None
        self._stopping = False
        self._name = f"sandlot/{version('sandlot')}"
        self._log = structlog.get_logger("sandlot.arbiter")

    async def start(self, address: str) -> str:
        """Listen, and return the address for bots to connect to.

        Args:
            address: ``unix:/path`` or ``host:port``; port 0 takes any that is free.

        Raises:
            SessionError: the address cannot be listened at.

        """
        server = grpc.aio.server(
            options=[
                ("grpc.so_reuseport", 0),  # or a second arbiter would share the port in silence
                ("grpc.max_receive_message_length", self._limits.receive),
                ("grpc.max_send_message_length", -1),
            ]
        )
        # Bytes in, bytes out: what a bot sends is read here, so that garbage is a fault in the game
        # and not the end of the call.
        play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(
            self._play
        )
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(SERVICE, {"Play": play}),)
        )
        try:
            port = server.add_insecure_port(address)
        except RuntimeError as error:
            raise SessionError(
                f"cannot listen at {address}: {error}; take another address, or end what uses it"
            ) from None
        await server.start()
        self._server = server
        # Matches make many objects that live for a while and hold no cycles: looking for cycles as
        # often as by default takes a seventh of the time.
        gc.set_threshold(*COLLECT)
        if self._loop_clock is not None:
            self._loop_clock.start()
        bound = address if address.startswith("unix:") else f"{address.rpartition(':')[0]}:{port}"
        self._log.info("arbiter listens", address=bound)
        return bound

    def expect(
        self, bot: str, token: str, *, variants: Collection[str] = (), grace: float = 0.0
    ) -> None:
        """Let a bot in by its token, from now on. An earlier token is void, and its session ends.

        Args:
            bot: its name.
            token: what it will show; a secret.
            variants: what it must be able to play.
            grace: seconds that it may be away in a match before it counts as gone; for a bot that
                nobody starts anew.

        """
        player = self._players.get(bot)
        if player is None:
            player = Player(bot, self._clock, self._limits, self._on_end)
            self._players[bot] = player
        self.forget_token(bot)
        player.gone("the bot was started anew")
        player.variants = variants
        player.grace = grace
        self._by_token[_digest(token)] = player

    def forget_token(self, bot: str) -> None:
        """Let the bot in no more; a session that it has goes on."""
        for digest, player in list(self._by_token.items()):
            if player.bot == bot:
                del self._by_token[digest]

    def gone(self, bot: str, text: str) -> None:
        """Take note that the bot's process has ended; ``text`` says how."""
        self._player(bot).gone(text)

    async def ready(self, bot: str) -> None:
        """Wait until the bot has said hello and can be asked."""
        await self._player(bot).ready.wait()

    def is_ready(self, bot: str) -> bool:
        """Tell whether the bot has said hello and can be asked."""
        return self._player(bot).listens

    async def play(self, setup: MatchSetup) -> PlayedMatch:
        """Play a match as soon as every seat's bot is there, and return what it leaves behind.

        When this is cancelled the match is broken off, without a result and no bot's fault.

        Raises:
            SessionError: a bot is not expected, the match is being played already, or the arbiter
                is stopped.
            RuleError: the set-up is not one that the variant allows.

        """
        players = [self._player(entrant.bot) for entrant in setup.entrants]
        while not all(player.listens for player in players):
            for player in players:
                await player.ready.wait()
        if self._stopping:
            raise _broken_off(setup.match)
        if setup.match in self._tables:
            raise SessionError(f"match {setup.match} is being played already")
        table = Table(setup, players, self._on_fault)
        self._tables[setup.match] = table
        try:
            table.begin()
            return await table.done
        finally:
            del self._tables[setup.match]
            if not table.done.done() or table.done.cancelled():
                table.break_off(_broken_off(setup.match))

    async def stop(self) -> None:
        """Break off what is played, end all sessions and wait for their end."""
        self._stopping = True
        for table in list(self._tables.values()):
            table.break_off(_broken_off(table.match_id))
        ended = list(self._streams)
        for player in self._players.values():
            player.stop()
        # The server does not wait for its handlers when it stops.
        waiting = [asyncio.create_task(event.wait()) for event in ended]
        if waiting:
            _, late = await asyncio.wait(waiting, timeout=2 * self._limits.linger)
            for task in late:
                task.cancel()
        if self._server is not None:
            await self._server.stop(None)
            self._server = None
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._loop_clock is not None:
            self._loop_clock.stop()

    def _player(self, bot: str) -> Player:
        try:
            return self._players[bot]
        except KeyError:
            raise SessionError(f"nobody expects {bot}: call expect() first") from None

    async def _play(self, _: object, context: Any) -> None:
        """Serve one stream of ``Play``."""
        player = self._whom(context)
        if isinstance(player, Ending):
            self._log.warning("stream refused", reason=player.reason, text=player.text)
            await context.abort(player.status, player.text, ((REASON, player.reason),))
            return
        stream = Stream(context, player, self._clock, self._limits, self._name)
        player.stream = stream
        ended = asyncio.Event()
        self._streams.add(ended)
        try:
            await stream.run(self._tasks)
        finally:
            self._streams.discard(ended)
            ended.set()

    def _whom(self, context: Any) -> Player | Ending:
        """Return who opens a stream: the token says it, and nothing else does."""
        if self._stopping:
            return stopping()
        metadata = dict(context.invocation_metadata())
        authorization = str(metadata.get("authorization", ""))
        if not authorization.startswith(BEARER):
            return no_token()
        player = self._by_token.get(_digest(authorization.removeprefix(BEARER)))
        if player is None:
            return unknown_token()
        if player.stream is not None:
            ending = already_connected(player.bot)
            self._on_refused(player.bot, ending.text)
            return ending
        return player


def _digest(token: str) -> bytes:
    """Return what a token is looked up by: so that the time it takes gives nothing away."""
    return hashlib.sha256(token.encode()).digest()


def _broken_off(match: str) -> SessionError:
    return SessionError(f"match {match} is broken off: the arbiter has stopped; play it again")
