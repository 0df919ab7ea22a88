"""The caller in JavaScript at real tables, against a bot in Python."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

from support.command import run_sandlot
from support.javascript import PROTO, environment
from support.reducing import setup_for

from sandlot.played import PlayedMatch
from sandlot.records import verify, write
from sandlot_server.arbiter import Arbiter, Fault

BETTOR = """
from sandlot import Action, Bot

class Bettor(Bot):
    def act(self, seen):
        return seen.legal[0] if len(seen.legal) == 2 and seen.level else seen.legal[1]
"""


def test_it_plays_whole_matches_without_a_fault(tmp_path: Path, installed: Path) -> None:
    (tmp_path / "bettor.py").write_text(BETTOR)
    faults: list[Fault] = []
    endings: list[tuple[int | None, str]] = []

    async def scene() -> list[PlayedMatch]:
        arbiter = Arbiter(on_fault=faults.append)
        address = await arbiter.start(f"unix:{tmp_path / 'arbiter'}")
        bots = {
            "javascript": (["node", "caller.js"], installed),
            "python": ([sys.executable, "-m", "sandlot.client", "bettor.py"], tmp_path),
        }
        processes = []
        for name, (command, place) in bots.items():
            arbiter.expect(name, f"{name}-token", variants=("baseball",))
            process = await asyncio.create_subprocess_exec(
                *command, cwd=place, env=environment(address, f"{name}-token"), stderr=PIPE
            )
            processes.append(process)
        setups = [
            setup_for(match=f"{table}-1-{1 + seat}", bots=bots, seed=bytes([table, seat] * 16))
            for table in range(1, 9)
            for seat, bots in enumerate([("javascript", "python"), ("python", "javascript")])
        ]
        played = await asyncio.gather(*(arbiter.play(setup) for setup in setups))
        await arbiter.stop()
        for process in processes:
            _, said = await process.communicate()
            endings.append((process.returncode, said.decode()))
        return list(played)

    async def within() -> list[PlayedMatch]:
        async with asyncio.timeout(60):
            return await scene()

    played = asyncio.run(within())
    assert faults == []
    assert endings == [(0, ""), (0, "")]
    assert len(played) == 16
    for match in played:
        assert match.faults == ({}, {})
        text = write(match, "2026-03-01T12:00:00Z", "2026-03-01T12:00:01Z")
        assert [each.hands for each in verify(text)] == [8]
        seat = [entrant.bot for entrant in match.setup.entrants].index("javascript")
        decided = [each for hand in match.hands for each in hand.decisions if each.seat == seat]
        assert {each.applied for each in decided} == {"check", "call"}


LEAGUE = """
[tournament]
name = "languages"
variant = "baseball"
seats = 2
rounds = 4

[[bots]]
name = "javascript"
command = ["env", "SANDLOT_PROTO=PROTO", "node", "caller.js"]

[[bots]]
name = "tight"
run = "sandlot_bots.tight:Tight"
"""


def test_a_league_file_names_it_by_its_command_line(tmp_path: Path, installed: Path) -> None:
    (installed / "league.toml").write_text(LEAGUE.replace("=PROTO", f"={PROTO}"))
    league, database = str(installed / "league.toml"), str(tmp_path / "sandlot.db")
    ran = run_sandlot("tournament", "run", league, "--db", database, "--json")
    assert ran.status == 0, ran.err
    standings = json.loads(ran.out)
    assert standings["matches"] == 8
    assert standings["void"] == []
    rows = {row["bot"]: row for row in standings["rows"]}
    assert rows["javascript"]["matches"] == 8
    assert rows["javascript"]["faults"] == rows["tight"]["faults"] == {}
