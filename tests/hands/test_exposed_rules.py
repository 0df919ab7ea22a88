"""R5: exposed hands, which decide who opens, rule by rule."""

from __future__ import annotations

import pytest

from sandlot.hands import Category, Value, exposed, showdown
from sandlot.pack import cards


def value(text: str) -> Value:
    return exposed(cards(text))


def beats(better: str, worse: str) -> bool:
    return value(better) > value(worse) and not value(worse) >= value(better)


def ties(one: str, other: str) -> bool:
    return value(one) == value(other) and not value(one) < value(other)


def test_r5_1_wild_cards_count_as_wild_and_a_lone_wild_is_an_ace() -> None:
    assert ties("9c", "As")
    assert ties("3c", "As")
    assert value("3c").text == "ace high"
    assert beats("3c", "Ks")
    assert exposed(cards("3c"), wild="") < value("Ks")


def test_r5_2_fewer_than_five_make_groups_only() -> None:
    assert value("2s 4s 5s 6s").category is Category.HIGH_CARD
    assert value("5s 6s 7s 8s").category is Category.HIGH_CARD
    assert value("Ks Qs Js Ts").text == "king high, queen, jack, ten"
    assert beats("2c 2d", "Ks Qs Js Ts")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Kc", "king high"),
        ("Kc 4d", "king high, four"),
        ("3c 9d", "pair of aces"),
        ("3c Kd", "pair of kings"),
        ("3c Kd 4h", "pair of kings, four"),
        ("3c 9d 7h", "three sevens"),
        ("3c 9d 3d", "three aces"),
        ("3c 9d Kd 4h", "three kings, four"),
        ("3c 9d 4c 4h", "four fours"),
        ("3c 9d 3d 4h", "four fours"),
        ("3c 9d 3d 9h", "four aces"),
        ("3c Kd 4c 4h", "three fours, king"),  # the biggest group, though the king is higher
        ("3c Kd Kc 4h", "three kings, four"),
        ("Kd Kc 4c 4h", "two pair, kings and fours"),
        ("4c 4d 4h 3c", "four fours"),
        ("4c 4d 4h Kc", "three fours, king"),
    ],
)
def test_r5_2_wilds_join_the_biggest_group_and_all_cards_count(text: str, words: str) -> None:
    assert value(text).text == words
    assert len(value(text).five) == len(text.split())


def test_r5_2_then_the_remaining_cards_from_the_top() -> None:
    assert beats("Kc 4d", "Kd 2c")
    assert beats("8c 8d Kh 2c", "8h 8s Qh Jc")
    assert beats("Kd Kc 4c 4h", "Ks Kh 2c 2h")


def test_r5_3_from_five_cards_on_they_are_valued_as_at_the_showdown() -> None:
    for text in (
        "5s 6h 7c 8d Ts",
        "2s 4s 5s 6s 7s 8d",
        "8s 8h 8c 3c 9d 2c 4d",
        "3c 9d 3h 9s 3s 9c",
    ):
        assert value(text) == showdown(cards(text))
        assert len(value(text).five) == 5


def test_r5_3_categories_are_compared_whatever_the_number_of_cards() -> None:
    assert beats("5s 6h 7c 8d 3s", "As Ah Ac 2d")  # a straight of five, three of a kind of four
    assert beats("4s 4h 4c 4d", "As Ah Ac Kd Ks")  # four of a kind of four, a full house of five
    assert beats("2c 2d", "As Kh Qc Jd 8s 7c 6c 5c")


def test_r5_4_of_equals_as_far_as_the_shorter_goes_the_longer_is_better() -> None:
    assert beats("Kc 4d", "Kd")
    assert beats("Kc Kd 4h", "Ks Kh")
    assert beats("Kc Kd 4h 4s 2c", "Ks Kh 4d 4c")
    assert beats("8c 8d 8h 8s 2c", "8c 8d 8h 3s")


def test_r5_4_six_cards_do_not_beat_an_equal_five() -> None:
    assert ties("As Kh Qc Jd 8s 7c", "Ah Kc Qd Js 8h")
    assert ties("8s 8h 8c Kd Ks 2c 4d 5s", "8s 8h 8c Kd Ks")


def test_r5_4_never_does_a_mere_number_of_cards_beat_a_higher_rank() -> None:
    assert beats("As", "Kc 4d")
    assert beats("As", "Kc Qd Jh Tc")
    assert beats("8c 8d", "7c 7d Ah Ks")
    assert beats("Ac Kd", "Ad Qc Jh Ts 8d 7c 6c 5h")


def test_r5_5_suits_never_decide_and_a_natural_card_is_no_better_than_a_wild() -> None:
    assert ties("Ks", "Kc")
    assert ties("Kc 3d", "Kd Kh")
    assert ties("3c 9c", "As Ah")
    assert ties("7c 7d 7h", "7s 3c 9d")
    assert ties("2s 4s 5s 6s 7s", "2c 4c 5c 6c 7c")
