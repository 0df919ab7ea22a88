"""A tournament small enough for a test: played for real, in processes, over gRPC, into a store."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sandlot.played import PlayedMatch
from sandlot.records import read, verify
from sandlot.seeds import table_order
from sandlot_server.launch.census import process
from sandlot_server.store import Store, VoidAttempt
from sandlot_server.tournament.jobs import Play, PlayingBot
from sandlot_server.tournament.runner import Progress, Runner

ZOO = Path(__file__).parents[1] / "zoo"
SEED = bytes(range(32))


@dataclass(frozen=True)
class Scheduled:
    """A match of a test's own schedule."""

    match: str
    bots: tuple[str, ...]

    @property
    def first_dealer(self) -> int:
        """The seat that the seed gives, as in every schedule."""
        number, table, _ = map(int, self.match.split("-"))
        return table_order(SEED, number, table, len(self.bots))[1]


def zoo_class(name: str) -> PlayingBot:
    """A class of ``zoo/bad_classes.py`` as a bot of that name."""
    return PlayingBot(name, "0", run=f"{ZOO / 'bad_classes.py'}:{name}")


def zoo_program(name: str) -> PlayingBot:
    """A program of ``zoo/bad_bots.py`` as a bot of that name."""
    return PlayingBot(name, "0", command=(sys.executable, str(ZOO / "bad_bots.py"), name))


def named(bot: PlayingBot, name: str) -> PlayingBot:
    """The same bot under another name."""
    return replace(bot, name=name)


def pairings(bots: Sequence[str], each: int = 1) -> list[Scheduled]:
    """Every pair of bots, ``each`` matches both ways round in turn."""
    pairs = [(one, two) for i, one in enumerate(bots) for two in bots[i + 1 :]]
    return [
        Scheduled(f"{number}-{table}-1", pair if number % 2 else pair[::-1])
        for number in range(1, each + 1)
        for table, pair in enumerate(pairs, start=1)
    ]


@dataclass(frozen=True)
class Outcome:
    """What a run has left."""

    progress: Progress
    records: Mapping[str, str]
    digests: Mapping[str, str]
    voids: Sequence[VoidAttempt]
    logs: Path

    def played(self) -> list[PlayedMatch]:
        """The matches, as their records have them."""
        return [record.played for text in self.records.values() for record in read(text)]

    def causes(self, bot: str) -> set[str]:
        """Every mark that the bot's decisions bear in the records, ``out`` left out."""
        found = set()
        for played in self.played():
            seats = [entrant.bot for entrant in played.setup.entrants]
            if bot in seats:
                found |= {
                    decision.fault
                    for hand in played.hands
                    for decision in hand.decisions
                    if decision.seat == seats.index(bot)
                }
        return {cause for cause in found if cause is not None} - {"out"}

    def log(self, bot: str) -> str:
        """The bot's log."""
        return (self.logs / f"{bot}.log").read_text()

    def pids(self) -> list[int]:
        """The pids of all bots that were started, by their logs."""
        return pids(self.logs)

    def check(self) -> None:
        """What must hold after every run: records verify, nets sum to 0, no process is left."""
        for text in self.records.values():
            assert len(list(verify(text, SEED))) == 1
        assert all(sum(played.net) == 0 for played in self.played())
        assert self.pids()
        for pid in self.pids():
            assert process(pid) is None


def pids(logs: Path) -> list[int]:
    """The pids of all bots that were started, by their logs."""
    text = "".join(path.read_text() for path in logs.glob("*.log") if path.is_file())
    return [int(pid) for pid in re.findall(r"^--- \S+ \S+, process (\d+):", text, re.M)]


def the_play(directory: Path, bots: Sequence[PlayingBot], **changes: object) -> Play:
    """What a worker must know, with clocks that nothing but a bot that hangs can pass."""
    play = Play(
        tournament="test",
        variant="baseball",
        seats=2,
        hands=8,
        decision=60.0,
        bank=0.0,
        strikes=3,
        anonymous=False,
        seed=SEED.hex(),
        bots=tuple(bots),
        place=str(directory),
        logs=str(directory / "logs"),
        run=str(directory / "run"),
        tables=4,
        patience=120.0,
    )
    return replace(play, **changes)  # type: ignore[arg-type]


def open_store(
    directory: Path, bots: Sequence[PlayingBot], rounds: int = 1, kind: type[Store] = Store
) -> Store:
    """The store of the test's tournament, opened to play it."""
    directory.mkdir(exist_ok=True)
    store = kind(directory / "test.db", create=True)
    store.open_tournament(
        "test",
        {"seats": 2, "rank_by": "net", "schedule": "full/1"},
        rounds=rounds,
        bots={bot.name: bot.version for bot in bots},
        difference=lambda old, new: "another configuration",
        seed=SEED,
    )
    return store


def run(
    directory: Path,
    bots: Sequence[PlayingBot],
    matches: Sequence[Scheduled] | None = None,
    *,
    workers: int = 1,
    **changes: object,
) -> Outcome:
    """Play the matches, one a pair if absent, and return what is left; ``changes`` to the play."""
    play = the_play(directory, bots, **changes)
    matches = pairings([bot.name for bot in bots]) if matches is None else matches
    with open_store(directory, bots) as store:
        progress = asyncio.run(Runner(play, matches, workers=workers).run(lambda: store))
        return Outcome(
            progress,
            dict(store.records("test")),
            store.digests("test"),
            store.voids("test"),
            Path(play.logs),
        )
