"""The mark of a bot, by which all that it has started is known, wherever that has gone.

A mark is a number that no other process has. A bot carries it twice, and its children inherit both:

- in its environment, which a child may be started without;
- on Linux as its limit of file locks, which nothing has heeded since Linux 2.4.25. A process cannot
  take it off as it can leave its group, its session, its parent and its files, and anybody may read
  it. Without the rights of root it can only be lowered, which no program does by mistake.

A mark says more than whose child a process is: it tells this bot's from the next one's, and it is
still there when the run and its warden are not (docs/decisions/0013).
"""

from __future__ import annotations

import contextlib
import os
import resource
import secrets
import signal
import sys
from collections.abc import Mapping
from typing import Final

from sandlot_server.launch.census import environments, lock_limits

MARK: Final = "SANDLOT_RUN"
"""The environment variable that holds the mark."""

_LOCKS: Final = 10  # RLIMIT_LOCKS, which the standard library does not name
_LEAST: Final = 1 << 48  # a limit that somebody sets by hand is not so high, nor so odd
_MOST: Final = 1 << 62


def new_mark() -> str:
    """Return a mark that nobody has."""
    most = _MOST
    if sys.platform == "linux":
        _, hard = resource.getrlimit(_LOCKS)
        if 2 * _LEAST <= hard < most:
            most = hard  # this run is started by a bot of another one; a limit only goes down
    return str(_LEAST + secrets.randbelow(most - _LEAST))


def put_on(pid: int, mark: str) -> None:
    """Mark a child of this process, before it starts anything; its environment is set already."""
    if sys.platform == "linux":
        # Where it is not allowed, the environment must do.
        with contextlib.suppress(OSError, ValueError):
            resource.prlimit(pid, _LOCKS, (int(mark), int(mark)))


def carriers() -> dict[int, str]:
    """Return the marks of all processes that run and carry one, by pid; on Linux alone."""
    return environments(MARK) | {pid: str(limit) for pid, limit in lock_limits().items()}


def kill_marked(mark: str, marked: Mapping[int, str]) -> bool:
    """Kill the processes that carry a mark; tell whether there were any that we may kill."""
    killed = False
    for pid, value in marked.items():
        if value == mark:
            # One that has become another user's, as by sudo, is not ours to end.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
                killed = True
    return killed
