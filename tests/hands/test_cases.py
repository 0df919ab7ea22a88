"""The hands in tests/cases, worked out by an independent program."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

from sandlot.hands import exposed, exposed_rank, showdown, showdown_rank
from sandlot.pack import cards

CASES = Path(__file__).parent.parent / "cases"


def lines(name: str) -> list[Any]:
    found = [json.loads(line) for line in (CASES / name).read_text().splitlines()]
    assert len(found) >= 100
    return found


def test_showdown_categories() -> None:
    for case in lines("showdown.jsonl"):
        assert showdown(cards(case["cards"])).category.label == case["category"], case


def test_showdown_order_across_the_whole_file() -> None:
    valued = [(case["order"], showdown(cards(case["cards"]))) for case in lines("showdown.jsonl")]
    for (order, value), (other_order, other) in product(valued, repeat=2):
        assert (value == other) == (order == other_order), (value, other)
        assert (value > other) == (order > other_order), (value, other)


def test_showdown_rank_is_the_rank_of_the_value() -> None:
    for case in lines("showdown.jsonl"):
        assert showdown_rank(cards(case["cards"])) == showdown(cards(case["cards"])).rank


def test_exposed_hands_compared() -> None:
    for case in lines("exposed.jsonl"):
        a, b = exposed(cards(case["a"])), exposed(cards(case["b"]))
        assert (a > b) - (a < b) == case["result"], case
        assert (a == b) == (case["result"] == 0), case


def test_r4_2_openers() -> None:
    """Of equal hands the first one from the dealer's left, the dealer being last."""
    for case in lines("openers.jsonl"):
        left = [(case["dealer"] + 1 + step) % case["seats"] for step in range(case["seats"])]
        values = {
            seat: exposed(cards(case["up"][str(seat)])) for seat in left if seat in case["in"]
        }
        best = max(values.values())
        assert next(seat for seat in values if values[seat] == best) == case["opener"], case


def test_exposed_rank_is_the_rank_of_the_value() -> None:
    for case in lines("exposed.jsonl"):
        assert exposed_rank(cards(case["a"])) == exposed(cards(case["a"])).rank
