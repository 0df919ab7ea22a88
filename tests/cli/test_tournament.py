"""``sandlot tournament`` and ``sandlot standings``: bad input changes nothing and gets one line."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from support.command import Command

BOTS = {"caller": "sandlot_bots.caller:Caller", "random": "sandlot_bots.random:Random"}


def league(bots: dict[str, str] = BOTS, **settings: object) -> str:
    """Return the text of a league file named friday."""
    keys = {"name": "friday", "seats": 2, "hands": 1, "rounds": 1, "seed": "00" * 16} | settings
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    listed = [f'[[bots]]\nname = "{name}"\nrun = "{run}"' for name, run in bots.items()]
    return "\n".join(["[tournament]", *lines, *listed, ""])


def tree() -> dict[str, bytes]:
    """Return every file here but the logs of bots, by name."""
    return {
        str(path): path.read_bytes()
        for path in sorted(Path().rglob("*"))
        if path.is_file() and "logs" not in path.parts[0] and "__pycache__" not in path.parts
    }


GOOD = "from sandlot_bots.caller import Caller\n\n\nclass Good(Caller): ...\n"
RAISES = "raise ImportError('nothing to see here')\n"
WRONG = {
    "an unknown key": (league(round=3), "rounds"),
    "no key at all": ("[tournament]\n", "name"),
    "broken TOML": ("[tournament\n", "line 1"),
    "more seats than bots": (league(seats=3), "3 seats a table are more than the 2 bots"),
    "seats that nobody plays": (league(seats=9), "seats = 2 to 6"),
    "a missing file": (league({"a": "mine.py:Mine", **BOTS}), "there is no file"),
    "a missing class": (league({"a": "good.py:Goood", **BOTS}), "did you mean 'Good'"),
    "a missing module": (league({"a": "no.such:Bot", **BOTS}), "no module 'no.such'"),
    "a bot that cannot be imported": (league({"a": "bad.py", **BOTS}), "nothing to see here"),
    "a seed that is none": (league(seed="xyz"), "hexadecimal"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_league_that_cannot_be_played_changes_nothing(what: str, sandlot: Command) -> None:
    text, said = WRONG[what]
    Path("league.toml").write_text(text)
    Path("bad.py").write_text(RAISES)
    Path("good.py").write_text(
        "from sandlot_bots.caller import Caller\n\n\nclass Good(Caller): ...\n"
    )
    before = tree()
    ran = sandlot("tournament", "run", "league.toml")
    assert ran.status == 1
    assert ran.out == ""
    assert said in ran.err
    # A bot's own words may come first; what we say is the last line, and one.
    assert ran.err.rstrip("\n").splitlines()[-1].startswith("Error: ")
    assert tree() == before


def test_two_bots_of_one_name_are_refused(sandlot: Command) -> None:
    twice = '[[bots]]\nname = "caller"\nrun = "sandlot_bots.tight:Tight"\n'
    Path("league.toml").write_text(league() + twice)
    ran = sandlot("tournament", "run", "league.toml")
    assert (ran.status, ran.out) == (1, "")
    assert "give it another name" in ran.err
    assert not Path("sandlot.db").exists()


def test_a_missing_league_file_is_refused(sandlot: Command) -> None:
    ran = sandlot("tournament", "run", "leage.toml")
    assert ran.status != 0
    assert ran.err.count("\n") == 1
    assert "leage.toml" in ran.err


def test_a_tournament_is_played_resumed_grown_and_shown(sandlot: Command) -> None:
    Path("league.toml").write_text(league())
    ran = sandlot("tournament", "run", "league.toml")
    assert ran.status == 0
    assert ran.out.startswith("friday: 2 matches\n")
    assert "sandlot replay friday.jsonl" in ran.out
    once = Path("sandlot.db").read_bytes()
    again = sandlot("tournament", "run", "league.toml")
    assert again.status == 0
    assert again.out == ran.out  # nothing was left to play

    Path("league.toml").write_text(league(rounds=2))
    grown = json.loads(sandlot("tournament", "run", "league.toml", "--json").out)
    assert grown["matches"] == grown["scheduled"] == 4
    assert {row["bot"] for row in grown["rows"]} == set(BOTS)
    assert json.loads(sandlot("standings", "--json").out) == grown
    assert once != Path("sandlot.db").read_bytes()

    Path("league.toml").write_text(league(rounds=2, hands=2))
    edited = sandlot("tournament", "run", "league.toml")
    assert edited.status == 1
    assert "hands 1 -> 2" in edited.err
    assert edited.err.startswith("Error: ")
    assert json.loads(sandlot("standings", "--json").out) == grown


def test_a_database_of_a_later_version_is_refused_and_left_alone(sandlot: Command) -> None:
    Path("league.toml").write_text(league())
    assert sandlot("tournament", "run", "league.toml").status == 0
    database = sqlite3.connect("sandlot.db", isolation_level=None)
    tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    (table,) = [name for (name,) in tables if "schema" in name]
    database.execute(f"UPDATE {table} SET version = 999")
    database.close()
    before = Path("sandlot.db").read_bytes()
    for arguments in (("tournament", "run", "league.toml"), ("standings",)):
        ran = sandlot(*arguments)
        assert (ran.status, ran.out) == (1, "")
        assert ran.err.count("\n") == 1
        assert "written by a later Sandlot" in ran.err
        assert Path("sandlot.db").read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_alone(sandlot: Command) -> None:
    Path("league.toml").write_text(league())
    Path("sandlot.db").write_text("my diary\n" * 1000)
    before = tree()
    ran = sandlot("tournament", "run", "league.toml")
    assert (ran.status, ran.out) == (1, "")
    assert "not a Sandlot database" in ran.err
    assert tree() == before


def test_the_plan_as_json_holds_the_schedule_and_its_audit(sandlot: Command) -> None:
    Path("league.toml").write_text(league(rounds=3))
    plan = json.loads(sandlot("tournament", "plan", "league.toml", "--json").out)
    assert len(plan["matches"]) == 6
    assert plan["audit"]["spreads"]["matches"] == 0
    assert not Path("sandlot.db").exists()


def test_standings_of_long_names_cut_no_number(sandlot: Command) -> None:
    long = {f"{'x' * 30}{number}": run for number, run in enumerate(BOTS.values())}
    Path("league.toml").write_text(league(long, rounds=3))
    ran = sandlot("tournament", "run", "league.toml")
    assert ran.status == 0
    assert "…" not in ran.out
