"""Plays what of a tournament is not yet played: the schedule minus what is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from sandlot.errors import StoreError
from sandlot_server.store import FinishedMatch
from sandlot_server.tournament.commits import GroupCommit
from sandlot_server.tournament.jobs import BrokenOff, Job, NotPlayed, Play
from sandlot_server.tournament.remote import RemoteWorker

if TYPE_CHECKING:
    from sandlot_server.store import Store


BROKEN_OFF: Final = "the run that played it was stopped"
"""Why attempts are void that were under way when a run was stopped."""


class Scheduled(Protocol):
    """A match of the schedule: its id, the bots' names by seat, the first dealer's seat."""

    @property
    def match(self) -> str:
        """The match's id."""

    @property
    def bots(self) -> tuple[str, ...]:
        """The bots' names by seat."""

    @property
    def first_dealer(self) -> int:
        """The seat that deals the first hand."""


@dataclass
class Progress:
    """How far a run has come.

    Attributes:
        total: matches of the whole schedule.
        stored: matches of it that have a result, earlier runs' with them.
        played: matches that this run has stored.
        hands: hands in them.
        faults: faults in them, by bot and cause.
        withdrawn: why bots were taken out, by their names.
        dropped: matches that are not played because a bot of theirs is withdrawn.
        broken_off: attempts that are void by a fault of the server's side, by what it was.
        seconds: how often a second session with a bot's token was refused, by the bot's name.

    """

    total: int
    stored: int
    played: int = 0
    hands: int = 0
    faults: dict[str, dict[str, int]] = field(default_factory=dict)
    withdrawn: dict[str, str] = field(default_factory=dict)
    dropped: int = 0
    broken_off: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, int] = field(default_factory=dict)

    def add(self, match: FinishedMatch) -> None:
        """Count a match that has been stored."""
        self.stored += 1
        self.played += 1
        self.hands += match.hands
        for seat in match.seats:
            for cause, count in seat.faults.items():
                of_bot = self.faults.setdefault(seat.bot, {})
                of_bot[cause] = of_bot.get(cause, 0) + count


class Runner:
    """One run of a tournament.

    Args:
        play: what is played; ``tables`` of all workers together.
        matches: the schedule.
        done: the ids of the matches that have a result.
        withdrawn: why bots were taken out in earlier runs, by their names.
        workers: how many arbiters, each in a process of its own.
        on_progress: called whenever a match is stored, and at the end.

    """

    def __init__(
        self,
        play: Play,
        matches: Iterable[Scheduled],
        *,
        done: Collection[str] = frozenset(),
        withdrawn: Mapping[str, str] = MappingProxyType({}),
        workers: int = 1,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        self._play = play
        self._workers = workers
        self._on_progress = on_progress
        scheduled = list(matches)
        self._waiting = [match for match in scheduled if match.match not in done]
        stored = len(scheduled) - len(self._waiting)
        self.progress = Progress(len(scheduled), stored, withdrawn=dict(withdrawn))

    async def run(self, open_store: Callable[[], Store]) -> Progress:
        """Play until all is played; return how far that came.

        When this is cancelled the matches under way are void, and what is stored stays.

        Args:
            open_store: called once, when every bot has come up: a tournament whose bots cannot
                start leaves no trace. The tournament must be open in the store it returns.

        Raises:
            StartError: a bot did not come up before the first match; nothing was played.
            StoreError: something could not be stored; what was stored before stays.
            SessionError: the processes of a worker die again and again; what is stored stays.
        """
        playing = {bot for match in self._to_play() for bot in match.bots}
        if not playing:
            self._drop_withdrawn()
            return self.progress
        bots = tuple([bot for bot in self._play.bots if bot.name in playing])
        play = replace(self._play, bots=bots)
        async with AsyncExitStack() as stack:
            workers = await self._start(play, stack)
            store = open_store()
            try:
                async with GroupCommit(store, play.tournament, self._count) as commits:
                    await self._play_all(workers, store, commits)
            except BaseException:
                # If that fails, the next run does it when it takes the tournament up.
                with suppress(StoreError):
                    store.void_running(play.tournament, BROKEN_OFF)
                raise
        self._drop_withdrawn()
        return self.progress

    async def _play_all(
        self, workers: Sequence[RemoteWorker], store: Store, commits: GroupCommit
    ) -> None:
        matches = self._to_play()
        try:
            async with asyncio.TaskGroup() as tables:
                for number in range(self._play.tables):
                    worker = workers[number % len(workers)]
                    tables.create_task(self._keep_playing(worker, matches, store, commits))
        except BaseExceptionGroup as group:  # all tables stop for the first that failed
            raise group.exceptions[0] from None

    async def _start(self, play: Play, stack: AsyncExitStack) -> list[RemoteWorker]:
        workers: list[RemoteWorker] = []
        for number in range(min(self._workers, play.tables)):
            # As even as it goes: the first ones get one table more.
            tables = len(range(number, play.tables, self._workers))
            remote = RemoteWorker(replace(play, tables=tables), self._second)
            workers.append(await stack.enter_async_context(remote))

        def dismiss() -> None:  # all at once: each takes its time to end its bots
            for worker in workers:
                worker.dismiss()

        stack.callback(dismiss)
        return workers

    def _to_play(self) -> Iterator[Scheduled]:
        """Yield what is still to be played, looking at withdrawals at each step."""
        return filter(self._is_on, self._waiting)

    def _is_on(self, match: Scheduled) -> bool:
        return not any(bot in self.progress.withdrawn for bot in match.bots)

    async def _keep_playing(
        self,
        worker: RemoteWorker,
        matches: Iterator[Scheduled],
        store: Store,
        commits: GroupCommit,
    ) -> None:
        """Be one table: play match after match, each until it has a result.

        The result of one match and the begin of the next are asked for together, so that one commit
        holds both: there are never more attempts under way than tables.
        """
        stored: asyncio.Future[None] | None = None
        for match in matches:
            while self._is_on(match):
                begun = commits.begin(match.match)
                if stored is not None:
                    await stored
                attempt = await begun
                job = Job(match.match, attempt, match.bots, match.first_dealer)
                outcome = await worker.play(job)
                if isinstance(outcome, FinishedMatch):
                    stored = commits.finish(outcome)
                    break
                if isinstance(outcome, NotPlayed):
                    await self._withdraw(store, outcome)
                else:
                    await self._break_off(store, outcome)
        if stored is not None:
            await stored

    def _count(self, stored: FinishedMatch) -> None:
        self.progress.add(stored)
        self._on_progress(self.progress)

    def _second(self, bot: str) -> None:
        self.progress.seconds[bot] = self.progress.seconds.get(bot, 0) + 1

    async def _withdraw(self, store: Store, failed: NotPlayed) -> None:
        """Take out a bot that cannot be started again; what it has played stays."""
        tournament, job, bot = self._play.tournament, failed.job, failed.bot
        first = bot not in self.progress.withdrawn
        self.progress.withdrawn[bot] = failed.reason  # at once: no other table begins with it
        reason = f"bot {bot!r} could not be started again: {failed.reason}"
        await asyncio.to_thread(store.void, tournament, {job.match: job.attempt}, reason)
        if first:
            await asyncio.to_thread(store.withdraw, tournament, bot, failed.reason)

    async def _break_off(self, store: Store, broken: BrokenOff) -> None:
        """Note that an attempt has come to nothing, through no fault of its bots."""
        job, reason = broken.job, broken.reason
        self.progress.broken_off[reason] = self.progress.broken_off.get(reason, 0) + 1
        await asyncio.to_thread(store.void, self._play.tournament, {job.match: job.attempt}, reason)

    def _drop_withdrawn(self) -> None:
        self.progress.dropped = self.progress.total - self.progress.stored
        self._on_progress(self.progress)
