"""The PostgreSQL server under a league server is stopped and started, or is not there at all."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from support.command import run_sandlot
from support.crashing import Author, all_settled, league_in, refusal, remote_bot, submission
from support.live_server import DEADLINE, Home
from support.postgresql import PostgresServer
from support.whole import check_audit, check_season, check_submissions

from sandlot_server.league.places import DataFolder
from sandlot_server.store import Store
from sandlot_server.store.attempts import RUN_ENDED

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="waits for processes by pidfd")

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


@contextmanager
def health_of(address: str) -> Iterator[Iterator[int]]:
    """How the server says that it is, whenever that changes."""
    with grpc.insecure_channel(address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        call = stub.Watch(health_pb2.HealthCheckRequest(), timeout=DEADLINE)
        with closing(each.status for each in call) as states:
            yield states
        call.cancel()


def test_the_database_goes_and_comes_back_in_mid_season(
    stoppable: PostgresServer, tmp_path: Path
) -> None:
    folder, place = DataFolder(tmp_path / "data"), stoppable.new()
    token = league_in(place)
    options = ("--unsafe", "--tables", "3", "--database", place.url)
    with (
        Home(folder.root, *options) as home,
        remote_bot(home, token),
        Author(home, token) as author,
    ):
        server = home.serve()
        author.submit("rat", submission(tmp_path, "rat"))
        server.wait_for("submission taken")
        server.wait_for("match stored")
        with health_of(home.address) as states:
            assert SERVING in states  # reads on until it is
            for number, end in enumerate((stoppable.stop, stoppable.kill), start=1):
                end()
                server.wait_for("nothing is played", times=number)
                assert NOT_SERVING in states
                assert refusal(home.address, token) == (grpc.StatusCode.UNAVAILABLE, "STORE")
                stored = len(home.all("match stored"))
                stoppable.start()
                assert SERVING in states
                server.wait_for("season taken up", times=1 + number)
                server.wait_for("match stored", times=stored + 2)
        # It is back before anybody can notice.
        stoppable.stop()
        stoppable.start()
        server.wait_for("season taken up", times=4)
        server.wait_until(lambda: all_settled(place, 1))
        server.signal(signal.SIGTERM)
        assert server.end() == 0
        home.check_nothing_lies_about()
    with Store(place) as store:
        found = check_season(store, home.log)
        check_submissions(store, folder, author.acknowledged)
        check_audit(store)
    assert found.matches >= len(home.all("match stored"))
    assert found.voids[RUN_ENDED] >= 2


def test_a_server_is_started_while_its_database_is_away(
    stoppable: PostgresServer, tmp_path: Path
) -> None:
    place = stoppable.new()
    stoppable.stop()
    try:
        ran = run_sandlot(
            *("serve", "--data", str(tmp_path / "data"), "--database", place.url),
            *("--listen", "127.0.0.1:0", "--unsafe"),
        )
    finally:
        stoppable.start()
    assert (ran.status, ran.out) == (1, "")
    (line,) = ran.err.splitlines()
    assert line.startswith(f"Error: database {place}: cannot connect (")
    assert line.endswith("see that the server is up, and that the address is right")
