"""What is made once for all who ask at about the same time."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar, cast

T = TypeVar("T")

_MOST: Final = 16


class Fresh:
    """Keeps what was made for some seconds.

    Who asks while it is made waits for the same; whoever goes away meanwhile stops nobody else's.

    Args:
        seconds: for how long it is given again.
        clock: gives seconds that only grow.

    """

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds = seconds
        self._clock = clock
        self._kept: OrderedDict[object, tuple[float, asyncio.Task[Any]]] = OrderedDict()

    async def get(self, key: object, make: Callable[[], Awaitable[T]]) -> T:
        """Return what is kept under a key, or else make it."""
        made, task = self._kept.get(key, (0.0, None))
        if task is None or (task.done() and self._stale(made, task)):
            task = asyncio.ensure_future(_made(make))
            task.add_done_callback(_heard)
            self._kept[key] = self._clock(), task
            self._kept.move_to_end(key)
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)
        return cast(T, await asyncio.shield(task))

    def _stale(self, made: float, task: asyncio.Task[Any]) -> bool:
        failed = task.cancelled() or task.exception() is not None
        return failed or self._clock() - made >= self._seconds


async def _made(make: Callable[[], Awaitable[T]]) -> T:
    return await make()


def _heard(task: asyncio.Task[Any]) -> None:
    """Take note of how it ended: all who wanted to know may be gone."""
    if not task.cancelled():
        task.exception()
