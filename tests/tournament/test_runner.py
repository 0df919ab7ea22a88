"""A run: each match once, in whatever order; bots that come up no more; a store that fails."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tournament.running import (
    ZOO,
    Scheduled,
    named,
    open_store,
    pairings,
    pids,
    run,
    the_play,
    zoo_class,
)

from sandlot.errors import StoreError
from sandlot_server.launch.census import process
from sandlot_server.store import FinishedMatch, Store
from sandlot_server.tournament.jobs import PlayingBot
from sandlot_server.tournament.runner import BROKEN_OFF, Progress, Runner
from sandlot_server.tournament.table import table_of

GOOD = named(zoo_class("Good"), "good")
ALSO = named(zoo_class("Good"), "also")
PLANNED = PlayingBot("planned", "0", run=f"{ZOO / 'planned.py'}:Planned")


def test_workers_and_tables_change_nothing_but_the_order(tmp_path: Path) -> None:
    bots = [named(zoo_class("Good"), "good"), *(zoo_class(name) for name in ("Illegal", "Raises"))]
    names = [bot.name for bot in bots]
    matches = pairings(names, each=4)
    alone = run(tmp_path / "alone", bots, matches, tables=1)
    both = run(tmp_path / "both", bots, matches, tables=5, workers=2)
    for outcome in (alone, both):
        outcome.check()
        assert outcome.progress.stored == outcome.progress.played == len(matches)
        assert not outcome.voids
        assert outcome.progress.faults == alone.progress.faults
    assert set(alone.digests) == {match.match for match in matches}
    assert both.digests == alone.digests
    assert sum(sum(played.net) for played in both.played()) == 0
    assert len(both.pids()) == 2 * len(bots)


def schedule(*pairs: str) -> list[Scheduled]:
    """Matches in this order, as ``"one two"``."""
    return [
        Scheduled(f"{number}-1-1", (one, two))
        for number, (one, two) in enumerate(map(str.split, pairs), start=1)
    ]


def starts(directory: Path) -> int:
    """How often the planned bot was started."""
    return (directory / "starts").stat().st_size


def test_a_bot_that_fails_three_times_to_start_again_is_withdrawn(tmp_path: Path) -> None:
    (tmp_path / "plan").write_text("+---")
    bots = [GOOD, ALSO, PLANNED]
    matches = schedule("planned good", "good also", "also planned", "planned good", "also good")
    outcome = run(tmp_path, bots, matches, tables=1)
    outcome.check()
    assert set(outcome.records) == {"1-1-1", "2-1-1", "5-1-1"}
    assert outcome.causes("planned") == {"crash"}
    assert starts(tmp_path) == 4

    reason = outcome.progress.withdrawn["planned"]
    assert reason.startswith("exited with status 1 before its hello; see ")
    assert "not today" in outcome.log("planned")
    assert (outcome.progress.stored, outcome.progress.dropped) == (3, 2)
    (void,) = outcome.voids
    assert (void.match, void.attempt) == ("3-1-1", 1)
    assert void.reason == f"bot 'planned' could not be started again: {reason}"

    with Store(tmp_path / "test.db") as store:
        table = table_of(store).to_json()
    withdrawn = {bot["bot"]: bot["withdrawn"] for bot in table["bots"]}
    assert withdrawn == {"good": None, "also": None, "planned": reason}
    matches_of = {bot["bot"]: bot["matches"] for bot in table["rows"]}
    assert matches_of == {"good": 3, "also": 2, "planned": 1}


def test_a_withdrawn_bot_is_not_started_by_the_next_run(tmp_path: Path) -> None:
    bots = [GOOD, ALSO, PLANNED]
    matches = schedule("planned good", "good also", "also planned")
    with open_store(tmp_path, bots) as store:
        runner = Runner(the_play(tmp_path, bots), matches, withdrawn={"planned": "gone"})
        progress = asyncio.run(runner.run(lambda: store))
        assert store.done("test") == {"2-1-1"}
    assert (progress.stored, progress.dropped) == (1, 2)
    assert not (tmp_path / "starts").exists()


def test_a_bot_that_comes_up_at_its_third_trial_plays_on(tmp_path: Path) -> None:
    (tmp_path / "plan").write_text("+--+")
    outcome = run(tmp_path, [GOOD, PLANNED], schedule("planned good", "good planned"), tables=1)
    outcome.check()
    assert len(outcome.records) == 2
    assert outcome.progress.withdrawn == {}
    assert not outcome.voids
    assert starts(tmp_path) == 4


def test_matches_that_wait_for_the_same_bot_share_its_failure(tmp_path: Path) -> None:
    (tmp_path / "plan").write_text("+---")
    matches = schedule(*["planned good"] * 20)
    outcome = run(tmp_path, [GOOD, PLANNED], matches, tables=4)
    outcome.check()
    assert starts(tmp_path) == 4
    assert outcome.progress.dropped == 20 - len(outcome.records)
    assert 1 <= len(outcome.voids) <= 4
    assert len({void.reason for void in outcome.voids}) == 1


class Failing(Store):
    """A store that takes two results and no more."""

    taken = 0

    def finish(
        self, tournament: str, finished: Sequence[FinishedMatch], begins: Sequence[str] = ()
    ) -> dict[str, int]:
        if self.taken >= 2:
            raise StoreError("enough")
        self.taken += len(finished)
        return super().finish(tournament, finished, begins)


class Counting(Store):
    """A store that counts its transactions, and the attempts under way after each."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        super().__init__(path, create=create)
        self.under_way = [0]

    def begin_attempts(self, tournament: str, matches: Sequence[str]) -> dict[str, int]:
        begun = super().begin_attempts(tournament, matches)
        self.under_way.append(self.under_way[-1] + len(begun))
        return begun

    def finish(
        self, tournament: str, finished: Sequence[FinishedMatch], begins: Sequence[str] = ()
    ) -> dict[str, int]:
        begun = super().finish(tournament, finished, begins)
        self.under_way.append(self.under_way[-1] + len(begun) - len(finished))
        return begun


def test_a_table_ends_one_match_and_begins_the_next_in_one_transaction(tmp_path: Path) -> None:
    bots = [GOOD, ALSO]
    for tables, transactions in ((1, 7), (3, None)):
        directory = tmp_path / str(tables)
        with open_store(directory, bots, kind=Counting) as store:
            play = the_play(directory, bots, hands=1, tables=tables)
            runner = Runner(play, pairings(["good", "also"], each=6))
            asyncio.run(runner.run(lambda: store))
            assert len(store.done("test")) == 6
        assert isinstance(store, Counting)
        assert max(store.under_way) == tables
        assert store.under_way[-1] == 0
        assert transactions in (None, len(store.under_way) - 1)  # one a match, and the first begin


def test_a_store_that_fails_ends_the_run_and_what_was_stored_stays(tmp_path: Path) -> None:
    bots = [GOOD, ALSO]
    matches = pairings(["good", "also"], each=12)
    seen: list[int] = []

    def note(progress: Progress) -> None:
        seen.append(progress.stored)

    with open_store(tmp_path, bots, kind=Failing) as store:
        runner = Runner(the_play(tmp_path, bots, tables=2), matches, on_progress=note)
        with pytest.raises(StoreError, match="enough"):
            asyncio.run(runner.run(lambda: store))
        done, voids = store.done("test"), store.voids("test")
    assert len(done) == max(seen) == runner.progress.stored >= 2
    assert voids
    assert {void.reason for void in voids} == {BROKEN_OFF}
    assert all(process(pid) is None for pid in pids(tmp_path / "logs"))

    with open_store(tmp_path, bots) as store:
        runner = Runner(the_play(tmp_path, bots), matches, done=done)
        asyncio.run(runner.run(lambda: store))
        assert store.done("test") == {match.match for match in matches}
    assert runner.progress.played == 12 - len(done)


def test_an_error_of_ours_at_a_result_ends_the_run_and_nobody_waits_for_ever(
    tmp_path: Path,
) -> None:
    bots = [GOOD, ALSO]

    def breaks(progress: Progress) -> None:
        raise ZeroDivisionError("in the bar")

    with open_store(tmp_path, bots) as store:
        matches = pairings(["good", "also"], each=12)
        runner = Runner(the_play(tmp_path, bots, hands=1), matches, on_progress=breaks)
        with pytest.raises(ZeroDivisionError, match="in the bar"):
            asyncio.run(runner.run(lambda: store))
        assert store.done("test")
        assert {void.reason for void in store.voids("test")} <= {BROKEN_OFF}
    assert all(process(pid) is None for pid in pids(tmp_path / "logs"))


def test_the_runs_own_process_does_without_grpc() -> None:
    code = "import sys, sandlot_server.cli.running; assert 'grpc' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_when_all_is_played_no_bot_is_started(tmp_path: Path) -> None:
    bots = [GOOD, ALSO]
    matches = pairings(["good", "also"])

    def open_no_store() -> Store:
        raise AssertionError("there is nothing to store")

    runner = Runner(the_play(tmp_path, bots), matches, done={"1-1-1"})
    progress = asyncio.run(runner.run(open_no_store))
    assert (progress.total, progress.stored, progress.played, progress.dropped) == (1, 1, 0, 0)
    assert not (tmp_path / "logs").exists()
