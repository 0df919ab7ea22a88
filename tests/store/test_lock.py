"""Two runs never play one tournament at once; the lock dies with its holder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.stored import open_friday, option, play

from sandlot.errors import StoreError
from sandlot_server.store import Place, Store
from sandlot_server.store.lock import RunLock

HOLD = """
import sys
from support.stored import open_friday
from sandlot_server.store import Store, place_of
with Store(place_of(sys.argv[1])) as store:
    open_friday(store)
    store.begin_attempts("friday", ["1-1-1"])
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(place: Place) -> subprocess.Popen[str]:
    """Start a process that plays the tournament until its standard input is closed."""
    tests = Path(__file__).parents[1]
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, option(place)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join([str(tests), os.environ.get("PYTHONPATH", "")])},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_run_is_refused_and_told_who_plays(place: Place, tmp_path: Path) -> None:
    with Store(place, create=True) as first, Store(place) as second:
        open_friday(first)
        with pytest.raises(StoreError) as caught:
            open_friday(second)
        assert f"tournament 'friday' is being played by process {os.getpid()}" in str(caught.value)
        open_friday(second, name="sunday")  # another tournament may be played
        play(first, "1-1-1", {"ann": 1, "bob": -1})
    left = [one.name for one in tmp_path.iterdir()]  # nothing lies about
    assert left == (["a.db"] if isinstance(place, Path) else [])
    with Store(place) as third:
        open_friday(third)


def test_the_lock_dies_with_its_holder(place: Place) -> None:
    Store(place, create=True).close()
    with hold(place) as process, Store(place) as store:
        with pytest.raises(StoreError, match=rf"by process {process.pid}( on \S+)?:"):
            open_friday(store)
        assert store.voids("friday") == []
        process.kill()
        process.wait()
        open_friday(store)
        assert [void.match for void in store.voids("friday")] == ["1-1-1"]


def test_workers_hold_the_lock_of_a_run_that_was_killed(tmp_path: Path) -> None:
    """Of a file: to a server a connection is one process's."""
    path = tmp_path / "a.db"
    with Store(path, create=True) as store:
        open_friday(store)
        assert isinstance(store.lock, RunLock)
        worker = subprocess.Popen(["cat"], stdin=subprocess.PIPE, pass_fds=[store.lock.fileno()])
        os.close(store.lock.fileno())  # as the system does when the run is killed
        store.lock = None
    with worker, Store(path) as store:
        with pytest.raises(StoreError, match="is being played"):
            open_friday(store)
        worker.kill()
        worker.wait()
        open_friday(store)
