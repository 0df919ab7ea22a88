"""A run whose store is on a PostgreSQL server, which is stopped, or the run is, in mid-season."""

from __future__ import annotations

import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from fractions import Fraction
from pathlib import Path

import pytest
from support.command import run_sandlot
from support.postgresql import PostgresServer
from tournament.live import LiveRun, league_in, play_to_the_end
from tournament.running import SEED

from sandlot.records import read, verify
from sandlot.seeds import commitment, match_seed
from sandlot_server.store import Server, Store
from sandlot_server.store.attempts import RUN_ENDED
from sandlot_server.tournament.runner import BROKEN_OFF

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="waits for processes by pidfd")

ROUNDS = 6
MATCHES = 36


def check_whole(store: Store) -> tuple[dict[str, str], dict[str, int]]:
    """See that what is stored is whole, and its sums those of the records; return the records.

    And the number of the attempt of each.
    """
    records = dict(store.records("live"))
    assert set(records) == store.done("live")
    nets: defaultdict[str, Fraction] = defaultdict(Fraction)
    matches: Counter[str] = Counter()
    firsts: Counter[str] = Counter()
    attempts = {}
    for match, record in records.items():
        assert len(list(verify(record, SEED))) == 1
        (of,) = read(record)
        attempts[match] = of.played.setup.attempt
        for entrant, net in zip(of.played.setup.entrants, of.played.net, strict=True):
            nets[entrant.bot] += net
            matches[entrant.bot] += 1
            firsts[entrant.bot] += net == max(of.played.net)
    for bot in store.sums("live")[0]:
        assert (bot.matches, Fraction(bot.net_sum, 840), bot.places.get(1, 0)) == (
            matches[bot.bot],
            nets[bot.bot],
            firsts[bot.bot],
        )
    return records, attempts


def check_dealt(runs: Sequence[LiveRun], stored: Collection[tuple[str, int]]) -> None:
    """See that no cards were dealt twice, and none whose attempt was not stored before."""
    dealt: Counter[tuple[str, int]] = Counter()
    for run in runs:
        for match, committed in run.dealt():
            number = next(
                n for n in range(1, 9) if commitment(match_seed(SEED, match, n)) == committed
            )
            dealt[match, number] += 1
    assert max(dealt.values()) == 1
    assert set(dealt) <= set(stored)


def test_server_and_run_are_stopped_in_mid_season_and_go_on(
    stoppable: PostgresServer, tmp_path: Path
) -> None:
    directory = tmp_path / "live"
    league = league_in(directory, ROUNDS)
    place = stoppable.new()
    options = ("--db", place.url, "--tables", "3")
    runs = []

    # The server is stopped at once, and stays away.
    with LiveRun(directory, *options) as run:
        run.wait_for_lines(40)  # ten a match, three at once: one is stored
        stoppable.stop()
        ran = run.end()
    runs.append(run)
    check_lost(ran.status, ran.out, ran.err, place)
    ran = run_sandlot("standings", "--db", place.url)
    assert ran.status == 1
    assert "see that the server is up, and that the address is right" in ran.err
    stoppable.start()
    with Store(place) as store:
        first, _ = check_whole(store)
        assert first
        assert not store.voids("live")  # the run could not even say that they are

    # It is stopped, and is back before anybody can notice.
    with LiveRun(directory, *options) as run:
        run.wait_for_lines(20)
        stoppable.stop()
        stoppable.start()
        ran = run.end()
    runs.append(run)
    check_lost(ran.status, ran.out, ran.err, place)

    # The run is killed.
    with LiveRun(directory, *options) as run:
        run.wait_for_lines(20)
        run.kill()
        run.end()
    runs.append(run)
    with Store(place) as store:
        before, _ = check_whole(store)
        assert first.items() <= before.items()
        assert len(before) < MATCHES

    runs.append(play_to_the_end(directory, options))
    with Store(place) as store:
        records, attempts = check_whole(store)
        voids = {(void.match, void.attempt): void.reason for void in store.voids("live")}
    assert set(records) == {match.match for match in league.plan(SEED)}
    assert before.items() <= records.items()
    assert set(voids.values()) <= {RUN_ENDED, BROKEN_OFF}
    assert len(voids) >= 3
    check_dealt(runs, {*voids, *attempts.items()})
    assert [*directory.rglob("*.ledger")] == []


def check_lost(status: int, out: str, err: str, place: Server) -> None:
    first, last = err.splitlines()
    assert (status, out) == (1, "")
    assert first.startswith(f"live: {MATCHES} matches; commitment ")
    assert last.startswith(f"Error: database {place}: the connection to its server was lost")
    assert last.endswith(
        "see that it is up, then run the same command again to go on; "
        "what was stored before is kept"
    )


def test_a_second_run_is_refused_and_told_who_plays(
    postgresql: PostgresServer, tmp_path: Path
) -> None:
    directory = tmp_path / "live"
    league_in(directory, 1)
    place = postgresql.new()
    options = ("--db", place.url, "--tables", "3")
    with LiveRun(directory, *options) as run:
        run.wait_for_lines(8)  # three say that they are up, so a match has begun
        run.signal(signal.SIGSTOP)
        ran = run_sandlot("tournament", "run", "league.toml", *options, cwd=directory)
        run.signal(signal.SIGCONT)
        assert (ran.status, ran.out) == (1, "")
        (line,) = ran.err.splitlines()
        who = f"tournament 'live' is being played by process {run.process.pid} on "
        assert line.startswith(f"Error: database {place}: {who}")
        assert run.end().status == 0
    with Store(place) as store:
        assert len(check_whole(store)[0]) == 6
        assert not store.voids("live")
