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
from sandlot_server.launch.confining import Confinement, Start
from sandlot_server.launch.ledger import PATIENCE, Ledger, end_left_behind
from sandlot_server.launch.limits import Limits
from sandlot_server.launch.logs import open_log, tail
from sandlot_server.launch.marks import MARK, carriers, kill_marked, new_mark, put_on
from sandlot_server.launch.output import Allowance, Output
from sandlot_server.launch.plain import PLAIN
from sandlot_server.launch.watching import PERIOD, excesses

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
        limits: what the launcher holds it to, None for nothing.

    """

    def __init__(
        self,
        name: str,
        process: asyncio.subprocess.Process,
        log: Path,
        ledger: Ledger,
        mark: str,
        start: Start,
        output: Output | None,
        limits: Limits | None,
    ) -> None:
        self.name = name
        self.pid = process.pid
        self.log = log
        self.exit: Exit | None = None
        self._process = process
        self._ledger = ledger
        self._mark = mark
        self._start = start
        self._output = output
        self.limits = limits
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
        try:
            return await self._until_gone()
        finally:
            if self._output is not None:
                self._output.end()

    async def _until_gone(self) -> Exit:
        code = await self._process.wait()
        self.exit = Exit(128 - code if self._start.shell_status and code > 128 else code)
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

    How a bot is confined is said when it is started (``confining``). To some limits the launcher
    itself holds it: how much of its output is kept (``output``), and what memory all its processes
    have together (``watching``).

    Attributes:
        ended: the names of the bots that earlier runs had left behind.

    """

    def __init__(self, directory: Path, scratch: Path | None = None) -> None:
        self._directory = directory
        self._scratch = scratch
        self._processes: set[BotProcess] = set()
        self._allowances: dict[Path, Allowance] = {}
        self._watching: asyncio.Task[None] | None = None
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
            if self._watching is not None:
                self._watching.cancel()
            # If that was cut short, the ledger is still there and the warden does the rest.
            self._ledger.close()
            assert self._warden.stdin is not None
            self._warden.stdin.close()
            await self._warden.wait()

    async def start(
        self,
        bot: LaunchedBot,
        *,
        name: str,
        address: str,
        token: str,
        log: Path,
        confinement: Confinement = PLAIN,
    ) -> BotProcess:
        """Start a bot's process; it is to connect to ``address`` with ``token``.

        Args:
            bot: what to start.
            name: the bot's name, for the log and the ledger.
            address: of the arbiter, as ``SANDLOT_ADDRESS`` tells it.
            token: the bot's own, as ``SANDLOT_TOKEN`` tells it.
            log: the file to which its standard output and standard error are appended.
            confinement: how it is confined. ``PLAIN``: it runs in its own ``place``, with this
                process's rights and environment.

        Raises:
            BotError: there is no such program, or it cannot be started, or its log not be written.

        """
        self._processes = {one for one in self._processes if not one._gone.done()}
        mark = new_mark()
        own = {
            "SANDLOT_ADDRESS": address,
            "SANDLOT_TOKEN": token,
            MARK: mark,
            "GRPC_ENABLE_FORK_SUPPORT": "0",
            "PYTHONUNBUFFERED": "1",
        }
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            with confinement.confine(bot, own) as start, open_log(log) as said:
                output = self._output(log, confinement.limits)
                try:
                    process = await asyncio.create_subprocess_exec(
                        *("/bin/sh", "-c", _GATE, "sandlot-bot", *_pdeathsig(), *start.argv),
                        stdin=subprocess.PIPE,
                        stdout=said if output is None else output.writer,
                        stderr=subprocess.STDOUT,
                        cwd=start.place,
                        env=start.environment,
                        start_new_session=True,
                        pass_fds=start.files,
                    )
                except BaseException:
                    if output is not None:
                        output.abandon()
                    raise
                assert process.stdin is not None
                try:
                    put_on(process.pid, mark)
                    self._ledger.note(process.pid, name, mark)
                    # Its author reads the log, and has no use for where things are here.
                    what = shlex.join(bot.argv()) if bot.environment is None else str(bot)
                    header = f"{name}, process {process.pid}: {what}"
                    said.write(f"--- {_now()} {header}\n".encode(errors="replace"))
                    if output is not None:
                        output.begin()
                    limits = confinement.limits
                    started = BotProcess(
                        name, process, log, self._ledger, mark, start, output, limits
                    )
                    self._processes.add(started)
                    if limits is not None:
                        self._watch(process.pid)
                    process.stdin.write(b"\n")
                finally:
                    process.stdin.close()
        except OSError as error:
            raise BotError(f"bot {name!r} ({bot}) cannot be started: {error}") from error
        return started

    def _output(self, log: Path, limits: Limits | None) -> Output | None:
        """Return where a bot's output goes if it has limits; else it goes to its log as it is."""
        if limits is None:
            return None
        return Output(log, self._allowances.setdefault(log, Allowance(limits.output)))

    def _watch(self, pid: int) -> None:
        """Hold a bot that has just been started to what the system does not hold it to."""
        # Where memory is short, the system is to end this bot and not somebody else.
        with contextlib.suppress(OSError):
            Path(f"/proc/{pid}/oom_score_adj").write_text("1000")
        if self._watching is None:
            self._watching = asyncio.create_task(self._keep_watching(), name="watch the bots")

    async def _keep_watching(self) -> None:
        while True:
            await asyncio.sleep(PERIOD)
            running = {one.pid: one for one in self._processes if one.exit is None and one.limits}
            watched = {pid: one.limits for pid, one in running.items() if one.limits is not None}
            if not watched:
                continue
            for pid, words in (await asyncio.to_thread(excesses, watched)).items():
                with contextlib.suppress(OSError), open_log(running[pid].log) as log:
                    log.write(f"--- killed: {words}\n".encode())
                running[pid].kill()


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
