"""What a store of 100,000 matches takes to read: seconds.

The store is one of a round-robin of 20 bots at 2 seats, filled through the store's own methods with
a real record of 8 hands for each match. What is timed begins with opening the database, whose file
lies in the system's cache, in a process that has its imports behind it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Final

from sandlot.arena import play
from sandlot.records import Record
from sandlot_bots.caller import Caller
from sandlot_bots.random import Random
from sandlot_server.store import FinishedMatch, SeatResult, Store, StoredTournament, pack
from sandlot_server.store.values import chunks
from sandlot_server.tournament.jobs import Play
from sandlot_server.tournament.runner import Runner
from sandlot_server.tournament.schedule import Schedule
from sandlot_server.tournament.table import table_of

MATCHES: Final = 100_000
NAME: Final = "bench"
BOTS: Final = tuple(f"bot-{number:02}" for number in range(20))
SEED: Final = bytes(range(32))
ROUNDS: Final = 264  # of 380 matches: the first with 100,000 in all
RUNS: Final = 3


def seconds() -> dict[str, float]:
    """Return how long ``standings`` takes, head-to-head included, and how long the plan to resume.

    The plan is what a run makes before it plays on: the tournament taken up, its schedule laid out,
    and what is stored taken away from it.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bench.db")
        fill(path)
        return {
            "standings": timed(lambda: standings(path)),
            "resume": timed(lambda: resume(path)),
        }


def timed(do: Callable[[], object]) -> float:
    """Return how long it takes; median of some runs."""
    taken = []
    for _ in range(RUNS):
        began = time.perf_counter()
        do()
        taken.append(time.perf_counter() - began)
    return median(taken)


def schedule() -> Schedule:
    """Return the whole schedule: somewhat more than what is stored."""
    return Schedule(BOTS, seats=2, rounds=ROUNDS, seed=SEED)


def open_in(store: Store) -> StoredTournament:
    """Begin the tournament, or take it up."""
    return store.open_tournament(
        NAME,
        {"seats": 2, "schedule": "full/1", "rank_by": "net"},
        rounds=ROUNDS,
        bots=dict.fromkeys(BOTS, "0"),
        difference=lambda old, new: "other",
        seed=SEED,
    )


def fill(path: Path) -> None:
    """Store the first matches of the schedule, with the results of one that is played here."""
    (played,) = play({"caller": Caller, "random": Random}, 1, SEED)
    times = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z")
    record = Record(played, *times)
    packed = pack(record.text)
    with Store(path, create=True) as store:
        open_in(store)
        matches = [match for match, _ in zip(schedule(), range(MATCHES), strict=False)]
        for some in chunks(matches, 1_000):
            numbers = store.begin_attempts(NAME, [match.match for match in some])
            store.finish(
                NAME,
                [
                    FinishedMatch(
                        match.match,
                        numbers[match.match],
                        played.setup.hands,
                        record.digest,
                        packed,
                        seats(match.bots, index),
                    )
                    for index, match in enumerate(some)
                ],
            )


def seats(bots: tuple[str, ...], number: int) -> tuple[SeatResult, ...]:
    """Return the results of a match by seat; who wins how much goes by its number."""
    net = Fraction(number % 25 - 12, 1 + number % 2)
    return tuple(
        SeatResult(bot, own, 1 + (own < 0), {"timeout": 1} if number % 50 == 0 else {})
        for bot, own in zip(bots, (net, -net), strict=True)
    )


def standings(path: Path) -> None:
    """Do what ``sandlot standings --json`` does."""
    with Store(path) as store:
        table = table_of(store, NAME)
        assert table.matches == MATCHES
        assert table.to_json()


def resume(path: Path) -> None:
    """Do what ``sandlot tournament run`` does before it starts the bots."""
    with Store(path) as store:
        stored = open_in(store)
        plan = Schedule(BOTS, seats=2, rounds=stored.rounds, seed=stored.seed)
        runner = Runner(THE_PLAY, plan, done=store.done(NAME))
        assert runner.progress.stored == MATCHES


THE_PLAY: Final = Play(
    tournament=NAME,
    variant="baseball",
    seats=2,
    hands=8,
    decision=1.0,
    bank=10.0,
    strikes=3,
    anonymous=False,
    seed=SEED.hex(),
    bots=(),
    place=".",
    logs=".",
    run=".",
    tables=1,
    patience=30.0,
)
