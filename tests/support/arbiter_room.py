"""An arbiter on a Unix socket with a clock of the test's own, and scripted bots to play at it."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Self

from support.fake_clock import FakeClock
from support.reducing import seed_that_asks, setup_for
from support.scripted_bot import Choose, ScriptedBot, check_or_call

from sandlot.clock import Clock
from sandlot.played import PlayedMatch
from sandlot_server.arbiter import Arbiter, Fault, Limits, Timekeeper


class Room:
    """An arbiter, who is at fault there, whose sessions end or are refused; tasks of good bots.

    The bots are ``bot-0``, ``bot-1`` and so on; the token of a bot is its name and ``-token``.
    """

    def __init__(
        self,
        bots: int = 2,
        limits: Limits = Limits(),  # noqa: B008 - a frozen value
        grace: float = 0.0,
        clock: Timekeeper | None = None,
    ) -> None:
        self.clock = FakeClock()
        self.faults: list[Fault] = []
        self.ended: list[tuple[str, str, str]] = []
        self.refused: list[tuple[str, str]] = []
        self.address = ""
        self.arbiter = Arbiter(
            on_fault=self.faults.append,
            on_end=lambda bot, cause, text: self.ended.append((bot, cause, text)),
            on_refused=lambda bot, text: self.refused.append((bot, text)),
            limits=limits,
            clock=clock or self.clock,
        )
        self._bots = bots
        self._grace = grace
        self._stack = AsyncExitStack()
        self._tasks: list[asyncio.Task[Any]] = []

    async def __aenter__(self) -> Self:
        directory = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="sandlot-"))
        self.address = await self.arbiter.start(f"unix:{Path(directory) / 'arbiter'}")
        for number in range(self._bots):
            name = f"bot-{number}"
            self.arbiter.expect(
                name,
                f"{name}-token",
                variants=("baseball",),
                grace=self._grace,
                from_outside=True,
            )
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.arbiter.stop()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._stack.aclose()

    async def bot(self, number: int, token: str | None = "") -> ScriptedBot:
        """Open a stream with the bot's token, or another."""
        shown = f"bot-{number}-token" if token == "" else token
        return await self._stack.enter_async_context(ScriptedBot(self.address, shown))

    async def connected(self, number: int) -> ScriptedBot:
        """Open a stream and say hello."""
        return await (await self.bot(number)).connect()

    async def caller(self, number: int, choose: Choose = check_or_call) -> ScriptedBot:
        """Let a good bot play in the background: by default it checks or calls."""
        bot = await self.connected(number)
        self._tasks.append(asyncio.create_task(bot.play_on(choose)))
        return bot

    def play(self, match: str = "1-1-1", first: int = 0, **setup: Any) -> asyncio.Task[PlayedMatch]:
        """Begin a match in which this seat is asked first; of one hand by default."""
        options: dict[str, Any] = {"hands": 1, "match": match, "clock": Clock(1.0, 10.0)} | setup
        options.setdefault("seed", seed_that_asks(first, **options))
        self._tasks.append(asyncio.create_task(self.arbiter.play(setup_for(**options))))
        return self._tasks[-1]

    async def passes(self, seconds: float) -> None:
        """Let time pass, once all is written that the arbiter has to say."""
        while any(  # noqa: ASYNC110 - a few turns of the loop, and nothing needs to tell of it
            player.stream is not None and player.stream.busy
            for player in self.arbiter._players.values()
        ):
            await asyncio.sleep(0)
        self.clock.advance(seconds)

    def causes(self) -> list[tuple[str, int, str]]:
        """Return the faults so far: match, seat and cause."""
        return [(fault.setup.match, fault.seat, fault.cause) for fault in self.faults]
