"""The five cards that count, and what their wilds stand for: valid, and the one definite answer."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations

import pytest
from hands.brute_force import (
    PACK,
    Key,
    Pair,
    best_stand_ins,
    drawn,
    exposed_key,
    grouped,
    natural_key,
    numbers,
    showdown_key,
    split,
)

from sandlot.hands import exposed, showdown
from sandlot.pack import cards

Five = tuple[tuple[str, str], ...]
FIFTH = 4  # the suit that a fifth card of a rank would have, written *


def text(pair: Pair) -> str:
    return "23456789TJQKA"[pair[0] - 2] + "cdhs*"[pair[1]]


def pair(text: str) -> Pair:
    return "23456789TJQKA".index(text[0]) + 2, "cdhs*".index(text[1])


def check(five: Five, received: list[Pair], wild: str, key: Key) -> None:
    """R6.3: different cards received, the wilds named as cards that differ, the value as said."""
    assert len(five) == min(5, len(received))
    taken = [pair(card) for card, _ in five]
    assert len(set(taken)) == len(five)
    assert set(taken) <= set(received)
    named = [pair(stands_for) for _, stands_for in five]
    for card, stands_for in zip(taken, named, strict=True):
        assert card == stands_for or text(card)[0] in wild
    assert len(set(named)) == len(five)
    if len({rank for rank, _ in named}) == 1 and len(named) == 5:
        assert sorted(suit for _, suit in named) == [0, 1, 2, 3, FIFTH]
        assert key == (9, (named[0][0],))
    else:
        assert set(named) <= set(PACK)
        assert (natural_key(named) if len(named) == 5 else grouped(r for r, _ in named)) == key


@pytest.mark.parametrize("wild", ["39", "", "2A"])
def test_r6_3_five_different_cards_that_have_the_value(wild: str) -> None:
    rng = random.Random(f"valid {wild}")
    for _ in range(600):
        for size in (5, 6, 7, 9, 11):
            received = drawn(rng, size, wild)
            five = showdown(numbers(received), wild).five
            check(five, received, wild, showdown_key(received, wild))


def test_r5_2_as_many_as_there_are_exposed_up_to_five() -> None:
    rng = random.Random("exposed")
    for _ in range(400):
        for size in range(1, 9):
            received = drawn(rng, size, "39")
            five = exposed(numbers(received)).five
            check(five, received, "39", exposed_key(received, "39"))


def namings(naturals: list[Pair], wilds: int, key: Key) -> Iterator[list[Pair]]:
    """Every way to name the wilds, in their order, that gives the five this value (R6.3)."""
    if key[0] == 9:
        rank = key[1][0]
        free = {(rank, suit) for suit in (0, 1, 2, 3, FIFTH)} - set(naturals)
        yield from (list(named) for named in permutations(sorted(free)))
    elif wilds == 0:
        yield []
    else:
        for card in PACK:
            more = [*naturals, card]
            if card not in naturals and best_stand_ins(more, wilds - 1) == key:
                yield from ([card, *others] for others in namings(more, wilds - 1, key))


def height(rank: int, key: Key) -> int:
    """The rank, the ace of a five-high straight being 1."""
    return 1 if rank == 14 and key in ((4, (5,)), (8, (5,))) else rank


def definite_five(received: list[Pair], wild: str) -> Five:
    """Of all fives of the best value the one with the most natural cards, then the lowest cards.

    Naturals stand first as one reads the hand; wilds, in order, take what is missing from the top,
    in the lowest suits.
    """
    key = showdown_key(received, wild)
    equals = [
        split(five, wild)
        for five in combinations(sorted(received), 5)
        if best_stand_ins(split(five, wild)[0], len(split(five, wild)[1])) == key
    ]
    naturals, wilds = min(equals, key=lambda five: (-len(five[0]), five[0], five[1]))
    named = min(
        namings(naturals, len(wilds), key),
        key=lambda named: [(-height(rank, key), suit) for rank, suit in named],
    )
    sizes = Counter(rank for rank, _ in [*naturals, *named])
    naturals.sort(key=lambda card: (-sizes[card[0]], -height(card[0], key), card[1]))
    return tuple((text(card), text(card)) for card in naturals) + tuple(
        (text(card), text(stands_for)) for card, stands_for in zip(wilds, named, strict=True)
    )


@pytest.mark.parametrize(("size", "hands"), [(5, 500), (7, 500), (9, 300), (11, 150)])
def test_five_is_one_definite_answer_among_equals(size: int, hands: int) -> None:
    rng = random.Random(f"definite {size}")
    for _ in range(hands):
        received = drawn(rng, size, "39")
        assert showdown(numbers(received)).five == definite_five(received, "39")


@pytest.mark.parametrize(
    "received",
    [
        "4c 5d 6h 7s 8c 4d 5c 6c 2h",  # a straight with cards of a rank to spare
        "Ac Kc 8c 5c 3h Ad Qd 8d 5d",  # two equal flushes
        "Ac Qc 8c 5c 3h Kd Qd 8d 5d",
        "4c 5c 7c 3h 9s 5d 7d 8d",  # two equal straight flushes
        "Ts Js Qs Ks As 3c Ah Kh Qh Jh",  # a natural one and a wild one
        "5c 6d 3h 3s 7c 7d 8h",
        "Ac 2d 4h 5s 3h 5c",
        "Ac 2c 9h 3s 5c Kd",
        "8s 8h 8c 8d 3c 9c 3h",  # wilds to spare
    ],
)
def test_where_equals_are_many_the_answer_is_the_definite_one(received: str) -> None:
    for text_of_one in (received, " ".join(reversed(received.split()))):
        hand = cards(text_of_one)
        assert showdown(hand).five == definite_five([pair(str(card)) for card in hand], "39")


def test_five_reads_as_people_say_the_hand() -> None:
    def read(received: str) -> str:
        return " ".join(f"{a}={b}" if a != b else a for a, b in showdown(cards(received)).five)

    assert read("9c Ah Kh 8h 5h") == "Ah Kh 8h 5h 9c=Qh"
    assert read("4c 4d Kd Ks Kc") == "Kc Kd Ks 4c 4d"
    assert read("2s As 5s 5d Kd Tc") == "5d 5s As Kd Tc"
    assert read("As 2h 4c 5d 3s") == "5d 4c 2h As 3s=3c"
    assert read("8s 8h 3c 9d 3d 9s") == "8h 8s 3c=8c 3d=8d 9d=8*"
    assert read("3c 9s 9d 9h 3h 3d") == "3c=Ac 3d=Ad 3h=Ah 9d=As 9h=A*"
    assert read("Jh 3c 7h 2h 9d") == "Jh 7h 2h 3c=Ah 9d=Kh"


def test_five_takes_plain_numbers_and_does_not_depend_on_their_order() -> None:
    hand = [int(card) for card in cards("Ah Kh 8h 5h 9c 2c 4d")]
    assert showdown(hand).five == showdown(hand[::-1]).five == showdown(set(hand)).five
