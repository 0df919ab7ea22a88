"""A check in a process of its own: what it tells, and to whom."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from sandlot.testing.telling import Told, tell_of

BOT = """
from sandlot import Action, Bot

class Good(Bot):
    def act(self, seen):
        return seen.legal[0]

class Folder(Bot):
    def act(self, seen):
        return Action.FOLD
"""


@pytest.fixture
def bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "told_bot.py"
    path.write_text(BOT)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return path


def test_of_a_good_bot_there_is_nothing_to_say(bot: Path) -> None:
    told = tell_of(f"{bot}:Good")
    assert (told.ok, told.line) == (True, "")
    assert told.account.startswith("Good: ok")


def test_of_a_bad_one_the_first_fault_is_the_line(bot: Path) -> None:
    told = tell_of(f"{bot}:Folder")
    assert (told.ok, told.line) == (False, "illegal: fold is not legal here; legal: check, bet")
    assert "it saw <Observation" in told.account


def test_of_one_that_cannot_be_loaded_it_is_said_why(bot: Path) -> None:
    bot.write_text("import nowhere_at_all\n")
    told = tell_of(str(bot))
    assert not told.ok
    assert "cannot be imported" in told.line
    assert "No module named 'nowhere_at_all'" in told.account


def test_it_is_told_to_who_listens(bot: Path) -> None:
    address = bot.parent / "listener"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(address))
        listener.listen()
        listener.settimeout(60)
        checking = subprocess.Popen(
            [sys.executable, "-P", "-m", "sandlot.testing.telling", f"{bot}:Good"],
            env=os.environ | {"SANDLOT_ADDRESS": f"unix:{address}"},
        )
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(60)
            said = b"".join(iter(lambda: connection.recv(1 << 16), b""))
        assert checking.wait(60) == 0
    assert msgspec.json.decode(said, type=Told).ok
