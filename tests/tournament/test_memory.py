"""The arbiter's memory does not grow with the number of matches, whatever its bots send."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import pytest
from tournament.running import named, the_play, zoo_class, zoo_program

from sandlot.match import Match
from sandlot.observation import Observation
from sandlot.played import PlayedMatch
from sandlot_server.arbiter.requests import Request
from sandlot_server.arbiter.table import Table
from sandlot_server.store import FinishedMatch
from sandlot_server.tournament.jobs import Job, Outcome
from sandlot_server.tournament.remote import WorkerProcess
from sandlot_server.tournament.worker import Worker

GOOD = named(zoo_class("Good"), "good")
CHATTERS, FLOOD, OVERSIZE = (zoo_program(name) for name in ("chatters", "flood", "oversize"))
HANDS = 2
TABLES = 8


def jobs(bots: Sequence[str]) -> Iterator[Job]:
    """Matches without end."""
    for number in count(1):
        yield Job(f"1-1-{number}", 1, tuple(bots), number % len(bots))


async def play(worker: Worker | WorkerProcess, jobs: Iterator[Job], number: int) -> None:
    """Play so many matches, at many tables at once."""
    left = iter(range(number))

    async def keep_playing() -> None:
        for _ in left:
            outcome: Outcome = await worker.play(next(jobs))
            assert isinstance(outcome, FinishedMatch)

    await asyncio.gather(*(keep_playing() for _ in range(TABLES)))


def alive() -> dict[str, int]:
    """How many objects there are of what belongs to one match."""
    gc.collect()
    kinds = (Table, Request, Match, Observation, PlayedMatch)
    objects = gc.get_objects()
    return {kind.__name__: sum(isinstance(each, kind) for each in objects) for kind in kinds}


def test_nothing_is_left_of_a_match_that_is_over(tmp_path: Path) -> None:
    async def scenario() -> None:
        before = alive()
        the_jobs = jobs(["good", "chatters"])
        async with Worker(the_play(tmp_path, [GOOD, CHATTERS], hands=HANDS)) as worker:
            await play(worker, the_jobs, 24)
            assert alive() == before

    asyncio.run(scenario())


def resident(pid: int) -> int:
    """The memory of a process that is in use, in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_arbiters_memory_stays_flat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # What glibc gives back, it gives back at once: what is resident is in use.
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", str(256 << 10))
    bots = [GOOD, CHATTERS, FLOOD, OVERSIZE]

    async def scenario() -> tuple[int, int]:
        worker = await WorkerProcess.start(
            the_play(tmp_path, bots, hands=HANDS, tables=TABLES), start_all=True
        )
        try:
            chats = jobs(["good", "chatters"])
            floods = jobs(["flood", "good"])
            bulks = jobs(["oversize", "good"])
            for each, number in ((chats, 100), (floods, 8), (bulks, 8)):
                await play(worker, each, number)
            before = resident(worker.pid)
            for each, number in ((chats, 300), (floods, 16), (bulks, 16)):
                await play(worker, each, number)
            return before, resident(worker.pid)
        finally:
            await worker.end()

    before, after = asyncio.run(scenario())
    # Less than two messages of oversize, which sends dozens; and what the wire keeps is bounded.
    assert after - before < 16 << 20
