"""Matches over real streams: the same as in the reducer, many at once, and nothing left behind."""

from __future__ import annotations

import asyncio
import gc

import pytest
from support.arbiter_room import Room
from support.one_loop import run
from support.reducing import seed_that_asks, setup_for
from support.scripted_bot import answer, message

from sandlot.game import Acted, Action
from sandlot.match import Answered, Ask, Ended, Match
from sandlot.played import MatchSetup, PlayedMatch
from sandlot_server.arbiter import Arbiter
from sandlot_server.arbiter.table import Table


def called_in_the_reducer(setup: MatchSetup) -> PlayedMatch:
    """Play the match without a network, all seats checking or calling."""
    match = Match(setup)
    effects = match.start()
    while True:
        for effect in effects:
            if isinstance(effect, Ended):
                return effect.played
            if isinstance(effect, Ask):
                asked = effect
        action = Action.CHECK if Action.CHECK in asked.seen.legal else Action.CALL
        effects = match.handle(Answered(asked.seat, asked.decision, action, 0.0))


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_a_match_over_streams_is_the_match_of_the_reducer(seats: int) -> None:
    async def scene() -> None:
        async with Room(bots=seats) as room:
            for number in range(seats):
                await room.caller(number)
            setup = setup_for(seats, seed=bytes([seats] * 16))
            assert await room.arbiter.play(setup) == called_in_the_reducer(setup)

    run(scene())


def test_many_matches_at_once_are_each_the_match_of_the_reducer() -> None:
    async def scene() -> None:
        async with Room() as room:
            for number in range(2):
                await room.caller(number)
            setups = [
                setup_for(match=f"{number}-1-1", seed=number.to_bytes(16, "big"), hands=2)
                for number in range(1, 65)
            ]
            played = await asyncio.gather(*[room.arbiter.play(setup) for setup in setups])
            assert played == [called_in_the_reducer(setup) for setup in setups]

    run(scene())


def test_what_waits_for_a_bot_travels_in_one_message() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            before = bot.messages
            playing = [room.play(f"{number}-1-1") for number in range(1, 101)]
            asked = [await bot.asked() for _ in playing]
            assert bot.messages - before < 10
            # And many answers in one message are read as many.
            await bot.say(message(*map(answer, asked)))
            again = [await bot.asked() for _ in playing]
            assert [each.observation.match for each in again] == [
                each.observation.match for each in asked
            ]

    run(scene())


def test_names_are_told_unless_the_tournament_is_anonymous() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            names = []
            for anonymous in (False, True):
                setup = setup_for(hands=1, seed=seed_that_asks(0), anonymous=anonymous)
                playing = asyncio.create_task(room.arbiter.play(setup))
                names.append(list((await bot.hear_until("match_started")).bots))
                await bot.play_on_until_over()
                await playing
            assert names == [["bot-0", "bot-1"], ["seat 0", "seat 1"]]

    run(scene())


def test_a_seat_that_has_folded_is_not_asked_and_hears_the_end() -> None:
    def folds(legal: list[str]) -> str:
        return "fold" if "fold" in legal else legal[-1]

    async def scene() -> None:
        async with Room(bots=3) as room:
            bot = await room.connected(0)
            for number in (1, 2):
                await room.caller(
                    number, choose=lambda legal: legal[1]
                )  # bets, and calls or raises
            playing = room.play(seats=3, hands=4, first=0)
            await bot.play_on_until_over(folds)
            played = await playing
            for hand in played.hands:
                own = [e for e in hand.events if isinstance(e, Acted) and e.seat == 0]
                assert [e.action for e in own].index(Action.FOLD) == len(own) - 1
            ends = [item.hand_ended.hand for item in bot.heard if item.HasField("hand_ended")]
            assert ends == [1, 2, 3, 4]
            assert played.faults == ({}, {}, {})

    run(scene())


def test_nothing_is_left_of_a_match_that_is_over() -> None:
    async def scene() -> None:
        before = tables_alive()
        async with Room() as room:
            arbiter = room.arbiter
            for number in range(2):
                await room.caller(number)
            for number in range(5):
                playing = asyncio.create_task(
                    arbiter.play(setup_for(match=f"1-{number}-1", hands=1))
                )
                while not arbiter._tables:  # noqa: ASYNC110 - one turn of the loop
                    await asyncio.sleep(0)
                assert tables_alive() > before
                await playing
                del playing
            assert arbiter._tables == {}
            for player in arbiter._players.values():
                assert player.tables == {}
                assert len(player.requests) == 0
                assert player.requests._late == {}
            await settled(arbiter)
            assert tables_alive() == before

    run(scene())


def tables_alive() -> int:
    gc.collect()
    return sum(isinstance(each, Table) for each in gc.get_objects())


async def settled(arbiter: Arbiter) -> None:
    """Wait until everything is written that the arbiter has to say."""
    while any(  # noqa: ASYNC110 - a few turns of the loop
        player.stream is not None and player.stream.busy for player in arbiter._players.values()
    ):
        await asyncio.sleep(0)


def test_an_error_of_the_arbiter_breaks_its_match_off_and_no_other() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot = await room.connected(0)
            await room.caller(1)
            broken, whole = room.play("1-1-1"), room.play("2-1-1")
            first, second = await bot.asked("1-1-1"), await bot.asked("2-1-1")
            room.arbiter._tables["1-1-1"]._match._seats.clear()  # as a defect may do
            await bot.say(message(answer(first)))
            with pytest.raises(IndexError):
                await broken
            await bot.say(message(answer(second)))
            await bot.play_on_until_over()
            assert (await whole).faults == ({}, {})
            assert room.faults == []

    run(scene())
