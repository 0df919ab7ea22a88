"""What the Tab key offers."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import click
import pytest
from support.command import Command, plain_environment
from support.registered import active, open_season

from sandlot_server.cli import complete, main
from sandlot_server.cli.completion import INSTALL
from sandlot_server.league.places import DataFolder
from sandlot_server.store import Registry, Store

Offered: TypeAlias = Callable[..., list[str]]


@pytest.fixture
def offered(
    sandlot: Command, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Offered:
    """Return a function from the words typed so far to what the shell is offered for the last."""

    def complete(*words: str) -> list[str]:
        monkeypatch.setenv("_SANDLOT_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", " ".join(["sandlot", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        capfd.readouterr()
        assert main() == 0
        lines = filter(None, capfd.readouterr().out.splitlines())
        return [line.partition(",")[2] for line in lines]

    return complete


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["h"], ["hand"]),
        (["ta"], []),
        (["rep"], ["replay"]),
        (["tournament", ""], ["run", "plan"]),
        (["admin", "season", "re"], ["resume"]),
        (["admin", "owner", "add", "--role", ""], ["admin", "owner", "reader"]),
        (["--ve"], ["--version"]),
        (["hand", "--ex"], ["--exposed"]),
        (["completion", "z"], ["zsh"]),
        (["hand", "--variant", "seven"], ["seven-card-stud"]),
    ],
    ids=" ".join,
)
def test_commands_and_options(words: list[str], names: list[str], offered: Offered) -> None:
    assert offered(*words) == names


def test_all_commands_in_the_order_of_the_help(offered: Offered) -> None:
    names = offered("")
    assert names[:4] == ["new", "check", "play", "hand"]
    assert names[-1] == "completion"


def test_bots_are_house_names_and_python_files_here_and_one_folder_down(
    sandlot: Command, tmp_path: Path
) -> None:
    for name in ["mine.py", "mine.txt", ".mine.py", "mybots/other.py", "mybots/deep/er.py"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert bots("m") == ["mine.py", "mybots/other.py"]
    assert bots("mybots/") == ["mybots/deep/er.py", "mybots/other.py"]
    assert bots(f"{tmp_path}/mi") == [f"{tmp_path}/mine.py"]
    assert bots("nowhere/") == []
    assert {"caller", "random", "tight", "odds", "watcher"} < set(bots(""))
    assert bots("cal") == ["caller"]


def test_check_takes_folders_too_that_say_what_they_are(sandlot: Command, tmp_path: Path) -> None:
    for name in ["river/bot.toml", "river/bot.py", "rivulet/other.toml", "bot.toml"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    offer = complete.bots_or_folders
    assert offer(None, None, "riv") == ["river/bot.py", "river"]  # type: ignore[arg-type]
    assert offer(None, None, "river/") == ["river/bot.py"]  # type: ignore[arg-type]
    assert offer(None, None, "b") == []  # type: ignore[arg-type]


def bots(incomplete: str) -> list[str]:
    return complete.bots(None, None, incomplete)  # type: ignore[arg-type]


def test_files_are_of_their_kind(sandlot: Command, tmp_path: Path) -> None:
    for name in ["league.toml", "friday.jsonl", "friday.db"]:
        (tmp_path / name).touch()
    offer = complete.files_ending(".toml", ".jsonl")
    assert offer(None, None, "") == ["friday.jsonl", "league.toml"]  # type: ignore[arg-type]


def test_tournaments_are_those_of_the_database_that_is_named(
    sandlot: Command, tmp_path: Path
) -> None:
    for file, name in [("sandlot.db", "friday"), ("other.db", "fresh"), ("other.db", "sunday")]:
        with Store(tmp_path / file, create=True) as store:
            store.open_tournament(name, {}, rounds=1, bots={"a": "1"}, difference=lambda *_: "")
    assert tournaments_offered("", db=None) == ["friday"]
    assert tournaments_offered("", db="other.db") == ["fresh", "sunday"]
    assert tournaments_offered("su", db=Path("other.db")) == ["sunday"]
    assert tournaments_offered("", db="missing.db") == []


def tournaments_offered(incomplete: str, db: str | Path | None) -> list[str]:
    context = click.Context(click.Command("standings"))
    context.params["db"] = None if db is None else Path(db)
    return complete.tournaments(context, None, incomplete)  # type: ignore[arg-type]


def test_nothing_is_offered_that_gives_the_terminal_orders(
    sandlot: Command, tmp_path: Path, offered: Offered
) -> None:
    names = ("bad\x1b[2J", "bad")
    with Store(tmp_path / "sandlot.db", create=True) as store:
        for name in names:
            store.open_tournament(
                name, {"seats": 2}, rounds=1, bots={"a": "1", "b": "1"}, difference=lambda *_: ""
            )
            store.close()
    for name in names:
        (tmp_path / f"{name}.jsonl").touch()
    assert offered("standings", "--tournament", "b") == ["bad"]
    assert offered("verify", "b") == ["bad.jsonl"]


@pytest.mark.parametrize("shell", list(INSTALL))
def test_each_shell_has_a_script_that_says_where_it_belongs(shell: str, sandlot: Command) -> None:
    ran = sandlot("completion", shell)
    assert ran.status == 0
    assert ran.err == ""
    first, second = ran.out.splitlines()[:2]
    assert first == f"# Tab completion of sandlot for {shell}; belongs into {INSTALL[shell]}"
    assert f"_SANDLOT_COMPLETE={shell}_complete" in ran.out
    assert second != ""


def test_the_script_works_in_bash(tmp_path: Path) -> None:
    typed = 'eval "$(sandlot completion bash)"; COMP_WORDS=(sandlot tournament p); COMP_CWORD=2'
    ended = subprocess.run(
        ["bash", "-c", f'{typed}; _sandlot_completion sandlot; echo "${{COMPREPLY[@]}}"'],
        cwd=tmp_path,
        env=plain_environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.stdout, ended.stderr) == ("plan\n", "")


@pytest.mark.parametrize(
    ("command", "names"),
    [
        (["owner", "token"], ["ann", "bob"]),
        (["owner", "revoke"], ["ann", "bob"]),
        (["season", "close"], ["spring"]),
        (["disqualify"], ["fox", "rat"]),
        (["void", "--season"], ["spring"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_admin_offers_what_the_league_holds(
    command: list[str], names: list[str], offered: Offered, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = DataFolder(Path("league"))
    folder.make()
    with Store(folder.database, create=True) as store:
        registry = Registry(store)
        active(registry, "ann", "rat")
        active(registry, "bob", "fox")
        open_season(registry)
    *group, last = command
    assert offered("admin", *command, "") == []  # there is no league here
    there = ["--data", "league"]
    if last.startswith("--"):
        assert offered("admin", *group, *there, last, "") == names
    else:
        assert offered("admin", *command, *there, "") == names
        assert offered("admin", *command, *there, names[0][:2]) == names[:1]
    monkeypatch.setenv("SANDLOT_DATA", "league")
    assert offered("admin", *command, "") == names
