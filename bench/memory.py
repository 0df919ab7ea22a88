"""What the arbiter's process takes with 256 tables live: megabytes, of 10^6 bytes.

``python -m bench.memory --matches 100000`` from the root of the repository is the long run, which
the suite has no time for: a hundred thousand matches after the first ones.

Two house bots in processes of their own play at all tables at once. Memory is what is resident:
its peak since the process began, and how much more of it there is after so many more matches.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import tempfile
from itertools import count
from pathlib import Path

from bench.path import the_play
from bench.timing import MissingError
from sandlot_server.store import FinishedMatch
from sandlot_server.tournament.jobs import Job
from sandlot_server.tournament.remote import WorkerProcess

TABLES = 256
FIRST = 1_500
MATCHES = 1_500


def megabytes(matches: int = MATCHES) -> dict[str, float]:
    """Return the ``peak``, and the ``growth`` over so many matches after the first ones."""
    if sys.platform != "linux":
        raise MissingError("/proc, which Linux has")
    with tempfile.TemporaryDirectory() as place:
        return asyncio.run(played(place, matches))


async def played(place: str, matches: int) -> dict[str, float]:
    """Play the first matches and the others, and look at the process after both."""
    bots = ("caller", "random")
    numbers = count(1)
    worker = await WorkerProcess.start(the_play(place, bots, TABLES), start_all=True)

    async def play(matches: int) -> None:
        left = iter(range(matches))

        async def keep_playing() -> None:
            for _ in left:
                number = next(numbers)
                seats = bots if number % 2 else bots[::-1]
                outcome = await worker.play(Job(f"1-1-{number}", 1, seats, number % 2))
                assert isinstance(outcome, FinishedMatch)

        await asyncio.gather(*(keep_playing() for _ in range(TABLES)))

    try:
        await play(FIRST)
        before = status(worker.pid, "VmRSS")
        await play(matches)
        return {
            "peak": status(worker.pid, "VmHWM"),
            "growth": status(worker.pid, "VmRSS") - before,
        }
    finally:
        await worker.end()


def status(pid: int, key: str) -> float:
    """Return what the system says of a process, in megabytes."""
    text = Path(f"/proc/{pid}/status").read_text()
    (kilobytes,) = re.findall(rf"^{key}:\s+(\d+) kB$", text, re.MULTILINE)
    return int(kilobytes) * 1024 / 1e6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matches", type=int, default=MATCHES, help=f"how many ({MATCHES})")
    given = parser.parse_args()
    found = megabytes(given.matches)
    print(f"peak {found['peak']:.0f} MB, {found['growth']:+.1f} MB over {given.matches:,} matches")


if __name__ == "__main__":
    main()
