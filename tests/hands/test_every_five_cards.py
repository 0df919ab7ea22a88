"""Every hand of five cards that there is, against trial of all stand-ins and published counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, groupby
from math import comb, factorial, prod

import pytest
from hands.brute_force import PACK, Pair, best_stand_ins, numbers, rank_number, split

from sandlot.hands import Category, showdown_rank

# Five cards of 52, and the same with deuces wild: counts that are in every book on the odds.
PUBLISHED = {
    "": [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40, 0],
    "2": [799680, 1225008, 95040, 355080, 62232, 14472, 12672, 31552, 2552, 672],
}


def all_naturals(wild: str, size: int) -> Iterator[list[Pair]]:
    """Every choice of natural cards, once for all the ways to exchange the suits (R6.6)."""
    naturals, _ = split(PACK, wild)
    ranks = sorted({rank for rank, _ in naturals})
    for sizes in combinations_with_replacement(range(size + 1), 4):
        if sum(sizes) == size:
            for suits in suits_of_sizes(sizes, ranks):
                yield [(rank, suit) for suit in range(4) for rank in suits[suit]]


def suits_of_sizes(
    sizes: tuple[int, ...], ranks: list[int]
) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every choice of so many ranks for each suit, the suits of equal size in order."""
    if not sizes:
        yield ()
        return
    for suit in combinations(ranks, sizes[0]):
        for others in suits_of_sizes(sizes[1:], ranks):
            if not (len(sizes) > 1 and sizes[0] == sizes[1] and suit > others[0]):
                yield (suit, *others)


def exchanges(naturals: list[Pair]) -> int:
    """How many hands these natural cards become when the suits are exchanged in every way."""
    suits = sorted(sorted(rank for rank, of in naturals if of == suit) for suit in range(4))
    return factorial(4) // prod(factorial(len(list(alike))) for _, alike in groupby(suits))


@pytest.mark.parametrize("wild", ["39", ""])
def test_r6_2_to_r6_6_every_hand_of_five_cards(wild: str) -> None:
    _, wilds = split(PACK, wild)
    for count in range(min(5, len(wilds)) + 1):
        for naturals in all_naturals(wild, 5 - count):
            real = showdown_rank(numbers(naturals + wilds[:count]), wild)
            assert real == rank_number(best_stand_ins(naturals, count)), (naturals, count)


@pytest.mark.parametrize("wild", PUBLISHED)
def test_r6_2_categories_are_as_frequent_as_published(wild: str) -> None:
    _, wilds = split(PACK, wild)
    hands: Counter[int] = Counter()
    for count in range(min(5, len(wilds)) + 1):
        for naturals in all_naturals(wild, 5 - count):
            rank = showdown_rank(numbers(naturals + wilds[:count]), wild)
            hands[rank >> 20] += exchanges(naturals) * comb(len(wilds), count)
    assert hands.total() == comb(52, 5)
    assert [hands[category] for category in Category] == PUBLISHED[wild]
