"""Start the processes of bots, watch them, and end them with all that they have started.

Every bot leads a process group of its own. What ends it, whatever happens:

- the run ends in order, or the bot is stopped: TERM to the group, then KILL;
- the bot exits: KILL to what is left of its group;
- the run is killed: on Linux the system kills the bot itself (``setpriv --pdeathsig``); the warden
  kills its group; and should the warden be killed as well, the next run does it (``ledger``).

On Linux that holds for what has left the group, too, for it still carries the bot's mark
(``marks``).
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from sandlot.errors import BotError
from sandlot_server.launch.bots import LaunchedBot
from sandlot_server.launch.census import group_runs
from sandlot_server.launch.ledger import PATIENCE, Ledger, end_left_behind
from sandlot_server.launch.logs import open_log, tail
from sandlot_server.launch.marks import MARK, carriers, kill_marked, new_mark, put_on

GRACE: Final = 2.0
"""Seconds between TERM and KILL."""

_POLL: Final = 0.01  # seconds; no event tells when a grandchild is gone

# The process waits until it is marked and written down, and only then becomes the bot: whenever the
# run is killed, there is no bot that nobody knows of. Without the line feed it just ends.
_GATE: Final = 'read -r _ && exec "$@" </dev/null'


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended: an exit status, or minus the number of the signal that killed it.

    >>> str(Exit(1)), str(Exit(-9))
    ('exited with status 1', 'killed by signal 9 (SIGKILL)')
    """

    code: int

    def __str__(self) -> str:
        if self.code >= 0:
            return f"exited with status {self.code}"
        try:
            name = f" ({signal.Signals(-self.code).name})"
        except ValueError:
            name = ""  # a real-time signal
        return f"killed by signal {-self.code}{name}"


class BotProcess:
    """The process of a bot; made by ``Launcher.start``.

    Attributes:
        name: the bot's name in its tournament.
        pid: of the process, and the number of its group.
        log: the file with all that it writes to standard output and standard error.
        exit: how it ended, None while it runs.

    """

    def __init__(
        self,
        name: str,
        process: asyncio.subprocess.Process,
        log: Path,
        ledger: Ledger,
        mark: str,
    ) -> None:
        self.name = name
        self.pid = process.pid
        self.log = log
        self.exit: Exit | None = None
        self._process = process
        self._ledger = ledger
        self._mark = mark
        self._log_start = log.stat().st_size
        self._grace_until: float | None = None
        self._gone = asyncio.create_task(self._watch(), name=f"watch {name}")

    async def wait(self) -> Exit:
        """Wait until the process has ended and its group is gone; return how it ended."""
        return await asyncio.shield(self._gone)

    async def stop(self, grace: float = GRACE) -> Exit:
        """End the group: TERM, after ``grace`` seconds KILL; return how the bot's process ended.

        If this is cancelled, the group is killed at once. To stop what has ended does nothing.
        """
        if not self._gone.done():
            self._grace_until = asyncio.get_running_loop().time() + grace
            self._signal(signal.SIGTERM)
            try:
                await asyncio.wait({self._gone}, timeout=grace)
            finally:
                self.kill()
        return await self.wait()

    def kill(self) -> None:
        """Kill the group at once; ``wait`` tells when it is gone."""
        self._grace_until = None
        if not self._gone.done():
            self._signal(signal.SIGKILL)

    def said(self, lines: int = 30) -> str:
        """Return the last lines that this process wrote, for an error's ``account``."""
        return tail(self.log, lines, self._log_start)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    async def _watch(self) -> Exit:
        self.exit = Exit(await self._process.wait())
        # What it has started must go too, with whatever of the grace is left to it.
        now = asyncio.get_running_loop().time
        until = max(now(), self._grace_until or 0.0) + PATIENCE
        while group_runs(self.pid):
            if self._grace_until is None or now() >= self._grace_until:
                self._signal(signal.SIGKILL)
            if now() >= until:
                return self.exit  # it stays in the ledger: the next run tries again
            await asyncio.sleep(_POLL)
        while kill_marked(self._mark, carriers()):  # what has left the group
            if now() >= until:
                return self.exit
            await asyncio.sleep(_POLL)
        self._ledger.strike(self.pid)
        return self.exit


class Launcher:
    """Starts the bots of one run; when it is left, none of them is there any more.

    ``async with Launcher(directory) as launcher:`` in the thread that lives as long as the run:
    on Linux a bot is killed when the *thread* that started it ends.

    Args:
        directory: of the run, for its ledger. What earlier, dead runs in the same directory have
            left behind is ended first.
        scratch: a directory that is to go as well if the run is killed; else it is the caller's.

    Attributes:
        ended: the names of the bots that earlier runs had left behind.

    """

    def __init__(self, directory: Path, scratch: Path | None = None) -> None:
        self._directory = directory
        self._scratch = scratch
        self._processes: set[BotProcess] = set()
        self.ended: tuple[str, ...] = ()

    async def __aenter__(self) -> Self:
        self.ended = tuple(await asyncio.to_thread(end_left_behind, self._directory))
        self._ledger = Ledger(self._directory)
        scratch = [] if self._scratch is None else [str(self._scratch)]
        self._warden = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "sandlot_server.launch.warden", str(self._ledger.path)),
            *scratch,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            await asyncio.gather(*(process.stop() for process in self._processes))
        finally:
            # If that was cut short, the ledger is still there and the warden does the rest.
            self._ledger.close()
            assert self._warden.stdin is not None
            self._warden.stdin.close()
            await self._warden.wait()

    async def start(
        self, bot: LaunchedBot, *, name: str, address: str, token: str, log: Path
    ) -> BotProcess:
        """Start a bot's process; it is to connect to ``address`` with ``token``.

        Args:
            bot: what to start. It runs in its own ``place``, with this process's environment.
            name: the bot's name, for the log and the ledger.
            address: of the arbiter, as ``SANDLOT_ADDRESS`` tells it.
            token: the bot's own, as ``SANDLOT_TOKEN`` tells it.
            log: the file to which its standard output and standard error are appended.

        Raises:
            BotError: there is no such program, or it cannot be started, or its log not be written.

        """
        self._processes = {one for one in self._processes if not one._gone.done()}
        argv = [*_pdeathsig(), *bot.argv()]
        mark = new_mark()
        environment = os.environ | {
            "SANDLOT_ADDRESS": address,
            "SANDLOT_TOKEN": token,
            MARK: mark,
            "GRPC_ENABLE_FORK_SUPPORT": "0",
            "PYTHONUNBUFFERED": "1",
        }
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            with open_log(log) as output:
                process = await asyncio.create_subprocess_exec(
                    *("/bin/sh", "-c", _GATE, "sandlot-bot", *argv),
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=output,
                    cwd=bot.place,
                    env=environment,
                    start_new_session=True,
                )
                assert process.stdin is not None
                try:
                    put_on(process.pid, mark)
                    self._ledger.note(process.pid, name, mark)
                    header = f"{name}, process {process.pid}: {shlex.join(bot.argv())}"
                    output.write(f"--- {_now()} {header}\n".encode(errors="replace"))
                    started = BotProcess(name, process, log, self._ledger, mark)
                    self._processes.add(started)
                    process.stdin.write(b"\n")
                finally:
                    process.stdin.close()
        except OSError as error:
            raise BotError(f"bot {name!r} ({bot}) cannot be started: {error}") from error
        return started


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@functools.cache
def _pdeathsig() -> tuple[str, ...]:
    """Return the words that have the system kill a bot when its run is gone, if it can."""
    setpriv = shutil.which("setpriv") if sys.platform == "linux" else None
    if setpriv is None:
        return ()
    words = (setpriv, "--pdeathsig", "KILL", "--")
    # That of BusyBox does not know it.
    tried = subprocess.run([*words, "true"], capture_output=True, check=False)
    return words if tried.returncode == 0 else ()
