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
HANDS = 8


@dataclass(frozen=True)
class Scheduled:
    """A match of the benchmark's own schedule."""

    match: str
    bots: tuple[str, ...]
    first_dealer: int


@dataclass(frozen=True)
class Measured:
    """Decisions and hands a second, from the first match's start to the last commit; bytes a hand.

    The bytes are those of the whole database when it is closed.
    """

    decisions: float
    hands: float
    stored: float


def the_play(place: str, bots: tuple[str, ...], tables: int) -> Play:
    """Return what a worker must know to let house bots play, with its files in a folder."""
    return Play(
        tournament="bench",
        variant="baseball",
        seats=len(bots),
        hands=HANDS,
        decision=1.0,
        bank=10.0,
        strikes=3,
        anonymous=False,
        seed=SEED.hex(),
        bots=tuple(
            PlayingBot(bot, "0", run=f"sandlot_bots.{bot}:{bot.capitalize()}") for bot in bots
        ),
        place=place,
        logs=f"{place}/logs",
        run=f"{place}/run",
        tables=tables,
        patience=30.0,
    )


def measure(tables: int, matches: int, bots: tuple[str, str] = ("caller", "random")) -> Measured:
    """Play matches between two house bots and store them; starting the bots is not timed."""
    schedule = [
        Scheduled(f"1-1-{number}", bots if number % 2 else bots[::-1], number % 2)
        for number in range(1, matches + 1)
    ]
    with tempfile.TemporaryDirectory() as name:
        database = Path(name, "bench.db")
        with Store(database, create=True) as store:
            store.open_tournament(
                "bench",
                {},
                rounds=1,
                bots=dict.fromkeys(bots, "0"),
                difference=lambda old, new: "other",
                seed=SEED,
            )
            stored: list[float] = []  # when each match was stored

            def note(progress: Progress) -> None:
                stored.extend([time.perf_counter()] * (progress.played - len(stored)))

            runner = Runner(the_play(name, bots, tables), schedule, on_progress=note)
            asyncio.run(runner.run(lambda: store))
            # The first matches, one a table, warm everything up and are not counted.
            seconds = stored[-1] - stored[tables - 1]
            decisions = hands = 0
            for number, (_, text) in enumerate(store.records("bench")):
                if number >= tables:
                    decisions += text.count('"applied":')
                    hands += text.count('"type":"hand"')
        size = database.stat().st_size / (matches * HANDS)
    return Measured(decisions / seconds, hands / seconds, size)
