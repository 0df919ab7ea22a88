"""Where the time of one decision goes, part by part, in one process and without gRPC.

``python -m bench.parts`` from the root of the repository. Whole matches are played through the same
reducer, writers and readers as in a tournament, by a caller that raises now and then; what the ends
of hands and matches cost is shared out among the decisions. Each part is timed in every match, and
the median match is printed.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from typing import TypeVar

from rich.console import Console
from rich.table import Table

from sandlot.clock import Clock
from sandlot.match import Answered, Ask, Ended, Match, Tell
from sandlot.played import Entrant, MatchSetup
from sandlot.records import write
from sandlot.seeds import match_seed
from sandlot.wire import Answer, Request, ResponseReader, SeatWriter, read_request, write_answer

Result = TypeVar("Result")

PARTS = {
    "reduce": "arbiter: the match takes an answer and deals, bets and pays on",
    "ask": "arbiter: write the request",
    "tell": "arbiter: write starts and ends of hands and matches",
    "hear": "arbiter: read the answer",
    "record": "arbiter: write the record and its digest",
    "read": "bot: read what is told and asked",
    "answer": "bot: write the answer",
}


class Stopwatch:
    """Adds up the seconds that each part takes."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PARTS, 0.0)

    def of(self, part: str, do: Callable[..., Result], *given: object) -> Result:
        began = time.perf_counter()
        result = do(*given)
        self.seconds[part] += time.perf_counter() - began
        return result


def hear(written: bytes) -> list[Answer]:
    """Read an answer to its end: answers are read one by one, as they are asked for."""
    _, answers = read_request(written)
    return list(answers)


def play(number: int, seats: int, rng: random.Random) -> tuple[int, dict[str, float]]:
    """Play a match; return its decisions, and the seconds that each part took."""
    watch = Stopwatch()
    setup = MatchSetup(
        match=f"1-1-{number}",
        tournament="bench",
        attempt=1,
        variant="baseball",
        entrants=tuple(Entrant(f"bot-{seat}", "0") for seat in range(seats)),
        first_dealer=number % seats,
        seed=match_seed(bytes(32), f"1-1-{number}", 1),
        clock=Clock(1.0, 10.0),
    )
    match = Match(setup)
    writers = [SeatWriter() for _ in range(seats)]
    readers = [ResponseReader() for _ in range(seats)]
    effects = watch.of("reduce", match.start)
    decisions = 0
    while True:
        asked: Ask | None = None
        for effect in effects:
            if isinstance(effect, Ask):
                asked = effect
                request = Request(effect.seen, effect.allowed, effect.bank)
                raw = watch.of("ask", writers[effect.seat].ask, request)
                watch.of("read", readers[effect.seat].read, raw)
            elif isinstance(effect, Tell):
                raw = watch.of("tell", writers[effect.seat].tell, effect.notice)
                watch.of("read", readers[effect.seat].read, raw)
            elif isinstance(effect, Ended):
                times = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z")
                watch.of("record", write, effect.played, *times)
        if asked is None:
            return decisions, watch.seconds
        legal = asked.seen.legal
        action = legal[1] if rng.random() < 0.2 else legal[0]
        written = watch.of("answer", write_answer, asked.seen.match, asked.decision, action)
        watch.of("hear", hear, written)
        answered = Answered(asked.seat, asked.decision, action, 0.001)
        effects = watch.of("reduce", match.handle, answered)
        decisions += 1


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=300, help="how many matches are played")
    parser.add_argument("--seats", type=int, default=2, help="seats a table")
    given = parser.parse_args()
    rng = random.Random(1)
    for number in range(20):  # warms the caches up
        play(number, given.seats, rng)
    costs: dict[str, list[float]] = {part: [] for part in PARTS}
    for number in range(given.matches):
        decisions, seconds = play(number, given.seats, rng)
        for part, spent in seconds.items():
            costs[part].append(1e6 * spent / decisions)
    medians = {part: statistics.median(cost) for part, cost in costs.items()}
    table = Table("part", "µs a decision", title=f"median of {given.matches} matches")
    table.columns[1].justify = "right"
    for part, words in PARTS.items():
        table.add_row(words, f"{medians[part]:.1f}")
    table.add_row("all", f"{sum(medians.values()):.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
