"""Group commit: what many tables want stored goes to the disk in one transaction.

A commit waits for the disk, and matches end faster than a disk turns. So while one commit is under
way, in a thread, all that comes up meanwhile is collected for the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandlot_server.store import FinishedMatch, Store


@dataclass
class _Group:
    """What goes into one commit, and whom to tell when it is on the disk."""

    begins: dict[str, asyncio.Future[int]] = field(default_factory=dict)
    finished: list[tuple[FinishedMatch, asyncio.Future[None]]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.begins or self.finished)


class GroupCommit:
    """Begins attempts and stores results of one tournament, many at a time.

    Use it as an asynchronous context; leaving it waits for what is under way. What fails fails for
    all who wait for it: none of it is stored then.

    Args:
        store: with the tournament open in it.
        tournament: its name.
        on_stored: called with each match that is stored, also if nobody waits for that any more.

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
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> GroupCommit:
        self._task = asyncio.create_task(self._commit_groups(), name="group commit")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing = True
        self._wake.set()
        if self._task is not None:
            await self._task

    async def begin(self, match: str) -> int:
        """Begin an attempt at the match; return its number when it is on the disk.

        Raises:
            StoreError: it could not be stored.
        """
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._next.begins[match] = future
        self._wake.set()
        return await future

    async def finish(self, match: FinishedMatch) -> None:
        """Store the result and the record; return when they are on the disk.

        Raises:
            StoreError: they could not be stored.
        """
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._next.finished.append((match, future))
        self._wake.set()
        await future

    async def _commit_groups(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            group, self._next = self._next, _Group()
            if group:
                await self._commit(group)
            if self._closing and not self._next:
                return

    async def _commit(self, group: _Group) -> None:
        """Write the results, then the begins, and tell those who wait."""
        if group.finished:
            matches = [match for match, _ in group.finished]
            try:
                await asyncio.to_thread(self._store.finish, self._tournament, matches)
            except Exception as error:
                _fail([*group.begins.values(), *(stored for _, stored in group.finished)], error)
                return
            for match, stored in group.finished:
                self._on_stored(match)
                if not stored.done():  # whoever asked may have been cancelled
                    stored.set_result(None)
        if group.begins:
            begins = list(group.begins)
            try:
                numbers = await asyncio.to_thread(
                    self._store.begin_attempts, self._tournament, begins
                )
            except Exception as error:
                _fail(group.begins.values(), error)
                return
            for name, begun in group.begins.items():
                if not begun.done():
                    begun.set_result(numbers[name])


def _fail(waiting: Iterable[asyncio.Future[int] | asyncio.Future[None]], error: Exception) -> None:
    for future in waiting:
        if not future.done():
            future.set_exception(error)
