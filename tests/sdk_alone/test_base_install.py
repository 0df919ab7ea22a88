"""What a bot author does, with the base install alone."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.command import run_python, run_sandlot

import sandlot
import sandlot_bots
from sandlot_server.cli.logins import Login, keep

SEED = "00112233445566778899aabbccddeeff"

WEB = ("flask", "django", "fastapi", "starlette", "aiohttp", "tornado", "uvicorn", "jinja2")


EXTRA = ("structlog", "sqlalchemy", "scipy", "numpy", "grpc_health", "prometheus_client")


@pytest.mark.parametrize("module", [*EXTRA, *WEB])
def test_the_base_install_leaves_out(module: str) -> None:
    assert find_spec(module) is None


def modules() -> list[str]:
    found = ["sandlot", "sandlot_bots"]
    for package in (sandlot, sandlot_bots):
        walked = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        found += [module.name for module in walked]
    return found


@pytest.mark.parametrize("module", modules())
def test_every_module_of_the_sdk_and_every_house_bot_imports(module: str) -> None:
    import_module(module)


@pytest.mark.parametrize("module", ["tables", "values"])
def test_what_a_client_of_a_league_server_reads_with_imports(module: str) -> None:
    import_module(f"sandlot_server.service.{module}")


def test_a_match_in_process() -> None:
    ran = run_python(
        "-c",
        "from sandlot.arena import play\n"
        "from sandlot_bots.caller import Caller\n"
        "from sandlot_bots.random import Random\n"
        "for match in play([Caller, Random], matches=2, seed=bytes(16)):\n"
        "    print(sum(match.net))\n",
    )
    assert ran == (0, "0\n0\n", "")


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with the records of two matches that ``sandlot play`` has written."""
    folder = tmp_path_factory.mktemp("played")
    ran = run_sandlot(
        *("play", "caller", "random", "--matches", "2", "--seed", SEED, "--record", "two.jsonl"),
        cwd=folder,
    )
    assert (ran.status, ran.err) == (0, "")
    return folder / "two.jsonl"


def test_play_verify_and_replay(record: Path) -> None:
    verified = run_sandlot("verify", str(record), "--tournament", SEED)
    assert (verified.status, verified.err) == (0, "")
    replayed = run_sandlot("replay", str(record), "--hand", "1")
    assert (replayed.status, replayed.err) == (0, "")
    assert "caller" in replayed.out


def test_a_record_that_was_edited_is_refused(record: Path) -> None:
    edited = record.with_name("edited.jsonl")
    edited.write_text(record.read_text().replace('"seats":[{"seat":0', '"seats":[{"seat":1', 1))
    assert edited.read_text() != record.read_text()
    ran = run_sandlot("verify", str(edited))
    assert ran.status == 1
    assert ran.err != ""


def test_hand() -> None:
    ran = run_sandlot("hand", "8s 8h 8c 8d 3c", "As Ks Qs Js Ts")
    assert (ran.status, ran.err) == (0, "")
    assert "Hand 1 is better" in ran.out


def test_new_and_check(tmp_path: Path) -> None:
    assert run_sandlot("new", "mybot", cwd=tmp_path).status == 0
    for bot in ("mybot/bot.py", "mybot"):
        checked = run_sandlot("check", bot, cwd=tmp_path)
        assert (checked.status, checked.err) == (0, "")
    assert run_python("-m", "pytest", "-q", cwd=tmp_path / "mybot").status == 0


LEAGUE = ("login", "submit", "status", "logs", "connect", "retire", "watch", "matches", "record")


@pytest.mark.parametrize("command", [*LEAGUE, "standings"])
def test_the_commands_of_a_league_give_their_help(command: str) -> None:
    ran = run_sandlot(command, "--help")
    assert (ran.status, ran.err) == (0, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["submit", "mybot"],
        ["status"],
        ["logs", "mybot"],
        ["connect", "mybot"],
        ["retire", "mybot", "--yes"],
        ["watch"],
        ["standings", "--server"],
        ["matches", "--server"],
        ["record", "1-1-1", "--server"],
    ],
    ids=" ".join,
)
def test_a_league_server_is_called_without_the_server_extra(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_sandlot("new", "mybot", cwd=tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    keep(Login("127.0.0.1:1", "token"))
    ran = run_sandlot(*arguments, cwd=tmp_path)
    assert ran.status == 1
    assert ran.err.startswith("Error: no league server at 127.0.0.1:1, or it is gone: ")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    "module",
    [
        "sandlot_server.service.values",
        "sandlot_server.service.tables",
        "sandlot_server.cli.standings_page",
        "sandlot_server.cli.versions_page",
        "sandlot_server.cli.watch_page",
        "sandlot_server.cli.at_home",
    ],
)
def test_what_a_league_server_tells_is_read_and_shown_without_the_server_extra(
    module: str,
) -> None:
    import_module(module)


@pytest.mark.parametrize(
    "arguments",
    [
        ["standings"],
        ["matches"],
        ["record", "1-1-1"],
        ["tournament", "run", "league.toml"],
        ["export", "--format", "jsonl", "out.jsonl"],
        ["admin", "owner", "add", "ann"],
    ],
    ids=" ".join,
)
def test_a_command_that_needs_more_says_what_to_install(
    arguments: list[str], tmp_path: Path
) -> None:
    run_sandlot("new", ".", cwd=tmp_path)
    ran = run_sandlot(*arguments, cwd=tmp_path)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.endswith("which is not installed: pip install 'sandlot[server]'\n")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [["standings"], ["tournament", "run"], ["export"], ["admin", "season", "start"]]
)
def test_its_help_is_there_all_the_same(arguments: list[str]) -> None:
    ran = run_sandlot(*arguments, "--help")
    assert (ran.status, ran.err) == (0, "")
