"""Exposed hands against R5 by the letter, tried out."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

import pytest
from hands.brute_force import PACK, drawn, exposed_key, exposed_key_by_trial, numbers, rank_number

from sandlot.hands import exposed_rank


@pytest.mark.parametrize(("size", "hands"), [(1, 0), (2, 0), (3, 0), (4, 8000)])
def test_r5_2_fewer_than_five_exposed(size: int, hands: int) -> None:
    """Up to three cards all there are, then many; what the rule says is the best one can do."""
    rng = random.Random("fewer than five")
    many = (drawn(rng, size, "39") for _ in range(hands))
    for pairs in many if hands else combinations(PACK, size):
        expected = exposed_key(pairs, "39")
        assert expected == exposed_key_by_trial(pairs, "39")
        assert exposed_rank(numbers(pairs)) == rank_number(expected), numbers(pairs)


@pytest.mark.parametrize("size", [5, 6, 7, 8])
def test_r5_3_five_to_eight_exposed(size: int) -> None:
    rng = random.Random(f"exposed {size}")
    for _ in range(2000):
        pairs = drawn(rng, size, "39")
        real = exposed_rank(numbers(pairs))
        assert real == rank_number(exposed_key(pairs, "39")), numbers(pairs)


def test_r5_4_exposed_hands_of_all_lengths_in_one_order() -> None:
    """The order itself, whatever numbers stand for it: keys compare as R5.4 says."""
    rng = random.Random("one order")
    hands = [drawn(rng, rng.randint(1, 8), "39") for _ in range(6000)]
    ordered = sorted((exposed_key(pairs, "39"), exposed_rank(numbers(pairs))) for pairs in hands)
    for (key, rank), (next_key, next_rank) in pairwise(ordered):
        assert (key == next_key) == (rank == next_rank)
        assert rank <= next_rank
