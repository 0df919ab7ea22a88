"""The shuffle and cut of R2.3 favour no card and no place.

The seeds are fixed, so these tests always give the same answer. The bounds lie six standard
deviations out: a right shuffle passes them but for about one seed in a hundred million.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise, permutations

import pytest

from sandlot.pack import PACK
from sandlot.seeds import Lots, Shuffle, hand_seed, match_seed, shuffle, table_order

HANDS = 5_200
SEED = hashlib.sha256(b"the shuffle is even").digest()


@pytest.fixture(scope="module")
def deals() -> list[Shuffle]:
    matches = [match_seed(SEED, f"{number}-1-1", 1) for number in range(1, HANDS // 8 + 1)]
    return [shuffle(hand_seed(match, hand)) for match in matches for hand in range(1, 9)]


def pack_before_the_cut(deal: Shuffle) -> tuple[int, ...]:
    return deal.deck[-deal.cut :] + deal.deck[: -deal.cut]


def sigmas_off(packs: Iterable[tuple[int, ...]]) -> float:
    """How many standard deviations chi-square over (card, place) is above what it should be."""
    counts = Counter((card, place) for pack in packs for place, card in enumerate(pack))
    expected = HANDS / 52
    total = sum(
        (counts[card, place] - expected) ** 2 / expected
        for card in range(52)
        for place in range(52)
    )
    freedom = 51 * 51
    # A permutation matrix has 51 x 51 free cells; the sum over all 52 x 52 scales with 52 / 51.
    return (total * 51 / 52 - freedom) / math.sqrt(2 * freedom)


def test_r2_3_every_card_is_as_likely_in_every_place_after_the_cut(deals: list[Shuffle]) -> None:
    assert abs(sigmas_off(deal.deck for deal in deals)) < 6


def test_r2_3_every_card_is_as_likely_in_every_place_before_the_cut(deals: list[Shuffle]) -> None:
    assert abs(sigmas_off(pack_before_the_cut(deal) for deal in deals)) < 6


def test_the_measure_sees_the_classic_wrong_shuffle() -> None:
    packs = []
    for hand in range(HANDS):
        lots = Lots(SEED, f"wrong/{hand}")
        pack = list(range(52))
        for place in range(52):  # swaps with any place instead of those that are left
            other = lots.below(52)
            pack[place], pack[other] = pack[other], pack[place]
        packs.append(tuple(pack))
    assert sigmas_off(packs) > 6


def test_r2_3_no_place_is_far_from_even_for_any_card(deals: list[Shuffle]) -> None:
    counts = Counter((card, place) for deal in deals for place, card in enumerate(deal.deck))
    expected, sigma = HANDS / 52, math.sqrt(HANDS * (1 / 52) * (51 / 52))
    assert len(counts) == 52 * 52
    assert max(counts.values()) < expected + 6.5 * sigma
    assert min(counts.values()) > expected - 6.5 * sigma


def test_r2_3_what_lies_on_what_is_even_too(deals: list[Shuffle]) -> None:
    pairs = Counter(pair for deal in deals for pair in pairwise(deal.deck))
    cells = 52 * 51
    expected = HANDS * 51 / cells
    total = sum((pairs[pair] - expected) ** 2 / expected for pair in permutations(PACK, 2))
    assert abs(total - cells) < 6 * math.sqrt(2 * cells)


def test_r2_3_a_cut_lifts_5_to_47_cards_all_numbers_alike(deals: list[Shuffle]) -> None:
    cuts = Counter(deal.cut for deal in deals)
    assert sorted(cuts) == list(range(5, 48))
    expected = HANDS / 43
    total = sum((count - expected) ** 2 / expected for count in cuts.values())
    assert total < 42 + 6 * math.sqrt(2 * 42)


def test_r2_3_a_deck_is_all_52_cards_and_no_two_are_the_same(deals: list[Shuffle]) -> None:
    assert all(sorted(deal.deck) == list(range(52)) for deal in deals)
    assert len({deal.deck for deal in deals}) == HANDS


def test_r2_1_every_order_and_every_first_dealer_is_as_likely() -> None:
    rounds = 9_600
    drawn = Counter(table_order(SEED, number, 1, 4) for number in range(1, rounds + 1))
    cells = 24 * 4
    assert len(drawn) == cells
    expected = rounds / cells
    total = sum((count - expected) ** 2 / expected for count in drawn.values())
    assert total < (cells - 1) + 6 * math.sqrt(2 * (cells - 1))
