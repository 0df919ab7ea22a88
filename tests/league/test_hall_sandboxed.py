"""In the sandbox too: the season is played, and a bot sees nothing of the server's folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from launch.sandboxed import needs_sandbox
from league.playing import SEASON, League, Playing
from support.one_loop import run

from sandlot_server.launch.bots import ClassBot, LaunchedBot
from sandlot_server.launch.bubblewrap import Bubblewrap
from sandlot_server.launch.limits import Limits
from sandlot_server.launch.logs import tail
from sandlot_server.store.registered import Version

CURIOUS = """
import os, sys
from sandlot import Action, Bot

class Curious(Bot):
    def act(self, seen):
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL

found = os.path.exists({database!r})
print("the store is", "there" if found else "out of sight", flush=True)
"""


@needs_sandbox
def test_a_season_is_played_in_the_sandbox(tmp_path: Path) -> None:
    async def scene(league: League, launched: Callable[[Version], LaunchedBot]) -> None:
        def confine(private: tuple[Path, ...]) -> Bubblewrap:
            return Bubblewrap(Limits(), private)

        async with Playing(league, launched=launched, confine=confine) as playing:
            await playing.heard.times(1, "round completed")
            await playing.drain()
            assert all(not any(each) for one in playing.finished for each in one.faults)

    with League(tmp_path, house=True) as league:
        (version,) = league.submit("mine", run="bot.py:Curious")
        files = league.folder.version(version.bot, version.number).files
        files.mkdir(parents=True)
        (files / "bot.py").write_text(CURIOUS.format(database=str(league.folder.database)))

        def launched(one: Version) -> LaunchedBot:
            if one.kind == "house":
                return league.launched(one)
            return ClassBot("bot.py:Curious", files)

        run(scene(league, launched))
        assert league.check()[version.entrant] >= 2
        assert "the store is out of sight" in tail(league.folder.log(SEASON, version.entrant))
