"""The table of docs/house-bots.md: what it claims, and that its command makes it."""

from __future__ import annotations

import re
from importlib.util import find_spec
from itertools import permutations
from pathlib import Path

import pytest

from sandlot.seeds import parse_seed
from sandlot_server.launch.bots import HOUSE

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs" / "house-bots.md").read_text("utf-8")

CELL = re.compile(r"([+-]\d\.\d\d) ± (\d\.\d\d)")


def table() -> dict[tuple[str, str], tuple[float, float]]:
    """The cells: mean and half of the interval of the row's bot against the column's."""
    cells: dict[tuple[str, str], tuple[float, float]] = {}
    for line in PAGE.splitlines():
        row = re.match(r"\| `(\w+)` \|", line)
        parts = [part.strip() for part in line.strip("|").split("|")]
        if row and len(parts) == 1 + len(HOUSE):
            for other, part in zip(HOUSE, parts[1:], strict=True):
                if found := CELL.fullmatch(part):
                    cells[row[1], other] = float(found[1]), float(found[2])
    return cells


def test_every_pair_is_in_it_and_what_one_wins_the_other_loses() -> None:
    cells = table()
    assert set(cells) == set(permutations(HOUSE, 2))
    for (bot, other), (mean, half) in cells.items():
        assert cells[other, bot] == (-mean, half)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("odds", "tight"),
        ("watcher", "tight"),
        ("tight", "caller"),
        ("tight", "random"),
        ("odds", "caller"),
        ("odds", "random"),
        ("watcher", "caller"),
        ("watcher", "random"),
    ],
)
def test_the_better_bot_wins_with_an_interval_that_excludes_0(better: str, worse: str) -> None:
    mean, half = table()[better, worse]
    assert mean - half > 0


def test_caller_and_random_come_out_even() -> None:
    mean, half = table()["caller", "random"]
    assert abs(mean) < half


@pytest.mark.skipif(find_spec("scipy") is None, reason="the intervals need the extra server")
def test_the_command_makes_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """One quick pair of it; the whole takes minutes."""
    monkeypatch.syspath_prepend(str(REPOSITORY))
    from bench import house_bots

    assert "python bench/house_bots.py" in PAGE
    nets = house_bots.nets_of_first(("random", "caller"), 300, parse_seed(house_bots.SEED))
    mean, half = table()["random", "caller"]
    assert house_bots.cell(house_bots.net_a_hand(nets), own=True) == f"{mean:+.2f} ± {half:.2f}"
