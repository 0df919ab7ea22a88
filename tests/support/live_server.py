"""``sandlot serve`` in a process of its own, watched through its log.

What happens is known by the events in the log, and by nothing else: a test waits for one of them,
or for so many of them.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Protocol, Self, TypeAlias

from support.command import SCRIPTS, plain_environment
from tournament.live import wait_until_gone

from sandlot_server.launch.marks import carriers

SANDLOT: Final = (str(SCRIPTS / "sandlot"),)

DEADLINE: Final = 120.0
"""Seconds after which what is waited for is taken not to come; nothing waits that long."""

Event: TypeAlias = dict[str, Any]
"""An event of the log: ``event`` is what happened, the rest is bound to it."""


class Process(Protocol):
    """What a test does with the process of a server; ``subprocess.Popen`` is one."""

    pid: int

    @property
    def stderr(self) -> IO[str] | None:
        """What it writes to standard error."""

    def send_signal(self, sig: int) -> None:
        """Send it a signal."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; return its exit status, or minus the signal that has killed it."""


Start: TypeAlias = Callable[[Sequence[str], dict[str, str]], Process]
"""Starts ``sandlot`` with arguments and an environment."""


def started(sandlot: Sequence[str] = SANDLOT, folder: Path | None = None) -> Start:
    """Return how a command is started as a shell does it, in a folder."""

    def start(arguments: Sequence[str], environment: dict[str, str]) -> Process:
        return subprocess.Popen(
            [*sandlot, *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        )

    return start


class Home:
    """A place where one server after the other runs; as a context, all that they left is gone.

    Attributes:
        data: the folder of the league.
        address: where each of the servers listens.
        scratch: their folder for what is temporary.
        log: what all of them have said, in order.
        said: the lines that were no events.
        marks: of bots that they have started.
        heard: notified when one of them has said something.
        on_season: called when one of them has the season, so that remote bots may come in.

    """

    def __init__(self, data: Path, *options: str) -> None:
        self.data = data
        # Not in pytest's own: a socket in it has a name of some hundred characters at most.
        self.scratch = Path(tempfile.mkdtemp(prefix="serve-"))
        self.address = f"unix:{self.scratch}/s"
        self.options = options
        self.log: list[Event] = []
        self.said: list[str] = []
        self.heard = threading.Condition()
        self.on_season: Callable[[], None] = lambda: None
        self.marks: set[str] = set()
        self._servers: list[LiveServer] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            for server in self._servers:
                server.kill()
            self.all_gone()
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)

    def serve(self, *options: str, start: Start | None = None) -> LiveServer:
        """Start a server, which need not serve yet."""
        asked = ["--listen", self.address, "--log", "json", *self.options, *options]
        server = LiveServer(
            self,
            (start or started())(
                ["serve", "--data", str(self.data), *asked],
                plain_environment() | {"TMPDIR": str(self.scratch)},
            ),
        )
        self._servers.append(server)
        return server

    def all(self, event: str, **bound: object) -> list[Event]:
        """Return what was said of this so far."""
        with self.heard:
            return [each for each in self.log if _fits(each, event, bound)]

    def wait_for_a_server(self, seen: int) -> int:
        """Wait until more servers than those seen have served; return how many by now."""
        number = 0

        def more() -> bool:
            nonlocal number
            number = sum(each["event"] == "serving" for each in self.log)
            return number > seen

        with self.heard:
            assert self.heard.wait_for(more, DEADLINE), "no server serves"
        return number

    def all_gone(self) -> None:
        """Wait until there is no process any more that has to do with the servers."""
        marked = [pid for pid, mark in carriers().items() if mark in self.marks]
        for pid in (*_processes_of(str(self.scratch)), *marked):
            wait_until_gone(pid)
        assert not list(_processes_of(str(self.scratch)))
        assert not self.marks & {*carriers().values()}

    def note_marks(self) -> None:
        """Remember the marks of the bots that run now: what they leave is known by these."""
        for ledger in self.data.glob("run/*.ledger"):
            for line in ledger.read_text().splitlines():
                self.marks |= {json.loads(line).get("mark", "")} - {""}

    def check_nothing_lies_about(self) -> None:
        """See that no bot runs and no file is left that only a running server needs."""
        self.all_gone()
        left = [*self.data.glob("run/*"), *self.data.glob("submissions/**/.*")]
        left += [path for path in self.scratch.rglob("*") if not path.is_dir()]
        # The sockets of a server that is killed stay: nobody is at them, and the next takes over.
        left = [path for path in left if path.name not in ("s", "arbiter")]
        assert not left, f"left behind: {left}"


class LiveServer:
    """A server that runs, or has run; made by ``Home.serve``."""

    def __init__(self, home: Home, process: Process) -> None:
        self.process = process
        self._home = home
        self._begin = len(home.log)
        self._over = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def log(self) -> list[Event]:
        """What it has said so far; the next server must not have been started."""
        return self._home.log[self._begin :]

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            for line in lines:
                with self._home.heard:
                    if line.startswith("{"):
                        event = json.loads(line)
                        self._home.log.append(event)
                        if event["event"] == "season taken up":
                            self._home.on_season()
                    else:
                        self._home.said.append(line)
                    self._home.heard.notify_all()
        with self._home.heard:
            self._over = True
            self._home.heard.notify_all()

    def wait_for(self, event: str, times: int = 1, **bound: object) -> Event:
        """Wait until it has said something so often; return what was bound to the last of them."""
        found: list[Event] = []

        def is_said() -> bool:
            found[:] = [each for each in self.log if _fits(each, event, bound)]
            return len(found) >= times or self._over

        with self._home.heard:
            assert self._home.heard.wait_for(is_said, DEADLINE), f"no {event!r} in {self.log[-9:]}"
        assert len(found) >= times, f"no {event!r} before its end: {self.log[-9:]}{self._home.said}"
        return found[times - 1]

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until something holds, which is looked at whenever it has said something."""
        with self._home.heard:
            said = self._home.heard.wait_for(lambda: self._over or condition(), DEADLINE)
        assert said, f"it has not come to it with {self.log[-9:]}"
        assert condition(), f"it is over: {self.log[-9:]}{self._home.said}"

    def wait_for_lines(self, number: int) -> None:
        """Wait until it has said so many things, whatever they are."""
        with self._home.heard:
            said = self._home.heard.wait_for(
                lambda: len(self.log) >= number or self._over, DEADLINE
            )
        assert said, f"it says nothing more after {self.log[-9:]}"

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def kill(self) -> None:
        """``kill -9``; return when it is dead."""
        self._home.note_marks()
        self.process.send_signal(signal.SIGKILL)
        self.end()

    def end(self) -> int:
        """Wait for its end, and that of all it has started; return its exit status."""
        status = self.process.wait(DEADLINE)
        self._reader.join(DEADLINE)
        assert not self._reader.is_alive(), "something holds its standard error"
        return status


def _fits(said: Event, event: str, bound: dict[str, object]) -> bool:
    return said["event"] == event and all(said.get(key) == bound[key] for key in bound)


def _processes_of(folder: str) -> Iterator[int]:
    """Yield the processes that know a folder: by their environment, or in their arguments."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        try:
            known = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
        except OSError:  # it is gone, or somebody else's
            continue
        if folder.encode() in known:
            yield int(entry.name)
