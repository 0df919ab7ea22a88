"""Every hand of five cards that there is, against trial of all stand-ins and published counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from math import comb, factorial, prod

import pytest
from hands.brute_force import PACK, Pair, best_stand_ins, numbers, rank_number, split

from sandlot.hands import Category, showdown_rank

# How many of all hands are of each category, from high card up: counts that stand in every book.
PUBLISHED = {
    "": [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40, 0],
    "2": [799680, 1225008, 95040, 355080, 62232, 14472, 12672, 31552, 2552, 672],  # deuces wild
}


def all_naturals(wild: str, size: int) -> Iterator[tuple[list[Pair], int]]:
    """Every choice of natural cards, once for all exchanges of suits, and their number."""
    naturals, _ = split(PACK, wild)
    ranks = sorted({rank for rank, _ in naturals})
    for sizes in combinations_with_replacement(range(size + 1), 4):
        if sum(sizes) == size:
            for suits in suits_of_sizes(sizes, ranks):
                ways = factorial(4) // prod(map(factorial, Counter(suits).values()))
                yield [(rank, suit) for suit in range(4) for rank in suits[suit]], ways


def suits_of_sizes(sizes: Sequence[int], ranks: list[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every choice of so many ranks for each suit, the suits of equal size in order."""
    if not sizes:
        yield ()
        return
    for suit in combinations(ranks, sizes[0]):
        for others in suits_of_sizes(sizes[1:], ranks):
            if not (len(sizes) > 1 and sizes[0] == sizes[1] and suit > others[0]):
                yield (suit, *others)


@pytest.mark.parametrize("wild", ["39", "", "2"])
def test_r6_2_to_r6_6_every_hand_of_five_cards(wild: str) -> None:
    _, wilds = split(PACK, wild)
    hands: Counter[int] = Counter()
    for count in range(min(5, len(wilds)) + 1):
        for naturals, ways in all_naturals(wild, 5 - count):
            real = showdown_rank(numbers(naturals + wilds[:count]), wild)
            assert real == rank_number(best_stand_ins(naturals, count)), (naturals, count)
            hands[real >> 20] += ways * comb(len(wilds), count)
    assert hands.total() == comb(52, 5)
    if wild in PUBLISHED:
        assert [hands[category] for category in Category] == PUBLISHED[wild]
