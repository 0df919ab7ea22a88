"""R6: showdown hands, rule by rule. Hands are written as text, the better one first."""

from __future__ import annotations

from itertools import pairwise

import pytest

from sandlot.hands import Category, Value, showdown
from sandlot.pack import cards


def value(text: str, wild: str = "39") -> Value:
    return showdown(cards(text), wild)


def beats(better: str, worse: str) -> bool:
    return value(better) > value(worse) and not value(worse) >= value(better)


def ties(one: str, other: str) -> bool:
    return value(one) == value(other) and not value(one) < value(other)


def stand_ins(text: str) -> dict[str, str]:
    """What the wilds among the five stand for."""
    return {received: named for received, named in value(text).five if received[0] in "39"}


def test_r1_2_every_3_and_every_9_is_wild() -> None:
    for wild in ("3c", "3d", "3h", "3s", "9c", "9d", "9h", "9s"):
        assert value(f"8s 8h 8c 8d {wild}").category is Category.FIVE_OF_A_KIND


def test_r1_2_other_games_have_other_wilds_or_none() -> None:
    assert value("8s 8h 8c 8d 3c", wild="").category is Category.FOUR_OF_A_KIND
    assert value("8s 8h 8c 3c 2c", wild="2").category is Category.FOUR_OF_A_KIND
    assert value("3s 3h 3c 3d 9c", wild="").text == "four threes, nine"


@pytest.mark.parametrize(
    "received",
    [
        "Ks Kh 2c 4d 6h 7s Tc Jd Kc 4s",
        "4d 4s Kc Kh Ks Jd Tc 7s 6h 2c",
    ],
)
def test_r6_1_the_best_five_of_all_cards_received(received: str) -> None:
    assert value(received).text == "full house, kings over fours"


def test_r6_1_bonus_cards_count_so_eleven_cards_are_valued() -> None:
    assert value("2c 4d 6h 8s Tc Qd 4h 4s 4c Kd Jh").text == "four fours, king"


def test_r6_2_the_ten_categories_from_the_top() -> None:
    hands = [
        ("five of a kind", "2s 2h 2c 2d 3c"),
        ("straight flush", "2s 3s 4s 5s 6s"),
        ("four of a kind", "2s 2h 2c 2d 4s"),
        ("full house", "2s 2h 2c 4d 4s"),
        ("flush", "2s 4s 5s 6s 7s"),
        ("straight", "2s As 4h 5h 3d"),
        ("three of a kind", "2s 2h 2c 4d 5s"),
        ("two pair", "2s 2h 4c 4d 5s"),
        ("pair", "2s 2h 4c 5d 6s"),
        ("high card", "2s 4h 5c 6d 7s"),
    ]
    assert [value(text).category.label for _, text in hands] == [label for label, _ in hands]
    for (_, better), (_, worse) in pairwise(hands):
        assert beats(better, worse)
    # The lowest of a category beats the highest of the next: no rank outweighs it.
    assert beats("2s 2h 2c 2d 3c", "As Ks Qs Js Ts")
    assert beats("As 2s 3s 4s 5s", "As Ah Ac Ad Ks")
    assert beats("2s 2h 2c 2d 4s", "As Ah Ac Kd Ks")
    assert beats("2s 2h 2c 4d 4s", "As Ks Qs Js 8s")
    assert beats("2s 4s 5s 6s 7s", "As Kh Qs Jd Ts")
    assert beats("As 2h 4s 5s 3d", "As Ah Ac Kd Qs")
    assert beats("2s 2h 2c 4d 5s", "As Ah Kc Kd Qs")
    assert beats("2s 2h 4c 4d 5s", "As Ah Kc Qd Js")
    assert beats("2s 2h 4c 5d 6s", "As Kh Qc Jd 8s")


def test_r6_3_a_wild_stands_for_a_card_that_is_missing_from_the_five() -> None:
    assert stand_ins("Ks Kh Qd 7c 9d") == {"9d": "Kc"}
    assert stand_ins("Kc Kd Qd 7c 9d") == {"9d": "Kh"}


def test_r6_3_missing_means_from_the_five_not_from_all_the_cards() -> None:
    """The wild is the 9d of the straight flush, which the seat holds, as another wild, too."""
    flush = value("Td Jd Qd 3c 9d 4s")
    assert flush.text == "ace-high straight flush"
    nine_high = value("5d 6d 7d 8h 9d 3c 2s")
    assert nine_high.text == "nine-high straight flush"
    assert dict(nine_high.five) == {"7d": "7d", "6d": "6d", "5d": "5d", "3c": "9d", "9d": "8d"}


def test_r6_3_a_3h_may_be_the_3h() -> None:
    flush = value("3h Ah 2h 4h 5h")
    assert (flush.category, flush.text) == (Category.STRAIGHT_FLUSH, "five-high straight flush")
    assert ("3h", "3h") in flush.five


def test_r6_3_a_fifth_card_of_the_rank_for_five_of_a_kind_alone() -> None:
    assert value("8s 8h 8c 8d 3c").five[-1] == ("3c", "8*")
    assert value("8s 8h 8c 3d 3c").five[-2:] == (("3c", "8d"), ("3d", "8*"))


def test_r6_3_no_flush_holds_two_aces() -> None:
    assert value("Ah Kh 8h 5h 9c").text == "ace-high flush, king, queen, eight, five"
    assert beats("Ah Kh 8h 5h 9c", "Ah Kh Th 8h 5h")
    assert ties("Ah Kh 8h 5h 9c", "As Ks Qs 8s 5s")


def test_r6_3_a_flush_with_two_wilds_takes_the_two_highest_that_are_missing() -> None:
    assert stand_ins("Ah 7h 2h 9c 3d") == {"3d": "Kh", "9c": "Qh"}


@pytest.mark.parametrize(
    "received",
    [
        "3c 3d 3h 3s 9c",
        "3c 3d 3h 3s 9c 9d",
        "3c 3d 3h 3s 9c 9d 9h 9s",
        "3c 3d 3h 3s 9c Kc Kd Kh Ks",
        "3c 3d 3h 3s 9c 2s 4s 5s 6s 7s 8s",
    ],
)
def test_r6_3_five_or_more_wilds_are_five_aces(received: str) -> None:
    assert value(received).text == "five aces"
    assert ties(received, "As Ah Ac Ad 3c")


def test_r6_3_four_wilds_join_the_highest_natural_card() -> None:
    assert value("3c 3d 3h 3s Kc Qc").text == "five kings"
    assert beats("3c 3d 3h 3s Ac", "3c 3d 3h 3s Kc Qc Qd Qh Qs")


def test_r6_4_the_ace_is_high() -> None:
    assert value("As Kh Qc Jd Ts", wild="") > value("Ks Qh Jc Td 9s", wild="")
    assert beats("As Kh Qc Jd 8s", "Ks Qh Jc Td 8s")


def test_r6_4_ace_to_five_is_the_lowest_straight() -> None:
    assert value("As 2h 4c 5d 3s").text == "five-high straight"
    assert beats("2h 4c 5d 6s 3s", "As 2h 4c 5d 3s")
    assert value("As 2s 4s 5s 3d").text == "five-high straight flush"


def test_r6_4_a_straight_never_runs_round_the_corner() -> None:
    assert value("Qs Kh Ac 2d 4s").category is Category.HIGH_CARD
    assert value("Ks Ah 2c 4d 3s").text == "pair of aces, king, four, two"
    assert value("Js Qh Kc Ad 2s", wild="").category is Category.HIGH_CARD
    assert value("Qs Ks As 2s 4s").category is Category.FLUSH


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("8s 8h 8c 8d 3c", "7s 7h 7c 3d 3h"),  # five of a kind: the rank
        ("4s 5s 6s 7s 8s", "Ah 2h 3h 4h 5h"),  # straight flush and straight: the top card
        ("4s 5h 6s 7d 8s", "Ah 2c 3h 4h 5h"),
        ("5s 5h 5c 5d 2s", "4s 4h 4c 4d As"),  # four of a kind: the rank, then the other card
        ("5s 5h 5c 5d Ks", "5s 5h 5c 5d Qs"),
        ("5s 5h 5c 2d 2s", "4s 4h 4c Ad As"),  # full house: the three, then the pair
        ("5s 5h 5c 6d 6s", "5s 5h 5c 4d 4s"),
        ("Ks Js 8s 5s 4s", "Ks Js 8s 5s 2s"),  # flush: from the top down, to the last
        ("Ks Js 8s 5s 4s", "Ks Ts 8s 7s 6s"),
        ("5s 5h 5c 6d 2s", "4s 4h 4c Ad Ks"),  # three of a kind: the rank, then the others
        ("5s 5h 5c Kd 4s", "5s 5h 5c Kd 2s"),
        ("5s 5h 5c Kd 2s", "5s 5h 5c Qd Js"),
        ("Ks Kh 2c 2d 4s", "Qs Qh Jc Jd As"),  # two pair: the high, the low, the other card
        ("Ks Kh 4c 4d 2s", "Ks Kh 2c 2d As"),
        ("Ks Kh 4c 4d 5s", "Ks Kh 4c 4d 2s"),
        ("5s 5h 2c 4d 6s", "4s 4h Ac Kd Qs"),  # pair: the pair, then the rest
        ("5s 5h Ac 4d 2s", "5s 5h Kc Qd Js"),
        ("5s 5h Ac Kd 4s", "5s 5h Ac Kd 2s"),
        ("As Kh 8c 5d 4s", "As Kh 8c 5d 2s"),  # high card: from the top down
        ("As 6h 5c 4d 2s", "Ks Qh Jc 8d 7s"),
    ],
)
def test_r6_5_ties_inside_a_category(better: str, worse: str) -> None:
    assert value(better).category is value(worse).category
    assert beats(better, worse)


def test_r6_5_no_card_counts_beside_five_of_a_kind_or_beyond_the_five() -> None:
    assert ties("8s 8h 8c 8d 3c As", "8s 8h 8c 8d 3c 2s")
    assert ties("As Kh Qc Jd 8s 7h 2c", "As Kh Qc Jd 8s 6h 4c")
    assert ties("Ks Kh 4c 4d 2s 2h Ac", "Ks Kh 4c 4d 2s Ah 8d")


def test_r6_6_suits_never_decide() -> None:
    assert ties("As Ks Qs Js Ts", "Ac Kc Qc Jc Tc")
    assert ties("2s 4s 5s 6s 7s", "2c 4c 5c 6c 7c")
    assert ties("As Kh Qc Jd 8s", "Ad Kc Qh Js 8c")


def test_r6_6_a_natural_hand_does_not_beat_an_equal_wild_one() -> None:
    assert ties("As Ks Qs Js Ts", "As 9h Qs 3c Ts")
    assert ties("As Ah Ac Kd Ks", "Ac Ad Kc Kd 3s")
    assert ties("Ks Kh Kc 7d 2s", "Ks 3h 3c 7d 2s")


def test_worked_five_eights_beat_a_natural_straight_flush() -> None:
    assert value("8s 8h 8c 8d 3c").text == "five eights"
    assert beats("8s 8h 8c 8d 3c", "As Ks Qs Js Ts")


def test_worked_flush_with_a_wild_queen() -> None:
    assert value("Ah Kh 8h 5h 9c").text == "ace-high flush, king, queen, eight, five"
    assert stand_ins("Ah Kh 8h 5h 9c") == {"9c": "Qh"}


def test_worked_nine_high_straight() -> None:
    assert value("9s 5h 2d Ks 8c 6h 3c").text == "nine-high straight"


def test_worked_four_queens_with_an_ace() -> None:
    assert value("Qd 9d 7d As Qc Qh 4h 2h").text == "four queens, ace"


def test_worked_five_high_straight_flush() -> None:
    assert value("3h Ah 2h 4h 5h").text == "five-high straight flush"
