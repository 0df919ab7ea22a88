"""A remote bot that nobody starts anew may be away for a while."""

from __future__ import annotations

import asyncio

from support.arbiter_room import Room
from support.one_loop import run
from support.scripted_bot import ScriptedBot, answer, decision, message


async def gone(room: Room, bot: ScriptedBot) -> None:
    """Break the bot's stream off and wait until the arbiter has noticed."""
    ended = len(room.ended)
    await bot.drop()
    while len(room.ended) == ended:  # noqa: ASYNC110 - a few turns of the loop
        await asyncio.sleep(0)


def test_a_bot_that_is_back_in_time_is_told_what_it_needs_and_asked_again() -> None:
    async def scene() -> None:
        async with Room(grace=5.0) as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play()
            asked = await bot.asked()
            await gone(room, bot)
            await room.passes(4.9)
            back = await room.connected(0)
            start = await back.hear_until("match_started")
            again = await back.asked()
            assert (start.match, start.seat) == ("1-1-1", 0)
            # Not a byte more is shown to it than before.
            assert again.observation.SerializeToString() == asked.observation.SerializeToString()
            await back.say(message(answer(again)))
            await back.play_on_until_over()
            played = await playing
            assert played.faults == ({}, {})
            assert played.hands[0].decisions[0].ms == 4900  # its time ran on meanwhile

    run(scene())


def test_a_bot_that_is_away_too_long_has_crashed() -> None:
    async def scene() -> None:
        async with Room(grace=5.0) as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play()
            await bot.asked()
            await gone(room, bot)
            await room.passes(4.9)
            assert room.faults == []
            await room.passes(0.2)
            assert (await playing).faults == ({"crash": 1}, {})
            back = await room.connected(0)
            assert [item.WhichOneof("item") for item in back.heard] == ["welcome"]

    run(scene())


def test_time_runs_out_for_a_bot_that_is_away() -> None:
    async def scene() -> None:
        async with Room(grace=60.0) as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play(strikes=1)
            await bot.asked()
            await gone(room, bot)
            await room.passes(11.002)
            assert (await playing).faults == ({"timeout": 1}, {})

    run(scene())


def test_a_bot_that_is_away_is_asked_when_it_is_back() -> None:
    async def scene() -> None:
        async with Room(grace=60.0) as room:
            bot, other = await room.connected(0), await room.connected(1)
            playing = room.play(first=1)
            asked = await other.asked()
            await gone(room, bot)
            await other.say(message(answer(asked), decision("1-1-1", 99)))
            assert "not open" in (await other.warned()).text  # so the answer is read
            await room.passes(30.0)  # it has not been asked yet, so no time runs
            back = await room.connected(0)
            await asyncio.gather(back.play_on_until_over(), other.play_on_until_over())
            played = await playing
            assert played.faults == ({}, {})
            assert played.hands[0].decisions[1].ms == 0

    run(scene())


def test_the_word_of_who_started_it_ends_the_wait() -> None:
    async def scene() -> None:
        async with Room(grace=60.0) as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play()
            await bot.asked()
            await gone(room, bot)
            room.arbiter.gone("bot-0", "its process ended with status 1")
            assert (await playing).faults == ({"crash": 1}, {})

    run(scene())
