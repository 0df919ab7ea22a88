"""How a league file is run from the terminal: the store opened, the bar moved, the end told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar

from sandlot.seeds import new_seed
from sandlot_server.cli.output import console
from sandlot_server.cli.standings_page import faults_text
from sandlot_server.cli.stopping import heeded
from sandlot_server.launch.bots import CommandBot, bot_in_league
from sandlot_server.store import Place, Store, beside
from sandlot_server.tournament.accounts import log_directory, log_file
from sandlot_server.tournament.jobs import Play, PlayingBot
from sandlot_server.tournament.league import difference
from sandlot_server.tournament.runner import Progress, Runner

if TYPE_CHECKING:
    from sandlot_server.tournament.league import League


def run_league(league: League, db: Place, *, workers: int, tables: int) -> None:
    """Play what of a league is not yet played, with a progress bar on standard error.

    Raises:
        SandlotError: the league cannot be played, or was stopped; what is stored stays.
    """
    seed, bots = league.seed, _playing(league)
    err = console(stderr=True)
    with ExitStack() as stack:

        def open_store() -> Store:
            store = stack.enter_context(Store(db, create=True))
            stored = store.open_tournament(
                league.name,
                league.configuration(),
                rounds=league.rounds,
                bots={bot.name: bot.version for bot in bots},
                difference=lambda old, new: "; ".join(difference(old, new)),
                seed=seed,
            )
            schedule = league.plan(stored.seed)
            _say(err, f"{league.name}: {len(schedule):,} matches; commitment {stored.commitment}")
            return store

        done: frozenset[str] = frozenset()
        withdrawn: dict[str, str] = {}
        opened = open_store
        if _is_known(db, league.name):
            # Taken up before a bot is started: a league file that was edited is told at once.
            store = open_store()
            stored = store.tournament(league.name)
            seed, done = stored.seed, store.done(league.name)
            withdrawn = {bot.name: bot.withdrawn for bot in stored.bots if bot.withdrawn}

            def opened() -> Store:
                return store

        elif seed is None:
            seed = new_seed()
        play = _play(league, seed, bots, db, tables)
        with _bar(err) as on_progress:
            runner = Runner(
                play,
                league.plan(seed),
                done=done,
                withdrawn=withdrawn,
                workers=workers,
                on_progress=on_progress,
            )
            on_progress(runner.progress)
            stopped_by = _run(runner, opened)
    progress = runner.progress
    _tell_end(err, progress, Path(play.logs))
    if stopped_by is not None:
        _say(
            err,
            f"Stopped: {progress.stored:,} of {progress.total:,} matches are stored. "
            "Run the same command again to go on.",
        )
        raise click.exceptions.Exit(128 + stopped_by)


def _is_known(db: Place, name: str) -> bool:
    """Tell whether the database holds the tournament already."""
    if not Store.is_made(db):
        return False
    with Store(db) as store:
        return any(each.name == name for each in store.tournaments())


def _playing(league: League) -> tuple[PlayingBot, ...]:
    """Return the league's bots with the versions of their files."""
    bots = []
    for bot in league.bots:
        if bot.command is None:
            version = bot_in_league(bot.run or "", league.folder).version()
        else:
            version = CommandBot(bot.command, league.folder).version()
        bots.append(PlayingBot(bot.name, version, bot.run or "", bot.command or (), bot.sandbox))
    return tuple(bots)


def _play(
    league: League, seed: bytes, bots: tuple[PlayingBot, ...], db: Place, tables: int
) -> Play:
    logs = log_directory(beside(db), league.name).resolve()
    private = [league.path, *([db] if isinstance(db, Path) else [])]
    return Play(
        tournament=league.name,
        variant=league.variant,
        seats=league.seats,
        hands=league.hands,
        decision=league.clock.decision,
        bank=league.clock.bank,
        strikes=league.strikes,
        anonymous=league.anonymous,
        seed=seed.hex(),
        bots=bots,
        place=str(league.folder),
        logs=str(logs),
        run=str(logs),
        tables=tables,
        patience=league.hello,
        limits=league.limits,
        private=tuple([str(path.resolve()) for path in private]),
    )


def _run(runner: Runner, open_store: Callable[[], Store]) -> int | None:
    """Run to the end, or until a signal, and return its number; what is stored then stays."""
    stopped_by: int | None = None
    playing: asyncio.Task[Progress]

    async def until_stopped() -> None:
        nonlocal playing
        playing = asyncio.create_task(runner.run(open_store))
        await playing

    def stop(number: int) -> None:
        nonlocal stopped_by
        if stopped_by is None:  # once: another signal would cut short how all comes to its end
            stopped_by = number
            playing.cancel()

    try:
        with asyncio.Runner() as loop_runner:
            # Before there is anything to stop: up to here a signal has ended it all at once.
            loop = loop_runner.get_loop()
            for number in heeded():
                loop.add_signal_handler(number, stop, number)
            loop_runner.run(until_stopped())
    except asyncio.CancelledError:
        if stopped_by is None:
            raise
    return stopped_by


@contextmanager
def _bar(err: Console) -> Iterator[Callable[[Progress], None]]:
    """Show a bar with matches, time and what is left of it; on a terminal only."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[hands]} hands"),
        TimeElapsedColumn(),
        TextColumn("gone, left"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("starting the bots", total=None, hands=0)

        def on_progress(progress: Progress) -> None:
            bar.update(
                task,
                total=progress.total,
                completed=progress.stored,
                hands=f"{progress.hands:,}",
                description="playing" if progress.played else "starting the bots",
            )

        yield on_progress


def _say(err: Console, text: str) -> None:
    """Print one line, whatever the width."""
    err.print(text, soft_wrap=True)


def _tell_end(err: Console, progress: Progress, logs: Path) -> None:
    """Tell what a person must know beside the standings: faults, withdrawals, where to look."""
    for bot, faults in sorted(progress.faults.items()):
        _say(err, f"{bot} was at fault: {faults_text(faults)}; see {log_file(logs, bot)}")
    for bot, count in sorted(progress.seconds.items()):
        came = f"{count:,} second sessions" if count > 1 else "a second session"
        _say(err, f"{came} with {bot}'s token, refused; see {log_file(logs, bot)}")
    for bot, reason in sorted(progress.withdrawn.items()):
        _say(err, f"{bot} is withdrawn: {reason}")
    for reason, count in progress.broken_off.items():
        attempts = f"{count:,} attempt{'s are' if count != 1 else ' is'}"
        _say(err, f"{attempts} void and played again: {reason}")
    if progress.dropped:
        _say(err, f"{progress.dropped:,} matches are not played, for a bot of theirs is withdrawn")
