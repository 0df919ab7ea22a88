"""Workers in processes of their own: jobs go in, outcomes come out, a JSON object a line.

``python -m sandlot_server.tournament.remote`` is such a process. Its standard input begins with
the ``Play``, then come jobs; it answers with ``Ready`` or ``Refused``, then with the outcome of
each job as it is over. It ends when its standard input does: so it cannot outlive whoever started
it, and its bots cannot outlive it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from fractions import Fraction
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import msgspec

from sandlot.errors import SandlotError, SessionError
from sandlot_server.log import only_errors
from sandlot_server.store import FinishedMatch
from sandlot_server.tournament.jobs import Job, NotPlayed, Outcome
from sandlot_server.tournament.pool import StartError
from sandlot_server.tournament.worker import Play, Worker

T = TypeVar("T")

LINE: Final = 64 << 20
"""Bytes of the longest line: a match of many hands is long."""


class Ready(msgspec.Struct, tag="ready"):
    """The worker's bots have all said hello."""


class Refused(msgspec.Struct, tag="refused"):
    """The worker cannot play: a bot did not come up, or something else is wrong."""

    bot: str
    reason: str
    account: str


class Done(msgspec.Struct, tag="done"):
    """A job is over: one of the two is there."""

    finished: FinishedMatch | None = None
    not_played: NotPlayed | None = None


def encode(value: object) -> bytes:
    """Return a value as a line."""
    return msgspec.json.encode(value, enc_hook=_as_text) + b"\n"


def decoder(kind: type[T] | Any) -> Callable[[bytes], T]:
    """Return what reads a line of a kind of value."""

    def from_text(wanted: type, text: Any) -> Any:
        if wanted is Fraction:
            return Fraction(text)
        raise NotImplementedError(f"{wanted} is not read from a line")

    return msgspec.json.Decoder(kind, dec_hook=from_text).decode


def _as_text(value: object) -> str:
    if isinstance(value, Fraction):
        return str(value)
    raise NotImplementedError(f"{type(value)} is not written in a line")


class RemoteWorker:
    """A worker in a process of its own. Use it as an asynchronous context, like ``Worker``.

    Raises:
        StartError: a bot did not come up.
        SandlotError: the process could not play for another reason.
    """

    def __init__(self, play: Play) -> None:
        self._play = play
        self._waiting: dict[str, asyncio.Future[Outcome]] = {}
        self._process: asyncio.subprocess.Process
        self._reader: asyncio.Task[None]

    async def __aenter__(self) -> Self:
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "sandlot_server.tournament.remote"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LINE,
            start_new_session=True,  # an interrupt from the keyboard is for the run, not for it
        )
        try:
            self._write(self._play)
            line = await self._output.readline()
            read: Callable[[bytes], Ready | Refused] = decoder(Ready | Refused)
            answer = read(line) if line else Refused("", "it ended before it was ready", "")
            if isinstance(answer, Refused):
                if answer.bot:
                    raise StartError(answer.bot, answer.reason, answer.account)
                raise SessionError(f"a worker cannot play: {answer.reason}")
        except BaseException:
            await self._end()
            raise
        self._reader = asyncio.create_task(self._read(), name="worker's outcomes")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._end()
        await self._reader

    async def play(self, job: Job) -> Outcome:
        """Play an attempt at a match.

        Raises:
            SessionError: the worker ended before the match did.
        """
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting[job.match] = future
        if self._reader.done():
            raise SessionError(f"match {job.match} is broken off: its worker has ended")
        self._write(job)
        return await future

    @property
    def _output(self) -> asyncio.StreamReader:
        assert self._process.stdout is not None
        return self._process.stdout

    def _write(self, value: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(encode(value))

    async def _read(self) -> None:
        read: Callable[[bytes], Done] = decoder(Done)
        while line := await self._output.readline():
            done = read(line)
            outcome = done.finished or done.not_played
            assert outcome is not None
            match = outcome.match if isinstance(outcome, FinishedMatch) else outcome.job.match
            future = self._waiting.pop(match)
            if not future.done():
                future.set_result(outcome)
        for match, future in self._waiting.items():
            if not future.done():
                error = SessionError(f"match {match} is broken off: its worker has ended")
                future.set_exception(error)

    async def _end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    # The pipe is kept for outcomes alone; whatever else prints goes to standard error.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    jobs = asyncio.StreamReader(limit=LINE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(jobs), sys.stdin)

    def write(value: object) -> None:
        out.write(encode(value))
        out.flush()

    play: Play = decoder(Play)(await jobs.readline())
    read_job: Callable[[bytes], Job] = decoder(Job)
    try:
        async with Worker(play) as worker, asyncio.TaskGroup() as group:
            write(Ready())

            async def play_one(job: Job) -> None:
                outcome = await worker.play(job)
                finished = outcome if isinstance(outcome, FinishedMatch) else None
                not_played = outcome if isinstance(outcome, NotPlayed) else None
                write(Done(finished, not_played))

            playing: set[asyncio.Task[None]] = set()
            while line := await jobs.readline():
                task = group.create_task(play_one(read_job(line)))
                playing.add(task)
                task.add_done_callback(playing.discard)
            for task in playing:  # nobody waits for them any more
                task.cancel()
    except StartError as error:
        write(Refused(error.bot, error.reason, error.account))
    except SandlotError as error:
        write(Refused("", str(error), ""))


def main() -> None:
    """Be a worker until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    only_errors()
    asyncio.run(_serve())


if __name__ == "__main__":
    main()
