"""What is stored comes back; a tournament is taken up where it was left."""

from __future__ import annotations

import hashlib
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError
from support.stored import BOTS, CONFIGURATION, ended, open_friday, play

from sandlot.errors import StoreError
from sandlot_server.store import Place, Store, StoredBot, match_order
from sandlot_server.store.schema import results


def test_a_new_tournament_draws_a_seed_and_keeps_it(place: Place) -> None:
    with Store(place, create=True) as store:
        first = open_friday(store)
    with Store(place) as store:
        again = open_friday(store)
    assert len(first.seed) == 32
    assert first.commitment == hashlib.sha256(first.seed).hexdigest()
    assert again == first
    assert again.configuration == CONFIGURATION
    assert again.bots == tuple(StoredBot(name, version, None) for name, version in BOTS.items())


def test_the_seed_is_not_shown_where_a_tournament_is_printed(place: Place) -> None:
    with Store(place, create=True) as store:
        opened = open_friday(store, seed=bytes(range(16)))
    assert opened.seed == bytes(range(16))
    assert repr(opened.seed) not in repr(opened)
    assert opened.seed.hex() not in repr(opened)


def test_rounds_may_grow(place: Place) -> None:
    with Store(place, create=True) as store:
        open_friday(store, rounds=3)
    with Store(place) as store:
        assert open_friday(store, rounds=10).rounds == 10
    with Store(place) as store:
        assert store.tournament().rounds == 10


def test_a_database_with_larger_pages_is_taken_up(tmp_path: Path) -> None:
    """As an earlier version made them."""
    path = tmp_path / "a.db"
    with Store(path, create=True) as store:
        open_friday(store)
        play(store, "1-1-1", {"ann": 1, "bob": -1})
    raw = sqlite3.connect(path, isolation_level=None)
    for statement in ("journal_mode = DELETE", "page_size = 4096"):
        raw.execute(f"PRAGMA {statement}")
    raw.execute("VACUUM")
    assert raw.execute("PRAGMA page_size").fetchone() == (4096,)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.close()
    with Store(path, create=True) as store:
        open_friday(store)
        play(store, "1-1-2", {"ann": 1, "bob": -1})
        assert [match for match, _ in store.records("friday")] == ["1-1-1", "1-1-2"]


def test_tuples_in_a_configuration_are_lists_when_it_is_taken_up(place: Place) -> None:
    for _ in range(2):
        with Store(place, create=True) as store:
            assert open_friday(store, configuration={"a": (1, 2)}).configuration == {"a": [1, 2]}


def test_many_tournaments_by_name(place: Place) -> None:
    with Store(place, create=True) as friday, Store(place) as sunday:
        open_friday(friday)
        open_friday(sunday, name="sunday/late")
        play(friday, "1-1-1", {"ann": 1, "bob": -1})
        play(sunday, "1-1-1", {"ann": 2, "bob": -2}, tournament="sunday/late")
        play(sunday, "1-1-2", {"ann": 2, "bob": -2}, tournament="sunday/late")
        assert [one.name for one in sunday.tournaments()] == ["friday", "sunday/late"]
        assert friday.done("friday") == {"1-1-1"}
        assert friday.done("sunday/late") == {"1-1-1", "1-1-2"}
        assert [bot.net_sum for bot in friday.sums("friday")[0]] == [840, -840, 0]


def test_the_only_tournament_needs_no_name(place: Place) -> None:
    with Store(place, create=True) as store:
        with pytest.raises(StoreError, match="sandlot tournament run FILE"):
            store.tournament()
        open_friday(store)
        assert store.tournament().name == "friday"
        with pytest.raises(StoreError, match="no tournament 'fridy' in it; did you mean 'friday'"):
            store.tournament("fridy")
        with Store(place) as other:
            open_friday(other, name="sunday")
        with pytest.raises(StoreError, match="2 tournaments in it, friday, sunday: choose one"):
            store.tournament()


def test_attempts_are_counted_for_each_match(place: Place) -> None:
    with Store(place, create=True) as store:
        open_friday(store)
        assert store.begin_attempts("friday", ["1-1-1", "1-1-2"]) == {"1-1-1": 1, "1-1-2": 1}
        store.void("friday", {"1-1-1": 1}, "the arbiter lost its stream")
        assert store.begin_attempts("friday", ["1-1-1"]) == {"1-1-1": 2}
        store.void("friday", {"1-1-1": 2}, "once more")
        assert store.begin_attempts("friday", ["1-1-1"]) == {"1-1-1": 3}
        store.finish("friday", [ended("1-1-1", 3, {"ann": 1, "bob": -1})])
        assert store.begin_attempts("friday", []) == {}
        store.finish("friday", [])
        assert store.done("friday") == {"1-1-1"}


def test_results_and_begins_are_stored_together_or_not_at_all(place: Place) -> None:
    with Store(place, create=True) as store:
        open_friday(store)
        store.begin_attempts("friday", ["1-1-1", "1-1-3"])
        results = [ended("1-1-1", 1, {"ann": 1, "bob": -1})]
        with pytest.raises(StoreError, match="match 1-1-3 is running in attempt 1"):
            store.finish("friday", results, ["1-1-2", "1-1-3"])
        assert not store.done("friday")
        with pytest.raises(StoreError, match="match 1-1-1 is done in attempt 1"):
            store.finish("friday", results, ["1-1-1"])  # results come first
        assert store.finish("friday", results, ["1-1-2"]) == {"1-1-2": 1}
        assert store.done("friday") == {"1-1-1"}


def test_a_match_is_played_once(place: Place) -> None:
    with Store(place, create=True) as store:
        open_friday(store)
        store.begin_attempts("friday", ["1-1-1"])
        with pytest.raises(StoreError, match="match 1-1-1 is running in attempt 1"):
            store.begin_attempts("friday", ["1-1-2", "1-1-1"])
        result = ended("1-1-1", 1, {"ann": 1, "bob": -1})
        store.finish("friday", [result])
        with pytest.raises(StoreError, match="match 1-1-1 is done in attempt 1"):
            store.begin_attempts("friday", ["1-1-1"])
        with pytest.raises(StoreError, match="attempt 1 of match 1-1-1 is done"):
            store.finish("friday", [result])
        assert store.begin_attempts("friday", ["1-1-2"]) == {"1-1-2": 1}  # nothing of it was kept


def test_the_database_itself_refuses_a_second_result(place: Place) -> None:
    with Store(place, create=True) as store:
        open_friday(store)
        play(store, "1-1-1", {"ann": 1, "bob": -1})
        store.begin_attempts("friday", ["1-1-2"])
        row = {"attempt": 2, "tournament": 1, "match": "1-1-1", "digest": "", "record": b""}
        with pytest.raises(IntegrityError), store.writing() as connection:
            connection.execute(insert(results).values(row))


def test_a_result_without_its_attempt_is_refused_with_all_that_came_with_it(place: Place) -> None:
    with Store(place, create=True) as store:
        open_friday(store)
        store.begin_attempts("friday", ["1-1-1", "1-1-3"])
        store.void("friday", {"1-1-3": 1}, "lost")
        good = ended("1-1-1", 1, {"ann": 1, "bob": -1})
        for bad, why in (
            (ended("1-1-2", 1, {"ann": 1, "bob": -1}), "attempt 1 of match 1-1-2 is not begun"),
            (ended("1-1-3", 1, {"ann": 1, "bob": -1}), "attempt 1 of match 1-1-3 is void"),
            (ended("1-1-3", 2, {"ann": 1, "bob": -1}), "attempt 2 of match 1-1-3 is not begun"),
        ):
            with pytest.raises(StoreError, match=why):
                store.finish("friday", [good, bad])
        assert store.done("friday") == frozenset()
        store.finish("friday", [good])
        assert store.done("friday") == {"1-1-1"}


@pytest.mark.parametrize(
    ("nets", "error", "why"),
    [
        ({"ann": 1, "bob": 1}, ValueError, "do not sum to 0"),
        ({"ann": Fraction(1, 11), "bob": Fraction(-1, 11)}, ValueError, "not a whole number"),
        ({"ann": 2**40, "bob": -(2**40)}, ValueError, "too big"),
        ({"ann": 1, "zoe": -1}, StoreError, "has no bot 'zoe'"),
    ],
)
def test_a_result_that_cannot_be_is_not_stored(
    nets: dict[str, int], error: type[Exception], why: str, place: Place
) -> None:
    with Store(place, create=True) as store:
        open_friday(store)
        store.begin_attempts("friday", ["1-1-1"])
        with pytest.raises(error, match=why):
            store.finish("friday", [ended("1-1-1", 1, nets)])
        assert store.done("friday") == frozenset()
        store.finish("friday", [ended("1-1-1", 1, {"ann": 1, "bob": -1})])  # it still runs


def test_what_a_dead_run_left_is_void_and_kept_with_its_reason(place: Place) -> None:
    with Store(place, create=True) as store:
        open_friday(store)
        store.begin_attempts("friday", ["10-1-1", "2-1-1", "2-1-2"])
        store.finish("friday", [ended("2-1-2", 1, {"ann": 1, "bob": -1})])
    with Store(place) as store:
        open_friday(store)
        voids = store.voids("friday")
        assert [(void.match, void.attempt) for void in voids] == [("2-1-1", 1), ("10-1-1", 1)]
        assert {void.reason for void in voids} == {
            "the run that played it ended before the match did"
        }
        assert all(void.ended >= void.started for void in voids)
        assert store.begin_attempts("friday", ["2-1-1"]) == {"2-1-1": 2}
        assert store.done("friday") == {"2-1-2"}


def test_to_read_a_tournament_makes_nothing_void(place: Place) -> None:
    with Store(place, create=True) as store:
        open_friday(store)
        store.begin_attempts("friday", ["1-1-1"])
        with Store(place) as reader:
            assert reader.tournament().name == "friday"
            assert reader.voids("friday") == []
        store.finish("friday", [ended("1-1-1", 1, {"ann": 1, "bob": -1})])


def test_records_come_in_the_order_of_their_ids_whatever_the_order_of_play(place: Place) -> None:
    ids = [f"{round_}-{table}-1" for round_ in (10, 9, 1, 2) for table in (2, 11, 1)]
    with Store(place, create=True) as store:
        open_friday(store)
        for match in ids:
            play(store, match, {"ann": 1, "bob": -1})
        in_order = sorted(ids, key=lambda match: [int(part) for part in match.split("-")])
        assert list(store.records("friday")) == [(m, f"record of {m}/1\n") for m in in_order]
        assert list(store.digests("friday").items()) == [(m, f"digest of {m}") for m in in_order]
        assert sorted(ids, key=match_order) == in_order
        assert list(store.records("friday", "9-2-1")) == [("9-2-1", "record of 9-2-1/1\n")]
        with pytest.raises(StoreError, match="match '9-9-9' is not stored"):
            list(store.records("friday", "9-9-9"))


def test_records_may_be_read_while_others_are_added(place: Place) -> None:
    with Store(place, create=True) as store:
        open_friday(store)
        for table in range(1, 4):
            play(store, f"1-{table}-1", {"ann": 1, "bob": -1})
        reading = store.records("friday")
        assert next(reading)[0] == "1-1-1"
        play(store, "1-1-2", {"ann": 1, "bob": -1})
        assert [match for match, _ in reading] == ["1-2-1", "1-3-1"]


def test_what_is_read_together_is_of_one_moment(place: Place) -> None:
    with Store(place, create=True) as store, Store(place) as other:
        open_friday(store)
        with other.reading() as connection:
            assert not connection.execute(select(results.c.match)).all()
            play(store, "1-1-1", {"ann": 1, "bob": -1})
            assert not connection.execute(select(results.c.match)).all()
        assert other.done("friday") == {"1-1-1"}


def test_a_reason_may_hold_whatever_a_program_says(place: Place) -> None:
    with Store(place, create=True) as store:
        open_friday(store)
        store.begin_attempts("friday", ["1-1-1"])
        store.void("friday", {"1-1-1": 1}, "it said \0 and \udcff, and \u2660\n")
        store.withdraw("friday", "bob", "exited: \0")
        assert store.voids("friday")[0].reason == "it said \\x00 and \\udcff, and \u2660\n"
        assert store.tournament().bots[1].withdrawn == "exited: \\x00"


def test_a_withdrawn_bot_stays_withdrawn(place: Place) -> None:
    with Store(place, create=True) as store:
        open_friday(store)
        store.withdraw("friday", "bob", "failed to start 3 times: exited with status 1")
        with pytest.raises(StoreError, match="no bot 'zoe'"):
            store.withdraw("friday", "zoe", "")
    with Store(place) as store:
        withdrawn = {bot.name: bot.withdrawn for bot in open_friday(store).bots}
    assert withdrawn == {
        "ann": None,
        "bob": "failed to start 3 times: exited with status 1",
        "cid": None,
    }


def test_threads_and_stores_write_side_by_side(place: Place) -> None:
    with Store(place, create=True) as store, Store(place) as worker:
        open_friday(store)
        failures: list[BaseException] = []

        def work(where: Store, table: int) -> None:
            try:
                for rotation in range(1, 6):
                    play(where, f"1-{table}-{rotation}", {"ann": table, "bob": -table})
            except BaseException as error:
                failures.append(error)

        workers = [
            threading.Thread(target=work, args=((store, worker)[table % 2], table))
            for table in range(4)
        ]
        for one in workers:
            one.start()
        for one in workers:
            one.join()
        assert failures == []
        assert len(store.done("friday")) == 20
        assert store.sums("friday")[0][0].net_sum == 840 * 5 * (0 + 1 + 2 + 3)


def test_many_make_the_same_database_at_once(place: Place) -> None:
    start = threading.Barrier(8)

    def make() -> str:
        start.wait()
        with Store(place, create=True) as store:
            return ",".join(one.name for one in store.tournaments())

    with ThreadPoolExecutor(8) as pool:
        made = [pool.submit(make) for _ in range(8)]
        assert [one.result() for one in made] == [""] * 8


def test_the_values_do_without_sqlalchemy() -> None:
    """An arbiter passes results on; it neither needs a database nor what it takes to open one."""
    code = (
        "import sys; from sandlot_server.store import FinishedMatch, SeatResult; "
        "assert 'sqlalchemy' not in sys.modules; "
        "from sandlot_server.store import Store; assert 'sqlalchemy' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
