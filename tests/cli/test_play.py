"""``sandlot play``, as a newcomer sees it."""

from __future__ import annotations

import json
import shlex
import shutil
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import pytest
from support.command import SCRIPTS, Command, plain_environment

from sandlot.records import read, verify
from sandlot_server.cli.playing import RecordFile, Table, name_of
from sandlot_server.launch.bots import bot_as_written

SEED = "00112233445566778899aabbccddeeff"

needs_server = pytest.mark.skipif(find_spec("scipy") is None, reason="the extra server is absent")

GOOD = """\
from sandlot import Action, Bot


class Good(Bot):
    def act(self, seen):
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL
"""

NOISY = """\
from sandlot import Action, Bot


class Noisy(Bot):
    def act(self, seen):
        print("I see", *seen.cards)
        if seen.hand == 2:
            raise ZeroDivisionError("on purpose")
        return seen.legal[0]

    def match_ended(self, end):
        raise KeyError("at the end")
"""

QUITS = """\
import sys

from sandlot import Bot


class Quits(Bot):
    def act(self, seen):
        sys.exit(0)
"""


@pytest.fixture(autouse=True)
def bots(tmp_path: Path) -> None:
    for name, text in (("good", GOOD), ("noisy", NOISY), ("quits", QUITS)):
        (tmp_path / f"{name}.py").write_text(text)


def rows(out: str) -> dict[str, list[str]]:
    """The cells behind each bot's name, from the lines of the table."""
    lines = out.splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith("bot "))
    table: dict[str, list[str]] = {}
    for line in lines[begin + 1 :]:
        if line.startswith(("seed ", "net a hand", "se: ")):
            break
        bot, *cells = line.split()
        table[bot] = cells
    return table


def test_a_match_of_house_bots(sandlot: Command) -> None:
    ran = sandlot("play", "tight", "caller", "--seed", SEED)
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "1 match of 8 hands, baseball"
    assert lines[1].split() == ["bot", "net", "place", "faults"]
    table = rows(ran.out)
    assert set(table) == {"tight", "caller"}
    assert sum(float(net) for net, _, _ in table.values()) == 0
    assert sorted(place for _, place, _ in table.values()) == ["1", "2"]
    assert f"seed {SEED}" in lines
    again = f"  sandlot play tight caller --seed {SEED} --record play.jsonl"
    assert lines[-3:] == [
        "  sandlot play tight caller --matches 100",
        again,
        "  sandlot replay play.jsonl",
    ]


def test_what_it_suggests_works(sandlot: Command, tmp_path: Path) -> None:
    first = sandlot("play", "random", "good.py", "--hands", "2", "--variant", "seven-card-stud")
    suggested = [line.split()[1:] for line in first.out.splitlines() if line.startswith("  ")]
    record, replay = suggested[-2:]
    again = sandlot(*record)
    assert (again.status, again.err) == (0, "")
    assert rows(again.out) == rows(first.out)
    assert len(list(verify((tmp_path / "play.jsonl").read_text()))) == 1
    assert replay == ["replay", "play.jsonl"]


@needs_server
def test_of_several_matches_the_mean_with_its_interval(sandlot: Command) -> None:
    ran = sandlot("play", "tight", "caller", "random", "--matches", "6", "--seed", SEED)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "6 matches of 8 hands, baseball"
    for cells in rows(ran.out).values():
        net, mean, half, *places, faults = cells
        assert float(mean) == pytest.approx(float(net) / 48, abs=0.001)
        assert half.startswith("±")
        assert sum(map(int, places)) == 6
        assert faults == "-"
    assert "--matches 6 --seed" in ran.out


@needs_server
def test_the_interval_is_students(sandlot: Command) -> None:
    ran = sandlot("play", "tight", "caller", "--matches", "5", "--seed", SEED, "--json")
    (first, second) = json.loads(ran.out)["bots"]
    mean = first["net_a_hand"]
    t = 2.7764451  # of 4 degrees of freedom, two-sided 95 %, from a table
    assert mean["high"] - mean["low"] == pytest.approx(2 * t * mean["standard_error"])
    assert mean["mean"] == pytest.approx((mean["high"] + mean["low"]) / 2)
    assert second["net_a_hand"]["mean"] == -mean["mean"]


def test_without_the_extra_the_standard_error_and_a_way_to_the_interval(
    sandlot: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandlot_server.cli.play_page.find_spec", lambda name: None)
    ran = sandlot("play", "tight", "caller", "--matches", "4", "--seed", SEED)
    assert (ran.status, ran.err) == (0, "")
    assert " se " in ran.out
    assert "se: standard error; 95 % intervals: pip install 'sandlot[server]'" in ran.out
    assert "±" not in ran.out


def test_json(sandlot: Command) -> None:
    ran = sandlot("play", "good.py", "caller", "good.py", "--seed", SEED, "--json", "--hands", "3")
    assert (ran.status, ran.err) == (0, "")
    played = json.loads(ran.out)
    assert {key: played[key] for key in ("variant", "seed", "matches", "hands", "stopped")} == {
        "variant": "baseball",
        "seed": SEED,
        "matches": 1,
        "hands": 3,
        "stopped": False,
    }
    assert {bot["bot"] for bot in played["bots"]} == {"good", "good-2", "caller"}
    for bot in played["bots"]:
        assert len(bot["version"]) == 64
        assert bot["faults"] == {}
        assert sum(bot["places"].values()) == 1
    nets = [bot["net"] for bot in played["bots"]]
    assert all(isinstance(net, str) for net in nets)


def test_the_same_seed_plays_the_same_however_many_tables(sandlot: Command) -> None:
    def played(*more: str) -> Any:
        return json.loads(sandlot(*command, *more).out)

    command = ("play", "random", "tight", "--matches", "6", "--seed", SEED, "--json")
    assert played() == played("--tables", "6")


def test_records_hold_and_name_the_bots_and_their_files(sandlot: Command, tmp_path: Path) -> None:
    ran = sandlot(
        *("play", "good.py", "caller", "--matches", "3", "--seed", SEED, "--record", "r.jsonl")
    )
    assert (ran.status, ran.err) == (0, "")
    assert f"  sandlot verify r.jsonl --tournament {SEED}" in ran.out.splitlines()
    text = (tmp_path / "r.jsonl").read_text()
    assert len(list(verify(text, bytes.fromhex(SEED)))) == 3
    for record in read(text):
        setup = record.played.setup
        assert setup.tournament == "play"
        assert {entrant.bot: entrant.version for entrant in setup.entrants} == {
            "good": bot_as_written("good.py", tmp_path).version(),
            "caller": bot_as_written("caller").version(),
        }
        assert record.started <= record.ended


def test_a_record_is_never_overwritten_unasked(sandlot: Command, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("precious\n")
    command = ("play", "caller", "caller", "--hands", "1", "--record", "r.jsonl")
    ran = sandlot(*command)
    assert ran == (
        1,
        "",
        "Error: r.jsonl is there already: name another file, or add --force to overwrite it\n",
    )
    assert path.read_text() == "precious\n"
    assert sandlot(*command, "--force").status == 0
    assert len(list(verify(path.read_text()))) == 1


def test_a_run_that_fails_leaves_an_old_record_alone(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("precious\n")
    with RecordFile(path, force=True):
        pass
    assert path.read_text() == "precious\n"
    with RecordFile(path, force=True) as file:
        file.add("new\n")
    assert path.read_text() == "new\n"
    with pytest.raises(click.ClickException, match="there is no folder"):
        RecordFile(tmp_path / "no" / "r.jsonl", force=False)


def test_prints_and_faults_are_seen_and_faults_are_told_once(sandlot: Command) -> None:
    ran = sandlot("play", "noisy.py", "caller", "--matches", "2", "--seed", SEED)
    assert ran.status == 0
    assert ran.out.startswith("I see ")
    assert rows(ran.out)["noisy"][-2:] == ["exception", "6"]
    assert ran.err.count("ZeroDivisionError: on purpose") == 2  # traceback and summary
    assert 'noisy.py", line 8, in act\n' in ran.err
    assert ran.err.count("KeyError: 'at the end'") == 1


def test_what_a_bot_prints_does_not_get_into_json(sandlot: Command) -> None:
    ran = sandlot("play", "noisy.py", "caller", "--seed", SEED, "--json")
    assert json.loads(ran.out)["matches"] == 1
    assert "I see " in ran.err


@pytest.mark.parametrize("way", ["sys.exit(0)", "os._exit(0)"])
def test_a_bot_that_ends_the_process_is_named_by_its_traceback(way: str, sandlot: Command) -> None:
    file = f"quits_by_{way[:2]}.py"
    Path(file).write_text(QUITS.replace("sys.exit(0)", way).replace("import sys", "import os, sys"))
    ran = sandlot("play", file, "caller", "--record", "r.jsonl")
    assert (ran.status, ran.out) == (1, "")
    lines = ran.err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert f'{file}", line 8, in act' in lines[1]
    assert lines[-1] == (
        "Error: a bot has ended the process it plays in, here the command itself; in a "
        "tournament that is a crash"
    )
    assert not Path("r.jsonl").exists()


SOME = "a bot may be named twice"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--matches", "x"], "'--matches': 'x' is no whole number: write 1 or more"),
        (["--matches", "0"], "'--matches': 0 is too few: write 1 or more"),
        (["--hands", "1.5"], "'--hands': '1.5' is no whole number: write 1 or more"),
        (["--hands", "9" * 5000], "is no whole number: write 1 or more"),
        (["--tables", "-1"], "'--tables': -1 is too few: write 1 to 1,024"),
        (["--tables", "1025"], "'--tables': 1025 is too many: write 1 to 1,024"),
    ],
)
def test_a_number_that_is_none_or_out_of_range(
    arguments: list[str], says: str, sandlot: Command
) -> None:
    ran = sandlot("play", "caller", "tight", *arguments)
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert f"{says}. See: sandlot play --help\n" in ran.err


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["caller"], f"1 bot: baseball is for 2 to 6 at a table (R1.1); {SOME}"),
        (["caller"] * 7, f"7 bots: baseball is for 2 to 6 at a table (R1.1); {SOME}"),
        (
            ["caller", "caller", *["caller"] * 6, "--variant", "seven-card-stud"],
            f"8 bots: seven-card-stud is for 2 to 7 at a table (R1.1); {SOME}",
        ),
        (
            ["godo.py", "caller"],
            "godo.py: there is no file {here}/godo.py; did you mean 'good.py'?",
        ),
        (["node bot.js", "caller"], "node bot.js is a program of its own: play it with --isolated"),
        (
            ["caller", "caller", "--seed", "12345"],
            "a seed is written as whole bytes, two hex digits each: these are 5 digits",
        ),
        (
            ["caller", "caller", "--record", "no/r.jsonl"],
            "no/r.jsonl: there is no folder no; make it first",
        ),
    ],
)
def test_bad_input_is_one_line_and_changes_nothing(
    arguments: list[str], line: str, sandlot: Command, tmp_path: Path
) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())
    ran = sandlot("play", *arguments)
    assert ran == (1, "", f"Error: {line.format(here=tmp_path)}\n")
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "__pycache__") == before


def test_bots_are_called_by_what_was_written_and_twins_apart(tmp_path: Path) -> None:
    given = ("caller", "good.py", "sandlot_bots.caller:Caller", "good.py:Good", "caller", "a b")
    found = tuple([bot_as_written(bot, tmp_path) for bot in given])
    table = Table(given, found, 1, 8, "baseball", bytes(16), 1)
    assert table.names == ("caller", "good", "Caller", "Good", "caller-2", "b")


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("node dist/bot.js --bold", "bot"),
        ("./mine", "mine"),
        ("python3 -m my.module", "my"),
        ("./...", "bot"),
        ("../my-bot.py", "my-bot"),
        ("../m√.py:Bot_2", "Bot_2"),
    ],
)
def test_a_name_is_fit_for_a_file(given: str, name: str) -> None:
    assert name_of(given, bot_as_written(given)) == name


needs_processes = needs_server


@needs_processes
def test_isolated_plays_the_same_matches(sandlot: Command, tmp_path: Path) -> None:
    command = ("play", "tight", "good.py", "random", "--matches", "3", "--seed", SEED, "--json")
    here = json.loads(sandlot(*command).out)
    ran = sandlot(*command, "--isolated", "--record", "r.jsonl")
    assert (ran.status, ran.err) == (0, "")
    apart = json.loads(ran.out)
    assert apart.pop("record") == "r.jsonl"
    assert here.pop("record") is None
    assert apart == here
    text = (tmp_path / "r.jsonl").read_text()
    assert len(list(verify(text, bytes.fromhex(SEED)))) == 3
    matches = [record.played.setup.match for record in read(text)]
    assert matches == ["1-1-1", "1-1-2", "1-1-3"]


@needs_processes
def test_isolated_plays_a_program_of_any_kind(sandlot: Command) -> None:
    program = shlex.join([sys.executable, "-m", "sandlot.client", "good.py"])
    ran = sandlot("play", program, "caller", "--isolated", "--hands", "2")
    assert (ran.status, ran.err) == (0, "")
    suggested = next(line for line in ran.out.splitlines() if "--matches 100" in line)
    options = ["--hands", "2", "--isolated", "--matches", "100"]
    assert shlex.split(suggested)[2:] == [program, "caller", *options]


@needs_processes
def test_isolated_names_the_logs_when_there_is_something_in_them(sandlot: Command) -> None:
    ran = sandlot("play", "noisy.py", "caller", "--isolated", "--seed", SEED)
    assert ran.status == 0
    assert rows(ran.out)["noisy"][-2:] == ["exception", "3"]
    said = "What the bots wrote, and an account of each fault: "
    (line,) = [line for line in ran.err.splitlines() if line.startswith(said)]
    logs = Path(line.removeprefix(said))
    log = (logs / "noisy.log").read_text()
    shutil.rmtree(logs)
    assert "ZeroDivisionError: on purpose" in log
    assert "I see " in log


@needs_processes
def test_isolated_shows_why_a_bot_does_not_start(sandlot: Command, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import there_is_no_such_module\n")
    ran = sandlot("play", "broken.py:X", "caller", "--isolated", "--record", "r.jsonl")
    assert (ran.status, ran.out) == (1, "")
    assert "there_is_no_such_module" in ran.err
    assert ran.err.splitlines()[-1].startswith("Error: bot 'X' cannot start: ")
    assert not Path("r.jsonl").exists()


ASKS = """\
from sandlot import Bot


class Asks(Bot):
    def act(self, seen):
        if seen.match == "2-1-1":
            breakpoint()
        return seen.legal[0]
"""


def test_a_breakpoint_works_and_quitting_it_stops(tmp_path: Path) -> None:
    (tmp_path / "asks.py").write_text(ASKS)
    ended = subprocess.run(
        [str(SCRIPTS / "sandlot"), "play", "asks.py", "caller", "--matches", "9"],
        cwd=tmp_path,
        env=plain_environment(),
        input="p 'match', seen.match\nq\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert "('match', '2-1-1')\n" in ended.stdout
    assert "2 matches of 8 hands, baseball\n" in ended.stdout
    assert ended.stderr == "Stopped: 2 of 9 matches were played.\n"
    assert ended.returncode == 128 + signal.SIGINT


STOPS = """\
import os
import signal

from sandlot import Bot


class Stops(Bot):
    def act(self, seen):
        if seen.match == "2-1-1":
            os.kill(os.getpid(), signal.SIGINT)
        return seen.legal[0]
"""


def test_an_interrupt_keeps_and_shows_what_was_played(tmp_path: Path) -> None:
    (tmp_path / "stops.py").write_text(STOPS)
    command = ["sandlot", "play", "stops.py", "caller", "--matches", "9", "--record", "r.jsonl"]
    ended = subprocess.run(
        [str(SCRIPTS / command[0]), *command[1:]],
        cwd=tmp_path,
        env=plain_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 128 + signal.SIGINT
    assert ended.stdout.startswith("2 matches of 8 hands, baseball\n")
    assert ended.stderr == "Stopped: 2 of 9 matches were played.\n"
    assert len(list(verify((tmp_path / "r.jsonl").read_text()))) == 2
