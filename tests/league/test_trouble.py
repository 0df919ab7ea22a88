"""The store fails in mid-season: the hall breaks off, waits, and goes on where it was."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from league.playing import SEASON, League, Playing
from sqlalchemy import Pool, event
from support.one_loop import run
from support.postgresql import PostgresServer

from sandlot.errors import BotError
from sandlot_server.launch.bots import LaunchedBot
from sandlot_server.league.sitting import TROUBLE
from sandlot_server.store import Store
from sandlot_server.store.attempts import RUN_ENDED
from sandlot_server.store.registered import Version


class Disk:
    """A disk that can be full: no database that is opened here grows then."""

    full = False

    def checked_out(self, connection: object, record: object, proxy: object) -> None:
        """Give a connection its bound."""
        assert isinstance(connection, sqlite3.Connection)
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages if self.full else 1 << 30}")


@contextmanager
def disk() -> Iterator[Disk]:
    of = Disk()
    event.listen(Pool, "checkout", of.checked_out)
    try:
        yield of
    finally:
        event.remove(Pool, "checkout", of.checked_out)


def check_whole(league: League) -> None:
    """See that nothing is lost, and nothing there twice, of the rounds that are completed."""
    league.check()
    done = league.store.done(SEASON)
    completed = [drawn for drawn in league.rounds() if drawn.completed]
    assert completed
    for drawn in completed:
        assert {match.match for match in drawn.matches} <= done


def test_a_database_server_is_stopped_and_started_in_mid_season(
    stoppable: PostgresServer, tmp_path: Path
) -> None:
    async def scene(league: League) -> None:
        async with Playing(league, tables=3) as playing:
            for _ in range(2):
                stored = len(playing.finished)
                await playing.heard.times(stored + 3, "match stored")
                troubles = len(playing.heard.all("nothing is played"))
                await asyncio.to_thread(stoppable.stop)
                playing.hall.look()
                trouble = await playing.heard.times(troubles + 1, "nothing is played")
                assert "server" in trouble[-1]["reason"]
                assert not playing.hall.healthy
                taken_up = len(playing.heard.all("season taken up"))
                await asyncio.to_thread(stoppable.start)
                await playing.heard.times(taken_up + 1, "season taken up")
                assert playing.hall.healthy
                completed = len(playing.heard.all("round completed"))
                await playing.heard.times(completed + 2, "round completed")
            await playing.drain()

    with League(tmp_path, stoppable.new()) as league:
        league.submit("ann", "bob", "cid", "dee")
        run(scene(league))
        check_whole(league)
        voids = {void.reason for void in league.store.voids(SEASON)}
        assert voids <= {TROUBLE, RUN_ENDED}


def test_a_disk_is_full_in_mid_season_and_is_not_any_more(league: League) -> None:
    league.submit("ann", "bob", "cid", "dee")

    async def scene(on: Disk) -> None:
        async with Playing(league, tables=3) as playing:
            await playing.heard.times(3, "match stored")
            on.full = True
            trouble = await playing.heard.times(2, "nothing is played")
            assert "the disk is full: free some space" in trouble[0]["reason"]
            assert trouble[1]["again_in"] > trouble[0]["again_in"]  # it waits longer each time
            assert not playing.hall.healthy
            on.full = False
            completed = len(playing.heard.all("round completed"))
            await playing.heard.times(completed + 2, "round completed")
            assert playing.hall.healthy
            await playing.drain()

    with disk() as on:
        run(scene(on))
    check_whole(league)


def test_another_server_has_the_season_and_then_not_any_more(league: League) -> None:
    league.submit("ann", "bob")

    async def scene() -> None:
        with Store(league.folder.database) as other:
            other.take_up(SEASON)
            async with Playing(league) as playing:
                (trouble,) = await playing.heard.times(1, "nothing is played")
                assert "is being played by process" in trouble["reason"]
                other.let_go()
                await playing.heard.times(1, "round completed")
                await playing.drain()

    run(scene())
    check_whole(league)


def test_no_version_fails_by_what_is_the_servers_own_doing(league: League) -> None:
    league.submit("ann", "bob")
    failing = True

    def full(version: Version) -> LaunchedBot:
        if failing:
            raise BotError("no more processes") from OSError(11, "no more processes")
        return league.launched(version)

    async def scene() -> None:
        nonlocal failing
        async with Playing(league, launched=full) as playing:
            (trouble,) = await playing.heard.times(1, "nothing is played")
            assert "no more processes" in trouble["reason"]
            failing = False
            await playing.heard.times(1, "round completed")
            await playing.drain()

    run(scene())
    check_whole(league)
    assert {bot.versions[0].status for bot in league.registry.bots()} <= {"active"}
