"""The hall plays a season: its rounds, with bots that come, go and fail."""

from __future__ import annotations

from pathlib import Path

from league.playing import SEASON, League, Playing
from support.one_loop import run
from tournament.running import pids

from sandlot_server.launch.census import process


def test_round_after_round_is_drawn_and_played(tmp_path: Path) -> None:
    league = League(tmp_path)
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
    for pid in pids(league.folder.season_logs(SEASON)):
        assert process(pid) is None
