"""The ledger: which bots a run has started, so that others can end them if it cannot.

A run that is killed cannot clean up. Two others read its ledger then: its warden, a small process
that notices at once (see ``warden``), and, should that one be killed too, the next run in the same
directory. Only what is surely a bot is ended, for the system uses the numbers of processes again.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from sandlot_server.launch.census import group_runs, process
from sandlot_server.launch.marks import carriers, kill_marked

PATIENCE: Final = 10.0
"""Seconds for a killed process to go; only one that hangs in the kernel needs longer."""

_PATTERN: Final = "bots-*.ledger"


@dataclass(frozen=True, slots=True)
class Started:
    """A bot's process: its group, when its leader was started, the bot's name, and its mark."""

    group: int
    started: str
    bot: str
    mark: str


class Ledger:
    """The bots of this run, in a file of ``directory`` that is locked while the run lives.

    Attributes:
        path: the file; it is gone after ``close`` when all bots are.

    """

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.path = (directory / f"bots-{secrets.token_hex(8)}.ledger").resolve()
        self._running: set[int] = set()
        self._closed = False
        self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def note(self, group: int, bot: str, mark: str) -> None:
        """Write down a process that has just been started, leader of its group."""
        leader = process(group)
        if leader is not None:  # else it has ended already
            self._running.add(group)
            self._write(asdict(Started(group, leader.started, bot, mark)))

    def strike(self, group: int) -> None:
        """Write down that a process is gone, with all that it has started."""
        self._running.discard(group)
        self._write({"gone": group})

    def close(self) -> None:
        """Remove the ledger, unless it holds a bot that is not gone; let others have it."""
        if not self._running:
            self.path.unlink(missing_ok=True)
        os.close(self._file)
        self._closed = True

    def _write(self, entry: dict[str, Any]) -> None:
        if self._closed:
            return  # a run that is cut short closes it while its last bots still go
        # One write a line: whenever the run is killed, a line is there whole or not at all.
        os.write(self._file, f"{json.dumps(entry)}\n".encode())


def end_left_behind(directory: Path) -> list[str]:
    """End what dead runs have left in a directory; return the bots' names."""
    ended: list[str] = []
    for path in sorted(directory.glob(_PATTERN)):
        with _of_dead_run(path) as dead:
            if dead:
                ended += end_bots(path, at_once=False)
    return ended


def end_bots(path: Path, *, at_once: bool) -> list[str]:
    """Kill what still runs of a ledger's bots, wait until it is gone, and remove the ledger.

    Args:
        path: the ledger of a run that is dead.
        at_once: the run has died just now, so that no number in it can be in use again.

    Returns:
        The names of the bots that still ran.

    """
    ended: dict[str, None] = {}
    left = _read(path)
    until = time.monotonic() + PATIENCE
    while True:
        marked = carriers()
        left = [bot for bot in left if _kill(bot, marked, at_once=at_once)]
        ended |= dict.fromkeys(bot.bot for bot in left)
        if not left:
            path.unlink(missing_ok=True)
            break
        if time.monotonic() > until:
            break  # the ledger stays: the next run tries again
        time.sleep(0.01)
    return list(ended)


def _kill(bot: Started, marked: Mapping[int, str], *, at_once: bool) -> bool:
    """Kill what is left of a bot; tell whether there was anything."""
    leader = process(bot.group)
    ours = at_once or (leader is not None and leader.started == bot.started)
    grouped = ours and group_runs(bot.group)
    if grouped:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(bot.group, signal.SIGKILL)
    # What has left the group, or is left of a group whose leader is gone.
    return kill_marked(bot.mark, marked) or grouped


def _read(path: Path) -> list[Started]:
    bots: dict[int, Started] = {}
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return []  # somebody else has just ended them
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # the disk was full
        if "gone" in entry:
            bots.pop(entry["gone"], None)
        else:
            bots[entry["group"]] = Started(**entry)
    return list(bots.values())


@contextlib.contextmanager
def _of_dead_run(path: Path) -> Iterator[bool]:
    """Tell whether nobody holds a ledger any more; hold it meanwhile."""
    try:
        file = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        yield False
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(file)
