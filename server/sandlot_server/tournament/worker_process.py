"""``python -m sandlot_server.tournament.worker_process``: a worker in a process of its own.

Its standard input begins with an ``Opening``, then come jobs. It answers with ``Ready`` or
``Refused``, then with the outcome of each job as it is over, and says in between when a token is
shown twice, or that it cannot play on. It ends, and its bots with it, as soon as its standard input
does: so neither outlives the run that started it, however that one ends.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

from sandlot.errors import SandlotError
from sandlot_server.log import only_errors
from sandlot_server.store import FinishedMatch
from sandlot_server.tournament.jobs import Job, NotPlayed, StartError
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
from sandlot_server.tournament.worker import Worker


def main() -> None:
    """Be a worker until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    only_errors()
    with suppress(asyncio.CancelledError):  # how standard input's end stops it
        asyncio.run(_serve())


async def _serve() -> None:
    # The pipe is kept for outcomes alone; whatever else prints goes to standard error.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def write(value: object) -> None:
        with suppress(BrokenPipeError):  # the run is gone, and standard input ends as well
            out.write(encode(value))
            out.flush()

    lines = asyncio.StreamReader(limit=LINE)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin
    )
    line = await lines.readline()
    if not line.endswith(b"\n"):
        return  # the run is gone before it has said all
    opening: Opening = decoder(Opening)(line)
    jobs: asyncio.Queue[Job] = asyncio.Queue()
    reading = asyncio.create_task(_read(lines, jobs, asyncio.current_task()))
    try:
        async with Worker(
            opening.play,
            start_all=opening.start_all,
            on_second=lambda bot: write(SecondSession(bot)),
        ) as worker:
            write(Ready())
            gc.freeze()  # what is there by now stays: the collector need not look at it again
            await _play_all(worker, jobs, write)
    except StartError as error:
        write(Refused(error.bot, error.reason, error.account))
    except SandlotError as error:
        write(Refused("", str(error), ""))
    except OSError as error:  # as when the disk is full that the logs are on
        write(Refused("", f"{error.filename or 'a file'}: {error.strerror}", ""))
    finally:
        reading.cancel()


async def _read(
    lines: asyncio.StreamReader, jobs: asyncio.Queue[Job], serving: asyncio.Task[None] | None
) -> None:
    """Queue the jobs that come in; at the end of the input stop what serves them."""
    assert serving is not None
    read: Callable[[bytes], Job] = decoder(Job)
    try:
        while line := await lines.readline():
            jobs.put_nowait(read(line))
    finally:
        serving.cancel()


async def _play_all(
    worker: Worker, jobs: asyncio.Queue[Job], write: Callable[[object], None]
) -> None:
    """Play whatever comes, all at once, until this is cancelled."""

    async def play(job: Job) -> None:
        outcome = await worker.play(job)
        finished = outcome if isinstance(outcome, FinishedMatch) else None
        not_played = outcome if isinstance(outcome, NotPlayed) else None
        write(Done(finished, not_played))

    try:
        async with asyncio.TaskGroup() as group:
            while True:
                group.create_task(play(await jobs.get()))
    except BaseExceptionGroup as failures:  # all stop for the first that failed
        raise failures.exceptions[0] from None


if __name__ == "__main__":
    main()
