"""The hall plays a season: its rounds, with bots that come, go and fail, until it is closed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest
from league.playing import BROKEN, BY, SEASON, ZOO, League, Playing
from support.one_loop import run
from tournament.running import pids

from sandlot.played import MatchSetup, PlayedMatch
from sandlot_server.arbiter import Running
from sandlot_server.launch.census import process
from sandlot_server.launch.logs import tail
from sandlot_server.league.drawing import CATCH_UP
from sandlot_server.league.hall import FIRST_SEASON, LARGEST_LOG
from sandlot_server.league.sitting import STOPPED, TRIES
from sandlot_server.league.tables import DEFECT
from sandlot_server.store import Registry, Store


def no_bot_is_left(league: League) -> bool:
    """Whether every process that was started is gone."""
    started = pids(league.folder.season_logs(SEASON))
    assert started
    return all(process(pid) is None for pid in started)


def test_round_after_round_is_drawn_and_played(league: League) -> None:
    entrants = [version.entrant for version in league.submit("ann", "bob", "cid", "dee")]

    async def scene() -> None:
        async with Playing(league) as playing:
            await playing.heard.times(3, "round completed")
            assert playing.hall.healthy
            await playing.drain()
            assert not playing.hall.healthy
            assert {one.setup.match for one in playing.finished} == league.store.done(SEASON)
            assert playing.voids == []

    run(scene())
    matches = league.check()
    rounds = league.rounds()
    assert sum(drawn.completed for drawn in rounds) >= 3
    done = league.store.done(SEASON)
    for drawn in rounds:
        assert len(drawn.matches) == 4
        if drawn.completed:
            assert {match.match for match in drawn.matches} <= done
    assert set(matches) == set(entrants)
    assert max(matches.values()) - min(matches.values()) <= 2
    assert no_bot_is_left(league)


def test_without_a_season_the_first_one_begins(league: League, tmp_path: Path) -> None:
    async def scene() -> None:
        async with Playing(league) as playing:
            await playing.season_taken_up()

    with Store(tmp_path / "other.db", create=True) as store, league:
        league.store, league.registry = store, Registry(store)
        run(scene())
        (season,) = league.registry.seasons()
        assert (season.name, season.status, season.rounds) == (FIRST_SEASON, "open", 0)


def test_house_bots_alone_do_not_play(tmp_path: Path) -> None:
    async def scene(league: League) -> None:
        async with Playing(league) as playing:
            await playing.season_taken_up()
            (new,) = league.submit("ann")
            playing.hall.look()
            (drawn,) = await playing.heard.times(1, "round drawn")
            assert (drawn["round"], drawn["entrants"], drawn["matches"]) == (1, 6, 6)
            await playing.heard.times(1, "round completed")
            await playing.drain()
            assert league.check()[new.entrant] >= 2

    with League(tmp_path, house=True) as league:
        run(scene(league))


def test_what_another_process_has_changed_is_seen_without_a_word(league: League) -> None:
    league.submit("ann")

    async def scene() -> None:
        async with Playing(league, period=0.05) as playing:
            await playing.season_taken_up()
            with League(league.folder.root) as other:
                other.submit("bob")
            await playing.heard.times(1, "round completed")

    run(scene())


def test_a_new_version_catches_up_and_replaces_the_old_one(league: League) -> None:
    league.submit("ann", "bob", "cid")

    async def scene() -> None:
        async with Playing(league, tables=3) as playing:
            await playing.heard.times(6, "round completed")
            (second,) = league.submit("ann")
            playing.hall.look()
            drawn = await playing.heard.times(1, "round drawn", catching_up=[second.entrant])
            await playing.heard.until(
                lambda: (
                    playing.heard.all("round drawn")[-1]["catching_up"] == []
                    and playing.heard.all("round drawn")[-1] is not drawn[0]
                )
            )
            await playing.heard.times(drawn[0]["round"] + 1, "round completed")
            await playing.drain()

    run(scene())
    matches = league.check()
    assert matches["ann@1"] >= 4
    for drawn in league.rounds():
        entrants = {bot for match in drawn.matches for bot in match.bots}
        assert not {"ann@1", "ann@2"} <= entrants
        tables = {match.match.rpartition("-")[0] for match in drawn.matches if match.catching_up}
        assert len(tables) <= CATCH_UP


ENDS: Mapping[str, Callable[[League, str], object]] = {
    "retired": lambda league, bot: league.registry.retire(bot, BY),
    "disqualified": lambda league, bot: league.registry.disqualify(bot, "it cheats", BY),
    "replaced": lambda league, bot: league.submit(bot),
}


@pytest.mark.parametrize("status", ENDS)
def test_who_plays_no_more_ends_what_has_begun_and_begins_nothing(
    league: League, status: str
) -> None:
    remote = league.enroll("rem")
    league.submit("ann", "bob", "cid")

    async def scene() -> None:
        async with Playing(league, tables=1) as playing:
            bot, asked = await playing.held(remote)
            held = asked.observation.match
            (under_way,) = playing.hall.running()
            (opponent,) = {one.bot for one in under_way.setup.entrants} - {remote.entrant}
            name = opponent.partition("@")[0]
            ENDS[status](league, name)
            playing.hall.look()
            # The other rotations of their table, at least.
            await playing.heard.times(1, "match dropped")
            assert [one.match for one in playing.hall.running()] == [held]
            await playing.go_on(bot, asked)
            await playing.heard.times(1, "match stored", match=held)
            await playing.heard.times(2, "round completed")
            await playing.drain()
            of_opponent = [
                one.setup.match
                for one in playing.finished
                if opponent in {entrant.bot for entrant in one.setup.entrants}
            ]
            assert of_opponent[-1] == held
            assert playing.voids == []
            assert league.registry.bot(name).versions[0].status == status

    run(scene())
    league.check()
    assert no_bot_is_left(league)


def test_a_paused_season_begins_nothing_until_it_is_resumed(league: League) -> None:
    remote = league.enroll("rem")
    league.submit("ann")

    async def scene() -> None:
        async with Playing(league, tables=1) as playing:
            bot, asked = await playing.held(remote)
            held = asked.observation.match
            league.registry.pause_season(SEASON, BY)
            playing.hall.look()
            await playing.go_on(bot, asked)
            await playing.heard.times(1, "match stored", match=held)
            for name in ("bob", "cid"):  # two more looks, and nothing begins after them
                league.submit(name)
                playing.hall.look()
                generation = league.registry.generation()
                await playing.heard.times(1, "registry read", generation=generation)
            assert playing.hall.healthy
            assert playing.hall.running() == []
            assert playing.hall.queue == 1
            assert len(playing.finished) == 1
            league.registry.resume_season(SEASON, BY)
            playing.hall.look()
            await playing.heard.times(2, "round completed")

    run(scene())
    league.check()


def test_who_thinks_long_holds_up_its_own_tables_alone(league: League) -> None:
    remote = league.enroll("rem")
    league.submit("ann", "bob", "cid")

    async def scene() -> None:
        async with Playing(league, tables=4) as playing:
            bot, asked = await playing.held(remote)
            held = asked.observation.match
            number = int(held.partition("-")[0])
            await playing.heard.times(1, "round drawn", round=number + 5)
            await playing.heard.times(6, "match stored")
            # It has a fourth of the tables, and the others play on.
            (only,) = (one for one in playing.hall.running() if remote.entrant in bots_of(one))
            assert only.setup.match == held
            assert not playing.heard.all("round completed", round=number)
            await playing.go_on(bot, asked)
            await playing.heard.times(1, "round completed", round=number)

    run(scene())
    league.check()


def test_a_match_made_void_is_played_again_while_its_round_is_open(league: League) -> None:
    remote = league.enroll("rem")
    league.submit("ann", "bob", "cid")

    async def scene() -> None:
        async with Playing(league, tables=4) as playing:
            bot, asked = await playing.held(remote)
            number = int(asked.observation.match.partition("-")[0])
            (drawn,) = (each for each in league.rounds() if each.number == number)
            other = next(one.match for one in drawn.matches if remote.entrant not in one.bots)
            await playing.heard.times(1, "match stored", match=other, attempt=1)
            league.registry.void_match(SEASON, other, "a test", BY)
            playing.hall.look()
            await playing.heard.times(1, "match stored", match=other, attempt=2)
            await playing.go_on(bot, asked)
            await playing.heard.times(1, "round completed", round=number)

    run(scene())
    league.check()


def test_what_is_stored_while_the_registry_is_read_is_not_taken_for_void(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = league.enroll("rem")
    league.submit("ann", "bob")
    really_done, reading, stored = league.store.done, asyncio.Event(), threading.Event()

    async def scene() -> None:
        loop = asyncio.get_running_loop()

        def slowly_done(tournament: str, among: Iterable[str] | None = None) -> frozenset[str]:
            done = really_done(tournament, among)
            loop.call_soon_threadsafe(reading.set)
            assert stored.wait(60)
            return done

        async with Playing(league, tables=1) as playing:
            bot, asked = await playing.held(remote)
            monkeypatch.setattr(league.store, "done", slowly_done)
            league.submit("cid")
            playing.hall.look()
            await reading.wait()
            await playing.go_on(bot, asked)
            await playing.heard.times(1, "match stored", match=asked.observation.match)
            stored.set()
            generation = league.registry.generation()
            await playing.heard.times(1, "registry read", generation=generation)
            await playing.heard.times(2 + len(playing.heard.all("match stored")), "match stored")
            assert not playing.heard.all("match to be played again")
            assert not playing.heard.all("nothing is played")

    run(scene())
    league.check()


def bots_of(one: Running) -> list[str]:
    return [entrant.bot for entrant in one.setup.entrants]


def test_a_closed_season_ends_and_the_next_one_begins(league: League) -> None:
    remote = league.enroll("rem")
    league.submit("ann")

    async def scene() -> None:
        async with Playing(league, tables=1) as playing:
            bot, asked = await playing.held(remote)
            held = asked.observation.match
            league.registry.close_season(SEASON, BY)
            playing.hall.look()
            await playing.go_on(bot, asked)
            await playing.heard.times(1, "season left")
            assert league.store.done(SEASON) == {held}
            assert playing.hall.healthy
            configuration = league.registry.seasons()[0].configuration
            league.registry.start_season("summer", configuration, BY)
            playing.hall.look()
            await playing.heard.times(1, "round completed", season="summer")
            await playing.drain()
            assert playing.voids == []

    run(scene())
    assert len(league.store.done("summer")) >= 2
    league.check()


def test_a_bot_that_cannot_start_fails_and_the_others_play_on(
    league: League, tmp_path: Path
) -> None:
    league.submit("ann", "bob", "cid")
    (broken,) = league.submit("broken", run=BROKEN)

    async def scene() -> None:
        async with Playing(league) as playing:
            await playing.heard.times(1, "version failed")
            await playing.heard.times(2, "round completed")
            await playing.drain()

    run(scene())
    failed = league.registry.version(broken.id)
    assert failed.status == "failed"
    assert "before its hello" in failed.reason
    assert str(tmp_path) not in failed.reason
    assert "module_that_does_not_exist" in failed.account
    assert "broken@1" not in league.check()
    for void in league.store.voids(SEASON):
        assert void.reason == "bot 'broken@1' could not be started again"
    assert no_bot_is_left(league)


def test_a_match_that_the_server_breaks_is_begun_again_and_then_left(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    league.submit("ann", "bob")

    async def scene() -> None:
        async with Playing(league, tables=1) as playing:
            arbiter = playing.hall.arbiter
            play = arbiter.play

            async def breaks(setup: MatchSetup) -> PlayedMatch:
                if setup.match == "1-1-2" or (setup.match, setup.attempt) == ("1-1-1", 1):
                    raise ZeroDivisionError
                return await play(setup)

            monkeypatch.setattr(arbiter, "play", breaks)
            await playing.heard.times(2, "round completed")
            await playing.drain()
            assert len(playing.heard.all("match broken off")) == 1 + TRIES
            assert playing.voids == [DEFECT] * (1 + TRIES)

    run(scene())
    assert league.check()
    assert league.store.done(SEASON) >= {"1-1-1", "2-1-1", "2-1-2"}
    assert "1-1-2" not in league.store.done(SEASON)


def test_what_is_at_fault_is_told_in_its_own_log(league: League) -> None:
    league.submit("ann")
    league.submit("raises", run=f"{ZOO / 'bad_classes.py'}:Raises")

    async def scene() -> None:
        async with Playing(league) as playing:
            await playing.heard.times(2, "match stored")

    run(scene())
    log = tail(league.folder.log(SEASON, "raises@1"), 200)
    assert "I cannot count to five" in log
    assert "--- fault: exception in match 1-1-1 (attempt 1), hand 1" in log
    assert "fault" not in tail(league.folder.log(SEASON, "ann@1"), 200)


def test_a_bot_that_is_always_at_fault_does_not_fill_the_disk(league: League) -> None:
    league.submit("ann")
    (version,) = league.submit("raises", run=f"{ZOO / 'bad_classes.py'}:Raises")
    log = league.folder.log(SEASON, version.entrant)
    log.parent.mkdir()
    with log.open("wb") as file:
        file.truncate(LARGEST_LOG)

    async def scene() -> None:
        async with Playing(league) as playing:
            await playing.heard.times(2, "match stored")
            assert all(any(each.values() for each in one.faults) for one in playing.finished)

    run(scene())
    said = tail(log, 1000)
    assert "I cannot count to five" in said  # its own output has a bound of its own
    assert "--- fault" not in said


@pytest.mark.parametrize("hurried", [True, False])
def test_what_does_not_end_in_the_grace_is_void(league: League, hurried: bool) -> None:
    remote = league.enroll("rem")
    league.submit("ann")

    async def scene() -> None:
        async with Playing(league, tables=1) as playing:
            _, asked = await playing.held(remote)
            held = asked.observation.match
            at_once = asyncio.Event()
            if hurried:
                at_once.set()
            await playing.hall.drain(3600.0 if hurried else 0.0, at_once)
            assert playing.voids == [STOPPED]
            (void,) = league.store.voids(SEASON)
            assert (void.match, void.reason) == (held, STOPPED)
            assert playing.hall.running() == []

    run(scene())
    assert league.check() == {}
    assert no_bot_is_left(league)


def test_a_round_that_was_left_is_played_to_its_end(league: League) -> None:
    league.submit("ann", "bob", "cid", "dee")

    async def scene() -> None:
        async with Playing(league, tables=1) as playing:
            await playing.heard.times(1, "match stored")
        first = league.store.done(SEASON)
        async with Playing(league, tables=1) as playing:
            (taken,) = await playing.heard.times(1, "season taken up")
            assert (taken["round"], taken["waiting"]) == (1, 4 - len(first))
            await playing.heard.times(1, "round completed", round=1)
            await playing.drain()

    run(scene())
    (drawn,) = league.rounds()[:1]
    assert {match.match for match in drawn.matches} <= league.store.done(SEASON)
    league.check()
