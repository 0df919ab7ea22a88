"""The arbiter: serves the streams of the bots and plays matches between them."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import AsyncGenerator, Callable, Collection
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

# Bots are started as processes of their own, and gRPC's handlers for forks hang in that.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # all that matters comes as errors of Python

import grpc
import grpc.aio
import structlog

from sandlot.address import UNIX, Keepalive
from sandlot.errors import SessionError
from sandlot.wire import SERVICE
from sandlot_server.arbiter.clock import LoopClock, Timekeeper
from sandlot_server.arbiter.door import Door
from sandlot_server.arbiter.endings import Ending, stopping
from sandlot_server.arbiter.limits import PINGS, Limits, server_options
from sandlot_server.arbiter.player import Player
from sandlot_server.arbiter.stream import Stream
from sandlot_server.arbiter.table import Fault, Table
from sandlot_server.arbiter.watching import Running, Watched, public_events

if TYPE_CHECKING:
    from sandlot.played import MatchSetup, PlayedMatch

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
        keepalive: how ``start`` notices, on a TCP port, that a bot is gone without a word.

    """

    def __init__(
        self,
        *,
        on_fault: Callable[[Fault], None] = lambda fault: None,
        on_end: Callable[[str, str, str], None] = lambda bot, cause, text: None,
        on_refused: Callable[[str, str], None] = lambda bot, text: None,
        limits: Limits = Limits(),  # noqa: B008 - a frozen value
        clock: Timekeeper | None = None,
        keepalive: Keepalive = PINGS,
    ) -> None:
        self._on_fault = on_fault
        self._on_end = on_end
        self._limits = limits
        self._keepalive = keepalive
        self._loop_clock = LoopClock() if clock is None else None
        self._clock: Timekeeper = self._loop_clock or clock  # type: ignore[assignment]
        self._players: dict[str, Player] = {}
        self._door = Door(limits, self._clock, on_refused)
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
        is_unix = address.startswith(UNIX)
        keepalive = None if is_unix else self._keepalive
        server = grpc.aio.server(options=server_options(self._limits, keepalive))
        server.add_generic_rpc_handlers((self._handler(stranger=False),))
        try:
            port = server.add_insecure_port(address)
        except RuntimeError as error:
            raise SessionError(
                f"cannot listen at {address}: {error}; take another address, or end what uses it"
            ) from None
        await server.start()
        self._server = server
        self._begin()
        bound = address if is_unix else f"{address.rpartition(':')[0]}:{port}"
        self._log.info("arbiter listens", address=bound)
        return bound

    def handlers(self) -> grpc.GenericRpcHandler:
        """Return what serves ``Play`` on a server of somebody else's, which strangers can reach.

        It is for a ``grpc.aio`` server on the running event loop, beside ``start`` or without it;
        ``server_options`` are the options that go with it. ``stop`` ends the streams of both.
        """
        self._begin()
        return self._handler(stranger=True)

    def expect(
        self,
        bot: str,
        token: str,
        *,
        variants: Collection[str] = (),
        grace: float = 0.0,
        from_outside: bool = False,
    ) -> None:
        """Let a bot in by its token, from now on. An earlier token is void, and its session ends.

        Args:
            bot: its name.
            token: what it will show; a secret.
            variants: what it must be able to play.
            grace: seconds that it may be away in a match before it counts as gone; for a bot that
                nobody starts anew.
            from_outside: whether it may come by ``handlers``; the token of any other bot is good at
                the address of ``start`` alone.

        """
        player = self._players.get(bot)
        if player is None:
            player = Player(bot, self._clock, self._limits, self._on_end)
            self._players[bot] = player
        self._door.forget(bot)
        player.gone("the bot was started anew")
        player.start_anew()
        player.variants = variants
        player.grace = grace
        player.from_outside = from_outside
        self._door.expect(token, player)

    def forget_token(self, bot: str) -> None:
        """Let the bot in no more; a session that it has goes on."""
        self._door.forget(bot)

    def dismiss(self, bot: str, text: str) -> None:
        """Let a bot in no more, end the session that it may have, and forget it.

        Args:
            bot: its name; one that nobody expects may be dismissed, too.
            text: why, for its owner.

        """
        self._door.forget(bot)
        player = self._players.pop(bot, None)
        if player is not None:
            player.gone(text)

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

    @property
    def sessions(self) -> int:
        """How many bots are connected and can be asked."""
        return sum(player.listens for player in self._players.values())

    def running(self) -> list[Running]:
        """Return the matches under way."""
        return [Running(table.setup, table.hands_completed) for table in self._tables.values()]

    def watch(self, match: str) -> AsyncGenerator[Watched, None]:
        """Return the public events of a match under way, from its beginning and on to its end.

        Any number may watch, and be slow or stop at any time: the match does not notice.

        Raises:
            SessionError: no such match is under way; or, later, it is broken off.

        """
        table = self._tables.get(match)
        if table is None:
            raise SessionError(f"match {match} is not being played: look at those that are")
        return public_events(table)

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
            # Those of another's server may end only with it, where a bot does not read.
            await asyncio.wait(self._tasks, timeout=2 * self._limits.linger)
        if self._loop_clock is not None:
            self._loop_clock.stop()

    def _player(self, bot: str) -> Player:
        try:
            return self._players[bot]
        except KeyError:
            raise SessionError(f"nobody expects {bot}: call expect() first") from None

    def _begin(self) -> None:
        """Make the process one in which matches are played; more than once does no harm."""
        # Matches make many objects that live for a while and hold no cycles: looking for cycles as
        # often as by default takes a seventh of the time.
        gc.set_threshold(*COLLECT)
        if self._loop_clock is not None:
            self._loop_clock.start()

    def _handler(self, *, stranger: bool) -> grpc.GenericRpcHandler:
        # Bytes in, bytes out: what a bot sends is read here, so that garbage is a fault in the game
        # and not the end of the call.
        async def serve(_: object, context: Any) -> None:
            await self._play(context, stranger)

        play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(serve)
        return grpc.method_handlers_generic_handler(SERVICE, {"Play": play})

    async def _play(self, context: Any, stranger: bool) -> None:
        """Serve one stream of ``Play``."""
        metadata = context.invocation_metadata()
        player = stopping() if self._stopping else self._door.whom(metadata, stranger=stranger)
        if isinstance(player, Ending):
            self._door.note(player)
            await context.abort(player.status, player.text, player.trailing())
            return
        stream = Stream(context, player, self._clock, self._limits, self._name)
        player.stream = stream
        ended = asyncio.Event()
        self._streams.add(ended)
        if stranger:
            self._door.enter(stream, player)
        try:
            await stream.run(self._tasks)
        finally:
            self._streams.discard(ended)
            self._door.leave(stream)
            ended.set()


def _broken_off(match: str) -> SessionError:
    return SessionError(f"match {match} is broken off: the arbiter has stopped; play it again")
