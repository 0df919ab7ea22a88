"""What a bot can do wrong, one by one: the match ends, and the cause in it is the true one."""

from __future__ import annotations

import asyncio

import grpc
import pytest
from support.arbiter_room import Room
from support.one_loop import run
from support.scripted_bot import GARBAGE, answer, decision, message

from sandlot.played import PlayedMatch
from sandlot.v1 import arbiter_pb2, table_pb2
from sandlot_server.arbiter import Limits


def faulty(played: PlayedMatch) -> list[tuple[int, str, str | None, str]]:
    """Return the decisions with a fault: seat, cause, what came and what was done."""
    return [
        (each.seat, each.fault, each.answer, each.applied)
        for hand in played.hands
        for each in hand.decisions
        if each.fault is not None
    ]


def test_an_illegal_action_is_a_fault_told_to_the_bot_and_to_nobody_else() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot, other = await room.connected(0), await room.caller(1)
            playing = room.play()
            asked = await bot.asked()
            await bot.say(message(answer(asked, "dance")))
            warning = await bot.warned()
            assert (warning.match, warning.decision) == ("1-1-1", 1)
            assert warning.text.startswith("illegal: dance is not legal here; legal: ")
            await bot.play_on_until_over()
            played = await playing
            assert faulty(played) == [(0, "illegal", "dance", "check")]
            assert other.warnings() == []
            [fault] = room.faults
            assert (fault.bot, fault.seen.decision, fault.out) == ("bot-0", 1, False)
            assert fault.seen.seat == 0

    run(scene())


def test_three_strikes_and_the_seat_is_out_but_its_session_goes_on() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play()
            for _ in range(3):
                await bot.say(message(answer(await bot.asked(), "dance")))
            await bot.hear_until("match_ended")
            played = await playing
            assert played.faults == ({"illegal": 3}, {})
            assert [fault.out for fault in room.faults] == [False, False, True]
            again = room.play("2-1-1")
            await bot.play_on_until_over()
            assert (await again).faults == ({}, {})

    run(scene())


def test_garbage_counts_against_the_oldest_request_and_the_stream_stays_usable() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            first, second = room.play("1-1-1"), room.play("2-1-1")
            await bot.asked("1-1-1")
            await bot.asked("2-1-1")
            await bot.say(GARBAGE)
            warning = await bot.warned()
            assert (warning.match, warning.decision) == ("1-1-1", 1)
            assert warning.text.startswith("malformed: 10 bytes that are no PlayRequest: ff ff ff")
            # The second match still waits for its first answer.
            await bot.say(message(decision("2-1-1", 1, "check")))
            await bot.play_on_until_over()
            await bot.play_on_until_over()
            assert faulty(await first) == [
                (0, "malformed", "10 bytes that are no PlayRequest: " + GARBAGE.hex(" "), "check")
            ]
            assert faulty(await second) == []

    run(scene())


def test_a_message_of_10_megabytes_is_malformed_and_not_the_end_of_the_stream() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play()
            await bot.asked()
            await bot.say(b"\x12" * 10_000_000)
            assert "a message of 10000000 bytes" in (await bot.warned()).text
            await bot.play_on_until_over()
            assert [each[:2] for each in faulty(await playing)] == [(0, "malformed")]

    run(scene())


@pytest.mark.parametrize(
    "unreadable",
    [
        arbiter_pb2.Decision(match="1-1-1", decision=1),
        arbiter_pb2.Decision(match="1-1-1", decision=1, action=table_pb2.Action(cards=[52])),
    ],
)
def test_an_answer_that_cannot_be_read_is_malformed(unreadable: arbiter_pb2.Decision) -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play()
            await bot.asked()
            await bot.say(message(unreadable))
            await bot.play_on_until_over()
            assert [each[:2] for each in faulty(await playing)] == [(0, "malformed")]

    run(scene())


def test_an_exception_is_recorded_with_its_text() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play()
            await bot.asked()
            raised = arbiter_pb2.Decision(match="1-1-1", decision=1, exception="KeyError: 'x'")
            await bot.say(message(raised))
            await bot.play_on_until_over()
            assert faulty(await playing) == [(0, "exception", "KeyError: 'x'", "check")]

    run(scene())


def test_an_exception_in_a_hook_costs_nothing() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play()
            asked = await bot.asked()
            raised = arbiter_pb2.Decision(match="1-1-1", decision=0, exception="KeyError: 'x'")
            await bot.say(message(raised, answer(asked)))
            await bot.play_on_until_over()
            assert (await playing).faults == ({}, {})
            assert bot.warnings() == []

    run(scene())


def test_a_long_answer_is_cut_in_the_record() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play()
            await bot.say(message(answer(await bot.asked(), "x" * 5000)))
            await bot.play_on_until_over()
            assert faulty(await playing) == [(0, "illegal", "x" * 200, "check")]

    run(scene())


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (decision("1-1-1", 99), "not open"),
        (decision("1-1-1", 0), "not open"),
        (decision("9-9-9", 1), "'9-9-9' is no match of yours"),
        (decision("x" * 1000, 1), f"{'x' * 40!r} is no match of yours"),
    ],
)
def test_an_answer_to_nothing_is_dropped_and_told(wrong: arbiter_pb2.Decision, text: str) -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play()
            asked = await bot.asked()
            await bot.say(message(wrong))
            assert text in (await bot.warned()).text
            await bot.say(message(answer(asked)))
            await bot.play_on_until_over()
            assert (await playing).faults == ({}, {})

    run(scene())


def test_a_bot_that_says_everything_twice_plays_its_matches_to_the_end() -> None:
    async def scene() -> None:
        async with Room(limits=Limits(patience=5)) as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play(hands=8)
            while (item := await bot.hear()) is not None:
                if item.WhichOneof("item") == "decision_requested":
                    said = answer(item.decision_requested)
                    await bot.say(message(said, said))
                elif item.WhichOneof("item") == "match_ended":
                    break
            played = await playing
            assert played.faults == ({}, {})
            # Each one was told; the last may come after the end of the match.
            own = [each for hand in played.hands for each in hand.decisions if each.seat == 0]
            told = [warning for warning in bot.warnings() if "was dropped" in warning.text]
            assert len(own) - 1 <= len(told) <= len(own)

    run(scene())


@pytest.mark.parametrize("way", ["half-close", "drop"])
def test_a_stream_closed_in_mid_hand_is_a_crash_and_out_at_once(way: str) -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play(hands=8)
            await bot.say(message(answer(await bot.asked())))
            await bot.asked()
            await (bot.half_close() if way == "half-close" else bot.drop())
            played = await playing
            assert played.faults == ({"crash": 1}, {})
            assert faulty(played)[0][:2] == (0, "crash")
            assert {cause for _, cause, _, _ in faulty(played)[1:]} == {"out"}
            assert room.ended == [("bot-0", "crash", "the bot closed its stream")]
            [fault] = room.faults
            assert fault.out

    run(scene())


def test_a_bot_that_crashes_while_others_think_is_found_out_when_its_turn_comes() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot, other = await room.connected(0), await room.connected(1)
            playing = room.play(first=1)
            asked = await other.asked()
            await bot.drop()
            while not room.ended:  # noqa: ASYNC110 - no more than a turn or two of the loop
                await asyncio.sleep(0)
            await other.say(message(answer(asked)))
            await other.play_on_until_over()
            assert faulty(await playing)[0][:2] == (0, "crash")

    run(scene())


def test_the_word_of_the_launcher_ends_a_session() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play()
            await bot.asked()
            room.arbiter.gone("bot-0", "its process ended with status 3")
            assert (await playing).faults == ({"crash": 1}, {})
            assert await bot.status() == (grpc.StatusCode.ABORTED, "replaced")
            assert [fault.text for fault in room.faults] == ["its process ended with status 3"]

    run(scene())


@pytest.mark.parametrize(
    ("flood", "messages"),
    [
        (message(*[decision("1-1-1", 99)] * 30_000), 1),
        (message(decision("9-9-9", 99)), 300),
        (GARBAGE, 100),
        (b"\x12" * 1_100_000, 10),
    ],
    ids=["many answers in one message", "many messages", "garbage", "oversize"],
)
def test_a_flood_ends_the_session_and_hurts_nobody_else(flood: bytes, messages: int) -> None:
    async def scene() -> None:
        async with Room(bots=3) as room:
            bot = await room.connected(0)
            await room.caller(1)
            await room.caller(2)
            flooded = room.play("1-1-1")
            quiet = room.play("2-1-1", bots=("bot-1", "bot-2"), hands=8)
            await bot.asked()
            for _ in range(messages):
                await bot.say(flood)
            status, reason = await bot.status()
            if messages == 1:
                assert (status, reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "flood")
            assert (await quiet).faults == ({}, {})
            played = await flooded
            assert played.faults[1] == {}
            assert played.faults[0]
            assert set(played.faults[0]) <= {"malformed", "crash"}
            [(name, cause, text)] = room.ended
            assert (name, cause) == ("bot-0", "crash")
            assert text.startswith("the bot floods its stream")
            assert len(bot.warnings()) <= 210  # and told about it in measure

    run(scene())


def test_garbage_with_nothing_open_is_told_and_no_fault() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await bot.say(GARBAGE)
            assert "no PlayRequest" in (await bot.warned()).text
            assert room.faults == []
            assert room.arbiter.is_ready("bot-0")

    run(scene())
