"""Watching a match under way: all that is public, nothing that is not, and no burden to it."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.arbiter_room import Room
from support.one_loop import run
from support.reducing import any_of, setup_for
from support.scripted_bot import answer, message

from sandlot.errors import SessionError
from sandlot.game import VARIANTS, Event
from sandlot.game.events import Dealt, Revealed
from sandlot.pack import PACK, Card
from sandlot.played import PlayedMatch
from sandlot_server.arbiter import Watched


def public(played: PlayedMatch) -> list[Watched]:
    """Return what somebody without cards may have seen of a match."""
    return [
        Watched(hand.hand, event.seen_by(None)) for hand in played.hands for event in hand.events
    ]


async def all_of(events: AsyncIterator[Watched]) -> list[Watched]:
    return [watched async for watched in events]


def test_a_watcher_sees_all_that_is_public_from_the_beginning_to_the_end() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot, _ = await room.connected(0), await room.caller(1)
            playing = room.play(hands=3)
            asked = await bot.asked()
            [running] = room.arbiter.running()
            assert (running.match, running.hands) == ("1-1-1", 0)
            early = asyncio.create_task(all_of(room.arbiter.watch("1-1-1")))
            await bot.say(message(answer(asked)))
            while asked.observation.hand < 2:
                asked = await bot.asked(after=asked.observation.decision)
                if asked.observation.hand < 2:
                    await bot.say(message(answer(asked)))
            [running] = room.arbiter.running()
            assert running.hands == 1
            late = asyncio.create_task(all_of(room.arbiter.watch("1-1-1")))
            await bot.say(message(answer(asked)))
            await bot.play_on_until_over()
            played = await playing
            assert await early == await late == public(played)
            assert room.arbiter.running() == []

    run(scene())


def test_what_happens_is_seen_as_it_happens() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot, other = await room.connected(0), await room.connected(1)
            playing = room.play()
            asked = await bot.asked()
            watching = room.arbiter.watch("1-1-1")
            for event in asked.observation.history:
                assert (await anext(watching)).event.to_json()["event"] == event.event
            following = asyncio.ensure_future(anext(watching))
            await asyncio.sleep(0)
            assert not following.done()  # there is no more to be seen
            await bot.say(message(answer(asked)))
            assert (await following).event.to_json()["event"] == "action"
            await watching.aclose()
            await asyncio.gather(bot.play_on_until_over(), other.play_on_until_over())
            await playing

    run(scene())


def test_watchers_that_are_slow_or_gone_hold_nothing_up_and_are_forgotten() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot, _ = await room.connected(0), await room.caller(1)
            playing = room.play()
            asked = await bot.asked()
            [table] = room.arbiter._tables.values()
            slow = room.arbiter.watch("1-1-1")
            first = await anext(slow)
            gone = [room.arbiter.watch("1-1-1") for _ in range(100)]
            for each in gone:
                await anext(each)
            assert len(table.watchers) == 101
            for each in gone:
                await each.aclose()
            assert len(table.watchers) == 1
            await bot.say(message(answer(asked)))
            await bot.play_on_until_over()
            played = await playing
            assert [first, *await all_of(slow)] == public(played)  # when it likes
            assert not table.watchers

    run(scene())


def test_the_watchers_of_a_match_that_is_broken_off_are_told() -> None:
    async def scene() -> None:
        async with Room() as room:
            bot, _ = await room.connected(0), await room.caller(1)
            playing = room.play()
            await bot.asked()
            watching = asyncio.create_task(all_of(room.arbiter.watch("1-1-1")))
            await asyncio.sleep(0)
            playing.cancel()
            with pytest.raises(SessionError, match="match 1-1-1 is broken off"):
                await watching

    run(scene())


def test_a_match_that_is_not_played_cannot_be_watched() -> None:
    async def scene() -> None:
        async with Room() as room:
            with pytest.raises(SessionError, match="match 1-1-1 is not being played"):
                room.arbiter.watch("1-1-1")

    run(scene())


def shown_cards(played: PlayedMatch, hand: int) -> set[Card]:
    """Return the cards of a hand that were dealt face up or shown."""
    cards: set[Card] = set()
    for event in played.hands[hand - 1].events:
        if isinstance(event, Dealt) and event.up and event.card is not None:
            cards.add(event.card)
        elif isinstance(event, Revealed):
            cards.update(event.down)
    return cards


def cards_in(events: Iterable[Event]) -> set[Card]:
    """Return every card that is named anywhere in the events, save what a wild card stands for."""
    named: set[str] = set()
    for event in events:
        form = event.to_json()
        if "five" in form:
            form["five"] = [received for received, _ in form["five"]]
        named.update(re.findall(r"'([2-9TJQKA][cdhs])'", repr(form)))
    return {Card(each) for each in named}


def test_no_watcher_of_many_matches_ever_sees_a_hidden_card() -> None:
    def choose(legal: list[str]) -> str:
        return choices.choice([each for each in legal if each != "fold"] * 4 + legal)

    choices = random.Random(7)

    async def scene() -> None:
        async with Room(bots=4) as room:
            for number in range(4):
                await room.caller(number, choose)
            setups = [
                setup_for(4, match=f"{number}-1-1", seed=number.to_bytes(16, "big"), hands=2)
                for number in range(1, 41)
            ]
            playing = [asyncio.create_task(room.arbiter.play(setup)) for setup in setups]
            while len(room.arbiter.running()) < len(setups):  # noqa: ASYNC110 - a few turns
                await asyncio.sleep(0)
            watching = [
                asyncio.create_task(all_of(room.arbiter.watch(setup.match))) for setup in setups
            ]
            hidden = 0
            for each, seen in zip(playing, watching, strict=True):
                played, watched = await each, await seen
                assert watched == public(played)
                for hand in (1, 2):
                    told = cards_in([item.event for item in watched if item.hand == hand])
                    visible = shown_cards(played, hand)
                    assert told == visible
                    dealt = cards_in(played.hands[hand - 1].events)
                    hidden += len(dealt - visible)
            assert hidden > 100  # so there was something to hide

    run(scene())


def events_until_shown(deck: list[Card], seats: int, choices: int) -> list[Event]:
    """Play a hand of this deck; return what is public of it before anybody shows anything."""
    hand = VARIANTS["baseball"].deal(seats=seats, dealer=0, deck=tuple(deck))
    drawn = random.Random(choices)
    while hand.to_act is not None:
        hand.apply(any_of(hand.legal, drawn))
    seen = [event.seen_by(None) for event in hand.events]
    shown = [place for place, event in enumerate(seen) if isinstance(event, Revealed)]
    return seen[: shown[0]] if shown else seen


@given(st.permutations(PACK), st.integers(2, 6), st.integers(0, 1 << 32), st.randoms())
def test_deals_that_differ_in_hidden_cards_only_look_the_same_until_the_showdown(
    deck: list[Card], seats: int, choices: int, chance: random.Random
) -> None:
    seen = events_until_shown(deck, seats, choices)
    public_cards = {event.card for event in seen if isinstance(event, Dealt)}
    places = [place for place, each in enumerate(deck) if each not in public_cards]
    others = [deck[place] for place in places]
    chance.shuffle(others)
    changed = list(deck)
    for place, each in zip(places, others, strict=True):
        changed[place] = each
    before = [event for event in seen if type(event).__name__ != "Awarded"]
    again = events_until_shown(changed, seats, choices)
    assert [event for event in again if type(event).__name__ != "Awarded"] == before
