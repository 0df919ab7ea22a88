"""Calls that attack an arbiter where anybody can call it, while an honest match plays on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import grpc.aio
import pytest
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status
from grpc_status.rpc_status import GRPC_DETAILS_METADATA_KEY
from structlog.testing import capture_logs
from support.arbiter_room import Room
from support.one_loop import run
from support.remote_room import public_server
from support.scripted_bot import GARBAGE, ScriptedBot, decision, hello, message

from sandlot_server.arbiter import Limits, LoopClock, server_options

EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED


class Street:
    """A room with a door to where anybody can call, and connections to it that are shared."""

    def __init__(self, room: Room, port: int) -> None:
        self.room = room
        self.port = port
        self._channels: list[grpc.aio.Channel] = []
        self._calls = 0

    def stream(self, token: str | None) -> ScriptedBot:
        """Open a stream; a connection carries no more than a hundred."""
        if self._calls % 100 == 0:
            # Of its own in truth: channels to one place would share one connection.
            local = [("grpc.use_local_subchannel_pool", 1)]
            self._channels.append(grpc.aio.insecure_channel(f"127.0.0.1:{self.port}", local))
        self._calls += 1
        return ScriptedBot("", token, self._channels[-1])

    async def close(self) -> None:
        for channel in self._channels:
            await channel.close()


@asynccontextmanager
async def street(
    bots: int = 2,
    limits: Limits = Limits(),  # noqa: B008 - a frozen value
    *,
    in_real_time: bool = False,
) -> AsyncIterator[Street]:
    """Give a room whose arbiter serves on another's server as well."""
    async with (
        Room(bots, limits, clock=LoopClock() if in_real_time else None) as room,
        public_server(room, server_options(limits)) as port,
    ):
        there = Street(room, port)
        try:
            yield there
        finally:
            await there.close()


async def honest(there: Street) -> ScriptedBot:
    """Let a bot play in the background from the street, and another from the room's own socket."""
    bot = await there.stream("bot-0-token").connect()
    there.room._tasks.append(asyncio.create_task(bot.play_on()))
    await there.room.caller(1)
    return bot


async def matches_while(there: Street, attacks: asyncio.Future[Any]) -> None:
    """Play match after match until the attacks are over, and one more; nobody is at fault."""
    number = 1
    while True:
        last = attacks.done()
        played = await there.room.play(f"{number}-1-1", hands=8)
        assert played.faults == ({}, {})
        if last:
            break
        number += 1
    await attacks


def test_a_thousand_sessions_at_once_do_not_harm_an_honest_match() -> None:
    async def scene() -> None:
        async with street(451, in_real_time=True) as there:
            await honest(there)

            async def with_a_token(number: int) -> None:
                bot = await there.stream(f"bot-{number}-token").connect()
                await bot.say(message(decision("9-9-9", 1)))
                assert "no match of yours" in (await bot.warned()).text

            async def without(token: str | None, reason: str) -> None:
                assert await there.stream(token).status() == (UNAUTHENTICATED, reason)

            # With the two honest ones' a thousand; of more at one moment gRPC itself cancels some.
            half_open = [there.stream(f"bot-{number}-token") for number in range(402, 451)]
            attacks = asyncio.gather(
                *[with_a_token(number) for number in range(2, 402)],
                *[without(f"bot-{number}", "unknown-token") for number in range(275)],
                *[without(None, "no-token") for _ in range(275)],
            )
            await matches_while(there, attacks)
            # None of those with a token has been lost, whether it has said hello or not.
            assert len(there.room.arbiter._streams) == 402 + len(half_open)
            assert there.room.ended == []

    run(scene())


def test_a_flood_from_many_sessions_ends_them_and_not_the_match() -> None:
    async def scene() -> None:
        async with street(102, in_real_time=True) as there:
            await honest(there)

            async def flood(number: int) -> None:
                bot = await there.stream(f"bot-{number}-token").connect()
                said = [message(decision("9-9-9", 1)), b"", GARBAGE][number % 3]
                for _ in range(300):
                    await bot.say(said)
                code, reason = await bot.status()
                # A client that still writes when its stream is ended has only INTERNAL to tell.
                assert (code, reason) in ((EXHAUSTED, "flood"), (grpc.StatusCode.INTERNAL, ""))

            await matches_while(there, asyncio.gather(*[flood(each) for each in range(2, 102)]))
            ends = [text for _, _, text in there.room.ended if "floods its stream" in text]
            assert len(ends) == 100

    run(scene())


def test_whoever_has_flooded_has_to_stay_away_for_a_while() -> None:
    async def scene() -> None:
        async with street() as there:
            room = there.room
            bot = await there.stream("bot-0-token").connect()
            await bot.say(message(*[decision("1-1-1", 1)] * 250))
            assert await bot.status() == (EXHAUSTED, "flood")
            assert await there.stream("bot-0-token").status() == (EXHAUSTED, "worn-out")
            await room.passes(12.0)
            await there.stream("bot-0-token").connect()

    run(scene())


def test_the_token_of_a_bot_that_was_started_here_is_nobodys_outside() -> None:
    """Else its author could read it in the bot's log, and play with what was never submitted."""

    async def scene() -> None:
        async with street() as there:
            there.room.arbiter.expect("bot-0", "told")
            assert await there.stream("told").status() == (UNAUTHENTICATED, "unknown-token")
            await (await there.room.bot(0, "told")).connect()
            assert await there.stream("told").status() == (UNAUTHENTICATED, "unknown-token")
            assert there.room.refused == []

    run(scene())


def test_streams_opened_one_after_the_other_are_not_free() -> None:
    async def scene() -> None:
        async with street() as there:
            opened = 0
            while True:
                bot = there.stream("bot-0-token")
                await bot.say(hello())
                if await bot.hear() is None:
                    break
                opened += 1
                await bot.half_close()
                await bot.status()
            assert await bot.status() == (EXHAUSTED, "worn-out")
            assert opened == 21  # 200 / 10, and one more

    run(scene())


def test_big_messages_cost_by_their_size() -> None:
    async def scene() -> None:
        async with street() as there:
            bot = await there.stream("bot-0-token").connect()
            big = hello(variants=("x" * 1000,) * 1000)
            for _ in range(15):  # each as much as 16 small ones
                await bot.say(big)
            assert (await bot.status())[1] in ("flood", "")
            assert "floods its stream" in there.room.ended[0][2]

    run(scene())


def test_strangers_take_no_more_than_their_places() -> None:
    async def scene() -> None:
        async with street(6, Limits(streams=3)) as there:
            inside = [await there.stream(f"bot-{number}-token").connect() for number in range(3)]
            assert await there.stream("bot-3-token").status() == (EXHAUSTED, "full")
            assert await there.stream("wrong").status() == (UNAUTHENTICATED, "unknown-token")
            await there.room.connected(4)  # by the arbiter's own socket there is room
            await inside[0].half_close()
            await inside[0].status()
            await there.stream("bot-3-token").connect()

    run(scene())


def test_streams_without_a_hello_take_no_more_than_their_places() -> None:
    async def scene() -> None:
        async with street(6, Limits(unheard=2)) as there:
            silent = [there.stream(f"bot-{number}-token") for number in range(2)]
            while len(there.room.arbiter._streams) < 2:  # noqa: ASYNC110 - a few turns of the loop
                await asyncio.sleep(0)
            assert await there.stream("bot-2-token").status() == (EXHAUSTED, "full")
            await silent[0].connect()
            await there.stream("bot-2-token").connect()
            await there.room.passes(30.0)
            assert (await silent[1].status())[1] == "no-hello"
            await there.stream("bot-3-token").connect()

    run(scene())


def test_what_is_too_long_or_no_grpc_at_all_ends_nothing_but_itself() -> None:
    async def scene() -> None:
        async with street(4, Limits(receive=1 << 20, message=1 << 16)) as there:
            await honest(there)
            playing = there.room.play(hands=8)
            assert (await there.stream("x" * 40_000).status())[0] == EXHAUSTED
            long = await there.stream("bot-2-token").connect()
            await long.say(b"x" * (2 << 20))
            await long.status()
            for sent in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 10_000):
                reader, writer = await asyncio.open_connection("127.0.0.1", there.port)
                writer.write(sent)
                if sent:
                    while await reader.read(1 << 16):
                        pass
                writer.close()
            assert (await playing).faults == ({}, {})

    run(scene())


@pytest.mark.parametrize(
    ("token", "reason"), [(None, "no-token"), ("wrong", "unknown-token"), ("bot-1-token", "full")]
)
def test_a_refusal_says_its_reason_as_grpcs_own_libraries_read_it(
    token: str | None, reason: str
) -> None:
    async def scene() -> None:
        async with street(limits=Limits(streams=0)) as there:
            bot = there.stream(token)
            code, _ = await bot.status()
            trailing = dict(await bot._call.trailing_metadata())
            status = Status.FromString(trailing[GRPC_DETAILS_METADATA_KEY])
            assert (status.code, status.message) == (code.value[0], await bot._call.details())
            info = ErrorInfo()
            assert status.details[0].Unpack(info)
            assert (info.domain, info.reason) == ("sandlot", reason)
            assert trailing["sandlot-reason"] == reason

    run(scene())


def test_refusals_fill_no_log() -> None:
    async def scene() -> None:
        async with street() as there:
            with capture_logs() as logs:
                for _ in range(50):
                    await there.stream("wrong").status()
                await there.stream(None).status()
                await there.room.passes(10.0)
                await there.stream("wrong").status()
            refused = [(log["reason"], log["others"]) for log in logs if "refused" in log["event"]]
            assert refused == [("unknown-token", 0), ("no-token", 0), ("unknown-token", 49)]

    run(scene())


def test_stopping_ends_the_streams_of_both_servers() -> None:
    async def scene() -> None:
        async with street() as there:
            bots = [await there.stream("bot-0-token").connect(), await there.room.connected(1)]
            ends = asyncio.gather(*[bot.status() for bot in bots])
            await there.room.arbiter.stop()
            assert list(await ends) == [(grpc.StatusCode.OK, "")] * 2
            code, reason = await there.stream("bot-0-token").status()
            assert (code, reason) == (grpc.StatusCode.UNAVAILABLE, "stopping")

    run(scene())
