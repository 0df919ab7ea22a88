"""Who may speak, as whom, and how a session begins and ends."""

from __future__ import annotations

import asyncio

import grpc
import pytest
from support.arbiter_room import Room
from support.one_loop import run
from support.scripted_bot import GARBAGE, answer, decision, hello, message

from sandlot.errors import SessionError
from sandlot_server.arbiter import Arbiter, Limits

UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED
FAILED_PRECONDITION = grpc.StatusCode.FAILED_PRECONDITION


@pytest.mark.parametrize(
    ("token", "reason"), [(None, "no-token"), ("", "unknown-token"), ("bot-0", "unknown-token")]
)
def test_a_stream_without_a_token_that_is_known_is_refused(token: str | None, reason: str) -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.bot(0, token if token != "" else " ")
            assert await bot.status() == (UNAUTHENTICATED, reason)
            assert room.refused == []  # nobody's token, and nobody to tell

    run(scene())


def test_a_welcome_names_the_bot_of_the_token_and_the_protocol() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.bot(1)
            await bot.say(hello())
            welcome = await bot.hear_until("welcome")
            assert (welcome.bot, welcome.protocol) == ("bot-1", 1)
            assert welcome.server.startswith("sandlot/")

    run(scene())


def test_who_is_dismissed_is_sent_away_and_not_known_any_more() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            room.arbiter.dismiss("bot-0", "it plays no more")
            assert await bot.status() == (grpc.StatusCode.ABORTED, "replaced")
            assert await (await room.bot(0)).status() == (UNAUTHENTICATED, "unknown-token")
            with pytest.raises(SessionError, match="nobody expects bot-0"):
                room.arbiter.is_ready("bot-0")
            room.arbiter.dismiss("bot-0", "it plays no more")  # to be sure

    run(scene())


def test_a_second_live_session_is_refused_and_the_first_plays_on() -> None:
    async def scene() -> None:
        async with Room() as room:
            first = await room.connected(0)
            await room.caller(1)
            second = await room.bot(0)
            status = await second.status()
            assert status == (grpc.StatusCode.ALREADY_EXISTS, "already-connected")
            assert [bot for bot, _ in room.refused] == ["bot-0"]
            assert "a token is good for one session at a time" in room.refused[0][1]
            playing = room.play()
            await first.play_on_until_over()
            await playing
            assert room.faults == []

    run(scene())


def test_a_second_session_is_refused_before_the_first_has_said_hello() -> None:
    async def scene() -> None:
        async with Room() as room:
            first = await room.bot(0)
            await first.say(hello())
            await first.hear()
            second = await room.bot(0)
            await second.say(hello())
            assert (await second.status())[1] == "already-connected"

    run(scene())


def test_a_bot_may_come_back_when_its_session_has_ended() -> None:
    async def scene() -> None:
        async with Room() as room:
            first = await room.connected(0)
            await first.half_close()
            assert await first.status() == (grpc.StatusCode.OK, "")
            second = await room.connected(0)
            assert second.heard[0].welcome.bot == "bot-0"

    run(scene())


@pytest.mark.parametrize(
    "first",
    [GARBAGE, b"", message(decision("1-1-1", 1)), b"x" * 2000],
    ids=["garbage", "nothing", "a decision", "too long"],
)
def test_the_first_message_must_be_a_hello(first: bytes) -> None:
    async def scene() -> None:
        async with Room(limits=Limits(message=1000)) as room:
            bot = await room.bot(0)
            await bot.say(first)
            assert await bot.status() == (FAILED_PRECONDITION, "no-hello")
            assert not room.arbiter.is_ready("bot-0")
            await room.connected(0)  # the seat is free again

    run(scene())


def test_a_stream_that_never_says_hello_is_ended() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.bot(0)
            other = await room.bot(0)
            ends = {asyncio.create_task(each.status()): each for each in (bot, other)}
            # One of them came first and holds the place: the other is refused.
            done, waiting = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            assert [end.result()[1] for end in done] == ["already-connected"]
            await room.passes(30)
            [end] = waiting
            assert await end == (FAILED_PRECONDITION, "no-hello")

    run(scene())


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (hello(protocol=2), "protocol"),
        (hello(protocol=0), "protocol"),
        (hello(variants=("seven-card-stud",)), "variant"),
        (hello(variants=()), "variant"),
    ],
)
def test_a_bot_of_another_protocol_or_game_is_refused(said: bytes, reason: str) -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.bot(0)
            await bot.say(said)
            assert await bot.status() == (FAILED_PRECONDITION, reason)
            [(name, cause, text)] = room.ended
            assert (name, cause) == ("bot-0", "crash")
            assert "protocol" in text or "baseball is played here" in text

    run(scene())


def test_a_match_begins_when_every_seat_has_said_hello() -> None:
    async def scene() -> None:
        async with Room(bots=3) as room:
            playing = room.play(seats=3)
            first, second = await room.connected(0), await room.caller(1)
            # Both could have been told by now; the third is still missing.
            await first.say(message(decision("1-1-1", 1)))
            assert "no match of yours" in (await first.warned()).text
            assert [item.WhichOneof("item") for item in first.heard] == ["welcome", "warning"]
            await room.caller(2)
            await first.play_on_until_over()
            assert (await playing).faults == ({}, {}, {})
            assert second.heard

    run(scene())


def test_the_seat_is_the_one_of_the_token_whatever_the_bot_says() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot, other = await room.connected(0), await room.connected(1)
            playing = room.play(first=1)
            asked = await other.asked()
            assert asked.observation.seat == 1
            # The first bot answers the other's decision: it is dropped, and the other's counts.
            await bot.say(message(answer(asked)))
            assert "not open" in (await bot.warned()).text
            await other.say(message(answer(asked)))
            await asyncio.gather(bot.play_on_until_over(), other.play_on_until_over())
            assert (await playing).faults == ({}, {})

    run(scene())


def test_a_new_token_voids_the_old_one_and_ends_its_session() -> None:
    async def scene() -> None:
        async with Room() as room:
            old = await room.connected(0)
            room.arbiter.expect("bot-0", "new")
            assert await old.status() == (grpc.StatusCode.ABORTED, "replaced")
            assert (await (await room.bot(0)).status())[1] == "unknown-token"
            assert await (await room.bot(0, "new")).connect()

    run(scene())


def test_a_second_hello_is_dropped_with_a_warning() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await bot.say(hello())
            assert "second hello" in (await bot.warned()).text
            assert room.arbiter.is_ready("bot-0")

    run(scene())


def test_stopping_ends_sessions_well_and_breaks_matches_off_without_a_fault() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot, other = await room.connected(0), await room.connected(1)
            playing = room.play(first=1)
            await other.asked()
            ends = asyncio.gather(bot.status(), other.status())
            await room.arbiter.stop()
            assert list(await ends) == [(grpc.StatusCode.OK, "")] * 2
            with pytest.raises(SessionError, match="1-1-1 is broken off"):
                await playing
            assert room.faults == []
            assert room.ended == []

    run(scene())


def test_a_match_that_is_cancelled_is_nobodys_fault_and_can_be_played_again() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot, other = await room.connected(0), await room.connected(1)
            playing = room.play(first=1)
            asked = await other.asked()
            playing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await playing
            await other.say(message(answer(asked)))
            assert "no match of yours" in (await other.warned()).text
            again = room.play()
            await asyncio.gather(bot.play_on_until_over(), other.play_on_until_over())
            assert (await again).faults == ({}, {})

    run(scene())


def test_the_same_match_is_not_played_twice_at_once() -> None:
    async def scene() -> None:
        async with Room() as room:
            await room.connected(0)
            await room.connected(1)
            playing = room.play()
            with pytest.raises(SessionError, match="being played already"):
                await room.play()
            assert not playing.done()
            playing.cancel()

    run(scene())


def test_a_bot_that_nobody_expects_cannot_be_waited_for() -> None:
    async def scene() -> None:
        async with Room() as room:
            with pytest.raises(SessionError, match="nobody expects stranger"):
                await room.play(bots=("bot-0", "stranger"))

    run(scene())


def test_two_arbiters_do_not_share_a_port() -> None:
    async def scene() -> None:
        first, second = Arbiter(), Arbiter()
        address = await first.start("127.0.0.1:0")
        assert not address.endswith(":0")
        with pytest.raises(SessionError, match="cannot listen"):
            await second.start(address)
        await first.stop()
        await second.stop()

    run(scene())
