"""``sandlot tournament`` and ``sandlot standings``: bad input changes nothing and gets one line."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
from pathlib import Path

import pytest
from support.command import Command, Ran
from support.terminal import Terminal

from sandlot.seeds import commitment
from sandlot_server.store.schema import SCHEMA_VERSION
from sandlot_server.tournament.league import read_league

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
UNSTARTED = (
    "bot 'a' cannot start: exited with status 1 before its hello; "
    "see {here}/sandlot-logs/friday/a.log"
)
# What is wrong: the file, the one line that it gets, and what the bot itself says before it.
WRONG = {
    "an unknown key": (
        league(round=3),
        'league.toml: [tournament] has no key "round"; did you mean rounds? Write rounds = 10',
        "",
    ),
    "no bots": (
        '[tournament]\nname = "friday"\nseats = 2\n',
        "league.toml: there are no bots; write [[bots]] for each, with "
        'name = "mine" and run = "mybot.py:MyBot" under it',
        "",
    ),
    "broken TOML": (
        "[tournament\n",
        "league.toml: not TOML: Expected ']' at the end of a table declaration "
        "(at line 1, column 12); mend it there",
        "",
    ),
    "more seats than bots": (
        league(seats=3),
        "league.toml: 3 seats a table are more than the 2 bots: "
        "write fewer seats or enter more bots",
        "",
    ),
    "seats that nobody plays": (
        league(seats=9),
        "league.toml: [tournament] seats 9 is not for baseball; write seats = 2 to 6",
        "",
    ),
    "a missing file": (
        league({"a": "godo.py:Good", **BOTS}),
        'league.toml: [[bots]] 1 "a" run: there is no file {here}/godo.py; '
        "did you mean 'good.py'?",
        "",
    ),
    "a missing class": (
        league({"a": "good.py:Goood", **BOTS}),
        UNSTARTED,
        "good.py:Goood: there is no class 'Goood' in {here}/good.py; did you mean 'Good'?",
    ),
    "a missing module": (
        league({"a": "no.such:Bot", **BOTS}),
        "no.such:Bot: there is no module 'no.such', neither in {here} nor installed",
        "",
    ),
    "a bot that cannot be imported": (
        league({"a": "bad.py:Bad", **BOTS}),
        UNSTARTED,
        'File "{here}/bad.py", line 1, in <module>\n    ' + RAISES,
    ),
    "a seed that is none": (
        league(seed="xyz"),
        "league.toml: [tournament] seed: a seed is written in hexadecimal, 0-9 and a-f: "
        "character 1 is 'x'",
        "",
    ),
}


# A plan looks at the file alone; no bot is started for it.
PLANNED = [what for what, (_, line, _) in WRONG.items() if line.startswith("league.toml: ")]


@pytest.mark.parametrize(
    ("command", "what"), [*(("run", what) for what in WRONG), *(("plan", what) for what in PLANNED)]
)
def test_a_league_that_cannot_be_played_changes_nothing(
    command: str, what: str, sandlot: Command
) -> None:
    text, line, said = (each.replace("{here}", str(Path.cwd())) for each in WRONG[what])
    Path("league.toml").write_text(text)
    Path("bad.py").write_text(RAISES)
    Path("good.py").write_text(GOOD)
    before = tree()
    ran = sandlot("tournament", command, "league.toml")
    assert (ran.status, ran.out) == (1, "")
    # A bot's own words come first; what we say is the last line, and one.
    *account, last = ran.err.splitlines()
    assert last == f"Error: {line}"
    assert said in "\n".join(account)
    assert bool(account) == bool(said)
    assert tree() == before


def refused(ran: Ran) -> str:
    """The one line that a refusal consists of, without its first word."""
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("Error: ")
    return ran.err.removeprefix("Error: ").removesuffix("\n")


def test_two_bots_of_one_name_are_refused(sandlot: Command) -> None:
    twice = '[[bots]]\nname = "caller"\nrun = "sandlot_bots.tight:Tight"\n'
    Path("league.toml").write_text(league() + twice)
    for command in ("run", "plan"):
        assert refused(sandlot("tournament", command, "league.toml")) == (
            'league.toml: [[bots]] 3 "caller" has the name of [[bots]] 1; give it another name'
        )
    assert [*Path().iterdir()] == [Path("league.toml")]


def test_a_missing_league_file_is_refused(sandlot: Command) -> None:
    Path("league.toml").write_text(league())
    for command in ("run", "plan"):
        assert refused(sandlot("tournament", command, "leage.toml")) == (
            "leage.toml: there is no such file; did you mean 'league.toml'?"
        )
    assert [*Path().iterdir()] == [Path("league.toml")]


def test_a_directory_that_is_not_there_is_not_made(sandlot: Command) -> None:
    Path("league.toml").write_text(league())
    assert refused(sandlot("tournament", "run", "league.toml", "--db", "no/where.db")) == (
        "database no/where.db: there is no directory no: make it, or name another file with --db"
    )
    assert [*Path().iterdir()] == [Path("league.toml")]


def test_a_database_that_a_killed_run_has_just_begun_is_taken(sandlot: Command) -> None:
    Path("league.toml").write_text(league())
    Path("sandlot.db").touch()
    assert sandlot("tournament", "run", "league.toml").status == 0
    assert json.loads(sandlot("standings", "--json").out)["matches"] == 2


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


def test_a_tournament_is_taken_up_only_as_it_was_begun(sandlot: Command) -> None:
    bots = {"good": "good.py:Good", **BOTS}
    Path("good.py").write_text(GOOD)
    Path("league.toml").write_text(league(bots, rounds=2))
    assert sandlot("tournament", "run", "league.toml").status == 0
    before = tree()
    versions = {
        bot["bot"]: bot["version"] for bot in json.loads(sandlot("standings", "--json").out)["bots"]
    }

    def edited(text: str) -> str:
        Path("league.toml").write_text(text)
        line = refused(sandlot("tournament", "run", "league.toml"))
        Path("league.toml").write_text(league(bots, rounds=2))
        assert tree() == before
        start = "database sandlot.db: tournament 'friday' was begun otherwise: "
        end = ". Put that back, or play under another name"
        assert line.startswith(start)
        assert line.endswith(end)
        return line.removeprefix(start).removesuffix(end)

    assert edited(league(bots, rounds=2, hands=2)) == "hands 1 -> 2"
    assert edited(league(bots, rounds=1)) == "rounds 2 -> 1, and they may only grow"
    assert edited(league(bots, rounds=3, seats=3, rank_by="places")) == (
        'seats 2 -> 3; rank_by "net" -> "places"'
    )
    assert edited(league(rounds=2)) == "bot 'good' is gone"
    assert edited(league({"new": "good.py:Good", **bots}, rounds=2)) == "bot 'new' is new"
    assert edited(league(bots, rounds=2, seed="11" * 16)) == (
        f"the seed with commitment {commitment(bytes(16))} -> {commitment(bytes([0x11] * 16))}"
    )

    Path("good.py").write_text(GOOD + "# another\n")
    digest = hashlib.sha256(Path("good.py").read_bytes()).hexdigest()
    before = tree()
    assert edited(league(bots, rounds=2)) == (
        f"the files of bot 'good', version {versions['good'][:12]} -> {digest[:12]}"
    )
    Path("good.py").write_text(GOOD)
    assert sandlot("tournament", "run", "league.toml").status == 0


def test_a_hostile_database_gives_the_terminal_no_orders(sandlot: Command) -> None:
    Path("league.toml").write_text(league())
    assert sandlot("tournament", "run", "league.toml").status == 0
    database = sqlite3.connect("sandlot.db")
    with database:
        hostile = "\x1b]0;hacked\x07\x9b2J"
        database.execute("UPDATE tournaments SET name = name || ?", [hostile])
        database.execute("UPDATE bots SET name = name || ?, withdrawn = ?", [hostile, hostile])
    database.close()
    for arguments in (
        ["standings"],
        ["standings", "--json"],
        ["standings", "--tournament", "fridya"],
        ["export", "--format", "jsonl", "out.jsonl"],
        ["export", "--format", "jsonl", "--match", "9-9-9", "other.jsonl"],
    ):
        ran = sandlot(*arguments)
        assert (ran.out + ran.err).replace("\n", "").isprintable(), arguments
        assert ran.out + ran.err


def test_a_database_of_a_later_version_is_refused_and_left_alone(sandlot: Command) -> None:
    Path("league.toml").write_text(league())
    assert sandlot("tournament", "run", "league.toml").status == 0
    database = sqlite3.connect("sandlot.db", isolation_level=None)
    database.execute("UPDATE sandlot_schema SET version = 999")
    database.close()
    before = tree()
    for arguments in (("tournament", "run", "league.toml"), ("standings",)):
        assert refused(sandlot(*arguments)) == (
            "database sandlot.db: it was written by a later Sandlot (version 999 of the tables, "
            f"this one knows {SCHEMA_VERSION}): `pip install --upgrade sandlot`, or choose "
            "another file with --db; it was not changed"
        )
        assert tree() == before


def test_a_file_that_is_no_database_is_refused_and_left_alone(sandlot: Command) -> None:
    Path("league.toml").write_text(league())
    Path("sandlot.db").write_text("my diary\n" * 1000)
    before = tree()
    assert refused(sandlot("tournament", "run", "league.toml")) == (
        "database sandlot.db: it is not a Sandlot database: choose another file with --db; "
        "it was not changed"
    )
    assert tree() == before
    assert not Path("sandlot-logs").exists()


def test_the_plan_as_json_holds_the_schedule_and_its_audit(sandlot: Command) -> None:
    Path("league.toml").write_text(league(rounds=3))
    plan = json.loads(sandlot("tournament", "plan", "league.toml", "--json").out)
    assert plan["tournament"] == "friday"
    assert [
        (each["match"], tuple(each["bots"]), each["first_dealer"]) for each in plan["matches"]
    ] == [
        (each.match, each.bots, each.first_dealer)
        for each in read_league("league.toml").plan(bytes(16))
    ]
    assert {(bot["bot"], bot["matches"], bot["deals"]) for bot in plan["audit"]["bots"]} == {
        ("caller", 6, 3),
        ("random", 6, 3),
    }
    assert set(plan["audit"]["spreads"].values()) == {0}
    assert [*Path().iterdir()] == [Path("league.toml")]


def planned(ran: Ran) -> list[tuple[object, ...]]:
    """The matches of a plan that was printed as JSON."""
    assert (ran.status, ran.err) == (0, "")
    return [
        (each["match"], tuple(each["bots"]), each["first_dealer"])
        for each in json.loads(ran.out)["matches"]
    ]


def test_the_plan_of_a_league_under_way_is_the_one_that_is_played(sandlot: Command) -> None:
    unseeded = league(rounds=6).replace(f'seed = "{"00" * 16}"\n', "")
    Path("league.toml").write_text(unseeded)
    example = sandlot("tournament", "plan", "league.toml")
    assert example.out.startswith(
        "12 matches, 2 a round\n"
        "The seed is not yet drawn: the order shown is that of an example seed.\n"
    )
    assert [*Path().iterdir()] == [Path("league.toml")]
    plan = ("tournament", "plan", "league.toml", "--json")
    of_example = planned(sandlot(*plan))
    assert of_example == [
        (each.match, each.bots, each.first_dealer)
        for each in read_league("league.toml").plan(bytes(32))
    ]
    assert json.loads(sandlot(*plan).out)["seed"] == "example"

    assert sandlot("tournament", "run", "league.toml", "--db", "other.db").status == 0
    assert planned(sandlot(*plan)) == of_example  # there is no ./sandlot.db
    seed = bytes.fromhex(
        json.loads(sandlot("standings", "--db", "other.db", "--seed", "--json").out)["seed"]
    )
    of_run = [
        (each.match, each.bots, each.first_dealer) for each in read_league("league.toml").plan(seed)
    ]
    assert planned(sandlot(*plan, "--db", "other.db")) == of_run != of_example
    Path("other.db").rename("sandlot.db")
    assert planned(sandlot(*plan)) == of_run
    shown = sandlot("tournament", "plan", "league.toml").out
    assert shown.startswith(
        "12 matches, 2 a round\nfriday is under way: this is the plan kept in sandlot.db.\n"
    )
    assert seed.hex() not in shown + sandlot(*plan).out

    Path("league.toml").write_text(league(name="saturday"))
    assert json.loads(sandlot(*plan).out)["seed"] == "file"
    assert refused(sandlot(*plan, "--db", "sandlot.db")) == (
        "database sandlot.db: there is no tournament 'saturday' in it"
    )
    assert refused(sandlot(*plan, "--db", "no.db")) == (
        "database no.db: there is none yet: `sandlot tournament run FILE` makes it, "
        "or name another with --db"
    )


def test_the_plan_of_a_league_under_way_says_how_the_file_differs(sandlot: Command) -> None:
    Path("league.toml").write_text(league(rounds=2))
    assert sandlot("tournament", "run", "league.toml").status == 0
    plan = ("tournament", "plan", "league.toml", "--json")
    begun = planned(sandlot(*plan))
    assert json.loads(sandlot(*plan).out)["differences"] == []

    bots = {"tight": "sandlot_bots.tight:Tight", **BOTS}
    Path("league.toml").write_text(league(bots, hands=3, seed="11" * 16))
    assert planned(sandlot(*plan)) == begun
    changes = ["hands 1 -> 3", "bot 'tight' is new", "rounds 2 -> 1", "another seed"]
    assert json.loads(sandlot(*plan).out)["differences"] == changes
    assert (
        f"The league file differs, and run will refuse it: {'; '.join(changes)}.\n"
        in sandlot("tournament", "plan", "league.toml").out
    )
    assert refused(sandlot("tournament", "run", "league.toml"))

    Path("league.toml").write_text(league(rounds=3))  # these may grow
    assert len(planned(sandlot(*plan))) == 6
    assert planned(sandlot(*plan))[:4] == begun
    assert json.loads(sandlot(*plan).out)["differences"] == []


def test_the_plan_shows_the_first_matches_or_all(sandlot: Command) -> None:
    Path("league.toml").write_text(league(rounds=20))
    some, all_ = (
        sandlot("tournament", "plan", "league.toml", *options).out for options in ([], ["--all"])
    )
    assert some.startswith("40 matches, 2 a round; the first 20 (all: --all)\n")
    assert all_.startswith("40 matches, 2 a round\n")
    assert all_.count("\n") == some.count("\n") + 20
    assert "20-1-2" in all_
    assert "20-1-2" not in some


def test_a_bar_moves_on_a_terminal_and_nowhere_else(sandlot: Command) -> None:
    Path("league.toml").write_text(league(rounds=3))
    with Terminal("tournament", "run", "league.toml") as terminal:
        terminal.wait_for("starting the bots")
        terminal.wait_for("friday: 6 matches; commitment ")
        status, shown = terminal.end()
    assert status == 0
    assert "friday: 6 matches" in shown
    assert "━" in terminal.raw
    Path("league.toml").write_text(league(name="saturday", rounds=3))
    ran = sandlot("tournament", "run", "league.toml")
    assert ran.status == 0
    assert ran.err == f"saturday: 6 matches; commitment {commitment(bytes(16))}\n"
    assert "━" not in ran.out
    assert "\x1b" not in ran.out


def test_standings_of_long_names_cut_no_number(sandlot: Command) -> None:
    long = {f"{'x' * 30}{number}": run for number, run in enumerate(BOTS.values())}
    Path("league.toml").write_text(league(long, rounds=3))
    ran = sandlot("tournament", "run", "league.toml")
    assert ran.status == 0
    assert "…" not in ran.out


def test_a_pipe_in_place_of_the_database_is_refused_at_once(sandlot: Command) -> None:
    Path("league.toml").write_text(league())
    os.mkfifo("sandlot.db")
    for arguments in (("tournament", "run", "league.toml"), ("standings",)):
        ran = sandlot(*arguments)
        assert (ran.status, ran.out) == (1, "")
        assert "no file but a pipe" in ran.err


ZOO = Path(__file__).parents[1] / "zoo"


def test_a_bot_that_is_withdrawn_is_told_of_and_stays_so(sandlot: Command) -> None:
    Path("planned.py").write_bytes((ZOO / "planned.py").read_bytes())
    Path("plan").write_text("+---")
    # Last to start and first to play: with room for two processes it is kept meanwhile.
    bots = {**BOTS, "planned": "planned.py:Planned"}
    Path("league.toml").write_text(league(bots, hands=2))
    log = f"{Path.cwd()}/sandlot-logs/friday/planned.log"
    withdrawn = f"planned is withdrawn: exited with status 1 before its hello; see {log}\n"
    dropped = "3 matches are not played, for a bot of theirs is withdrawn\n"

    ran = sandlot("tournament", "run", "league.toml", "--tables", "1")
    assert ran.status == 0
    assert ran.err.splitlines(keepends=True)[1:] == [
        f"planned was at fault: crash 1; see {log}\n",
        withdrawn,
        dropped,
    ]
    assert ran.out.startswith("friday: 3 of 6 matches\n")
    assert withdrawn in ran.out
    assert "void attempts: 1, with their reasons in --json\n" in ran.out

    again = sandlot("tournament", "run", "league.toml", "--tables", "1")
    assert (again.status, again.out) == (0, ran.out)
    assert again.err.splitlines(keepends=True)[1:] == [withdrawn, dropped]
    assert Path("starts").read_text() == "xxxx"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_that_died_is_told_of_at_the_end(workers: int, sandlot: Command) -> None:
    Path("kills_worker.py").write_bytes((ZOO / "kills_worker.py").read_bytes())
    Path("lives").mkdir()
    Path("lives/1").touch()
    bots = {"killer": "kills_worker.py:KillsWorker", **BOTS}
    Path("league.toml").write_text(league(bots, hands=2, rounds=2))
    options = ["--workers", str(workers), "--tables", str(workers)]
    ran = sandlot("tournament", "run", "league.toml", *options)
    assert ran.status == 0
    first, last = ran.err.splitlines()
    assert first.startswith("friday: 12 matches; commitment ")
    assert re.fullmatch(
        r"1 attempt is void and played again: "
        r"worker process \d+ died: killed by signal 9 \(SIGKILL\)",
        last,
    )
    assert ran.out.startswith("friday: 12 matches\n")
    (void,) = json.loads(sandlot("standings", "--json").out)["void"]
    assert last.endswith(void["reason"])
