"""Bots in a sandbox, started by root and by an ordinary user."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Self

import pytest
from support.scene import DEADLINE

from sandlot.errors import BotError
from sandlot_server.launch.bubblewrap import Bubblewrap
from sandlot_server.launch.limits import Limits
from sandlot_server.launch.shown import _python

ATTACKS: Final = Path(__file__).parent / "attacks"

USER: Final = 61234
"""An ordinary user, whom tests run by root become: nobody else, so that nobody else counts."""

WHO: Final = ("root", "user") if os.geteuid() == 0 else ("user",)


def _reason() -> str:
    try:
        Bubblewrap(Limits(), ()).check()
    except BotError as error:
        return str(error)
    return ""


needs_sandbox: Final = pytest.mark.skipif(bool(_reason()), reason=_reason())

DRIVER: Final = """
import asyncio, json, os, sys
from pathlib import Path
from sandlot_server.launch.bots import ClassBot, CommandBot
from sandlot_server.launch.bubblewrap import Bubblewrap
from sandlot_server.launch.limits import Limits
from sandlot_server.launch.marks import carriers
from sandlot_server.launch.processes import Launcher

wanted = json.loads(sys.argv[1])
directory = Path(wanted["directory"])
place = directory / "league"

def say(**words):
    print(json.dumps(words), flush=True)

async def main():
    say(pid=os.getpid())
    bubblewrap = Bubblewrap(
        Limits(**wanted["limits"]), tuple(map(Path, wanted["private"])) + (directory / "run",)
    )
    async with Launcher(directory / "run") as launcher:
        for command in wanted["commands"]:
            bot = ClassBot(command, place) if isinstance(command, str) else CommandBot(
                tuple(command), place)
            process = await launcher.start(
                bot, name="mine", address=wanted["address"], token=wanted["token"],
                log=directory / "mine.log", confinement=bubblewrap,
            )
            say(pid=process.pid)
            if wanted["stop"]:
                await asyncio.to_thread(sys.stdin.readline)
                await process.stop(grace=60)
            exit = await process.wait()
            left = [pid for pid, mark in carriers().items() if mark == process._mark]
            say(exit=str(exit), said=process.said(1000), left=left)

asyncio.run(main())
"""


@dataclass(frozen=True)
class Ended:
    """How a bot in a sandbox ended: in words, with what it said, line by line."""

    exit: str
    said: list[str]
    left: list[int]


class Room:
    """A directory of an ordinary user's or root's, with a league's folder in it.

    Attributes:
        who: ``root`` or ``user``.
        directory: of all.
        league: the folder of a league, with what bots may not see.
        log: of the bot that is started.
        arbiter: listens where an arbiter would; a bot may say there that it is up.

    """

    def __init__(self, who: str, directory: Path) -> None:
        self.who = who
        self.directory = directory
        self.league = directory / "league"
        self.league.mkdir()
        self.log = directory / "mine.log"
        self.arbiter = socket.socket(socket.AF_UNIX)
        self.arbiter.bind(str(directory / "arbiter"))
        self.arbiter.listen()
        self.arbiter.settimeout(DEADLINE)

    def attack(self, name: str, folder: str = "mine") -> str:
        """Put an attacker into a folder of the league; return what it is called from there."""
        (self.league / folder).mkdir(exist_ok=True)
        shutil.copy(ATTACKS / f"{name}.py", self.league / folder)
        return str(Path(folder) / f"{name}.py")

    def start(
        self,
        *commands: list[str] | str,
        limits: Limits = Limits(),  # noqa: B008 - a frozen value
        token: str = "secret",
        environment: Mapping[str, str] | None = None,
        stop: bool = False,
    ) -> Driven:
        """Start bots, one after the other."""
        wanted = {
            "directory": str(self.directory),
            "commands": commands,
            "limits": asdict(limits),
            "private": [str(self.league / "league.toml")],
            "address": f"unix:{self.directory / 'arbiter'}",
            "token": token,
            "stop": stop,
        }
        words = [*self.as_who(), sys.executable, "-P", "-c", DRIVER, json.dumps(wanted)]
        return Driven(self, words, os.environ | (environment or {}))

    def run(self, command: list[str] | str, **options: object) -> Ended:
        """Start a bot and wait until it and all that it has started are gone."""
        with self.start(command, **options) as driven:  # type: ignore[arg-type]
            driven.started()
            return driven.ended()

    def python(self, name: str, *arguments: str, **options: object) -> Ended:
        """Run an attacker."""
        return self.run([sys.executable, "-S", self.attack(name), *arguments], **options)

    def up(self) -> socket.socket:
        """Wait until a bot is up; return the connection, which ends when its last process does."""
        connection, _ = self.arbiter.accept()
        connection.settimeout(DEADLINE)
        assert connection.recv(2) == b"up"
        return connection

    def give(self) -> None:
        """Have all that is in it belong to who we are to be."""
        if self.who == "user" and os.geteuid() == 0:
            for path in (self.directory, *self.directory.rglob("*")):
                os.chown(path, USER, USER)

    def as_who(self) -> list[str]:
        """Return the words that make of us who we are to be."""
        if self.who == "root" or os.geteuid() != 0:
            return []
        return _as_user(self.directory)


class Driven:
    """A process that starts bots; as a context, it is gone after."""

    def __init__(self, room: Room, words: list[str], environment: Mapping[str, str]) -> None:
        room.give()
        self.process = subprocess.Popen(
            words,
            cwd=room.directory,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

        self._pid = self._line()["pid"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.process.communicate(timeout=DEADLINE)

    def kill(self) -> None:
        """Kill the process that starts the bots, itself."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)

    def started(self) -> int:
        """Wait until the next bot is started; return the pid that its sandbox hangs on."""
        pid = self._line()["pid"]
        assert isinstance(pid, int)
        return pid

    def stop(self) -> None:
        """Have the bot stopped."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def ended(self) -> Ended:
        """Wait until the bot has ended."""
        line = self._line()
        return Ended(line["exit"], line["said"].splitlines(), line["left"])

    def _line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the driver has ended"
        said = json.loads(line)
        assert isinstance(said, dict)
        return said


@contextmanager
def room_of(who: str) -> Iterator[Room]:
    """Make a room, which is gone after; not in pytest's own directory, which is root's alone."""
    directory = Path(tempfile.mkdtemp(prefix="sandbox-")).resolve()
    try:
        room = Room(who, directory)
        with room.arbiter:
            yield room
    finally:
        shutil.rmtree(directory)


def _as_user(reached: Path) -> list[str]:
    """Return the words by which root becomes an ordinary user.

    That user may enter what root alone may (a Python in its home, an environment of tox) by a
    namespace of mounts, where these folders are in folders that all may enter.
    """
    found = find_spec("sandlot_server")
    assert found is not None
    assert found.origin is not None
    needed = sorted([*_python().places, Path(found.origin).parent, reached])
    closed = {folder for path in needed for folder in path.parents if not folder.stat().st_mode & 1}
    words = ["bwrap", "--dev-bind", "/", "/"]
    made: set[Path] = set()
    for path in needed:
        inside = [folder for folder in reversed(path.parents) if closed & {folder, *folder.parents}]
        for folder in inside:
            if folder not in made:
                words += ["--perms", "0755", "--dir" if made & {*folder.parents} else "--tmpfs"]
                words.append(str(folder))
                made.add(folder)
        if inside:
            words += ["--bind", str(path), str(path)]
    change = ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups"]
    return [*words, "--", *change, "--inh-caps=-all", "--bounding-set=-all", "--"]
