"""The rules of R5 and R6 read to the letter and tried out, with nothing of ``sandlot.hands``.

A card is a pair (rank, suit), the ace being 14. A key is (category 0 to 9, the ranks that decide,
from the top): keys compare as hands do, a longer one beating its own beginning (R5.4).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache
from itertools import combinations, combinations_with_replacement, product

Pair = tuple[int, int]
Key = tuple[int, tuple[int, ...]]
Suits = tuple[int, ...]  # four suits in no order: which ranks are held in each, as bits

PACK: list[Pair] = [(rank, suit) for rank in range(2, 15) for suit in range(4)]

# Which groups of equal ranks make which category.
GROUPS = {
    (5,): 9,
    (4, 1): 7,
    (4,): 7,
    (3, 2): 6,
    (3, 1, 1): 3,
    (3, 1): 3,
    (3,): 3,
    (2, 2, 1): 2,
    (2, 2): 2,
    (2, 1, 1, 1): 1,
    (2, 1, 1): 1,
    (2, 1): 1,
    (2,): 1,
}


def pairs_of(text: str) -> list[Pair]:
    return [("23456789TJQKA".index(card[0]) + 2, "cdhs".index(card[1])) for card in text.split()]


def grouped(ranks: Iterable[int]) -> Key:
    """The key by groups of ranks alone: bigger groups first, then higher ranks (R5.2, R6.5)."""
    groups = sorted(((size, rank) for rank, size in Counter(ranks).items()), reverse=True)
    return GROUPS.get(tuple(size for size, _ in groups), 0), tuple(rank for _, rank in groups)


def natural_key(named: Collection[Pair]) -> Key:
    """The key of five cards that all are what they say (R6.2, R6.4, R6.5)."""
    ranks = sorted((rank for rank, _ in named), reverse=True)
    flush = len({suit for _, suit in named}) == 1
    if ranks == [14, 5, 4, 3, 2]:
        top = 5
    elif ranks == list(range(ranks[0], ranks[0] - 5, -1)):
        top = ranks[0]
    else:
        top = 0
    if top and flush:
        return 8, (top,)
    if top:
        return 4, (top,)
    if flush:
        return max((5, tuple(ranks)), grouped(ranks))
    return grouped(ranks)


@cache
def best_by_suits(suits: Suits, wilds: int) -> Key:
    """The best key of different cards, some of them given, as many wilds being any others.

    Suits never decide (R6.6), so hands that differ only in which suit is which are one: given is
    which ranks are held in each suit, the suits in no order. That, and remembering, is all that
    makes it fast: every missing card is tried for the first wild, then for the next.
    """
    if wilds == 0:
        return natural_key([(rank, suit) for rank, suit in PACK if suits[suit] >> rank & 1])
    found = []
    for rank, suit in PACK:
        if not suits[suit] >> rank & 1:
            more = list(suits)
            more[suit] |= 1 << rank
            found.append(best_by_suits(tuple(sorted(more)), wilds - 1))
    return max(found)


def suits_of(naturals: Iterable[Pair]) -> Suits:
    held = [0, 0, 0, 0]
    for rank, suit in naturals:
        held[suit] |= 1 << rank
    return tuple(sorted(held))


def best_stand_ins(naturals: Collection[Pair], wilds: int) -> Key:
    """The best key of these very five cards, the wilds standing for what is missing (R6.3)."""
    best = best_by_suits(suits_of(naturals), wilds)
    if wilds:  # the one exception: for five of a kind a wild may be a fifth card of the rank
        ranks = {rank for rank, _ in naturals} or {14}
        if len(ranks) == 1:
            best = max(best, (9, tuple(ranks)))
    return best


def split(cards: Iterable[Pair], wild: str) -> tuple[list[Pair], list[Pair]]:
    """The natural cards and the wild ones, in the order of their numbers."""
    wild_ranks = {"23456789TJQKA".index(rank) + 2 for rank in wild}
    cards = sorted(cards)
    return [c for c in cards if c[0] not in wild_ranks], [c for c in cards if c[0] in wild_ranks]


def showdown_key(cards: Collection[Pair], wild: str) -> Key:
    """R6.1: the best five of all cards. Wild cards are alike: what counts is how many are taken."""
    naturals, wilds = split(cards, wild)
    return max(
        best_stand_ins(five, 5 - len(five))
        for size in range(max(0, 5 - len(wilds)), min(5, len(naturals)) + 1)
        for five in combinations(naturals, size)
    )


def showdown_key_without_thrift(cards: Collection[Pair], wild: str) -> Key:
    """The same with nothing spared: every five, and any card at all for each of its wilds."""
    found = []
    for five in combinations(sorted(cards), 5):
        naturals, wilds = split(five, wild)
        for stand_ins in product(PACK, repeat=len(wilds)):
            named = [*naturals, *stand_ins]
            if len(set(named)) == 5:
                found.append(natural_key(named))
            elif len({rank for rank, _ in named}) == 1 and len(set(named)) == 4:
                found.append((9, (named[0][0],)))
    return max(found)


def exposed_key(cards: Collection[Pair], wild: str) -> Key:
    """R5.2 by the letter; from five cards on the showdown's five best (R5.3)."""
    if len(cards) >= 5:
        return showdown_key(cards, wild)
    naturals, wilds = split(cards, wild)
    groups = Counter(rank for rank, _ in naturals)
    if not groups:
        groups[14] = 0  # alone they are aces
    _, biggest = max((size, rank) for rank, size in groups.items())
    groups[biggest] += len(wilds)
    return grouped(groups.elements())


def exposed_key_by_trial(cards: Collection[Pair], wild: str) -> Key:
    """Fewer than five cards, every rank tried for every wild, as one who wants the best would."""
    naturals, wilds = split(cards, wild)
    return best_by_ranks(tuple(rank for rank, _ in naturals), len(wilds))


@cache
def best_by_ranks(ranks: tuple[int, ...], wilds: int) -> Key:
    trials = combinations_with_replacement(range(2, 15), wilds)
    return max(grouped([*ranks, *named]) for named in trials)


def rank_number(key: Key) -> int:
    """The key as ``sandlot.hands`` writes it: category, five digits, 0 where there is no card."""
    category, ranks = key
    number = category
    for rank in (*ranks, 0, 0, 0, 0, 0)[:5]:
        number = number * 16 + rank
    return number


def numbers(pairs: Iterable[Pair]) -> tuple[int, ...]:
    return tuple(4 * (rank - 2) + suit for rank, suit in pairs)


def drawn(rng: random.Random, size: int, wild: str) -> list[Pair]:
    """Cards with zero to five wilds among them, each as likely: far more than chance would deal."""
    naturals, wilds = split(PACK, wild)
    count = min(rng.randint(0, 5), size, len(wilds))
    pairs = rng.sample(wilds, count) + rng.sample(naturals, size - count)
    rng.shuffle(pairs)
    return pairs
