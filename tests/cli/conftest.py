"""The command called in this process, in a folder of its own, as from a terminal 80 wide."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.command import Command, Ran, plain_environment

from sandlot_server.cli import main


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
