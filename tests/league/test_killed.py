"""The server is killed at any moment, and taken up again: no match twice, none lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest
from league.playing import SEASON, League
from tournament.live import DIE_AT_COMMIT, wait_until_gone
from tournament.running import pids

from sandlot.records import read
from sandlot_server.store.attempts import RUN_ENDED

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="waits for processes by pidfd")

KILLS: Final = 8
TESTS: Final = Path(__file__).parents[1]

SERVER: Final = f"""
import asyncio, sys
from pathlib import Path
from league.playing import Heard, League, Playing

folder, when, number, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
{DIE_AT_COMMIT}
class Telling(Heard):
    def note(self, logger, method, event):
        print(event["event"], flush=True)
        if when == "event" and len(self.events) >= number:
            die()
        super().note(logger, method, event)

async def serve(league):
    playing = Playing(league, tables=3)
    playing.heard = Telling()
    async with playing:
        await playing.heard.times(rounds, "round completed")
        await playing.drain()

with League(Path(folder)) as league:
    asyncio.run(serve(league))
"""


def serve(folder: Path, when: str, number: int, rounds: int = 1_000) -> int:
    """Serve the league until so many rounds are completed, or it kills itself; return its status.

    Nothing that it has started is there any more then.
    """
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    served = subprocess.run(
        [sys.executable, "-c", SERVER, str(folder), when, str(number), str(rounds)],
        env=os.environ | {"PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert served.returncode in (0, -signal.SIGKILL), served.stderr
    for pid in pids(folder / "logs" / SEASON):
        wait_until_gone(pid)
    return served.returncode


def test_killed_at_any_moment_it_goes_on_where_it_was(tmp_path: Path) -> None:
    with League(tmp_path) as league:
        league.submit("ann", "bob", "cid", "dee", "eve")
    moments = random.Random(7)
    for _ in range(KILLS):
        when = moments.choice(["before", "after", "event", "event"])
        most = 60 if when == "event" else 25
        assert serve(tmp_path, when, moments.randint(1, most)) == -signal.SIGKILL
    assert serve(tmp_path, "never", 0, rounds=2) == 0

    with League(tmp_path) as league:
        league.check()
        done = league.store.done(SEASON)
        rounds = league.rounds()
        assert sum(drawn.completed for drawn in rounds) >= 2
        for drawn in rounds:
            if drawn.completed:
                assert {match.match for match in drawn.matches} <= done
        assert [drawn.number for drawn in rounds] == [*range(1, len(rounds) + 1)]
        numbers: defaultdict[str, list[int]] = defaultdict(list)
        for void in league.store.voids(SEASON):
            assert void.reason == RUN_ENDED
            numbers[void.match].append(void.attempt)
        assert numbers  # it was killed in the middle of something
        for match, text in dict(league.store.records(SEASON)).items():
            (record,) = read(text)
            attempts = [*numbers.get(match, []), record.played.setup.attempt]
            assert attempts == [*range(1, len(attempts) + 1)]
    assert [*tmp_path.rglob("*.ledger")] == []
