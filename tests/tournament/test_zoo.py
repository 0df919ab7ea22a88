"""Bots that misbehave, in processes of their own: the tournament bears them all."""

import asyncio
import re

import pytest
from tournament.running import (
    ZOO,
    Scheduled,
    named,
    open_store,
    pairings,
    run,
    the_play,
    zoo_class,
    zoo_program,
)

from sandlot_server.launch.processes import Launcher
from sandlot_server.tournament.pool import StartError
from sandlot_server.tournament.runner import Runner
from sandlot_server.tournament.worker import PlayingBot

GOOD = named(zoo_class("Good"), "good")
ALSO = named(zoo_class("Good"), "also")


# One fault is enough to be out, so that bots that hang do not take the suite's time.
STRICT = {"decision": 2.0, "strikes": 1, "tables": 2}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The digests of the two good bots among themselves."""
    directory = tmp_path_factory.mktemp("undisturbed")
    outcome = run(directory, [GOOD, ALSO], pairings(["good", "also"], each=2), **STRICT)
    outcome.check()
    return outcome.digests


# name, what the record must say, and how many strikes put it out
CLASSES = {
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
PROGRAMS = {
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


def play_beside_good_ones(directory, bad):
    """The bad bot against each good one, and the good ones twice among themselves."""
    matches = [
        *pairings(["good", "also"], each=2),
        Scheduled("5-1-1", ("good", bad.name)),
        Scheduled("5-2-1", (bad.name, "also")),
    ]
    return run(directory, [GOOD, ALSO, bad], matches, **STRICT)


@pytest.mark.parametrize("name", CLASSES)
def test_a_bad_class_is_borne(name, tmp_path, undisturbed):
    outcome = play_beside_good_ones(tmp_path, zoo_class(name))
    outcome.check()
    assert len(outcome.records) == 4
    assert outcome.causes(name) == CLASSES[name]
    assert outcome.causes("good") == outcome.causes("also") == set()
    for match, digest in undisturbed.items():
        assert outcome.digests[match] == digest


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_bad_program_is_borne(name, tmp_path, undisturbed):
    outcome = play_beside_good_ones(tmp_path, zoo_program(name))
    outcome.check()
    assert len(outcome.records) == 4
    assert outcome.causes(name) == PROGRAMS[name]
    assert outcome.causes("good") == outcome.causes("also") == set()
    for match, digest in undisturbed.items():
        assert outcome.digests[match] == digest


def test_a_bot_that_starves_one_table_loses_at_that_table_only(tmp_path):
    bad = zoo_program("starves_one")
    matches = [Scheduled(f"{n}-1-1", ("good", bad.name)) for n in range(1, 5)]
    outcome = run(tmp_path, [GOOD, bad], matches, decision=2.0, tables=4)
    outcome.check()
    assert len(outcome.records) == 4
    assert outcome.causes(bad.name) == {"timeout"}
    assert outcome.causes("good") == set()


def test_a_late_answer_is_dropped_and_the_bot_plays_on(tmp_path):
    bad = zoo_program("late")
    matches = [Scheduled(f"{n}-1-1", ("good", bad.name)) for n in (1, 2)]
    outcome = run(tmp_path, [GOOD, bad], matches, decision=2.0)
    outcome.check()
    assert outcome.progress.faults == {bad.name: {"timeout": 2}}
    assert len(outcome.pids()) == 2


def test_a_bot_out_by_time_outs_gets_a_fresh_process_for_its_next_match(tmp_path):
    bad = zoo_class("HangsAtFirst")
    matches = [Scheduled(f"{n}-1-1", ("good", bad.name)) for n in (1, 2)]
    outcome = run(tmp_path, [GOOD, bad], matches, decision=2.0, strikes=1, tables=1)
    outcome.check()
    assert len(re.findall(r", process \d+:", outcome.log(bad.name))) == 2
    assert outcome.progress.faults[bad.name] == {"timeout": 2}


def test_a_bot_is_kept_alive_between_matches(tmp_path):
    outcome = run(tmp_path, [GOOD, ALSO], pairings(["good", "also"], each=6), tables=1)
    outcome.check()
    assert len(outcome.pids()) == 2


class Counting(Launcher):
    """A launcher that counts how many of its processes there were at once."""

    most = 0

    async def start(self, *args, **kwargs):
        process = await super().start(*args, **kwargs)
        alive = [each for each in self._processes if each.exit is None]
        Counting.most = max(Counting.most, len(alive))
        return process


def test_there_are_never_more_processes_than_seats_in_play(tmp_path, monkeypatch):
    monkeypatch.setattr("sandlot_server.tournament.worker.Launcher", Counting)
    bots = [named(zoo_class("Good"), f"good{n}") for n in range(4)]
    outcome = run(tmp_path, bots, tables=1)
    outcome.check()
    assert len(outcome.records) == 6
    assert len(outcome.pids()) > 4  # room had to be made
    assert Counting.most == 2


def test_the_log_of_a_bot_has_its_traceback_its_output_and_what_it_saw(tmp_path):
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


def test_how_a_process_ended_stands_in_its_log(tmp_path):
    outcome = run(tmp_path, [GOOD, zoo_program("exits"), zoo_program("killed")])
    assert "I have had enough" in outcome.log("exits")
    assert re.search(r"--- process \d+ exited with status 7", outcome.log("exits"))
    assert re.search(r"--- process \d+ killed by signal 9", outcome.log("killed"))


BROKEN = PlayingBot("broken", "0", run=str(ZOO / "broken_import.py"))

UNABLE = {
    "exit_at_once": (zoo_program("exit_at_once"), r"exited with status 3 before its hello"),
    "broken": (BROKEN, r"exited with status 1 before its hello"),
    "silent": (zoo_program("silent"), r"no hello within 3 s"),
    "never_connects": (zoo_program("never_connects"), r"no hello within 3 s"),
    "others_token": (zoo_program("others_token"), r"exited with status 1 before its hello"),
    "wrong_protocol": (zoo_program("wrong_protocol"), r"exited with status 1 before its hello"),
}
SAYS = {
    "exit_at_once": "I do not start",
    "broken": "No module named 'module_that_does_not_exist'",
    "others_token": "this token is nobody's here",
    "wrong_protocol": "version 99",
}


@pytest.mark.parametrize("name", UNABLE)
def test_a_bot_that_cannot_start_stops_the_run_before_the_first_card(name, tmp_path):
    bad, reason = UNABLE[name]
    play = the_play(tmp_path, [GOOD, bad], patience=3.0)
    with open_store(tmp_path, [GOOD, bad]) as store:
        runner = Runner(play, pairings(["good", bad.name]))
        with pytest.raises(StartError, match=reason) as caught:
            asyncio.run(runner.run(lambda: store))
        assert SAYS.get(name, "") in caught.value.account
        assert not list(store.records("test"))
        assert not store.voids("test")
        bots, _ = store.sums("test")
        assert {sums.matches for sums in bots} == {0}


def test_a_second_session_of_a_token_is_refused_and_the_first_plays_on(tmp_path):
    bot = zoo_program("second_session")
    outcome = run(tmp_path, [GOOD, bot])
    outcome.check()
    assert outcome.causes(bot.name) == set()
    assert "second session: ALREADY_EXISTS" in outcome.log(bot.name)
