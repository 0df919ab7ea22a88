"""``sandlot new``: a bot to start from."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from support.command import Command, run_python

from sandlot_server.cli.new import STARTER, bot_name
from sandlot_server.submissions.manifest import Manifest, manifest_in
from sandlot_server.tournament.league import read_league


@pytest.mark.parametrize("name", ["river-rat", "caller", "2fast", "bot"])
def test_a_new_bot_passes_its_own_test(name: str, sandlot: Command, tmp_path: Path) -> None:
    assert sandlot("new", name).status == 0
    ran = run_python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path / name)
    assert ran.status == 0, ran.out
    assert "1 passed" in ran.out


@pytest.mark.parametrize(
    ("folder", "name", "class_"),
    [
        ("mybot", "mybot", "MyBot"),
        ("river-rat", "river-rat", "RiverRat"),
        ("River_Rat 2", "river-rat-2", "RiverRat2"),
        ("2fast", "2fast", "My2fast"),
        ("tight", "my-tight", "MyTight"),
        ("+++", "mybot", "MyBot"),
        ("none", "none", "MyNone"),
        ("exception", "exception", "MyException"),
        ("bot", "bot", "MyBot"),
        ("observation", "observation", "MyObservation"),
        ("日本", "mybot", "MyBot"),
        ("a" * 31 + "-bot", "a" * 31, "A" + "a" * 30),
        ("caller" + "-x" * 40, "caller" + "-x" * 13, "Caller" + "X" * 13),
    ],
)
def test_class_test_and_league_are_named_after_the_folder(
    folder: str, name: str, class_: str, sandlot: Command
) -> None:
    assert sandlot("new", folder).status == 0
    place = Path(folder)
    bot, test = (place / "bot.py").read_text(), (place / "test_bot.py").read_text()
    for text in (f"class {class_}(Bot):", f"run({class_})"):
        assert text in bot
    for text in (f"from bot import {class_}\n", f"play([{class_}, Caller]"):
        assert text in test
    assert manifest_in(place) == Manifest(name, f"bot.py:{class_}", None)
    league = read_league(place / "league.toml")
    assert league.name == name
    assert (league.bots[0].name, league.bots[0].run) == (name, f"bot.py:{class_}")
    if name != "mybot":
        assert "mybot" not in "".join(file.read_text() for file in place.glob("*.*"))
    ran = sandlot("check", f"{folder}/bot.py", "--matches", "1")
    assert (ran.status, ran.out.split()[0]) == (0, f"{class_}:")


def test_a_new_bot_plays(sandlot: Command, tmp_path: Path) -> None:
    sandlot("new", "river")
    ran = sandlot("play", "river/bot.py", "caller", "--matches", "2")
    assert (ran.status, ran.err) == (0, "")
    assert {line.split()[0] for line in ran.out.splitlines()[2:4]} == {"river", "caller"}


def test_a_new_bot_is_well_behaved(sandlot: Command, tmp_path: Path) -> None:
    sandlot("new", "river")
    assert sandlot("check", "river/bot.py").status == 0
    ran = sandlot("check", "river", "--matches", "1")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("river: 5 files, ")


def test_the_league_of_a_new_bot_can_be_planned(sandlot: Command, tmp_path: Path) -> None:
    sandlot("new", "river")
    ran = sandlot("tournament", "plan", "river/league.toml")
    assert (ran.status, ran.err) == (0, "")


def test_what_is_written_and_what_to_do_next(sandlot: Command, tmp_path: Path) -> None:
    ran = sandlot("new", "my bots/River Rat")
    assert ran.status == 0
    assert "\n  cd 'my bots/River Rat'\n  sandlot play bot.py caller " in ran.out
    folder = tmp_path / "my bots" / "River Rat"
    assert sorted(path.name for path in folder.iterdir()) == sorted(STARTER)
    league = tomllib.loads((folder / "league.toml").read_text())
    assert league["tournament"]["name"] == "river-rat"
    assert [bot["name"] for bot in league["bots"]] == ["river-rat", "caller", "tight"]
    assert (folder / "README.md").read_text().startswith("# river-rat\n")


def test_an_empty_folder_will_do_and_the_folder_one_is_in(sandlot: Command, tmp_path: Path) -> None:
    assert sandlot("new", ".").status == 0
    assert (tmp_path / "bot.py").exists()


@pytest.mark.parametrize(
    ("name", "says"), [("full", "is not empty"), ("full/file", "is a file")], ids=["folder", "file"]
)
def test_nothing_is_written_over(name: str, says: str, sandlot: Command, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    line = f"Error: {name} {says}: name a folder that is not there yet.\n"
    assert sandlot("new", name) == (1, "", line)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["file"]
    assert (tmp_path / "full" / "file").read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_named(sandlot: Command, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ran = sandlot("new", "file/bot")
    assert (ran.status, ran.err) == (1, "Error: file/bot: Not a directory\n")


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("mybot", "mybot"),
        ("tight", "my-tight"),
        ("Größe 2", "grosse-2"),
        ("---", "mybot"),
    ],
)
def test_the_bot_is_named_after_its_folder(folder: str, name: str) -> None:
    assert bot_name(Path(folder)) == name


def test_two_new_bots_are_told_apart_and_one_from_within_its_folder(
    sandlot: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandlot("new", "river-rat")
    sandlot("new", "shark")
    ran = sandlot("play", "river-rat/bot.py", "shark/bot.py")
    assert {line.split()[0] for line in ran.out.splitlines()[2:4]} == {"river-rat", "shark"}
    monkeypatch.chdir("shark")
    ran = sandlot("play", "bot.py", "caller")
    assert {line.split()[0] for line in ran.out.splitlines()[2:4]} == {"shark", "caller"}
