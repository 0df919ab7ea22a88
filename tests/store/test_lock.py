"""Two runs never play one tournament at once; the lock dies with its holder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.stored import open_friday, play

from sandlot.errors import StoreError
from sandlot_server.store import Store
from sandlot_server.store.lock import RunLock

HOLD = """
import sys
from pathlib import Path
from support.stored import open_friday
from sandlot_server.store import Store
with Store(Path(sys.argv[1])) as store:
    open_friday(store)
    store.begin_attempts("friday", ["1-1-1"])
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(path: Path) -> subprocess.Popen[str]:
    """Start a process that plays the tournament until its standard input is closed."""
    tests = Path(__file__).parents[1]
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join([str(tests), os.environ.get("PYTHONPATH", "")])},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_run_is_refused_and_told_who_plays(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Store(path, create=True) as first, Store(path) as second:
        open_friday(first)
        with pytest.raises(StoreError) as caught:
            open_friday(second)
        assert f"tournament 'friday' is being played by process {os.getpid()}" in str(caught.value)
        open_friday(second, name="sunday")  # another tournament may be played
        play(first, "1-1-1", {"ann": 1, "bob": -1})
    assert [one.name for one in tmp_path.iterdir()] == ["a.db"]  # nothing is left lying about
    with Store(path) as third:
        open_friday(third)


def test_the_lock_dies_with_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    Store(path, create=True).close()
    with hold(path) as process, Store(path) as store:
        with pytest.raises(StoreError, match=f"by process {process.pid}:"):
            open_friday(store)
        assert store.voids("friday") == []
        process.kill()
        process.wait()
        open_friday(store)
        assert [void.match for void in store.voids("friday")] == ["1-1-1"]


def test_workers_hold_the_lock_of_a_run_that_was_killed(tmp_path: Path) -> None:
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
