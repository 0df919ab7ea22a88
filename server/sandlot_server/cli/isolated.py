"""Plays the matches of ``sandlot play --isolated``: bots as processes, over gRPC, by the clock."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from sandlot.arena import seatings
from sandlot.clock import Clock
from sandlot_server.cli.playing import TOURNAMENT, Result, Table
from sandlot_server.launch.bots import CommandBot
from sandlot_server.log import only_errors
from sandlot_server.store import unpack
from sandlot_server.tournament.jobs import Job, NotPlayed, Play, PlayingBot, StartError
from sandlot_server.tournament.worker import Worker

PATIENCE = 30.0
"""Seconds from the start of a process to its hello."""


def play_isolated(table: Table, on_result: Callable[[Result], None]) -> Path | None:
    """Play the matches, telling each that is over, in the order of their numbers.

    Returns:
        The directory of the bots' logs, if there is anything in them.

    Raises:
        StartError: a bot does not start; what it wrote is in ``account``.
    """
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    only_errors()  # before the first object of gRPC is made
    logs = Path(tempfile.mkdtemp(prefix="sandlot-play-"))
    telling = False
    try:
        asyncio.run(_play(table, logs, on_result))
        telling = any(map(_tells_something, logs.glob("*.log")))
    finally:
        if not telling:
            shutil.rmtree(logs)
    return logs if telling else None


def _tells_something(log: Path) -> bool:
    """Whether a log holds more than the notes that a bot was started and has ended."""
    text = log.read_text("utf-8", errors="replace")
    return any(not line.startswith("--- ") for line in text.splitlines()) or "--- fault" in text


async def _play(table: Table, logs: Path, on_result: Callable[[Result], None]) -> None:
    clock = Clock()
    play = Play(
        tournament=TOURNAMENT,
        variant=table.variant,
        seats=len(table.bots),
        hands=table.hands,
        decision=clock.decision,
        bank=clock.bank,
        strikes=3,
        anonymous=False,
        seed=table.seed.hex(),
        bots=tuple(
            [
                PlayingBot(name, version, command=bot.command)
                if isinstance(bot, CommandBot)
                else PlayingBot(name, version, run=bot.spec)
                for name, bot, version in zip(table.names, table.bots, table.versions, strict=True)
            ]
        ),
        place=str(Path.cwd()),
        logs=str(logs),
        run=str(logs),
        tables=min(table.tables, table.matches),
        patience=PATIENCE,
    )
    jobs = [
        Job(match, 1, tuple([table.names[bot] for bot in bots]), first_dealer)
        for match, bots, first_dealer in seatings(table.seed, len(table.bots), table.matches)
    ]
    free = asyncio.Semaphore(play.tables)
    async with Worker(play) as worker:

        async def play_one(job: Job) -> Result:
            async with free:
                outcome = await worker.play(job)
            if isinstance(outcome, NotPlayed):
                raise StartError(outcome.bot, outcome.reason, "")
            return Result(
                tuple([seat.bot for seat in outcome.seats]),
                tuple([seat.net for seat in outcome.seats]),
                tuple([seat.place for seat in outcome.seats]),
                tuple([dict(seat.faults) for seat in outcome.seats]),
                lambda: unpack(outcome.record),
            )

        try:
            async with asyncio.TaskGroup() as group:
                playing = [group.create_task(play_one(job)) for job in jobs]
                for task in playing:
                    on_result(await task)
        except BaseExceptionGroup as failures:  # all stop for the first that failed
            raise failures.exceptions[0] from None
