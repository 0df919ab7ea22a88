"""The command called in this process, in a folder of its own, as from a terminal 80 wide."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command import Command, Ran, plain_environment
from support.fake_league import TOKEN, FakeLeague, serving

from sandlot_server.cli import main
from sandlot_server.cli.logins import Login, keep


@pytest.fixture
def sandlot(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    """Return a function that runs ``sandlot`` with its arguments; it is in `tmp_path` then."""
    monkeypatch.chdir(tmp_path)
    plain = plain_environment()
    for name in set(os.environ) - set(plain):
        monkeypatch.delenv(name)
    for name, value in plain.items():
        monkeypatch.setenv(name, value)

    def run(*arguments: str) -> Ran:
        capfd.readouterr()
        status = main(arguments)
        return Ran(status, *capfd.readouterr())

    return run


@pytest.fixture
def config(sandlot: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder where the command keeps its logins; empty at first."""
    folder = tmp_path / "config"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    return folder


@pytest.fixture
def league(config: Path) -> Iterator[FakeLeague]:
    """A league server that one has logged in to."""
    with serving(FakeLeague()) as league:
        keep(Login(league.address, TOKEN))
        yield league
