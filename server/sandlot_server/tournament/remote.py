"""Workers in processes of their own, and what becomes of their matches when such a process dies.

A process that dies is a fault of the server's side: what it was playing is broken off, and a fresh
one takes its place. One that says itself that it cannot play on, as when the disk is full, ends the
run.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from sandlot.errors import SessionError
from sandlot_server.launch.processes import Exit
from sandlot_server.store import FinishedMatch
from sandlot_server.tournament.jobs import BrokenOff, Job, Outcome, Play, StartError
from sandlot_server.tournament.lines import (
    LINE,
    Done,
    Opening,
    Ready,
    Refused,
    SecondSession,
    decoder,
    encode,
)

COMMAND: Final = (sys.executable, "-P", "-m", "sandlot_server.tournament.worker_process")

REPLACED: Final = 3
"""How often a run replaces a worker whose process has died: what kills so many kills the next."""

PATIENCE: Final = 30.0
"""Seconds that a process has to end its bots and itself before it is killed."""


class RemoteWorker:
    """A worker in a process of its own. Use it as an asynchronous context, like ``Worker``.

    Args:
        play: what it must know.
        on_second: as of ``Worker``.

    Raises:
        StartError: a bot did not come up.
        SessionError: the process could not play for another reason.
    """

    def __init__(self, play: Play, on_second: Callable[[str], None] = lambda bot: None) -> None:
        self._play = play
        self._on_second = on_second
        self._replaced = 0
        self._replacing = asyncio.Lock()
        self._process: WorkerProcess

    async def __aenter__(self) -> Self:
        self._process = await self._start(start_all=True)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._process.end()

    def dismiss(self) -> None:
        """Have it end; to leave the context waits for that. So that many end at once."""
        self._process.dismiss()

    async def play(self, job: Job) -> Outcome:
        """Play an attempt at a match, in a fresh process if the last one has died.

        Raises:
            SessionError: processes of this worker die again and again, or it cannot play on.
        """
        async with self._replacing:
            if self._process.lost:
                await self._replace()
        return await self._process.play(job)

    async def _start(self, *, start_all: bool) -> WorkerProcess:
        return await WorkerProcess.start(self._play, start_all=start_all, on_second=self._on_second)

    async def _replace(self) -> None:
        if self._process.refused is not None:
            raise self._process.refused
        if self._replaced == REPLACED:
            raise SessionError(
                f"{self._process.lost}, the last of {1 + REPLACED}: see what ends them (the system "
                "does when memory is short), then run again; what is stored stays"
            )
        self._replaced += 1
        await self._process.end()
        # Its bots have played before: they are started as they are needed, in several trials.
        self._process = await self._start(start_all=False)


class WorkerProcess:
    """One process of a worker; made by ``start``.

    Attributes:
        pid: of the process.
        lost: how it ended, in words; empty while it lives.
        refused: why it cannot play on, if it has said so.

    """

    def __init__(self, process: Process, on_second: Callable[[str], None]) -> None:
        self.pid = process.pid
        self.lost = ""
        self.refused: SessionError | None = None
        self._process = process
        self._on_second = on_second
        self._waiting: dict[str, tuple[Job, asyncio.Future[Outcome]]] = {}
        self._reader: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls,
        play: Play,
        *,
        start_all: bool,
        on_second: Callable[[str], None] = lambda bot: None,
    ) -> WorkerProcess:
        """Start a process, and return it when it can play; see ``Worker`` for what it is given.

        Raises:
            StartError: a bot did not come up.
            SessionError: it cannot play for another reason.
        """
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            stdin=PIPE,
            stdout=PIPE,
            limit=LINE,
            start_new_session=True,  # an interrupt from the keyboard is for the run, not for it
        )
        started = cls(process, on_second)
        try:
            started._write(Opening(play, start_all))
            answer = await started._first_answer()
        except BaseException:
            await started.end()
            raise
        if isinstance(answer, Ready):
            started._reader = asyncio.create_task(started._read(), name="worker's outcomes")
            return started
        await started.end()
        if answer is None:
            raise SessionError(f"{started.lost} before it could play; run again to go on")
        if answer.bot:
            raise StartError(answer.bot, answer.reason, answer.account)
        raise _refusal(answer)

    async def play(self, job: Job) -> Outcome:
        """Play an attempt at a match; it is broken off if the process dies.

        Raises:
            SessionError: it cannot play on, as it says.
        """
        if self.refused is not None:
            raise self.refused
        if self.lost:
            return BrokenOff(job, self.lost)
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting[job.match] = job, future
        self._write(job)
        return await future

    def dismiss(self) -> None:
        """Have the process end, and its bots with it."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    async def end(self) -> None:
        """End the process, and wait until it is gone."""
        self.dismiss()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
        if self._reader is None:
            await self._take_note()
        else:
            await self._reader

    @property
    def _output(self) -> asyncio.StreamReader:
        assert self._process.stdout is not None
        return self._process.stdout

    def _write(self, value: object) -> None:
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():  # else it has died, and the reader sees it
            self._process.stdin.write(encode(value))

    async def _first_answer(self) -> Ready | Refused | None:
        """Return what it says to the opening, None if it ends without a word."""
        read: Callable[[bytes], Ready | Refused | SecondSession]
        read = decoder(Ready | Refused | SecondSession)
        while line := await self._output.readline():
            said = read(line)
            if not isinstance(said, SecondSession):
                return said
            self._on_second(said.bot)
        return None

    async def _read(self) -> None:
        read: Callable[[bytes], Done | SecondSession | Refused]
        read = decoder(Done | SecondSession | Refused)
        try:
            while line := await self._output.readline():
                said = read(line)
                if isinstance(said, SecondSession):
                    self._on_second(said.bot)
                elif isinstance(said, Refused):
                    self._give_up(_refusal(said))
                else:
                    self._pass_on(said)
        except ValueError:
            self._process.kill()  # it makes no sense any more
            raise
        finally:
            await self._take_note()

    def _pass_on(self, done: Done) -> None:
        """Give an outcome to who waits for it."""
        outcome = done.finished or done.not_played
        assert outcome is not None
        match = outcome.match if isinstance(outcome, FinishedMatch) else outcome.job.match
        _, future = self._waiting.pop(match)
        if not future.done():
            future.set_result(outcome)

    def _give_up(self, refused: SessionError) -> None:
        """Have all who wait hear that it cannot play on."""
        self.refused = refused
        for _, future in self._waiting.values():
            if not future.done():
                future.set_exception(refused)

    async def _take_note(self) -> None:
        """Note how the process has ended, and break off what it was playing."""
        self.lost = f"worker process {self.pid} died: {Exit(await self._process.wait())}"
        for job, future in self._waiting.values():
            if not future.done():
                future.set_result(BrokenOff(job, self.lost))


def _refusal(said: Refused) -> SessionError:
    return SessionError(f"a worker cannot play: {said.reason}")
