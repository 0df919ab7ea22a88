"""Showdown hands against an evaluator that tries everything out (R6)."""

from __future__ import annotations

import random

import pytest
from hands.brute_force import (
    PACK,
    drawn,
    numbers,
    rank_number,
    showdown_key,
    showdown_key_without_thrift,
    split,
)

from sandlot.hands import showdown_rank


@pytest.mark.parametrize(
    ("size", "hands"), [(6, 6000), (7, 7000), (8, 5000), (9, 3000), (10, 2000), (11, 1200)]
)
def test_r6_1_best_of_many_cards_rich_in_wilds(size: int, hands: int) -> None:
    rng = random.Random(f"rich in wilds {size}")
    for _ in range(hands):
        pairs = drawn(rng, size, "39")
        real = showdown_rank(numbers(pairs))
        assert real == rank_number(showdown_key(pairs, "39")), numbers(pairs)


@pytest.mark.parametrize("wild", ["", "2", "A", "AK", "345", "26TK"])
def test_any_wild_ranks(wild: str) -> None:
    rng = random.Random(f"wild {wild}")
    for _ in range(300):
        for size in (5, 7, 11):
            pairs = drawn(rng, size, wild)
            real = showdown_rank(numbers(pairs), wild)
            assert real == rank_number(showdown_key(pairs, wild)), numbers(pairs)


def test_the_thrifty_brute_force_finds_what_the_wasteful_one_finds() -> None:
    rng = random.Random("wasteful")
    naturals, wilds = split(PACK, "39")
    for count, size, hands in [(0, 8, 20), (1, 7, 15), (2, 5, 20), (2, 6, 4), (3, 5, 1)]:
        for _ in range(hands):
            pairs = rng.sample(naturals, size - count) + rng.sample(wilds, count)
            thrifty = showdown_key(pairs, "39")
            assert thrifty == showdown_key_without_thrift(pairs, "39"), numbers(pairs)
