"""One event loop for all tests: grpc.aio has one poller a process, and it does not let loops go.

With ``asyncio.run`` in every test, what is left of one test's calls would come to a loop that is
closed, and the events behind it in the poller's queue would be lost.
"""

from __future__ import annotations

import asyncio
import atexit
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

T = TypeVar("T")
LIMIT: Final = 60
"""Seconds after which a scene is taken to hang."""

_RUNNER: Final = asyncio.Runner()
atexit.register(_RUNNER.close)


def run(scene: Coroutine[Any, Any, T], limit: float = LIMIT) -> T:
    """Run a scene to its end and return what it returns; one that hangs fails."""

    async def within() -> T:
        async with asyncio.timeout(limit):
            return await scene

    return _RUNNER.run(within())
