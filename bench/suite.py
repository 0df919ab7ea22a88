"""Sandlot beside its peers: one table of ours, theirs and the ratio, with the bars.

``tox -e bench``, or ``python -m bench.suite`` from the root of the repository where Sandlot, its
server extra and the dependency group ``bench`` are installed. All figures are taken in turn, ours,
theirs, ours, theirs, and that several times. The table shows medians; the ratio is the median of
the ratios of each turn.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any, Final

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from bench.rows import ROWS, Build, Compare, Figure, Row
from bench.taking import take
from bench.timing import MissingError
from sandlot.build import compiled

PEERS: Final = (
    "open_spiel",
    "pokerkit",
    "rlcard",
    "PyPokerEngine",
    "eval7",
    "treys",
    "phevaluator",
)

Source = tuple[str, Build | None]
"""What one process measures: a function, by a build."""


@dataclass
class Taken:
    """What has been taken of one source: figures by part, one for each turn, or why there is none.

    Attributes:
        turns: the figures of each turn, by part.
        missing: what is not there.
        failed: what has gone wrong.

    """

    turns: list[dict[str, float]] = field(default_factory=list)
    missing: str = ""
    failed: str = ""

    def take(self, source: Source) -> None:
        """Take the figures once more, if that can be done."""
        if self.missing or self.failed:
            return
        try:
            self.turns.append(take(*source))
        except MissingError as error:
            self.missing = str(error)
        except RuntimeError as error:
            self.failed = str(error)

    def values(self, part: str) -> list[float]:
        """Return the figures of a part, turn by turn."""
        return [turn[part] for turn in self.turns]


@dataclass(frozen=True)
class Outcome:
    """A row with what came out: the figures of each side by turn, and what stands in the way.

    ``trouble`` is that in a line, for the table; ``failed`` is what failed, at length.
    """

    row: Row
    ours: Sequence[float]
    theirs: Sequence[float]
    trouble: str = ""
    failed: str = ""

    @property
    def compared(self) -> float | None:
        """What the bar is held against: the median over the turns."""
        if self.trouble:
            return None
        theirs = self.theirs or (None,) * len(self.ours)
        return median(map(self.row.compared, self.ours, theirs))

    @property
    def met(self) -> bool | None:
        """Whether the bar is met; None where there is none, or nothing to hold against it."""
        return None if self.compared is None else self.row.met(self.compared)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        row = self.row
        return {
            "name": row.name,
            "what": row.what,
            "unit": row.unit,
            "ours": side(row.ours, self.ours),
            "theirs": None if row.theirs is None else side(row.theirs, self.theirs),
            "compare": row.compare.name.lower(),
            "compared": self.compared,
            "bar": row.bar,
            "met": self.met,
            "trouble": self.trouble or None,
        }


def side(figure: Figure, values: Sequence[float]) -> dict[str, Any]:
    """Return one side as plain data."""
    return {
        "who": figure.who,
        "function": figure.function,
        "build": figure.build,
        "median": median(values) if values else None,
        "turns": list(values),
    }


def source(figure: Figure) -> Source:
    """Return where a figure comes from."""
    return figure.function, figure.build


def measured(rows: Sequence[Row], repeats: int, progress: Progress) -> list[Outcome]:
    """Take the figures of the rows in turn; each source once a turn, whatever rows share it."""
    figures = [figure for row in rows for figure in row.figures]
    once = {source(figure) for figure in figures if figure.once}
    sources = list(dict.fromkeys(map(source, figures)))
    taken = {each: Taken() for each in sources}
    task = progress.add_task("", total=repeats * (len(sources) - len(once)) + len(once))
    for turn in range(repeats):
        for each in sources:
            if turn == 0 or each not in once:
                progress.update(task, description=each[0])
                taken[each].take(each)
                progress.advance(task)
    return [outcome(row, taken) for row in rows]


def outcome(row: Row, taken: dict[Source, Taken]) -> Outcome:
    """Put together what came out for a row."""
    troubles, failures = [], []
    values: list[list[float]] = []
    for figure in row.figures:
        of = taken[source(figure)]
        values.append(of.values(figure.part))
        if of.missing:
            troubles.append(f"{figure.who} missing: {of.missing}")
        elif of.failed:
            troubles.append(f"{figure.who} failed: {of.failed.splitlines()[-1]}")
            failures.append(of.failed)
    theirs = values[1] if len(values) > 1 else []
    return Outcome(row, values[0], theirs, "; ".join(troubles), "\n".join(failures))


def number(value: float) -> str:
    """Return a figure as the table shows it."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(outcomes: Iterable[Outcome], title: str) -> Table:
    """Return the table."""
    shown = Table("what", "ours", "theirs", "ratio", "bar", "met", title=title)
    for column in shown.columns[1:4]:
        column.justify = "right"
    for each in outcomes:
        row = each.row
        what = row.what + (f", {row.ours.build}" if row.ours.build else "")
        compared = each.compared
        shown.add_row(
            f"{what}, {row.unit}",
            number(median(each.ours)) if each.ours else "-",
            beside(each),
            "" if compared is None else ratio(row, compared),
            row.bar_text,
            each.trouble or {True: "yes", False: "no", None: ""}[each.met],
        )
    return shown


def beside(outcome: Outcome) -> str:
    """Return the other side as the table shows it: who, and what came out."""
    if outcome.row.theirs is None:
        return ""
    value = number(median(outcome.theirs)) if outcome.theirs else "-"
    return f"{outcome.row.theirs.who} {value}"


def ratio(row: Row, compared: float) -> str:
    """Return what the bar is held against, as the table shows it."""
    if row.compare is Compare.AMOUNT:
        return ""
    if row.compare is Compare.MORE:
        return f"{compared:+.0f} {row.unit}"
    return f"{compared:.2f} x" if compared < 10 else f"{compared:.0f} x"


def machine() -> dict[str, Any]:
    """Return what the figures were taken on and with."""
    return {
        "build": "compiled" if compiled() else "pure",
        "python": platform.python_version(),
        "machine": platform.platform(),
        "cores": os.cpu_count(),
        "peers": dict(zip(PEERS, map(installed, PEERS), strict=True)),
    }


def installed(peer: str) -> str | None:
    """Return the version of a peer; None if it is missing."""
    try:
        return version(peer)
    except PackageNotFoundError:
        return None


def chosen(names: Sequence[str] | None) -> list[Row]:
    """Return the rows of these names, or of groups of them, as ``engine`` and ``engine.two``.

    Raises:
        ValueError: there is none of that name.

    """
    for name in names or ():
        if not any(is_in(row, name) for row in ROWS):
            raise ValueError(f"there is no {name!r}; there is {', '.join(r.name for r in ROWS)}")
    return [row for row in ROWS if not names or any(is_in(row, name) for name in names)]


def is_in(row: Row, name: str) -> bool:
    return f"{row.name}.".startswith(f"{name}.")


def main() -> int:
    """Measure, print and write; return 1 if something has failed, 0 whatever the bars say."""
    parser = argparse.ArgumentParser(prog="python -m bench.suite", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to it, too")
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help="some rows: engine, engine.two, start.help, ..."
    )
    parser.add_argument("--repeats", type=int, default=3, help="turns, of which medians (3)")
    given = parser.parse_args()
    if given.repeats < 1:
        parser.error("--repeats: 1 or more")
    try:
        rows = chosen(given.only)
    except ValueError as error:
        parser.error(f"--only: {error}")
    began = datetime.now(UTC)
    columns = (TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        outcomes = measured(rows, given.repeats, progress)
    with_what = machine()
    title = f"{with_what['build']} build, Python {with_what['python']}, medians of {given.repeats}"
    console = Console() if sys.stdout.isatty() else Console(width=160)
    console.print(table(outcomes, title))
    for failure in dict.fromkeys(each.failed for each in outcomes if each.failed):
        print(failure, file=sys.stderr)
    absent = [peer for peer, found in with_what["peers"].items() if found is None]
    if absent:
        console.print(f"Not installed: {', '.join(absent)}.")
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        data = {
            "began": began.isoformat(timespec="seconds"),
            "seconds": round((datetime.now(UTC) - began).total_seconds()),
            "repeats": given.repeats,
            **with_what,
            "rows": [each.to_json() for each in outcomes],
        }
        given.json.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", "utf-8")
        console.print(f"Written to {given.json}.")
    return int(any(each.failed for each in outcomes))


if __name__ == "__main__":
    sys.exit(main())
