"""A stream on its own, without gRPC: a bot that does not read, one that says a lot, and order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import grpc
from support.fake_clock import FakeClock
from support.one_loop import run
from support.reducing import seed_that_asks, setup_for
from support.scripted_bot import answer, decision, hello, message

from sandlot.played import PlayedMatch
from sandlot.v1 import arbiter_pb2
from sandlot_server.arbiter import Fault, Limits
from sandlot_server.arbiter.player import Player
from sandlot_server.arbiter.stream import AT_MOST, Stream
from sandlot_server.arbiter.table import Table


class FakeContext:
    """What gRPC gives a handler: what is read comes from a queue, writes can be held up."""

    def __init__(self) -> None:
        self.coming: asyncio.Queue[object] = asyncio.Queue()
        self.written: list[bytes] = []
        self.open = asyncio.Event()
        self.open.set()
        self.status: grpc.StatusCode | None = None

    async def read(self) -> object:
        return await self.coming.get()

    async def write(self, message: bytes) -> None:
        await self.open.wait()
        self.written.append(message)

    async def abort(
        self, code: grpc.StatusCode, details: str = "", trailing_metadata: Any = ()
    ) -> None:
        self.status = code
        self.coming.put_nowait(grpc.aio.EOF)
        raise grpc.aio.AbortError(details)

    def items(self) -> list[arbiter_pb2.Item]:
        return [
            item for raw in self.written for item in arbiter_pb2.PlayResponse.FromString(raw).items
        ]


class Side:
    """One bot and its stream."""

    def __init__(self, name: str, clock: FakeClock, limits: Limits) -> None:
        self.ended: list[tuple[str, str, str]] = []
        self.player = Player(name, clock, limits, lambda *end: self.ended.append(end))
        self.context = FakeContext()
        self.stream = Stream(self.context, self.player, clock, limits, "test")
        self.player.stream = self.stream
        self._answered = 0
        self.tasks: set[asyncio.Task[None]] = set()
        self.running = asyncio.create_task(self._run())

    async def _run(self) -> None:
        with suppress(grpc.aio.AbortError):
            await self.stream.run(self.tasks)

    async def connect(self) -> None:
        self.context.coming.put_nowait(hello())
        await self.player.ready.wait()

    def answer(self) -> None:
        """Answer every request that has come, in one message."""
        asked = [
            item.decision_requested
            for item in self.context.items()
            if item.WhichOneof("item") == "decision_requested"
        ]
        new = asked[self._answered :]
        self._answered = len(asked)
        if new:
            self.context.coming.put_nowait(message(*map(answer, new)))

    async def close(self) -> None:
        self.context.coming.put_nowait(grpc.aio.EOF)
        self.context.open.set()
        await self.running
        if self.tasks:
            await asyncio.wait(self.tasks)


def scene_with(limits: Limits, scene: Callable[[FakeClock, Side, Side], Awaitable[None]]) -> None:
    """Run a scene with two bots that have said hello."""

    async def whole() -> None:
        clock = FakeClock()
        sides = [Side(f"bot-{number}", clock, limits) for number in range(2)]
        for side in sides:
            await side.connect()
        await turns(10)
        await scene(clock, *sides)
        for side in sides:
            await side.close()

    run(whole())


async def turns(number: int) -> None:
    """Let the loop turn."""
    for _ in range(number):
        await asyncio.sleep(0)


async def played_out(table: Table, *sides: Side) -> PlayedMatch:
    """Let these bots answer until the match is over."""
    while not table.done.done():
        for side in sides:
            side.answer()
        await turns(10)
    return table.done.result()


FAULTS: list[Fault] = []


def tables(number: int, sides: tuple[Side, Side], first: int = 1) -> list[Table]:
    """Begin so many matches of one hand in which the first bot is asked first."""
    seed = seed_that_asks(0, hands=1)
    begun = [
        Table(
            setup_for(match=f"{each}-1-1", hands=1, seed=seed),
            [side.player for side in sides],
            FAULTS.append,
        )
        for each in range(first, first + number)
    ]
    for table in begun:
        table.begin()
    return begun


LIMITS = Limits(linger=0.0)


def test_a_bot_that_does_not_read_is_found_out_though_no_request_could_be_written() -> None:
    async def scene(clock: FakeClock, bot: Side, other: Side) -> None:
        bot.context.open.clear()
        [table] = tables(1, (bot, other))
        await turns(10)
        assert bot.stream.busy
        clock.advance(9.9)
        assert bot.ended == []
        clock.advance(0.2)
        [(_, cause, text)] = bot.ended
        assert cause == "timeout"
        assert "does not read its stream" in text
        assert (await played_out(table, other)).faults == ({"timeout": 1}, {})
        await bot.running
        assert bot.context.status is grpc.StatusCode.ABORTED

    scene_with(LIMITS, scene)


def test_what_waits_for_a_bot_is_bounded() -> None:
    async def scene(clock: FakeClock, bot: Side, other: Side) -> None:
        bot.context.open.clear()
        begun = tables(50, (bot, other))  # about 30 kB of starts and requests
        await turns(10)
        assert bot.ended == []  # so much may come at once
        clock.advance(1.5)
        begun += tables(70, (bot, other), first=51)
        await turns(10)
        assert [end[1] for end in bot.ended] == ["timeout"]
        for table in begun:
            assert (await played_out(table, other)).faults == ({"timeout": 1}, {})
        assert other.ended == []

    scene_with(Limits(linger=0.0, outbox=20_000), scene)


def test_one_bot_that_does_not_read_holds_nobody_up() -> None:
    async def scene(clock: FakeClock, bot: Side, other: Side) -> None:
        third = Side("bot-2", clock, LIMITS)
        await third.connect()
        bot.context.open.clear()
        tables(1, (bot, other))
        [table] = tables(1, (third, other), first=2)
        assert (await played_out(table, third, other)).faults == ({}, {})
        await third.close()

    scene_with(LIMITS, scene)


def test_long_messages_are_split_and_keep_their_order() -> None:
    async def scene(clock: FakeClock, bot: Side, other: Side) -> None:
        bot.context.open.clear()
        tables(600, (bot, other))
        bot.context.open.set()
        while bot.stream.busy:  # noqa: ASYNC110 - a few turns of the loop
            await asyncio.sleep(0)
        assert len(bot.context.written) > 1
        assert max(map(len, bot.context.written)) <= AT_MOST
        asked = [
            item.decision_requested.observation.match
            for item in bot.context.items()
            if item.WhichOneof("item") == "decision_requested"
        ]
        assert asked == [f"{each}-1-1" for each in range(1, 601)]

    scene_with(LIMITS, scene)


def test_a_long_message_lets_others_have_their_turn() -> None:
    async def scene(clock: FakeClock, bot: Side, other: Side) -> None:
        begun = tables(100, (bot, other))
        await turns(10)
        answers = [decision(f"{each}-1-1", 1, "check") for each in range(1, 101)]
        bot.context.coming.put_nowait(message(*answers))
        seen: list[int] = []
        while len(seen) < 100:
            await asyncio.sleep(0)
            answered = sum(
                table._match.asked is not None and table._match.asked.decision == 2
                for table in begun
            )
            seen.append(answered)
            if answered == 100:
                break
        assert seen[-1] == 100
        assert {4 * each for each in range(1, 26)} <= set(seen)

    scene_with(Limits(linger=0.0, at_once=4), scene)


def test_time_is_that_of_the_message_though_its_answers_take_turns() -> None:
    async def scene(clock: FakeClock, bot: Side, other: Side) -> None:
        tables(2, (bot, other))
        await turns(10)
        clock.advance(3.0)
        answers = [decision(f"{each}-1-1", 1, "check") for each in (1, 2)]
        bot.context.coming.put_nowait(message(*answers))
        await turns(1)
        clock.advance(5.0)  # in between
        banks: list[int] = []
        while len(banks) < 2:
            await asyncio.sleep(0)
            banks = [
                item.decision_requested.bank_ms
                for item in other.context.items()
                if item.WhichOneof("item") == "decision_requested"
            ]
        assert banks == [10_000, 10_000]
        assert [len(side.player.requests) for side in (bot, other)] == [0, 2]

    scene_with(Limits(linger=0.0, at_once=1), scene)


def test_a_stream_that_ends_by_the_bots_side_is_not_aborted() -> None:
    async def scene(clock: FakeClock, bot: Side, other: Side) -> None:
        bot.context.coming.put_nowait(grpc.aio.EOF)
        await bot.running
        assert bot.context.status is None
        assert bot.ended == [("bot-0", "crash", "the bot closed its stream")]

    scene_with(LIMITS, scene)


def test_a_stream_that_is_cancelled_by_grpc_ends_its_tasks() -> None:
    """As gRPC does it when the connection is lost: the handler is cancelled, the read fails."""

    async def scene(clock: FakeClock, bot: Side, other: Side) -> None:
        [table] = tables(1, (bot, other))
        await turns(10)
        bot.running.cancel()
        await asyncio.wait([bot.running])
        bot.context.coming.put_nowait(grpc.aio.EOF)
        await asyncio.wait(bot.tasks)
        assert (await played_out(table, other)).faults == ({"crash": 1}, {})
        bot.running = asyncio.create_task(asyncio.sleep(0))

    scene_with(LIMITS, scene)
