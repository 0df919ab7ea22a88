"""Workers in processes of their own: their deaths are nobody's fault and nobody's result."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import pytest
from support.scene import Scene
from tournament.running import (
    ZOO,
    named,
    open_store,
    pairings,
    pids,
    run,
    the_play,
    zoo_class,
    zoo_program,
)

from sandlot.errors import SessionError
from sandlot_server.launch.census import process
from sandlot_server.store import FinishedMatch, SeatResult, pack, unpack
from sandlot_server.tournament import remote
from sandlot_server.tournament.jobs import BrokenOff, Job, NotPlayed
from sandlot_server.tournament.lines import Done, decoder, encode
from sandlot_server.tournament.pool import StartError
from sandlot_server.tournament.remote import WorkerProcess
from sandlot_server.tournament.runner import Runner
from sandlot_server.tournament.worker import PlayingBot

GOOD = named(zoo_class("Good"), "good")
KILLER = PlayingBot("killer", "0", run=f"{ZOO / 'kills_worker.py'}:KillsWorker")
DIED = r"worker process \d+ died: killed by signal 9 \(SIGKILL\)"


def all_gone(directory: Path) -> bool:
    return all(process(pid) is None for pid in pids(directory / "logs"))


def give_lives(directory: Path, number: int) -> Path:
    """Have the killer kill so often."""
    lives = directory / "lives"
    lives.mkdir()
    for life in range(number):
        (lives / str(life)).touch()
    return lives


def test_an_outcome_comes_back_as_it_was_sent() -> None:
    seats = (
        SeatResult("mine", Fraction(-7, 2), 2, {"timeout": 3}),
        SeatResult("other", Fraction(7, 2), 1),
    )
    record = '{"type":"match"}\n{"é":1}\n'
    finished = FinishedMatch("3-12-1", 2, 8, "d1", pack(record), seats)
    assert unpack(finished.record) == record
    not_played = NotPlayed(Job("3-12-1", 2, ("mine", "other"), 1), "mine", "it\nends")
    for done in (Done(finished=finished), Done(not_played=not_played)):
        line = encode(done)
        assert line.count(b"\n") == 1
        assert decoder(Done)(line) == done


def test_a_worker_that_is_killed_is_replaced_and_its_matches_are_played_again(
    tmp_path: Path,
) -> None:
    lives = give_lives(tmp_path, 2)
    matches = pairings(["good", "killer"], each=8)
    outcome = run(tmp_path, [GOOD, KILLER], matches, workers=2, tables=4)
    outcome.check()
    assert not [*lives.iterdir()]
    assert set(outcome.records) == {match.match for match in matches}
    assert outcome.causes("good") == outcome.causes("killer") == set()
    assert outcome.progress.faults == {}
    assert outcome.progress.withdrawn == {}

    counts: defaultdict[str, int] = defaultdict(int)
    attempts: defaultdict[str, list[int]] = defaultdict(list)
    for void in outcome.voids:
        counts[void.reason] += 1
        attempts[void.match].append(void.attempt)
    assert counts == outcome.progress.broken_off
    assert len(counts) == 2  # the bot has killed two workers
    for played in outcome.played():
        before = attempts.get(played.setup.match, [])
        assert [*before, played.setup.attempt] == [*range(1, len(before) + 2)]


def test_a_run_whose_workers_die_again_and_again_ends_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "REPLACED", 1)
    give_lives(tmp_path, 100)
    matches = pairings(["good", "killer"], each=8)
    with open_store(tmp_path, [GOOD, KILLER]) as store:
        runner = Runner(the_play(tmp_path, [GOOD, KILLER], tables=2), matches, workers=2)
        with pytest.raises(SessionError, match=f"{DIED}, the last of 2: see what ends them"):
            asyncio.run(runner.run(lambda: store))
        assert store.done("test") == frozenset()
        voids = store.voids("test")
    assert len({(void.match, void.attempt) for void in voids}) == len(voids) >= 3
    assert all_gone(tmp_path)


def test_a_worker_that_is_killed_before_it_can_play_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "kills.py").write_text(f"import os; os.kill(os.getppid(), {signal.SIGKILL:d})")
    bots = [GOOD, PlayingBot("kills", "0", run="kills.py:Bot")]
    runner = Runner(the_play(tmp_path, bots), pairings(["good", "kills"]), workers=2)
    with open_store(tmp_path, bots) as store:
        with pytest.raises(SessionError, match=f"{DIED} before it could play; run again"):
            asyncio.run(runner.run(lambda: store))
        assert not store.voids("test")
    assert all_gone(tmp_path)


def test_a_bot_that_cannot_start_in_a_worker_is_told_as_anywhere_else(tmp_path: Path) -> None:
    bad = zoo_program("exit_at_once")
    bots = [GOOD, bad]
    runner = Runner(the_play(tmp_path, bots), pairings(["good", bad.name]), workers=2)
    with open_store(tmp_path, bots) as store, pytest.raises(StartError) as caught:
        asyncio.run(runner.run(lambda: store))
    assert str(caught.value).startswith(
        "bot 'exit_at_once' cannot start: exited with status 3 before its hello; see "
    )
    assert caught.value.account == "I do not start\n"
    assert all_gone(tmp_path)


def test_a_worker_ends_with_its_run_even_while_its_bots_start(tmp_path: Path) -> None:
    with Scene(tmp_path) as scene:
        silent = scene.script("say('up')\nforever()\n")
        bots = [PlayingBot("silent", "0", command=silent.command)]

        async def scenario() -> None:
            play = the_play(tmp_path, bots)
            starting = asyncio.create_task(WorkerProcess.start(play, start_all=True))
            assert await asyncio.to_thread(scene.next_line) == "up"
            starting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await starting

        asyncio.run(scenario())
        assert scene.all_gone() == ""
    assert all_gone(tmp_path)


LIES = """
import sys
print('{"type":"ready"}', flush=True)
for line in sys.stdin:
    print("nonsense", flush=True)
"""


def test_what_is_no_outcome_ends_the_worker_and_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "COMMAND", (sys.executable, "-c", LIES))
    job = Job("1-1-1", 1, ("good", "good"), 0)

    async def scenario() -> None:
        worker = await WorkerProcess.start(the_play(tmp_path, [GOOD]), start_all=True)
        outcome = await worker.play(job)
        assert isinstance(outcome, BrokenOff)
        assert outcome.job == job
        assert re.fullmatch(DIED, outcome.reason)
        assert await worker.play(job) == outcome
        with pytest.raises(ValueError, match="JSON is malformed"):  # it is a defect of ours
            await worker.end()
        assert process(worker.pid) is None

    asyncio.run(scenario())


TELLS = """
import sys
second = '{"type":"second-session","bot":"good"}'
print(second, '{"type":"ready"}', second, sep="\\n", flush=True)
sys.stdin.read()
"""


def test_a_worker_tells_of_second_sessions_whenever_they_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "COMMAND", (sys.executable, "-c", TELLS))
    told: list[str] = []

    async def scenario() -> None:
        worker = await WorkerProcess.start(
            the_play(tmp_path, [GOOD]), start_all=True, on_second=told.append
        )
        assert told[:1] == ["good"]  # before it could play
        await worker.end()
        assert told == ["good", "good"]

    asyncio.run(scenario())


def test_second_sessions_are_counted_over_all_workers(tmp_path: Path) -> None:
    bot = zoo_program("second_session")
    matches = pairings(["good", bot.name], each=2)
    outcome = run(tmp_path, [GOOD, bot], matches, workers=2, tables=2)
    outcome.check()
    assert outcome.progress.seconds == {bot.name: 2}
