"""A file of the wrong kind: one line says what it seems to be, and which command takes it."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from records.handled import records
from support.command import SCRIPTS, Command, plain_environment

from sandlot import phh
from sandlot.records import read

LEAGUE = """\
# Friday night.

[tournament]
name = "friday"
variant = "baseball"
"""
BOT = "from sandlot import Action, Bot\n\nclass Caller(Bot):\n    ...\n"
EXPORTS = "`sandlot export --format jsonl OUT` writes records"


def hand_history() -> str:
    return "".join(phh.tables(read(records()["clean"])))


def database(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0" + bytes(100))


Make = str | bytes | Callable[[Path], None]

KINDS: dict[str, tuple[str, Make, str, str]] = {
    "a league file": (
        "league.txt",
        LEAGUE,
        "it seems to be a league file",
        "`sandlot tournament plan league.txt` shows what it would play",
    ),
    "a league file by its name": (
        "a.toml",
        "name =",
        "it seems to be a league file",
        "`sandlot tournament plan a.toml` shows what it would play",
    ),
    "a database": (
        "my bots.db",
        database,
        "it seems to be a database",
        "`sandlot standings --db 'my bots.db'` prints its table, "
        "`sandlot export --db 'my bots.db' --format jsonl OUT` writes its records",
    ),
    "PHH": (
        "a.phhs",
        hand_history(),
        "it seems to be a hand history in PHH",
        f"other poker programs read it; {EXPORTS}",
    ),
    "a folder": ("folder", Path.mkdir, "it is a folder", "name a file in it"),
    "a picture": (
        "a.jsonl",
        b"\x89PNG\r\n\x1a\n\0\0",
        "it seems to be a picture",
        "no command takes it",
    ),
    "packed": (
        "a.jsonl.gz",
        gzip.compress(records()["clean"].encode()),
        "it seems to be a compressed file",
        "unpack it first",
    ),
    "a program": ("a.out", b"\x7fELF\0\0", "it seems to be no text", "no command takes it"),
    "a table in JSON": (
        "a.json",
        json.dumps({"a": 1}, indent=2),
        "it seems to be JSON of another kind",
        EXPORTS,
    ),
    "a replay in JSON": (
        "a.json",
        '{"match":"1-1-1","hand":1,"step":1}\n',
        "it seems to be what `sandlot replay --json` prints",
        "it is for scripts",
    ),
    "a bot": ("a.txt", BOT, "it seems to be a bot", "`sandlot check a.txt` tries it"),
    "a record": (
        "friday.txt",
        records()["clean"],
        "it seems to be a record",
        "`sandlot replay friday.txt` shows it",
    ),
}


def put(file: str, make: Make) -> None:
    if callable(make):
        make(Path(file))
    else:
        Path(file).write_bytes(make.encode() if isinstance(make, str) else make)


def line(file: str, what: str, wanted: str, advice: str) -> tuple[int, str, str]:
    return 1, "", f"Error: {file}: {what}, not {wanted}: {advice}\n"


@pytest.mark.parametrize("command", ["replay", "verify"])
@pytest.mark.parametrize("kind", KINDS.keys() - {"a record"})
def test_what_is_no_record(kind: str, command: str, sandlot: Command) -> None:
    file, make, what, advice = KINDS[kind]
    put(file, make)
    assert sandlot(command, file) == line(file, what, "a record", advice)


@pytest.mark.parametrize("command", ["plan", "run"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if "league" not in kind])
def test_what_is_no_league_file(kind: str, command: str, sandlot: Command) -> None:
    file, make, what, advice = KINDS[kind]
    put(file, make)
    ran = sandlot("tournament", command, file)
    assert ran == line(file, what, "a league file", advice)
    assert [*Path().iterdir()] == [Path(file)]


@pytest.mark.parametrize("command", ["check", "play"])
@pytest.mark.parametrize(
    "kind", ["a record", "a folder", "PHH", "a league file", "a table in JSON"]
)
def test_what_is_no_bot(kind: str, command: str, sandlot: Command) -> None:
    file, make, what, advice = KINDS[kind]
    put(file, make)
    others = ["tight"] if command == "play" else []
    assert sandlot(command, file, *others) == line(file, what, "a bot", advice)
    there = f"{Path.cwd()}/{file}"
    advice = advice.replace(file, there)
    assert sandlot(command, there, *others) == line(there, what, "a bot", advice)


@pytest.mark.parametrize(
    ("command", "wanted", "file"),
    [
        (["play", "tight"], "a bot", "bot.py"),
        (["tournament", "plan"], "a league file", "league.toml"),
        (["tournament", "run"], "a league file", "league.toml"),
        (["verify"], "a record", "a.jsonl"),
    ],
)
def test_of_a_folder_the_file_in_it_is_named(
    command: list[str], wanted: str, file: str, sandlot: Command
) -> None:
    sandlot("new", "mine")
    Path("mine/a.jsonl").touch()
    advice = f"name a file in it, as mine/{file}"
    assert sandlot(*command, "mine") == line("mine", "it is a folder", wanted, advice)


def test_what_is_known_to_be_of_its_kind_keeps_its_own_error(sandlot: Command) -> None:
    Path("friday.jsonl").write_text(records()["clean"][:-30], newline="")
    assert "friday.jsonl, line 3: the line is cut short" in sandlot("verify", "friday.jsonl").err
    Path("league.toml").write_text(LEAGUE)
    assert "league.toml: there are no bots; write [[bots]]" in (
        sandlot("tournament", "plan", "league.toml").err
    )
    Path("notes.txt").write_text("hello world, this is nothing of ours\n")
    assert sandlot("verify", "notes.txt").err == (
        "Error: notes.txt, line 1: no JSON object: at byte 1 stands 'hello world, this is'\n"
    )


def test_standard_input_is_told_apart_too(tmp_path: Path) -> None:
    (tmp_path / "league.toml").write_text(LEAGUE)
    ran = subprocess.run(
        ["sh", "-c", f"cat league.toml | {SCRIPTS / 'sandlot'} replay -"],
        cwd=tmp_path,
        env=plain_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("Error: -: it seems to be a league file, not a record: ")
