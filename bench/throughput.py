"""Decisions and hands a second of the whole tournament path, beside a bare gRPC echo.

``python -m bench.throughput`` from the root of the repository, with the server extra installed.
Echo and path are measured in turn, several times; medians are printed, and their ratio.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.echo import echo
from bench.path import measure
from sandlot.arena import play
from sandlot.build import compiled
from sandlot.wire import Request, SeatWriter, write_answer
from sandlot_bots.caller import Caller

MATCHES = {1: 60, 16: 400, 128: 1500}
"""How many matches are played at so many tables: some seconds' worth."""


def message_sizes() -> tuple[int, int]:
    """Return the mean bytes of a question and of an answer, over some whole matches."""
    asked: list[int] = []
    answered: list[int] = []

    class Sized(Caller):
        def match_started(self, start):  # type: ignore[no-untyped-def]
            self.pen = SeatWriter()

        def act(self, seen):  # type: ignore[no-untyped-def]
            action = super().act(seen)
            asked.append(len(self.pen.ask(Request(seen, 11.0, 10.0))))
            answered.append(len(write_answer(seen.match, seen.decision, action)))
            return action

    for _ in play([Sized, Sized], matches=8, seed=bytes(32)):
        pass
    return round(statistics.mean(asked)), round(statistics.mean(answered))


# For the suite, which takes figures one by one.


def bare() -> float:
    """Return the round trips a second of the echo."""
    return asyncio.run(echo(3.0, *message_sizes()))


def one_table() -> dict[str, float]:
    """Return what the path does at 1 table: ``decisions`` a second."""
    return asdict(measure(1, MATCHES[1]))


def many_tables() -> dict[str, float]:
    """Return it at 128 tables: ``decisions`` and ``hands`` a second, bytes ``stored`` a hand."""
    return asdict(measure(128, MATCHES[128]))


def build() -> str:
    """Return which build of Sandlot is measured."""
    return "compiled" if compiled() else "pure Python"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="how often each is measured")
    parser.add_argument("--json", type=Path, help="write the figures to this file, too")
    given = parser.parse_args()
    asked, answered = message_sizes()
    echoes: list[float] = []
    paths: dict[int, list[tuple[float, float]]] = {tables: [] for tables in MATCHES}
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("measuring", total=given.repeats * (1 + len(MATCHES)))
        for _ in range(given.repeats):
            echoes.append(asyncio.run(echo(3.0, asked, answered)))
            progress.advance(task)
            for tables, matches in MATCHES.items():
                measured = measure(tables, matches)
                paths[tables].append((measured.decisions, measured.hands))
                progress.advance(task)
    bare = statistics.median(echoes)
    table = Table(
        "what", "decisions/s", "hands/s", "x echo", title=f"{build()}, median of {given.repeats}"
    )
    for column in table.columns[1:]:
        column.justify = "right"
    table.add_row(f"bare echo, {asked} B asked, {answered} B answered", f"{bare:,.0f}", "", "1.0")
    figures: dict[str, object] = {
        "build": build(),
        "echo": bare,
        "asked": asked,
        "answered": answered,
    }
    for tables, runs in paths.items():
        decisions = statistics.median(run[0] for run in runs)
        hands = statistics.median(run[1] for run in runs)
        what = f"tournament path, {tables} table" + ("s" if tables > 1 else "")
        ratio = statistics.median(run[0] / bare for run, bare in zip(runs, echoes, strict=True))
        table.add_row(what, f"{decisions:,.0f}", f"{hands:,.0f}", f"{ratio:.1f}")
        figures[f"tables-{tables}"] = {"decisions": decisions, "hands": hands, "ratio": ratio}
    Console().print(table)
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
