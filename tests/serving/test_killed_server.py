"""``kill -9`` of a whole server at any moment, under load: nothing is lost, nothing is there twice.

The moments are drawn and counted in what the server says in its log, so that a failure can be had
again: the seed is in the name of the test, and printed.
"""

from __future__ import annotations

import random
import signal
import sys
from pathlib import Path
from typing import Final

import pytest
from launch.sandboxed import needs_sandbox
from support.crashing import Author, all_settled, league_in, remote_bot, submission
from support.forge import Forge
from support.live_server import Home
from support.whole import check_audit, check_season, check_submissions

from sandlot_server.league.places import DataFolder
from sandlot_server.store import Store

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="waits for processes by pidfd")

KILLS: Final = 30
SUBMIT_AT: Final = (0, 10, 22)
"""The kills before which one more bot is submitted."""

LATEST: Final = (6, 10, 30)
"""The most that a server has said when it is killed: mostly it dies young."""


@pytest.mark.parametrize("seed", [4])
def test_killed_at_thirty_moments_under_load_and_started_again(seed: int, tmp_path: Path) -> None:
    print(f"seed {seed}")
    moments = random.Random(seed)
    folder = DataFolder(tmp_path / "data")
    folder.make()
    token = league_in(folder.database)
    with (
        Home(folder.root, "--unsafe", "--tables", "3") as home,
        Forge() as forge,
        remote_bot(home, token),
        Author(home, token) as author,
    ):
        for number in range(KILLS):
            if number in SUBMIT_AT:
                author.submit(f"rat-{number}", submission(tmp_path, f"rat-{number}"))
            # Some as a shell starts them, with all the moments that a start has.
            server = home.serve(start=None if number % 10 == 0 else forge)
            server.wait_for_lines(moments.randint(1, moments.choice(LATEST)))
            server.kill()
            assert server.end() == -signal.SIGKILL
        last = home.serve(start=forge)
        acknowledged = author.all_sent()
        last.wait_until(lambda: all_settled(folder.database, len(SUBMIT_AT)))
        last.wait_for("round completed", times=2)
        last.signal(signal.SIGTERM)
        assert last.end() == 0
        home.check_nothing_lies_about()
    with Store(folder.database) as store:
        found = check_season(store, home.log)
        check_submissions(store, folder, acknowledged)
        check_audit(store)
    assert found.completed
    assert found.voids


@needs_sandbox
def test_killed_with_bots_in_the_sandbox(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    folder.make()
    token = league_in(folder.database)
    with (
        Home(folder.root, "--tables", "2") as home,
        remote_bot(home, token),
        Author(home, token) as author,
    ):
        server = home.serve()
        author.submit("rat", submission(tmp_path, "rat"))
        server.wait_for("match stored")
        server.wait_for("bot connected", bot="rat@1")  # in its trial
        server.kill()
        home.all_gone()
        assert home.marks
        last = home.serve()
        last.wait_until(lambda: all_settled(folder.database, 1))
        last.wait_for("round completed")
        last.signal(signal.SIGTERM)
        assert last.end() == 0
        home.check_nothing_lies_about()
    with Store(folder.database) as store:
        assert check_season(store, home.log).completed
        check_submissions(store, folder, author.acknowledged)
        check_audit(store)
