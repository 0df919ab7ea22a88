"""What becomes of a server that is asked to stop, at whatever it is; and who may start one."""

from __future__ import annotations

import signal
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from support.command import run_sandlot
from support.crashing import SEASON, holding_bot, league_in, submission
from support.live_server import Home, started
from support.whole import check_season
from tournament.live import signalled_at

from sandlot.errors import CallError
from sandlot.v1 import league_pb2 as pb
from sandlot_server.cli.calling import League
from sandlot_server.cli.logins import Login
from sandlot_server.league.places import DataFolder
from sandlot_server.league.sitting import STOPPED
from sandlot_server.store import Registry, Store
from sandlot_server.store.schema import SCHEMA_VERSION

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="waits for processes by pidfd")

CASES = Path(__file__).parents[1] / "cases"

PLAIN = ("--unsafe", "--tables", "3")


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    """The folder of a league."""
    folder = DataFolder(tmp_path / "data")
    folder.make()
    return folder


def voids(folder: DataFolder, home: Home) -> Counter[str]:
    """Return why matches are void, by how many, when all that is stored is whole."""
    with Store(folder.database) as store:
        return check_season(store, home.log).voids


def test_matches_under_way_end_and_are_stored(folder: DataFolder) -> None:
    token = league_in(folder.database)
    with Home(folder.root, *PLAIN, "--grace", "10m") as home, holding_bot(home, token) as bot:
        server = home.serve()
        bot.is_asked()
        server.signal(signal.SIGTERM)
        assert server.wait_for("matches may end")["matches"]
        bot.go_on()
        assert server.end() == 0
        home.check_nothing_lies_about()
        stored = [each for each in home.all("match stored") if "rover@1" in each["bots"]]
    assert stored
    assert voids(folder, home) == {}


def test_without_grace_they_are_void_and_say_why(folder: DataFolder) -> None:
    token = league_in(folder.database)
    with Home(folder.root, *PLAIN, "--grace", "0s") as home, holding_bot(home, token) as bot:
        server = home.serve()
        bot.is_asked()
        server.signal(signal.SIGTERM)
        assert server.end() == 0
        home.check_nothing_lies_about()
    assert voids(folder, home)[STOPPED]


def test_a_second_signal_does_not_wait_for_them(folder: DataFolder) -> None:
    token = league_in(folder.database)
    with Home(folder.root, *PLAIN, "--grace", "60m") as home, holding_bot(home, token) as bot:
        server = home.serve()
        bot.is_asked()
        server.signal(signal.SIGTERM)
        server.wait_for("matches may end")
        server.signal(signal.SIGINT)
        assert server.end() == 0
        assert home.all("stopping at once")
        home.check_nothing_lies_about()
    assert voids(folder, home)[STOPPED]


def test_a_submission_that_is_being_tried_waits_for_the_next_server(
    folder: DataFolder, tmp_path: Path
) -> None:
    token = league_in(folder.database)
    archive = submission(tmp_path, "thinker", "threading.Event().wait()")
    with Home(folder.root, *PLAIN) as home:
        server = home.serve()
        server.wait_for("serving")
        request = pb.SubmitRequest(archive=archive, name="thinker")
        with (
            League(Login(home.address, token)) as league,
            closing(league.follow(request, pb.SubmitResponse)) as answers,
        ):
            while next(answers).version.status != "trying":
                pass
            server.signal(signal.SIGTERM)
            with pytest.raises(CallError, match="what was submitted is kept, and tried when it is"):
                next(answers)
        assert server.end() == 0
        home.check_nothing_lies_about()
    with Store(folder.database) as store:
        (version,) = Registry(store).bot("thinker").versions
    assert version.status == "trying"
    assert folder.version("thinker", 1).archive.exists()


AT_THE_HALL = """
import os, sys
from sandlot_server.cli import main
from sandlot_server.league.hall import Hall

make = Hall.__init__

def made(self, *arguments, **options):
    os.kill(os.getpid(), int(sys.argv[1]))
    make(self, *arguments, **options)

Hall.__init__ = made
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("stage", "number"),
    [
        ("sandlot_server.serving.server", signal.SIGTERM),
        ("sqlalchemy", signal.SIGINT),
        ("sandlot_server.store.migrations", signal.SIGHUP),
        ("the hall", signal.SIGTERM),
    ],
)
def test_a_signal_before_it_serves_is_told(
    stage: str, number: signal.Signals, tmp_path: Path
) -> None:
    at_the_hall = (sys.executable, "-P", "-c", AT_THE_HALL, str(number.value))
    command = at_the_hall if stage == "the hall" else signalled_at(stage, number)
    with Home(tmp_path / "data", *PLAIN) as home:
        server = home.serve(start=started(command))
        assert server.end() == 128 + number
        assert home.said[-1] == f"Stopped by {number.name} before it served.\n"
        home.check_nothing_lies_about()
        # The next one has nothing to mend.
        server = home.serve()
        server.wait_for("season taken up")
        server.signal(signal.SIGTERM)
        assert server.end() == 0


@pytest.mark.parametrize("event", ["arbiter listens", "serving", "season taken up"])
def test_a_signal_while_it_begins_to_serve_ends_it_in_good_order(
    event: str, folder: DataFolder
) -> None:
    league_in(folder.database)
    with Home(folder.root, *PLAIN) as home:
        server = home.serve()
        server.wait_for(event)
        server.signal(signal.SIGTERM)
        assert server.end() == 0
        assert home.log[-1]["event"] == "stopped"
        home.check_nothing_lies_about()


def test_a_second_server_on_one_folder_is_refused(folder: DataFolder) -> None:
    league_in(folder.database)
    with Home(folder.root, *PLAIN) as home:
        server = home.serve()
        server.wait_for("serving")
        ran = run_sandlot("serve", "--data", str(folder.root), "--listen", "127.0.0.1:0")
        assert (ran.status, ran.out) == (1, "")
        assert ran.err == (
            f"Error: a server runs on {folder.root} already, process {server.process.pid}: end "
            "it, or name another folder with --data\n"
        )
        server.signal(signal.SIGTERM)
        assert server.end() == 0


def test_a_database_of_a_later_version_is_refused_and_not_changed(folder: DataFolder) -> None:
    league_in(folder.database)
    with closing(sqlite3.connect(folder.database)) as raw, raw:
        raw.execute("UPDATE sandlot_schema SET version = 99")
    before = folder.database.read_bytes()
    ran = run_sandlot("serve", "--data", str(folder.root), "--listen", "127.0.0.1:0", "--unsafe")
    assert (ran.status, ran.out) == (1, "")
    (line,) = ran.err.splitlines()
    assert line.startswith(f"Error: database {folder.database}: it was written by a later Sandlot")
    assert folder.database.read_bytes() == before


def test_a_database_of_an_earlier_version_is_brought_up_to_date(folder: DataFolder) -> None:
    with closing(sqlite3.connect(folder.database)) as raw:
        raw.executescript((CASES / "store-1-sqlite.sql").read_text("utf-8"))
    with Home(folder.root, *PLAIN) as home:
        server = home.serve()
        server.wait_for("season taken up", season="season-1")
        server.signal(signal.SIGTERM)
        assert server.end() == 0
    with Store(folder.database, migrate=False) as store:
        names = [one.name for one in store.tournaments()]
    assert names[-1] == "season-1"
    assert len(names) > 1
    assert SEASON not in names
    with closing(sqlite3.connect(folder.database)) as raw:
        assert raw.execute("SELECT version FROM sandlot_schema").fetchall() == [(SCHEMA_VERSION,)]
