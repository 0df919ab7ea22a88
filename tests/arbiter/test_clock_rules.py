"""Since when a bot's time runs, when it is up, and what comes of it. The clock is the test's own.

All tables have 1 s a decision and 10 s of bank, unless a test says otherwise.
"""

from __future__ import annotations

import grpc
from support.arbiter_room import Room
from support.one_loop import run
from support.scripted_bot import ScriptedBot, answer, decision, message

from sandlot.clock import Clock
from sandlot.v1.arbiter_pb2 import DecisionRequested

OUT_OF_TIME = 11.002


def test_a_bot_that_never_answers_does_not_hold_the_match_up() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play()
            await bot.asked()
            await room.passes(OUT_OF_TIME)
            assert room.causes() == [("1-1-1", 0, "timeout")]
            for _ in range(2):  # its bank is empty: the limit of a decision is all that is left
                asked = await bot.asked()
                assert (asked.allowed_ms, asked.bank_ms) == (1000, 0)
                await room.passes(1.002)
            played = await playing
            assert played.faults == ({"timeout": 3}, {})
            assert [d.ms for h in played.hands for d in h.decisions if d.fault == "timeout"] == [
                11001,
                1001,
                1001,
            ]

    run(scene())


def test_the_last_moment_is_in_time_and_the_bank_pays_for_it() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play()
            asked = await bot.asked()
            assert (asked.allowed_ms, asked.bank_ms) == (11000, 10000)
            await room.passes(11.0)
            assert room.faults == []
            await bot.say(message(answer(asked)))
            asked = await bot.asked()
            assert (asked.allowed_ms, asked.bank_ms) == (1000, 0)
            await bot.say(message(answer(asked)))
            await bot.play_on_until_over()
            played = await playing
            assert played.faults == ({}, {})
            own = [d for h in played.hands for d in h.decisions if d.seat == 0]
            assert own[0].ms == 11000

    run(scene())


def test_the_bank_is_used_only_beyond_the_limit() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            room.play()
            banks = []
            for seconds in (0.5, 1.0, 3.5):
                asked = await bot.asked()
                banks.append(asked.bank_ms)
                await room.passes(seconds)
                await bot.say(message(answer(asked)))
            banks.append((await bot.asked()).bank_ms)
            assert banks == [10000, 10000, 10000, 7500]

    run(scene())


def test_a_late_answer_is_dropped_told_and_harmless() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play()
            asked = await bot.asked()
            await room.passes(OUT_OF_TIME)
            again = await bot.asked(after=asked.observation.decision)
            await bot.say(message(answer(asked, "fold")))
            while "too late" not in (warning := await bot.warned()).text:
                pass
            assert (warning.match, warning.decision) == ("1-1-1", asked.observation.decision)
            await bot.say(message(answer(again)))
            await bot.play_on_until_over()
            played = await playing
            assert played.faults == ({"timeout": 1}, {})
            assert "fold" not in [d.applied for h in played.hands for d in h.decisions]

    run(scene())


def test_time_for_a_table_begins_with_the_answer_to_a_request_written_before_it() -> None:
    """One bot, one thread, many tables: while it is at the first it cannot be at the second."""

    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            first, second = await asked_at_two_tables(room, bot)
            await room.passes(9.0)
            await bot.say(message(answer(first)))
            later = await bot.asked()  # at the first table again: so the answer has been read
            assert later.observation.match == first.observation.match
            await room.passes(10.9)  # 19.9 s after the second was written, 10.9 s after the answer
            assert [fault for fault in room.causes() if fault[0] == "2-1-1"] == []
            await bot.say(message(answer(second)))
            again = await bot.asked("2-1-1")
            assert again.bank_ms == 10000 - 9900

    run(scene())


def test_and_runs_out_from_there() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            first, _ = await asked_at_two_tables(room, bot)
            await room.passes(9.0)
            await bot.say(message(answer(first)))
            await bot.asked()
            await room.passes(OUT_OF_TIME)
            assert ("2-1-1", 0, "timeout") in room.causes()

    run(scene())


def test_answers_to_requests_written_later_do_not_help_a_table_that_is_starved() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            _, second = await asked_at_two_tables(room, bot)
            for _ in range(4):  # it answers the second table only, 3 s apart
                await room.passes(2.75)
                await bot.say(message(answer(second)))
                if room.faults:
                    break
                second = await bot.asked()
                assert second.observation.match == "2-1-1"
            await room.passes(0.002)
            assert room.causes() == [("1-1-1", 0, "timeout")]

    run(scene())


def test_answering_twice_does_not_win_time() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            first, second = await asked_at_two_tables(room, bot)
            await bot.say(message(answer(first)))
            await bot.asked()
            for _ in range(11):  # the same answer again and again, each a second later
                await room.passes(1.0)
                await bot.say(message(answer(first)))
                assert "not open" in (await bot.warned()).text
            await room.passes(0.002)
            assert ("2-1-1", 0, "timeout") in room.causes()
            assert second.observation.match == "2-1-1"

    run(scene())


def test_a_message_with_many_answers_is_timed_as_a_whole() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            first, second = await asked_at_two_tables(room, bot)
            await room.passes(3.0)
            await bot.say(message(answer(first), answer(second)))
            banks = {}
            for _ in range(2):
                asked = await bot.asked()
                banks[asked.observation.match] = asked.bank_ms
            assert banks == {"1-1-1": 8000, "2-1-1": 8000}

    run(scene())


def test_a_late_answer_begins_the_time_of_later_requests_but_once() -> None:
    """A bot that was busy with one table, even too long, had no time for the next until then."""

    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            room.play("1-1-1", clock=Clock(1.0, 1.0), strikes=9)
            slow = await bot.asked()
            room.play("2-1-1", clock=Clock(1.0, 10.0), strikes=9)
            waiting = await bot.asked()
            assert waiting.observation.match == "2-1-1"
            await room.passes(2.002)
            assert room.causes() == [("1-1-1", 0, "timeout")]
            await room.passes(3.0)
            await bot.say(message(answer(slow)))
            while "too late" not in (await bot.warned()).text:
                pass
            await room.passes(1.0)
            await bot.say(message(answer(slow)))  # again: this one moves nothing
            while "not open" not in (await bot.warned()).text:
                pass
            await room.passes(9.999)
            assert ("2-1-1", 0, "timeout") not in room.causes()
            await room.passes(0.002)
            assert ("2-1-1", 0, "timeout") in room.causes()

    run(scene())


def test_time_outs_that_put_a_seat_out_end_its_session_at_all_its_tables() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            fast = room.play("1-1-1", clock=Clock(1.0, 0.0))
            slow = room.play("2-1-1", clock=Clock(100.0, 0.0))
            for _ in range(3):
                await bot.asked("1-1-1")
                await room.passes(1.002)
            assert await bot.status() == (grpc.StatusCode.ABORTED, "time-outs")
            assert room.ended == [
                (
                    "bot-0",
                    "timeout",
                    "out by time-outs: the session is ended, connect anew for the next match",
                )
            ]
            assert (await fast).faults == ({"timeout": 3}, {})
            assert (await slow).faults == ({"timeout": 1}, {})
            # A new session starts from nothing: nothing of the old matches is told.
            again = await room.connected(0)
            playing = room.play("3-1-1")
            assert (await again.hear_until("match_started")).match == "3-1-1"
            await again.play_on_until_over()
            assert (await playing).faults == ({}, {})

    run(scene())


def test_nobody_is_timed_without_a_clock() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play(clock=None)
            assert not (await bot.hear_until("match_started")).HasField("clock")
            asked = await bot.asked()
            assert asked.allowed_ms == 0
            await room.passes(100_000)
            await bot.say(message(answer(asked)))
            await bot.play_on_until_over()
            assert (await playing).faults == ({}, {})

    run(scene())


def test_an_answer_before_the_question_is_dropped() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play()
            asked = await bot.asked()
            following = asked.observation.decision + 2
            await bot.say(message(decision("1-1-1", following, "fold"), answer(asked)))
            assert (await bot.warned()).decision == following
            await bot.play_on_until_over()
            played = await playing
            assert played.faults == ({}, {})
            assert len(played.hands[0].decisions) > 4  # nobody folded

    run(scene())


async def asked_at_two_tables(
    room: Room, bot: ScriptedBot
) -> tuple[DecisionRequested, DecisionRequested]:
    """Start two matches, and return the bot's first request at each; the first is written first."""
    room.play("1-1-1")
    first = await bot.asked()
    room.play("2-1-1")
    second = await bot.asked()
    assert (first.observation.match, second.observation.match) == ("1-1-1", "2-1-1")
    return first, second
