"""kill -9 at any moment: a match is stored whole or not at all."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from support.stored import open_friday, option

from sandlot_server.store import Place, Store

TESTS = Path(__file__).parents[1]

LOOP = """
import sys
from support.stored import ended, open_friday
from sandlot_server.store import Store, place_of

def say(*words):
    print(*words, flush=True)

with Store(place_of(sys.argv[1]), create=True) as store:
    open_friday(store)
    done = store.done("friday")
    todo = [f"1-{n}-1" for n in range(1, 10000) if f"1-{n}-1" not in done]
    while todo:
        some, todo = todo[:3], todo[3:]
        begun = store.begin_attempts("friday", some)
        say("begun", *(f"{match}/{attempt}" for match, attempt in begun.items()))
        store.finish("friday", [ended(m, a, {"ann": 1, "bob": -1}) for m, a in begun.items()])
        say("done", *some)
"""

STOP_BEFORE_COMMIT = """
import sys
from sqlalchemy import Engine, event
from support.stored import ended, open_friday
from sandlot_server.store import Store, place_of

asked = sys.argv[2]

def stop_at(step):
    if step == asked:
        @event.listens_for(Engine, "commit")
        def stop(connection):
            print("before commit", flush=True)
            sys.stdin.read()

stop_at("create")
with Store(place_of(sys.argv[1]), create=True) as store:
    stop_at("open")
    open_friday(store)
    stop_at("begin")
    begun = store.begin_attempts("friday", ["1-1-1", "1-1-2"])
    stop_at("finish")
    store.finish("friday", [ended(m, a, {"ann": 1, "bob": -1}) for m, a in begun.items()])
"""


def child(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ
        | {"PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])},
    )


def sound(place: Place) -> None:
    if not isinstance(place, Path):
        return  # a server looks after that itself
    raw = sqlite3.connect(place)
    assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert raw.execute("PRAGMA foreign_key_check").fetchall() == []
    raw.close()


def test_killed_in_a_loop_of_writing(place: Place) -> None:
    done: set[str] = set()
    dealt: set[str] = set()  # MATCH/ATTEMPT, whose cards may have been seen
    for lines in (1, 2, 5, 8):
        with child(LOOP, option(place)) as process:
            assert process.stdout is not None
            told = [process.stdout.readline() for _ in range(lines)]
            process.kill()  # it is on its way to the next line, wherever that is
            told += process.stdout.readlines()
        for line in told:
            word, *matches = line.split()
            if word == "begun":
                assert not dealt & set(matches)  # no attempt is dealt twice
                dealt |= set(matches)
            else:
                done |= set(matches)
        with Store(place) as store:
            stored = store.done("friday")
            assert done <= stored
            assert len(stored) % 3 == 0  # a group of three is one transaction
            done = set(stored)
            records = dict(store.records("friday"))
            assert set(records) == stored
            assert all(text.startswith(f"record of {match}/") for match, text in records.items())
            bots, pairs, _ = store.sums("friday")
            assert [bot.net_sum for bot in bots] == [840 * len(stored), -840 * len(stored), 0]
            assert sum(pair.matches for pair in pairs) == 2 * len(stored)
            open_friday(store)
            void = {f"{void.match}/{void.attempt}" for void in store.voids("friday")}
            won = {text.split()[2] for text in records.values()}
            assert not void & won
            assert dealt <= void | won
        sound(place)
    assert done


@pytest.mark.parametrize("step", ["create", "open", "begin", "finish"])
def test_killed_before_the_commit(step: str, place: Place) -> None:
    with child(STOP_BEFORE_COMMIT, option(place), step) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "before commit\n"
        process.kill()
    with Store(place, create=True) as store:
        names = [one.name for one in store.tournaments()]
        assert names == ([] if step in ("create", "open") else ["friday"])
        open_friday(store)
        assert store.done("friday") == frozenset()
        assert list(store.records("friday")) == []
        assert len(store.voids("friday")) == (2 if step == "finish" else 0)
        again = 2 if step == "finish" else 1  # the number of an attempt that was begun is used up
        assert store.begin_attempts("friday", ["1-1-1"]) == {"1-1-1": again}
    sound(place)
