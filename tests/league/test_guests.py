"""Bots that play from their owners' machines: they come, go, come back, and are passed over."""

from __future__ import annotations

import pytest
from league.playing import BY, SEASON, League, Playing
from support.one_loop import run
from support.scripted_bot import ScriptedBot, hello

from sandlot.errors import SessionError
from sandlot.records import read
from sandlot_server.league.settings import SeasonSettings
from sandlot_server.store.registered import REMOTE


def test_a_remote_bot_plays_while_it_is_connected(league: League) -> None:
    remote = league.enroll("rem")
    league.submit("ann", "bob", "cid")

    async def scene() -> None:
        async with Playing(league, tables=3, grace=0.0) as playing:
            await playing.heard.times(1, "round completed")
            assert remote.entrant not in league.check()
            assert playing.hall.connected == frozenset()
            bot = await playing.connect(await playing.public_address(), remote)
            await playing.go_on(bot)
            stored = playing.finished
            await playing.heard.until(
                lambda: any(one.bot == "rem@1" for each in stored for one in each.setup.entrants)
            )
            assert playing.hall.connected == {remote.entrant}
            await bot.drop()
            await playing.heard.until(lambda: not playing.hall.connected)
            rounds = len(playing.heard.all("round completed"))
            await playing.heard.times(rounds + 3, "round completed")  # it is not waited for
            await playing.drain()

    run(scene())
    assert league.check()[remote.entrant] >= 1
    latest = league.rounds()[-1]
    assert all(remote.entrant not in match.bots for match in latest.matches)
    hashes = {
        entrant.version
        for text in dict(league.store.records(SEASON)).values()
        for record in read(text)
        for entrant in record.played.setup.entrants
        if entrant.bot == remote.entrant
    }
    assert hashes == {REMOTE}


def test_matches_of_a_bot_that_has_gone_are_passed_over_and_then_dropped(league: League) -> None:
    remote = league.enroll("rem")
    league.submit("ann", "bob", "cid")

    async def scene() -> None:
        async with Playing(league, tables=1, grace=0.0) as playing:
            bot, asked = await playing.held(remote)
            held = asked.observation.match
            number = held.partition("-")[0]
            await bot.drop()
            (dropped,) = await playing.heard.times(1, "match dropped")
            assert remote.entrant in dropped["bots"]
            assert dropped["match"].startswith(f"{number}-")
            await playing.heard.times(1, "round completed", round=int(number))
            # It crashed in the match that it left, which counts; the other never began.
            assert playing.voids == []
            of_round = {match for match in league.store.done(SEASON) if match[0] == number}
            assert held in of_round
            assert len(of_round) == 3
            (crashed,) = (one for one in playing.finished if one.setup.match == held)
            seat = [one.bot for one in crashed.setup.entrants].index(remote.entrant)
            assert crashed.faults[seat]["crash"] == 1

    run(scene())
    league.check()


def test_a_bot_that_comes_back_in_time_goes_on_with_its_match(league: League) -> None:
    remote = league.enroll("rem")
    league.submit("ann")

    async def scene() -> None:
        async with Playing(league, tables=1, grace=60.0) as playing:
            await playing.season_taken_up()
            address = await playing.public_address()
            admission = await playing.hall.admit(remote)
            assert admission.grace == 60.0
            assert admission.token not in repr(admission)
            first = await playing.bot(address, admission)
            held = (await first.asked()).observation.match
            await first.drop()
            await playing.heard.until(lambda: not playing.hall.connected)
            again = await playing.bot(address, admission)
            asked = await again.asked()
            assert asked.observation.match == held
            await playing.go_on(again, asked)
            await playing.heard.times(1, "round completed")
            assert all(not any(each) for one in playing.finished for each in one.faults)

    run(scene())
    league.check()


def test_who_is_let_in_while_it_is_connected_is_refused(league: League) -> None:
    remote = league.enroll("rem")

    async def scene() -> None:
        async with Playing(league) as playing:
            await playing.season_taken_up()
            address = await playing.public_address()
            bot = await playing.connect(address, remote)
            with pytest.raises(SessionError, match="rem@1 is connected already: end that program"):
                await playing.hall.admit(remote)
            await bot.drop()
            await playing.heard.until(lambda: not playing.hall.connected)
            await playing.connect(address, remote)
            assert playing.hall.connected == {remote.entrant}

    run(scene())


def test_what_let_one_in_is_worthless_at_the_next_server(league: League) -> None:
    remote = league.enroll("rem")

    async def scene() -> None:
        async with Playing(league) as playing:
            await playing.season_taken_up()
            before = await playing.hall.admit(remote)
        async with Playing(league) as playing:
            await playing.season_taken_up()
            address = await playing.public_address()
            async with ScriptedBot(address, before.token) as bot:
                assert (await bot.status())[1] == "unknown-token"
            await playing.connect(address, remote)

    run(scene())


def test_who_plays_no_more_is_sent_away_and_not_let_in_again(league: League) -> None:
    remote = league.enroll("rem")

    async def scene() -> None:
        async with Playing(league) as playing:
            await playing.season_taken_up()
            bot = await playing.connect(await playing.public_address(), remote)
            league.registry.retire("rem", BY)
            playing.hall.look()
            _, reason = await bot.status()
            assert reason == "replaced"
            assert playing.hall.connected == frozenset()
            with pytest.raises(SessionError, match="rem@1 is retired and plays no more"):
                await playing.hall.admit(remote)

    run(scene())


@pytest.mark.parametrize("renewed", [False, True])
def test_who_came_with_a_token_that_is_revoked_is_sent_away(league: League, renewed: bool) -> None:
    remote = league.enroll("rem")
    league.submit("ann")

    async def scene() -> None:
        async with Playing(league, tables=1, grace=60.0) as playing:
            bot, _ = await playing.held(remote)
            if renewed:
                league.registry.renew_token("rem", BY)
            else:
                league.registry.revoke_tokens("rem", BY)
            playing.hall.look()
            _, reason = await bot.status()
            assert reason == "replaced"
            assert playing.hall.connected == frozenset()
            await playing.heard.until(lambda: bool(playing.finished))  # its match goes on without
            address = await playing.public_address()
            again = await playing.bot(address, await playing.hall.admit(remote, revoked=1))
            league.submit("bob")
            playing.hall.look()
            await again.asked()  # one who comes with the new token stays

    run(scene())


def test_who_is_let_in_while_its_token_is_revoked_is_sent_away(league: League) -> None:
    """Between the look at its token and the next at the registry it may have become worthless."""
    remote = league.enroll("rem")
    league.registry.revoke_tokens("rem", BY)

    async def scene() -> None:
        async with Playing(league) as playing:
            await playing.season_taken_up()
            address = await playing.public_address()
            admission = await playing.hall.admit(remote)
            playing.hall.look()
            async with ScriptedBot(address, admission.token) as bot:
                await bot.say(hello())  # before or after it is dismissed
                assert (await bot.status())[1] in ("replaced", "unknown-token")
            assert playing.hall.connected == frozenset()

    run(scene())


def test_who_came_to_play_another_game_is_sent_away(league: League) -> None:
    remote = league.enroll("rem")

    async def scene() -> None:
        async with Playing(league) as playing:
            await playing.season_taken_up()
            bot = await playing.connect(await playing.public_address(), remote)
            league.registry.close_season(SEASON, BY)
            settings = SeasonSettings(variant="seven-card-stud")
            league.registry.start_season("summer", settings.configuration(), BY)
            playing.hall.look()
            _, reason = await bot.status()
            assert reason == "replaced"
            await playing.heard.times(1, "season taken up", season="summer")
            assert playing.hall.connected == frozenset()

    run(scene())


def test_only_remote_bots_are_let_in_and_only_while_something_is_played(league: League) -> None:
    (here,) = league.submit("ann")
    remote = league.enroll("rem")
    league.registry.close_season(SEASON, BY)

    async def scene() -> None:
        async with Playing(league) as playing:
            with pytest.raises(SessionError, match="ann@1 is played here"):
                await playing.hall.admit(here)
            with pytest.raises(SessionError, match="nothing is played now"):
                await playing.hall.admit(remote)

    run(scene())


def test_a_match_under_way_can_be_watched(league: League) -> None:
    remote = league.enroll("rem")
    league.submit("ann")

    async def scene() -> None:
        async with Playing(league, tables=1) as playing:
            bot, asked = await playing.held(remote)
            (under_way,) = playing.hall.running()
            assert under_way.match == asked.observation.match
            watching = playing.hall.watch(under_way.match)
            first = await anext(watching)
            await playing.go_on(bot, asked)
            rest = [watched async for watched in watching]
            assert {first.hand, *(watched.hand for watched in rest)} == {1}
            with pytest.raises(SessionError, match="is not being played"):
                playing.hall.watch(under_way.match)

    run(scene())
