"""``sandlot.run`` and ``python -m sandlot.client``, as an author meets them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.scripted_arbiter import Conversation, scripted_arbiter

import sandlot
from sandlot import Action, Bot, Observation
from sandlot.client import main

BOT = '''
from sandlot import Action, Bot, run

class Caller(Bot):
    """Checks when it can and calls when it must."""
    def act(self, seen):
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL

if __name__ == "__main__":
    run(Caller)
'''


class Caller(Bot):
    def act(self, seen: Observation) -> Action:
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL


def ends_at_once(heard: list[str]) -> object:
    def script(bot: Conversation) -> Iterator[bytes]:
        heard.append(str(dict(bot.context.invocation_metadata())["authorization"]))
        yield from ()

    return script


@pytest.mark.parametrize("by", ["environment", "command line", "client module"])
def test_a_bot_finds_its_arbiter_by_environment_or_command_line(tmp_path: Path, by: str) -> None:
    (tmp_path / "mybot.py").write_text(BOT)
    heard: list[str] = []
    with scripted_arbiter(tmp_path, ends_at_once(heard)) as address:  # type: ignore[arg-type]
        command = [sys.executable, "mybot.py"]
        environment = {}
        if by == "environment":
            environment = {"SANDLOT_ADDRESS": address, "SANDLOT_TOKEN": "t-1"}
        elif by == "command line":
            command += ["--address", address, "--token=t-1"]
        else:
            command = [sys.executable, "-m", "sandlot.client", "mybot.py:Caller"]
            environment = {"SANDLOT_ADDRESS": address, "SANDLOT_TOKEN": "t-1"}
        ended = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
        )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert heard == ["Bearer t-1"]


def test_the_command_line_comes_before_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    monkeypatch.setenv("SANDLOT_ADDRESS", "unix:/nowhere")
    monkeypatch.setenv("SANDLOT_TOKEN", "t-1")
    with scripted_arbiter(tmp_path, ends_at_once(heard)) as address:  # type: ignore[arg-type]
        sandlot.run(Caller, ["--address", address, "--token", "t-2", "--of-the-bots-own"])
    assert heard == ["Bearer t-2"]


@pytest.mark.parametrize(
    ("given", "missing"), [([], "no address"), (["--address", "unix:/nowhere"], "no token")]
)
def test_without_an_arbiter_one_line_says_what_to_do(
    given: list[str],
    missing: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SANDLOT_ADDRESS", raising=False)
    monkeypatch.delenv("SANDLOT_TOKEN", raising=False)
    with pytest.raises(SystemExit) as ended:
        sandlot.run(Caller, given)
    assert ended.value.code == 1
    error = capsys.readouterr().err
    assert error.startswith(f"Error: {missing} of an arbiter: set SANDLOT_")
    assert error.count("\n") == 1


def test_a_bot_that_fails_to_import_shows_its_own_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = tmp_path / "mybot.py"
    bot.write_text("import nothing_like_this\n")
    with pytest.raises(SystemExit) as ended:
        main([f"{bot}:MyBot", "--address", "unix:/nowhere", "--token", "t"])
    assert ended.value.code == 1
    error = capsys.readouterr().err
    assert "No module named 'nothing_like_this'" in error
    assert error.splitlines()[-1].startswith("Error: ")


def test_importing_sandlot_does_not_import_grpc_or_protobuf() -> None:
    code = "import sandlot, sys; sys.exit(bool({'grpc', 'google.protobuf'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
