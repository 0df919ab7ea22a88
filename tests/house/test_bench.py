"""The bench can be run wherever Sandlot is; it times nothing here."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from bench.rows import ROWS, Compare, Figure, Row
from bench.suite import Outcome, chosen, table

REPOSITORY = Path(__file__).resolve().parents[2]
MODULES = sorted(f"bench.{path.stem}" for path in (REPOSITORY / "bench").glob("*.py"))
PEERS = ("eval7", "phevaluator", "pokerkit", "pypokerengine", "pyspiel", "rlcard", "treys")


def python(*arguments: str) -> str:
    ended = subprocess.run(
        [sys.executable, *arguments], cwd=REPOSITORY, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_every_module_is_imported_without_the_peers() -> None:
    hidden = f"import sys; sys.modules.update(dict.fromkeys({PEERS}))"  # None: cannot be imported
    assert len(MODULES) > 10
    python("-c", f"{hidden}; import {', '.join(MODULES)}")


def test_the_suite_says_how_it_is_used() -> None:
    shown = python("-m", "bench.suite", "--help")
    assert all(option in shown for option in ("--json FILE", "--only NAME", "--repeats"))


def test_a_missing_peer_is_named() -> None:
    hidden = "import sys; sys.modules['eval7'] = None; from bench.taking import main"
    shown = python("-c", f"{hidden}; main('bench.evaluator:eval7_seven', 'any')")
    assert '"missing"' in shown
    assert "eval7" in shown


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_figure_is_a_function_that_says_what_it_measures(row: Row) -> None:
    for figure in row.figures:
        module, name = figure.function.split(":")
        assert getattr(import_module(module), name).__doc__


def test_rows_are_chosen_by_name_or_group() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert chosen(None) == list(ROWS)
    assert [row.name for row in chosen(["engine.two.pure", "start"])] == [
        "engine.two.pure",
        "start.help",
        "start.import",
    ]
    with pytest.raises(ValueError, match="there is no 'engin'"):
        chosen(["engin"])


@pytest.mark.parametrize(
    ("compare", "compared", "met"),
    [
        (Compare.FASTER, 5.0, True),
        (Compare.COSTS, 5.0, False),
        (Compare.MORE, 80.0, False),
    ],
)
def test_a_bar_is_held_against_the_median_of_the_turns(
    compare: Compare, compared: float, met: bool
) -> None:
    ours, theirs = Figure("us", "a:b"), Figure("them", "c:d")
    row = Row("name", "what", "ms", ours, theirs, compare, bar=4.0)
    # Of the medians alone, 100 and 25, the ratio would be 4.
    outcome = Outcome(row, [100.0, 100.0, 125.0], [20.0, 50.0, 25.0])
    assert (outcome.compared, outcome.met) == (compared, met)


def test_an_amount_stands_beside_nothing() -> None:
    row = Row("name", "what", "bytes", Figure("us", "a:b"), None, Compare.AMOUNT, 450)
    outcome = Outcome(row, [440.0, 460.0, 450.0], [])
    assert (outcome.compared, outcome.met) == (450.0, True)


def test_where_a_side_is_missing_no_bar_is_met() -> None:
    ours, theirs = Figure("us", "a:b"), Figure("them", "c:d")
    row = Row("name", "what", "ms", ours, theirs, Compare.FASTER, bar=4.0)
    outcome = Outcome(row, [100.0], [], "them missing: no module")
    assert (outcome.compared, outcome.met) == (None, None)
    (met,) = [column for column in table([outcome], "").columns if column.header == "met"]
    assert list(met.cells) == ["them missing: no module"]
