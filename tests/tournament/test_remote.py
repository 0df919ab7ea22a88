"""Workers in processes of their own: their deaths are nobody's fault and nobody's result."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT
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
from sandlot_server.tournament.jobs import BrokenOff, Job, NotPlayed, PlayingBot, StartError
from sandlot_server.tournament.lines import Done, Opening, decoder, encode
from sandlot_server.tournament.remote import RemoteWorker, WorkerProcess
from sandlot_server.tournament.runner import BROKEN_OFF, Runner

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


@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_that_is_killed_is_replaced_and_its_matches_are_played_again(
    workers: int, tmp_path: Path
) -> None:
    lives = give_lives(tmp_path, 2)
    matches = pairings(["good", "killer"], each=8)
    outcome = run(tmp_path, [GOOD, KILLER], matches, workers=workers, tables=4)
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


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_whose_workers_die_again_and_again_ends_and_says_why(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "REPLACED", 1)
    give_lives(tmp_path, 100)
    matches = pairings(["good", "killer"], each=8)
    with open_store(tmp_path, [GOOD, KILLER]) as store:
        play = the_play(tmp_path, [GOOD, KILLER], tables=2)
        runner = Runner(play, matches, workers=workers)
        with pytest.raises(SessionError, match=f"{DIED}, the last of 2: see what ends them"):
            asyncio.run(runner.run(lambda: store))
        assert store.done("test") == frozenset()
        voids = store.voids("test")
    deaths = 2 if workers == 1 else 3  # of two workers one dies once, and the other twice
    assert len({(void.match, void.attempt) for void in voids}) == len(voids) >= deaths
    assert all_gone(tmp_path)


def test_a_worker_that_is_killed_before_it_can_play_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "kills.py").write_text(f"import os; os.kill(os.getppid(), {signal.SIGKILL:d})")
    bots = [GOOD, PlayingBot("kills", "0", run="kills.py:Bot")]
    runner = Runner(the_play(tmp_path, bots), pairings(["good", "kills"]))
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


SPOILS = """
from pathlib import Path
from sandlot import Bot

class Spoils(Bot):
    def act(self, seen):
        log = Path("logs/spoils.log")
        if log.is_file():
            log.unlink()
            log.mkdir()
        raise ValueError("to be written into the log")
"""


def test_a_worker_that_cannot_play_on_says_why_and_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "spoils.py").write_text(SPOILS)
    bots = [GOOD, PlayingBot("spoils", "0", run="spoils.py:Spoils")]
    runner = Runner(the_play(tmp_path, bots), pairings(["good", "spoils"], each=8))
    with open_store(tmp_path, bots) as store:
        with pytest.raises(SessionError) as caught:
            asyncio.run(runner.run(lambda: store))
        assert store.done("test") == frozenset()
        assert {void.reason for void in store.voids("test")} == {BROKEN_OFF}
    assert str(caught.value) == (
        f"a worker cannot play: {tmp_path}/logs/spoils.log, where a bot's log belongs, is a "
        "directory and no regular file: move it away, and run again"
    )
    assert all_gone(tmp_path)


def test_a_file_in_the_place_of_the_logs_is_told_before_the_first_card(tmp_path: Path) -> None:
    (tmp_path / "logs").touch()
    runner = Runner(the_play(tmp_path, [GOOD]), pairings(["good", "good"]))
    with open_store(tmp_path, [GOOD]) as store:
        with pytest.raises(SessionError) as caught:
            asyncio.run(runner.run(lambda: store))
        assert not store.voids("test")
    assert str(caught.value) == f"a worker cannot play: {tmp_path}/logs: File exists"


GIVES_UP = """
import sys
print('{"type":"ready"}', flush=True)
for line in sys.stdin:
    if "1-1-1" in line:
        print('{"type":"refused","bot":"","reason":"it is full","account":""}', flush=True)
        break
"""


def test_a_worker_that_has_said_that_it_cannot_play_on_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "COMMAND", (sys.executable, "-c", GIVES_UP))

    async def scenario() -> None:
        async with RemoteWorker(the_play(tmp_path, [GOOD])) as worker:
            jobs = [Job(f"1-1-{number}", 1, ("good", "good"), 0) for number in (2, 3, 1)]
            told = await asyncio.gather(*map(worker.play, jobs), return_exceptions=True)
            assert [str(each) for each in told] == ["a worker cannot play: it is full"] * 3
        with pytest.raises(SessionError, match="it is full"):  # when it has ended too
            await worker.play(jobs[0])

    asyncio.run(scenario())


async def end_of_worker(said: bytes) -> tuple[int, bytes]:
    """How a worker ends, and what it prints, whose run is gone when it has said this."""
    process = await asyncio.create_subprocess_exec(
        *remote.COMMAND, stdin=PIPE, stdout=PIPE, stderr=STDOUT
    )
    out, _ = await process.communicate(said)
    assert process.returncode is not None
    return process.returncode, out


def test_a_worker_whose_run_is_gone_at_once_says_nothing(tmp_path: Path) -> None:
    opening = encode(Opening(the_play(tmp_path, [GOOD]), start_all=True))
    for said in (b"", opening[:-9], opening):
        assert asyncio.run(end_of_worker(said)) == (0, b"")
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
