"""Bots that misbehave, in processes of their own: the tournament bears them all."""

import asyncio
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.command import run_sandlot
from tournament.running import (
    ZOO,
    Scheduled,
    named,
    pairings,
    pids,
    run,
    the_play,
    zoo_class,
    zoo_program,
)

from sandlot_server.launch.census import process
from sandlot_server.store import Store
from sandlot_server.tournament import remote
from sandlot_server.tournament.jobs import PlayingBot, StartError
from sandlot_server.tournament.runner import Runner

GOOD = named(zoo_class("Good"), "good")
ALSO = named(zoo_class("Good"), "also")


# One fault is enough to be out, so that bots that hang do not take the suite's time. The clock is
# short for those alone: nobody else may pass it, however slow the machine is.
SHORT: dict[str, Any] = {"decision": 4.0}


def changes(causes: set[str]) -> dict[str, Any]:
    """How a bot is played with that is at fault so."""
    return {"strikes": 1, "tables": 2} | (SHORT if "timeout" in causes else {})


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Mapping[bool, Mapping[str, str]]:
    """The digests of the two good bots among themselves, with the long clock and the short one."""

    def digests(causes: set[str]) -> Mapping[str, str]:
        directory = tmp_path_factory.mktemp("undisturbed")
        matches = pairings(["good", "also"], each=2)
        outcome = run(directory, [GOOD, ALSO], matches, **changes(causes))
        outcome.check()
        return outcome.digests

    return {False: digests(set()), True: digests({"timeout"})}


# name, and what the record must say
CLASSES: dict[str, set[str]] = {
    "HangsAtFirst": {"timeout"},
    "HangsInHandFive": {"timeout"},
    "Raises": {"exception"},
    "RaisesOnce": {"exception"},
    "Illegal": {"illegal"},
    "Nonsense": {"exception"},
    "Leaves": {"crash"},
    "Prints": set(),
    "LeavesGrandchild": set(),
}
PROGRAMS: dict[str, set[str]] = {
    "exits": {"crash"},
    "killed": {"crash"},
    "closes": {"crash"},
    "wrong_id": {"timeout"},
    "wrong_match": {"timeout"},
    "twice": set(),
    "garbage": {"malformed"},
    "oversize": {"malformed"},
    "flood": {"crash"},
}


BAD = [
    *((zoo_class(name), causes) for name, causes in CLASSES.items()),
    *((zoo_program(name), causes) for name, causes in PROGRAMS.items()),
]


@pytest.mark.parametrize(("bad", "causes"), BAD, ids=[*CLASSES, *PROGRAMS])
def test_a_bad_bot_is_borne(
    bad: PlayingBot,
    causes: set[str],
    tmp_path: Path,
    undisturbed: Mapping[bool, Mapping[str, str]],
) -> None:
    """It plays each good one, and the good ones play twice among themselves."""
    matches = [
        *pairings(["good", "also"], each=2),
        Scheduled("5-1-1", ("good", bad.name)),
        Scheduled("5-2-1", (bad.name, "also")),
    ]
    outcome = run(tmp_path, [GOOD, ALSO, bad], matches, **changes(causes))
    outcome.check()
    assert len(outcome.records) == 4
    assert outcome.causes(bad.name) == causes
    assert outcome.causes("good") == outcome.causes("also") == set()
    for match, digest in undisturbed["timeout" in causes].items():
        assert outcome.digests[match] == digest


def test_a_bot_that_starves_one_table_loses_at_that_table_only(tmp_path: Path) -> None:
    bad = zoo_program("starves_one")
    matches = [Scheduled(f"{n}-1-1", ("good", bad.name)) for n in range(1, 5)]
    outcome = run(tmp_path, [GOOD, bad], matches, **SHORT, tables=4)
    outcome.check()
    assert len(outcome.records) == 4
    assert outcome.progress.faults == {bad.name: {"timeout": 3}}
    (starved,) = [played for played in outcome.played() if any(played.faults)]
    assert starved.setup.entrants[1].bot == bad.name


def test_a_late_answer_is_dropped_and_the_bot_plays_on(tmp_path: Path) -> None:
    bad = zoo_program("late")
    matches = [Scheduled(f"{n}-1-1", ("good", bad.name)) for n in (1, 2)]
    outcome = run(tmp_path, [GOOD, bad], matches, **SHORT)
    outcome.check()
    assert outcome.progress.faults == {bad.name: {"timeout": 2}}
    assert len(outcome.pids()) == 2


def test_a_bot_out_by_time_outs_gets_a_fresh_process_for_its_next_match(tmp_path: Path) -> None:
    bad = zoo_class("HangsAtFirst")
    matches = [Scheduled(f"{n}-1-1", ("good", bad.name)) for n in (1, 2)]
    outcome = run(tmp_path, [GOOD, bad], matches, **SHORT, strikes=1, tables=1)
    outcome.check()
    assert len(re.findall(r", process \d+:", outcome.log(bad.name))) == 2
    assert outcome.progress.faults[bad.name] == {"timeout": 2}


def test_a_bot_is_kept_alive_between_matches(tmp_path: Path) -> None:
    outcome = run(tmp_path, [GOOD, ALSO], pairings(["good", "also"], each=6), tables=1)
    outcome.check()
    assert len(outcome.pids()) == 2


COUNTING = """
import sys
from sandlot_server.launch.processes import Launcher
from sandlot_server.tournament import worker, worker_process

class Counting(Launcher):
    async def start(self, *args, **kwargs):
        process = await super().start(*args, **kwargs)
        alive = [each for each in self._processes if each.exit is None]
        with open(sys.argv[1], "a") as counts:
            print(len(alive), file=counts)
        return process

worker.Launcher = Counting
worker_process.main()
"""
"""A worker that writes down how many of its bots' processes there are at once."""


def test_there_are_never_more_processes_than_seats_in_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = tmp_path / "counts"
    monkeypatch.setattr(remote, "COMMAND", (sys.executable, "-P", "-c", COUNTING, str(counts)))
    bots = [named(zoo_class("Good"), f"good{n}") for n in range(4)]
    outcome = run(tmp_path, bots, tables=1)
    outcome.check()
    assert len(outcome.records) == 6
    assert len(outcome.pids()) > 4  # room had to be made
    alive = [int(line) for line in counts.read_text().splitlines()]
    assert len(alive) == len(outcome.pids())
    assert max(alive) == 2


def test_the_log_of_a_bot_has_its_traceback_its_output_and_what_it_saw(tmp_path: Path) -> None:
    raises, prints = zoo_class("Raises"), zoo_class("Prints")
    outcome = run(tmp_path, [raises, prints])
    log = outcome.log("Raises")
    assert "ValueError: I cannot count to five" in log
    assert 'raise ValueError("I cannot count to five")' in log
    assert "--- fault: exception in match 1-1-1 (attempt 1), hand 1, decision " in log
    assert 'it saw {"match":"1-1-1","hand":1,' in log
    assert "it is out for the rest of the match" in log
    assert "hand 1: I see" in outcome.log("Prints")
    assert "and this goes to standard error" in outcome.log("Prints")


def test_how_a_process_ended_stands_in_its_log(tmp_path: Path) -> None:
    outcome = run(tmp_path, [GOOD, zoo_program("exits"), zoo_program("killed")])
    assert "I have had enough" in outcome.log("exits")
    assert re.search(r"--- process \d+ exited with status 7", outcome.log("exits"))
    assert re.search(r"--- process \d+ killed by signal 9", outcome.log("killed"))


BROKEN = PlayingBot("broken", "0", run=str(ZOO / "broken_import.py"))

UNABLE = {
    "exit_at_once": (zoo_program("exit_at_once"), 3, "I do not start"),
    "broken": (BROKEN, 1, "No module named 'module_that_does_not_exist'"),
    "others_token": (zoo_program("others_token"), 1, "this token is nobody's here"),
    "wrong_protocol": (zoo_program("wrong_protocol"), 1, "version 99"),
}


def refusal(directory: Path, bots: Sequence[PlayingBot], **changes: object) -> StartError:
    """The error that stops a run of these bots before the first card."""
    play = the_play(directory, bots, **changes)
    names = [bot.name for bot in bots]

    def open_store() -> Store:
        raise AssertionError("nothing is stored for a run that does not begin")

    with pytest.raises(StartError) as caught:
        asyncio.run(Runner(play, pairings(names)).run(open_store))
    for pid in pids(Path(play.logs)):
        assert process(pid) is None
    return caught.value


@pytest.mark.parametrize("name", UNABLE)
def test_a_bot_that_cannot_start_stops_the_run_before_the_first_card(
    name: str, tmp_path: Path
) -> None:
    bad, status, said = UNABLE[name]
    error = refusal(tmp_path, [GOOD, bad])
    assert error.bot == bad.name
    assert f"exited with status {status} before its hello" in str(error)
    assert said in error.account


def test_a_pipe_in_the_place_of_a_log_stops_the_run_before_the_first_card(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    os.mkfifo(tmp_path / "logs" / "good.log")
    error = refusal(tmp_path, [GOOD, ALSO])
    assert error.bot == "good"
    assert str(error) == (
        f"bot 'good' cannot start: {tmp_path}/logs/good.log, where a bot's log belongs, is a named "
        "pipe and no regular file: move it away, and run again"
    )


def test_what_a_bot_says_before_it_fails_is_shown_without_orders_to_the_terminal(
    tmp_path: Path,
) -> None:
    (tmp_path / "loud.py").write_text("raise SystemExit('\\x1b[2J\\x9b31mred\\x07\\u202e')")
    error = refusal(tmp_path, [GOOD, PlayingBot("loud", "0", run="loud.py:Loud")])
    assert "?[2J?31mred??" in error.account
    assert all(line.isprintable() for line in error.account.splitlines())
    assert "\x1b[2J" in (tmp_path / "logs" / "loud.log").read_text()  # the file has it as it was


@pytest.mark.parametrize("name", ["silent", "never_connects"])
def test_a_bot_that_never_says_hello_stops_the_run_before_the_first_card(
    name: str, tmp_path: Path
) -> None:
    bots = [named(zoo_program(name), one) for one in ("first", "second")]
    error = refusal(tmp_path, bots, patience=3.0)
    assert "no hello within 3 s; see " in str(error)


def test_a_second_session_of_a_token_is_refused_and_the_first_plays_on(tmp_path: Path) -> None:
    bot = zoo_program("second_session")
    outcome = run(tmp_path, [GOOD, bot])
    outcome.check()
    assert outcome.causes(bot.name) == set()
    assert "second session: ALREADY_EXISTS" in outcome.log(bot.name)
    assert outcome.progress.seconds == {bot.name: 1}
    noted = "--- a second session with this bot's token was refused\n"
    assert outcome.log(bot.name).count(noted) == 1
    assert noted not in outcome.log("good")


def test_the_run_says_whose_token_somebody_else_has_shown(tmp_path: Path) -> None:
    bot = zoo_program("second_session")
    (tmp_path / "league.toml").write_text(
        f"""
[tournament]
name = "stolen"
variant = "baseball"
seats = 2
hands = 1

[clock]
decision = "1m"

[faults]
hello = "2m"

[[bots]]
name = "caller"
run = "sandlot_bots.caller:Caller"

[[bots]]
name = "{bot.name}"
command = {json.dumps(bot.command)}
"""
    )
    ran = run_sandlot("tournament", "run", "league.toml", cwd=tmp_path)
    assert ran.status == 0, ran.err
    log = tmp_path / "sandlot-logs" / "stolen" / "second_session.log"
    assert ran.err.splitlines()[1:] == [
        f"a second session with second_session's token, refused; see {log}"
    ]
