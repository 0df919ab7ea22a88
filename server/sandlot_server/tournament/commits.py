"""Group commit: what many tables want stored goes to the disk in one transaction.

A commit waits for the disk, and matches end faster than a disk turns. So while one commit is under
way, in a thread, all that comes up meanwhile is collected for the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sandlot_server.store.values import LostError

if TYPE_CHECKING:
    from sandlot_server.store import FinishedMatch, Store


@dataclass
class _Group:
    """What goes into one commit, and whom to tell when it is on the disk."""

    begins: dict[str, asyncio.Future[int]] = field(default_factory=dict)
    finished: list[tuple[FinishedMatch, asyncio.Future[None]]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.begins or self.finished)

    def waiting(self) -> Iterator[asyncio.Future[Any]]:
        """Yield what they wait for."""
        yield from self.begins.values()
        for _, stored in self.finished:
            yield stored


class GroupCommit:
    """Begins attempts and stores results of one tournament, many at a time.

    Use it as an asynchronous context; leaving it waits for what is under way. What fails fails for
    all who wait for it: none of it is stored then. What is asked for without a wait in between goes
    into the same transaction, results first.

    Args:
        store: with the tournament open in it.
        tournament: its name.
        on_stored: called with each match that is stored, also if nobody waits for that any more. If
            it raises, all who wait get that error, and so do all who come later, and who leaves.

    """

    def __init__(
        self,
        store: Store,
        tournament: str,
        on_stored: Callable[[FinishedMatch], None] = lambda match: None,
    ) -> None:
        self._store = store
        self._tournament = tournament
        self._on_stored = on_stored
        self._next = _Group()
        self._wake = asyncio.Event()
        self._closing = False
        self._broken: BaseException | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> GroupCommit:
        self._task = asyncio.create_task(self._commit_groups(), name="group commit")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing = True
        self._wake.set()
        if self._task is not None:
            await self._task

    def begin(self, match: str) -> asyncio.Future[int]:
        """Begin an attempt at the match; its number is there when it is on the disk.

        Raises:
            StoreError: to who waits: it could not be stored.
        """
        future: asyncio.Future[int] = self._future()
        self._next.begins[match] = future
        return future

    def finish(self, match: FinishedMatch) -> asyncio.Future[None]:
        """Store the result and the record; the wait is over when they are on the disk.

        Raises:
            StoreError: to who waits: they could not be stored.
        """
        future: asyncio.Future[None] = self._future()
        self._next.finished.append((match, future))
        return future

    def _future(self) -> asyncio.Future[Any]:
        if self._broken is not None:
            raise self._broken
        self._wake.set()
        return asyncio.get_running_loop().create_future()

    async def _commit_groups(self) -> None:
        group = _Group()
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                group, self._next = self._next, _Group()
                if group:
                    await self._commit(group)
                if self._closing and not self._next:
                    return
        except BaseException as error:
            # Nobody may wait for what does not come any more, nor take it for a stop of its own.
            cancelled = isinstance(error, asyncio.CancelledError)
            self._broken = RuntimeError("the commits are broken off") if cancelled else error
            _fail([*group.waiting(), *self._next.waiting()], self._broken)
            raise

    async def _commit(self, group: _Group) -> None:
        """Write the results, then the begins, and tell those who wait."""
        finished, begins = [match for match, _ in group.finished], [*group.begins]
        try:
            numbers = await asyncio.to_thread(self._write, finished, begins)
        except Exception as error:
            # What was played is not lost where something cannot begin; but where the database is
            # gone nobody knows what of it is stored.
            if finished and begins and not isinstance(error, LostError):
                await self._commit(_Group(finished=group.finished))
            _fail(group.waiting(), error)
            return
        for match, stored in group.finished:
            self._on_stored(match)
            if not stored.done():  # whoever asked may have been cancelled
                stored.set_result(None)
        for name, begun in group.begins.items():
            if not begun.done():
                begun.set_result(numbers[name])

    def _write(self, finished: Sequence[FinishedMatch], begins: Sequence[str]) -> dict[str, int]:
        if not finished:
            return self._store.begin_attempts(self._tournament, begins)
        return self._store.finish(self._tournament, finished, begins)


def _fail(waiting: Iterable[asyncio.Future[Any]], error: BaseException) -> None:
    for future in waiting:
        if not future.done():
            future.set_exception(error)
            future.exception()  # seen: who waits for several gives up at the first
