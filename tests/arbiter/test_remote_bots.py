"""A bot at home: over TLS, with pings, and back after its connection was lost."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from support.certificates import Certificate, certificate
from support.one_loop import run
from support.reducing import seed_that_asks, setup_for
from support.remote_room import RemoteRoom

from sandlot.clock import Clock
from sandlot.game import Action
from sandlot.match import Answered, Ask, Ended, Match
from sandlot.played import PlayedMatch
from sandlot.seeds import bot_seed

SEED = seed_that_asks(0, hands=2, match="1-1-1", clock=Clock(1.0, 10.0))


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return certificate(tmp_path_factory.mktemp("pem"), "localhost")


def uncut() -> PlayedMatch:
    """Play the match in the reducer: seat 0 draws as the remote bot does, seat 1 calls."""
    setup = setup_for(hands=2, match="1-1-1", seed=SEED, clock=Clock(1.0, 10.0))
    match, drawn = Match(setup), random.Random(bot_seed(SEED, 0))
    effects = match.start()
    while not isinstance(effects[-1], Ended):
        [asked] = [effect for effect in effects if isinstance(effect, Ask)]
        legal = asked.seen.legal
        action = Action.CHECK if Action.CHECK in legal else Action.CALL
        if asked.seat == 0:
            action = drawn.choice([each for each in legal if each != Action.FOLD])
        effects = match.handle(Answered(asked.seat, asked.decision, action, 0.0))
    return effects[-1].played


def test_a_remote_bot_plays_over_tls(tls: Certificate, tmp_path: Path) -> None:
    async def scene() -> None:
        async with RemoteRoom(tmp_path, tls) as there:
            bot = await there.bot()
            await there.room.caller(1)
            playing = there.play(hands=2)
            ending = asyncio.create_task(bot.play_on())
            assert await playing == uncut()
            await there.room.arbiter.stop()
            await ending
            assert await bot.process.wait() == 0
            assert there.proxy.opened == 1

    run(scene())


def test_a_match_with_cuts_is_the_match_without(tls: Certificate, tmp_path: Path) -> None:
    """Twice while the bot thinks, once when its answer may be on the way."""

    async def scene() -> None:
        async with RemoteRoom(tmp_path, tls) as there:
            bot = await there.bot()
            await there.room.caller(1)
            playing = there.play(hands=2)
            for cuts, thinks in enumerate((True, False, True), start=1):
                await bot.asked()
                if thinks:
                    there.proxy.cut()
                    await there.noticed(cuts)
                    bot.go()
                else:
                    bot.go()
                    there.proxy.cut()
                await bot.hear("back after")
                assert "the connection is lost; back within 60 s, or not at all: " in bot.said
                bot.said = ""
            ending = asyncio.create_task(bot.play_on())
            assert await playing == uncut()
            assert there.room.faults == []
            # It was told of the match once, and asked everything once.
            assert bot.starts == 1
            assert bot.decisions == sorted(set(bot.decisions))
            await there.room.arbiter.stop()
            await ending
            assert await bot.process.wait() == 0
            assert there.proxy.opened >= 4

    run(scene())


def test_a_bot_that_is_away_for_too_long_has_crashed_once_and_gives_up(
    tls: Certificate, tmp_path: Path
) -> None:
    async def scene() -> None:
        async with RemoteRoom(tmp_path, tls, grace=1.0) as there:
            bot = await there.bot()
            await there.room.caller(1)
            playing = there.play(hands=2)
            await bot.asked()
            there.proxy.hang_up()
            there.proxy.cut()
            await there.noticed()
            await there.room.passes(1.1)
            played = await playing
            assert played.faults == ({"crash": 1}, {})
            assert len(played.hands) == 2
            bot.go()
            await bot.hear("Error: given up after ")
            assert await bot.process.wait() == 1

    run(scene())


def test_a_bot_that_need_not_come_back_ends_with_its_connection(
    tls: Certificate, tmp_path: Path
) -> None:
    async def scene() -> None:
        async with RemoteRoom(tmp_path, tls, grace=0.0) as there:
            bot = await there.bot()
            await there.room.caller(1)
            playing = there.play(hands=2)
            await bot.asked()
            there.proxy.cut()
            bot.go()
            await bot.hear("Error: ")
            assert f"tls://localhost:{there.proxy.port}" in bot.said
            assert "back" not in bot.said
            assert await bot.process.wait() == 1
            assert (await playing).faults == ({"crash": 1}, {})
            assert there.proxy.opened == 1

    run(scene())


def test_a_bot_does_not_come_back_when_the_arbiter_has_ended_its_session(
    tls: Certificate, tmp_path: Path
) -> None:
    async def scene() -> None:
        async with RemoteRoom(tmp_path, tls) as there:
            bot = await there.bot()
            there.room.arbiter.gone("bot-0", "sent away")
            await bot.hear("ended the session: sent away (ABORTED)")
            assert await bot.process.wait() == 1
            assert there.proxy.opened == 1

    run(scene())


@pytest.mark.parametrize(
    ("server_pings", "bot_pings"), [(0.3, 20.0), (20.0, 0.3)], ids=["server", "bot"]
)
def test_a_connection_that_goes_silent_is_noticed(
    server_pings: float, bot_pings: float, tmp_path: Path
) -> None:
    """By the side that pings; the other has not to wait for its own pings."""

    async def scene() -> None:
        async with RemoteRoom(
            tmp_path, None, server_pings=server_pings, bot_pings=bot_pings
        ) as there:
            bot = await there.bot()
            await there.room.caller(1)
            playing = there.play(hands=2)
            await bot.asked()
            there.proxy.go_silent()
            if server_pings < bot_pings:
                await there.noticed()
                there.proxy.cut()
            else:
                bot.go()
                await bot.hear("the connection is lost")
                there.proxy.cut()
            ending = asyncio.create_task(bot.play_on())
            bot.go()
            assert await playing == uncut()
            await there.room.arbiter.stop()
            await ending

    run(scene())


def test_a_bot_that_is_back_before_its_loss_is_noticed_tries_again(tmp_path: Path) -> None:
    async def scene() -> None:
        async with RemoteRoom(tmp_path, None, bot_pings=0.3) as there:
            bot = await there.bot()
            await there.room.caller(1)
            playing = there.play(hands=2)
            await bot.asked()
            silent = set(there.proxy._writers)
            there.proxy.go_silent()
            bot.go()
            await bot.hear("the connection is lost")
            while not there.room.refused:  # noqa: ASYNC110 - what tells of it is a callback
                await asyncio.sleep(0)
            assert there.room.ended == []
            for writer in silent:
                writer.transport.abort()
            await bot.hear("back after")
            ending = asyncio.create_task(bot.play_on())
            assert await playing == uncut()
            await there.room.arbiter.stop()
            await ending

    run(scene())


def test_a_bots_own_pings_are_welcome(tmp_path: Path) -> None:
    async def scene() -> None:
        async with RemoteRoom(tmp_path, None, server_pings=0.4, bot_pings=0.2) as there:
            await there.bot()
            await there.proxy.until_said(10)  # of both sides: pings, and answers to them
            assert there.room.ended == []
            assert there.proxy.opened == 1

    run(scene())


def test_a_bot_that_pings_too_often_is_cut_off(tmp_path: Path) -> None:
    async def scene() -> None:
        async with RemoteRoom(tmp_path, None, grace=0.0, bot_pings=0.05) as there:
            bot = await there.bot()
            await bot.hear("Too many pings")
            assert await bot.process.wait() == 1

    run(scene())
