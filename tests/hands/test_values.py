"""Values as values: order, equality, words; what is refused; what never changes a value."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Any

import pokerkit
import pytest
from hands.brute_force import PACK as PAIRS
from hands.brute_force import drawn, numbers
from hypothesis import given
from hypothesis import strategies as st

from sandlot.errors import CardError, RuleError
from sandlot.hands import Category, exposed, exposed_rank, showdown, showdown_rank
from sandlot.pack import PACK, Card, cards, text_of

Valuer = Callable[[Any], object]

hands = st.lists(st.sampled_from(PACK), min_size=5, max_size=11, unique=True)
up_cards = st.lists(st.sampled_from(PACK), min_size=1, max_size=8, unique=True)
wilds = st.sampled_from(["39", "", "2", "39A"])


def test_labels_are_the_ten_names_of_r6_2() -> None:
    assert [category.label for category in sorted(Category, reverse=True)] == [
        "five of a kind",
        "straight flush",
        "four of a kind",
        "full house",
        "flush",
        "straight",
        "three of a kind",
        "two pair",
        "pair",
        "high card",
    ]


def test_rank_is_the_category_and_the_deciding_ranks_as_digits() -> None:
    assert hex(showdown(cards("Kd Kc 9s 4c 4d 2h")).rank) == "0x6d4000"
    assert hex(exposed(cards("Kd 4c")).rank) == "0xd4000"
    assert hex(showdown(cards("As Kh 8c 5d 2s")).rank) == "0xed852"


def test_values_are_totally_ordered_and_hash_by_rank() -> None:
    low, high = showdown(cards("2c 2d 5h 7s 8c")), showdown(cards("2c 2d 5h 7s Jc"))
    same = showdown(cards("2h 2s 5c 7d 8h"))
    assert low < high
    assert low <= high
    assert high > low
    assert high >= low
    assert low == same
    assert low <= same
    assert low >= same
    assert not low < same
    assert not low > same
    assert low != high
    assert {low, same, high} == {low, high}
    assert max([low, high, same]) is high


def test_a_value_is_compared_with_values_alone() -> None:
    value = showdown(cards("2c 2d 5h 7s 8c"))
    assert value != value.rank
    for compare in ("__lt__", "__le__", "__gt__", "__ge__"):
        assert getattr(value, compare)(value.rank) is NotImplemented
    with pytest.raises(TypeError):
        assert value < value.rank


def test_exposed_values_and_showdown_values_are_of_one_order() -> None:
    assert exposed(cards("3c 9d")) < showdown(cards("As Ah Kc Qd Js"))
    assert exposed(cards("8s 8h 8c 8d 3c")) == showdown(cards("8s 8h 8c 8d 3c"))


def test_a_value_survives_copying_and_pickling() -> None:
    value = showdown(cards("Ah Kh 8h 5h 9c"))
    for again in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert again == value
        assert again.five == value.five


@pytest.mark.parametrize(
    ("received", "words"),
    [
        ("6s 6h 6c 6d 3c", "five sixes"),
        ("As Ks Qs Js Ts", "ace-high straight flush"),
        ("Qs Qh Qc Qd As", "four queens, ace"),
        ("Ks Kh Kc 4d 4s", "full house, kings over fours"),
        ("As Ks 8s 5s 2s", "ace-high flush, king, eight, five, two"),
        ("5s 6h 7c 8d 3s", "nine-high straight"),
        ("7s 7h 7c Kd Js", "three sevens, king, jack"),
        ("Ks Kh 6c 6d As", "two pair, kings and sixes, ace"),
        ("2s 2h Tc 8d 5s", "pair of twos, ten, eight, five"),
        ("As Kh 8c 5d 2s", "ace high, king, eight, five, two"),
    ],
)
def test_values_in_words(received: str, words: str) -> None:
    value = showdown(cards(received))
    assert value.text == str(value) == words
    assert repr(value) == f"<{words}>"


def test_words_are_equal_just_where_hands_tie() -> None:
    rng = Random("words")
    values = [showdown(numbers(drawn(rng, 7, "39"))) for _ in range(3000)]
    values += [exposed(numbers(drawn(rng, rng.randint(1, 8), "39"))) for _ in range(3000)]
    values.sort()
    for value, following in pairwise(values):
        assert (value == following) == (value.text == following.text)


@pytest.mark.parametrize("value", [showdown, showdown_rank])
def test_r6_1_fewer_than_five_cards_are_no_showdown_hand(value: Valuer) -> None:
    for received in ("", "As", "As Kh Qc Jd"):
        with pytest.raises(RuleError, match=rf"R6\.1.*here are {len(received.split())}$"):
            value(cards(received))


@pytest.mark.parametrize("value", [exposed, exposed_rank])
def test_r5_3_no_card_or_more_than_eight_are_no_exposed_hand(value: Valuer) -> None:
    for received in ((), PACK[:9], PACK):
        with pytest.raises(RuleError, match=rf"R5\.3.*here are {len(received)}$"):
            value(received)


@pytest.mark.parametrize("value", [showdown, exposed])
def test_what_is_not_a_card_is_refused(value: Valuer) -> None:
    for number in (-1, 52, -52, 1000):
        with pytest.raises(CardError, match=f"card 5: {number} is not a card"):
            value([0, 1, 2, 3, number])
    with pytest.raises(CardError, match=r"is text: read it with sandlot\.pack\.cards"):
        value(["8s", "8h", "8c", "8d", "3c"])
    with pytest.raises(CardError, match="card 5: 'Xx' is not a card"):
        value(["8s", "8h", "8c", "8d", "Xx"])


@pytest.mark.parametrize("wild", ["10", "x", "3 9", "39t"])
def test_wild_ranks_that_are_none_are_refused(wild: str) -> None:
    with pytest.raises(CardError, match=f"wild '{wild}': the rank '.' is none of 2 3 4"):
        showdown(cards("8s 8h 8c 8d 3c"), wild)


def test_the_order_of_the_wild_ranks_does_not_matter() -> None:
    hand = cards("8s 8h 8c 9d 3c Jd 5c")
    assert showdown(hand, "39") == showdown(hand, "93") == showdown(hand, "3399")


def test_all_ranks_wild_are_five_aces_whatever_is_held() -> None:
    assert showdown(cards("2s 5h 7c 8d Jc"), "23456789TJQKA").text == "five aces"
    assert exposed(cards("2s 5h 7c"), "23456789TJQKA").text == "three aces"


@given(hands, wilds, st.randoms(use_true_random=False))
def test_the_order_of_the_cards_does_not_matter(hand: list[Card], wild: str, rng: Random) -> None:
    value = showdown(hand, wild)
    shuffled = rng.sample(hand, len(hand))
    assert showdown(shuffled, wild) == value
    assert showdown(shuffled, wild).five == value.five


@given(hands, wilds, st.permutations(range(4)))
def test_r6_6_exchanging_suits_does_not_matter(
    hand: list[Card], wild: str, suits: list[int]
) -> None:
    exchanged = [Card(card - card.suit + suits[card.suit]) for card in hand]
    assert showdown(exchanged, wild) == showdown(hand, wild)


@given(up_cards, wilds, st.permutations(range(4)))
def test_r5_5_exchanging_suits_does_not_matter(up: list[Card], wild: str, suits: list[int]) -> None:
    exchanged = [Card(card - card.suit + suits[card.suit]) for card in up]
    assert exposed(exchanged, wild) == exposed(up, wild)


@given(hands, wilds, st.sampled_from(PACK))
def test_r6_1_one_more_card_never_makes_a_showdown_hand_worse(
    hand: list[Card], wild: str, card: Card
) -> None:
    if card not in hand:
        assert showdown([*hand, card], wild) >= showdown(hand, wild)


@given(up_cards, wilds, st.sampled_from(PACK))
def test_r5_4_one_more_card_never_makes_an_exposed_hand_worse(
    up: list[Card], wild: str, card: Card
) -> None:
    if card not in up and len(up) < 8:
        more, before = exposed([*up, card], wild), exposed(up, wild)
        assert more > before if len(up) < 4 and more.category == before.category else more >= before


@given(hands, st.data())
def test_r6_6_a_wild_is_as_good_as_any_natural_card(hand: list[Card], data: st.DataObject) -> None:
    naturals = [card for card in hand if str(card)[0] not in "39"]
    spare = [card for card in cards("3c 3d 3h 3s 9c 9d 9h 9s") if card not in hand]
    if naturals and spare:
        given_up = data.draw(st.sampled_from(naturals))
        changed = [card for card in hand if card != given_up] + spare[:1]
        assert showdown(changed) >= showdown(hand)


@given(hands, wilds)
def test_the_five_alone_have_the_value_of_all(hand: list[Card], wild: str) -> None:
    value = showdown(hand, wild)
    assert showdown(cards(card for card, _ in value.five), wild) == value


def test_natural_hands_are_in_the_order_that_pokerkit_gives_them() -> None:
    rng = Random("pokerkit")
    dealt = [[Card(number) for number in numbers(rng.sample(PAIRS, 7))] for _ in range(400)]
    theirs = [pokerkit.StandardHighHand.from_game(text_of(hand).replace(" ", "")) for hand in dealt]
    ours = [showdown(hand, wild="") for hand in dealt]
    for (hand, value), (next_hand, next_value) in pairwise(zip(theirs, ours, strict=True)):
        assert (hand < next_hand) == (value < next_value)
        assert (hand == next_hand) == (value == next_value)
