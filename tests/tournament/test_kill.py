"""A run that is killed at any moment, or stopped, and taken up again."""

from __future__ import annotations

import random
import signal
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest
from tournament.live import (
    SANDLOT,
    LiveRun,
    killed_at_commit,
    league_in,
    on_a_small_disk,
    play_to_the_end,
    signalled_again,
    signalled_at,
    store_in,
)
from tournament.running import SEED

from sandlot.records import read, verify
from sandlot.seeds import commitment, match_seed
from sandlot_server.store.attempts import RUN_ENDED
from sandlot_server.tournament.runner import BROKEN_OFF

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="waits for processes by pidfd")

KILLS = 20
ROUNDS = 12


def attempt_of(match: str, committed: str) -> int:
    """The number of the attempt that a bot was told the commitment of."""
    numbers = range(1, KILLS + 2)
    return next(n for n in numbers if commitment(match_seed(SEED, match, n)) == committed)


def kill_somewhere(directory: Path, number: int, moments: random.Random) -> LiveRun:
    """Run the league and kill it at a moment that is drawn."""
    options = ["--tables", "3", *(["--workers", "2"] if number % 3 == 2 else [])]
    when = moments.choice(["line", "line", "before", "after"])
    if when == "line":
        with LiveRun(directory, *options) as run:
            run.wait_for_lines(moments.randint(1, 60))
            run.kill()
            ran = run.end()
    else:
        sandlot = killed_at_commit(when, moments.randint(1, 12))
        with LiveRun(directory, *options, sandlot=sandlot) as run:
            ran = run.end()
    assert ran.status == -signal.SIGKILL, ran.err
    assert ran.out == ""
    return run


def test_killed_at_twenty_moments_and_taken_up_each_time(tmp_path: Path) -> None:
    calm, directory = tmp_path / "calm", tmp_path / "killed"
    league = league_in(calm, ROUNDS)
    play_to_the_end(calm)
    with store_in(calm) as store:
        undisturbed = store.digests("live")
        assert not store.voids("live")

    league_in(directory, ROUNDS)
    moments = random.Random(20)
    runs = [kill_somewhere(directory, number, moments) for number in range(KILLS)]
    runs.append(play_to_the_end(directory))

    with store_in(directory) as store:
        records, digests = dict(store.records("live")), store.digests("live")
        voids = store.voids("live")
        bots = store.sums("live").bots

    # Every match exactly once, and all of them verify.
    assert list(digests) == sorted(digests, key=lambda match: [*map(int, match.split("-"))])
    assert set(records) == set(digests) == {match.match for match in league.plan(SEED)}
    played = {match: next(read(text)).played for match, text in records.items()}
    for text in records.values():
        assert len(list(verify(text, SEED))) == 1
    assert sum(bot.net_sum for bot in bots) == 0
    assert sum(bot.matches for bot in bots) == 2 * len(records)

    # What was interrupted is void, with its reason, and its number is not used again.
    assert {void.reason for void in voids} == {RUN_ENDED}
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for void in voids:
        numbers[void.match].append(void.attempt)
    for match, of in played.items():
        attempts = [*numbers.get(match, []), of.setup.attempt]
        assert attempts == [*range(1, len(attempts) + 1)]

    # No cards were dealt twice, and none that were not committed to the store before.
    dealt: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for number, run in enumerate(runs):
        for match, committed in run.dealt():
            dealt[match, attempt_of(match, committed)].append(number)
    assert [where for where in dealt.values() if len(where) > 1] == []
    stored = {(void.match, void.attempt) for void in voids}
    stored |= {(match, of.setup.attempt) for match, of in played.items()}
    assert set(dealt) <= stored

    # What was not interrupted is as if nothing had happened.
    calm_ones = undisturbed.keys() - numbers.keys()
    assert {match: digests[match] for match in calm_ones} == {
        match: undisturbed[match] for match in calm_ones
    }
    assert len(voids) >= KILLS / 2
    assert len(calm_ones) >= len(records) / 4

    # And nothing lies about.
    assert [*directory.rglob("*.ledger")] == []


STOPS: Mapping[str, tuple[signal.Signals, int, int, list[str]]] = {
    "interrupt": (signal.SIGINT, 130, 12, []),
    "terminate two workers": (signal.SIGTERM, 143, 20, ["--workers", "2"]),
}


@pytest.mark.parametrize("name", STOPS)
def test_a_signal_stops_the_run_in_good_order(name: str, tmp_path: Path) -> None:
    number, status, lines, options = STOPS[name]
    directory = tmp_path / "stopped"
    league_in(directory, ROUNDS)
    with LiveRun(directory, "--tables", "3", *options) as run:
        run.wait_for_lines(lines)
        run.signal(number)
        ran = run.end()
    with store_in(directory) as store:
        done, voids = store.done("live"), store.voids("live")
    assert ran.status == status
    assert ran.out == ""
    first, last = ran.err.splitlines()
    assert first.startswith("live: 72 matches; commitment ")
    assert last == (
        f"Stopped: {len(done)} of 72 matches are stored. Run the same command again to go on."
    )
    assert voids
    assert {void.reason for void in voids} == {BROKEN_OFF}
    assert {void.match for void in voids}.isdisjoint(done)
    assert [*directory.rglob("*.ledger")] == []


def test_a_second_signal_does_not_cut_the_end_short(tmp_path: Path) -> None:
    directory = tmp_path / "stopped"
    league_in(directory, ROUNDS)
    with LiveRun(directory, sandlot=signalled_again()) as run:
        run.wait_for_lines(12)
        run.signal(signal.SIGINT)
        ran = run.end()
    assert (ran.status, ran.out) == (130, "")
    _, ended, stopped = ran.err.splitlines()
    assert ended == "the worker has ended in good order"
    assert stopped.startswith("Stopped: ")


STARTS_FOR_EVER = """
import os, signal
os.write(os.open(os.environ["LIFE"], os.O_WRONLY), b"up\\n")
while True:
    signal.pause()
"""


def test_a_run_that_is_stopped_while_its_bots_start_leaves_no_database(tmp_path: Path) -> None:
    directory = tmp_path / "stopped"
    league_in(directory, ROUNDS)
    (directory / "telling.py").write_text(STARTS_FOR_EVER)
    with LiveRun(directory) as run:
        run.wait_for_lines(1)
        run.signal(signal.SIGHUP)
        ran = run.end()
    message = "Stopped: 0 of 72 matches are stored. Run the same command again to go on.\n"
    assert ran == (129, "", message)
    assert not (directory / "sandlot.db").exists()


@pytest.mark.parametrize(
    ("module", "number"),
    [
        ("sandlot_server.tournament.league", signal.SIGTERM),
        ("sqlalchemy", signal.SIGHUP),
        ("sandlot_server.cli.running", signal.SIGINT),
        ("the loop", signal.SIGTERM),
    ],
)
def test_a_signal_before_the_run_has_begun_is_told(
    module: str, number: signal.Signals, tmp_path: Path
) -> None:
    directory = tmp_path / "stopped"
    league_in(directory, ROUNDS)
    with LiveRun(directory, sandlot=signalled_at(module, number)) as run:
        ran = run.end()
    message = f"Stopped by {number.name} before the first match; nothing was played.\n"
    assert ran == (128 + number, "", message)
    assert not run.said
    assert {path.name for path in directory.iterdir() if path.is_file()} == {
        "league.toml",
        "telling.py",
    }


def test_a_run_that_is_to_outlive_its_terminal_does(tmp_path: Path) -> None:
    directory = tmp_path / "nohup"
    league_in(directory, 1)
    nohup = ("sh", "-c", "trap '' HUP; exec \"$@\"", "sh", *SANDLOT)
    with LiveRun(directory, sandlot=nohup) as run:
        run.wait_for_lines(1)
        run.signal(signal.SIGHUP)
        ran = run.end()
    assert ran.status == 0, ran.err
    with store_in(directory) as store:
        assert len(store.done("live")) == 6


def test_a_full_disk_ends_the_run_and_keeps_what_was_stored(tmp_path: Path) -> None:
    directory = tmp_path / "full"
    league = league_in(directory, ROUNDS)
    # The schema takes 15 pages, with all matches there are about 120.
    with LiveRun(directory, "--tables", "3", sandlot=on_a_small_disk(60)) as run:
        ran = run.end()
    assert (ran.status, ran.out) == (1, "")
    first, last = ran.err.splitlines()
    assert first.startswith("live: 72 matches; commitment ")
    assert last.startswith(
        "Error: database sandlot.db: the disk is full: free some space and run again; "
        "what was stored before is kept"
    )
    with store_in(directory) as store:
        before = store.digests("live")
        records = dict(store.records("live"))
    assert 0 < len(before) < 72
    assert set(records) == set(before)
    for text in records.values():
        assert len(list(verify(text, SEED))) == 1

    play_to_the_end(directory)
    with store_in(directory) as store:
        after = store.digests("live")
        assert set(after) == {match.match for match in league.plan(SEED)}
        assert before.items() <= after.items()
        attempts = {(void.match, void.attempt) for void in store.voids("live")}
        assert {match for match, _ in attempts}.isdisjoint(before)
