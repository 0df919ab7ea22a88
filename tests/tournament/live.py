"""``sandlot tournament run`` in a process of its own, watched through what its bots say."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from support.command import SCRIPTS, Ran, plain_environment
from support.scene import DEADLINE, Scene
from tournament.running import SEED, ZOO, pids

from sandlot_server.store import Store
from sandlot_server.tournament.league import League, read_league

LEAGUE: Final = f"""
[tournament]
name = "live"
seats = 2
hands = 3
rounds = {{rounds}}
seed = "{SEED.hex()}"

[clock]
decision = "1m"

[faults]
hello = "2m"

[[bots]]
name = "forking"
run = "telling.py:Forking"

[[bots]]
name = "one"
run = "telling.py:Telling"

[[bots]]
name = "two"
run = "telling.py:Telling"
"""

DIE_AT_COMMIT: Final = """
import os, signal
from sqlalchemy import Engine, Pool, event

commits = 0

def die():
    os.kill(os.getpid(), signal.SIGKILL)

@event.listens_for(Engine, "commit")
def about_to_commit(connection):
    global commits
    commits += 1
    if when == "before" and commits == number:
        die()

@event.listens_for(Pool, "checkin")
def connection_given_back(connection, record):
    if when == "after" and commits >= number:
        die()
"""
"""For a program that has said ``when`` and at which ``number`` of its transactions it dies."""

AT_COMMIT: Final = f"""
import sys
from sandlot_server.cli import main

when, number = sys.argv[1], int(sys.argv[2])
{DIE_AT_COMMIT}
sys.exit(main(sys.argv[3:]))
"""

SMALL_DISK: Final = """
import sys
from sqlalchemy import Engine, event
from sandlot_server.cli import main

@event.listens_for(Engine, "connect")
def no_larger_than(connection, record):
    connection.execute(f"PRAGMA max_page_count = {sys.argv[1]}")

sys.exit(main(sys.argv[2:]))
"""

SIGNALLED: Final = """
import asyncio, os, sys
from sandlot_server.cli import main

module, number = sys.argv[1], int(sys.argv[2])

def signal_us():
    os.kill(os.getpid(), number)

class Importing:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            signal_us()

class Runner(asyncio.Runner):
    def get_loop(self):
        loop = super().get_loop()
        if module == "the loop":
            signal_us()
        return loop

sys.meta_path.insert(0, Importing())
asyncio.Runner = Runner
sys.exit(main(sys.argv[3:]))
"""

SIGNALLED_AGAIN: Final = """
import os, signal, sys
from sandlot_server.cli import main
from sandlot_server.tournament.remote import WorkerProcess

end = WorkerProcess.end

async def signalled(self):
    os.kill(os.getpid(), signal.SIGTERM)
    await end(self)
    print("the worker has ended in good order", file=sys.stderr)

WorkerProcess.end = signalled
sys.exit(main(sys.argv[1:]))
"""

SANDLOT: Final = (str(SCRIPTS / "sandlot"),)


def killed_at_commit(when: str, number: int) -> tuple[str, ...]:
    """The command, which kills itself ``before`` or ``after`` it commits its n-th transaction."""
    return sys.executable, "-P", "-c", AT_COMMIT, when, str(number)


def signalled_at(module: str, number: signal.Signals) -> tuple[str, ...]:
    """The command, which gets a signal when it imports a module, or has made ``the loop``."""
    return sys.executable, "-P", "-c", SIGNALLED, module, str(number.value)


def signalled_again() -> tuple[str, ...]:
    """The command, which gets a signal once more while it waits for the end of its worker."""
    return sys.executable, "-P", "-c", SIGNALLED_AGAIN


def on_a_small_disk(pages: int) -> tuple[str, ...]:
    """The command, whose database can have so many pages of 1024 bytes and no more."""
    return sys.executable, "-P", "-c", SMALL_DISK, str(pages)


def league_in(directory: Path, rounds: int) -> League:
    """A league of bots that say what they come to, in a directory of its own."""
    directory.mkdir()
    (directory / "telling.py").write_bytes((ZOO / "telling.py").read_bytes())
    (directory / "league.toml").write_text(LEAGUE.format(rounds=rounds))
    return read_league(directory / "league.toml")


class LiveRun:
    """A run of the league in a directory; as a context, it and all that it started is gone after.

    Args:
        directory: with ``league.toml``; the database is made in it.
        options: of the command.
        sandlot: the command itself.

    """

    def __init__(self, directory: Path, *options: str, sandlot: Sequence[str] = SANDLOT) -> None:
        self._directory = directory
        life = Path(tempfile.mkdtemp(dir=directory, prefix="life-"))
        self._scene = Scene(life)
        self._pipe = life / "life"
        # Not in pytest's own: a socket in it has a name of some hundred characters at most.
        self._scratch = Path(tempfile.mkdtemp(prefix="live-"))
        self.process = subprocess.Popen(
            [*sandlot, "tournament", "run", "league.toml", *options],
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=plain_environment() | {"LIFE": str(self._pipe), "TMPDIR": str(self._scratch)},
            start_new_session=True,
        )
        self.said: list[str] = []

    def __enter__(self) -> Self:
        self._scene.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.communicate()
        self._scene.__exit__()
        shutil.rmtree(self._scratch)

    def wait_for_lines(self, number: int) -> None:
        """Wait until the bots have said that many lines."""
        while len(self.said) < number:
            self.said.append(self._scene.next_line())

    def kill(self) -> None:
        """``kill -9``."""
        self.process.kill()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal."""
        self.process.send_signal(number)

    def end(self) -> Ran:
        """Wait for its end, and see that nothing is left: no bot, no child, no worker, no file."""
        # A pipe that nobody has opened yet does not end: perhaps there was no bot.
        os.close(os.open(self._pipe, os.O_WRONLY | os.O_NONBLOCK))
        self.said += self._scene.all_gone().splitlines()  # all that hold the pipe: children too
        out, err = self.process.communicate(timeout=DEADLINE)  # all that hold those: ours
        for pid in pids(logs_in(self._directory)):
            wait_until_gone(pid)
        assert not [*self._scratch.iterdir()]
        return Ran(self.process.returncode, out, err)

    def dealt(self) -> set[tuple[str, str]]:
        """The matches whose cards were seen, with their commitments."""
        words = [line.split() for line in self.said]
        return {(word[1], word[2]) for word in words if word[0] == "match"}


def logs_in(directory: Path) -> Path:
    """Where the logs of the league's bots lie."""
    return directory / "sandlot-logs" / "live"


def wait_until_gone(pid: int) -> None:
    """Wait until a process that need not be our child has ended."""
    try:
        file = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([file], [], [], DEADLINE)[0], f"process {pid} is still there"
    finally:
        os.close(file)


def store_in(directory: Path) -> Store:
    """The database of the league."""
    return Store(directory / "sandlot.db")


def play_to_the_end(directory: Path, options: Sequence[str] = ()) -> LiveRun:
    """Run the league until all is played."""
    with LiveRun(directory, *options) as run:
        ran = run.end()
    assert ran.status == 0, ran.err
    return run
