"""The whole tournament path: arbiter, two SDK bots in processes of their own, records stored."""

from __future__ import annotations

import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from sandlot_server.store import Store
from sandlot_server.tournament.jobs import Play, PlayingBot
from sandlot_server.tournament.runner import Progress, Runner

SEED = bytes(range(32))


@dataclass(frozen=True)
class Scheduled:
    """A match of the benchmark's own schedule."""

    match: str
    bots: tuple[str, ...]
    first_dealer: int


@dataclass(frozen=True)
class Measured:
    """Decisions and hands a second, from the first match's start to the last commit."""

    decisions: float
    hands: float


def measure(tables: int, matches: int, bots: tuple[str, str] = ("caller", "random")) -> Measured:
    """Play matches between two house bots and store them; starting the bots is not timed."""
    schedule = [
        Scheduled(f"1-1-{number}", bots if number % 2 else bots[::-1], number % 2)
        for number in range(1, matches + 1)
    ]
    with tempfile.TemporaryDirectory() as name, Store(Path(name, "bench.db"), create=True) as store:
        store.open_tournament(
            "bench",
            {},
            rounds=1,
            bots=dict.fromkeys(bots, "0"),
            difference=lambda old, new: "other",
            seed=SEED,
        )
        play = Play(
            tournament="bench",
            variant="baseball",
            seats=2,
            hands=8,
            decision=1.0,
            bank=10.0,
            strikes=3,
            anonymous=False,
            seed=SEED.hex(),
            bots=tuple(
                PlayingBot(bot, "0", run=f"sandlot_bots.{bot}:{bot.capitalize()}") for bot in bots
            ),
            place=name,
            logs=f"{name}/logs",
            run=f"{name}/run",
            tables=tables,
            patience=30.0,
        )
        stored: list[float] = []  # when each match was stored

        def note(progress: Progress) -> None:
            stored.extend([time.perf_counter()] * (progress.played - len(stored)))

        asyncio.run(Runner(play, schedule, on_progress=note).run(lambda: store))
        # The first matches, one a table, warm everything up and are not counted.
        seconds = stored[-1] - stored[tables - 1]
        decisions = hands = 0
        for number, (_, text) in enumerate(store.records("bench")):
            if number >= tables:
                decisions += text.count('"applied":')
                hands += text.count('"type":"hand"')
    return Measured(decisions / seconds, hands / seconds)
