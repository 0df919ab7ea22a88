"""Faults that users of other evaluators reported: each is a test here."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandlot.errors import CardError
from sandlot.hands import Value, exposed, showdown
from sandlot.pack import cards


def text(received: str) -> str:
    return showdown(cards(received)).text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ks Kh 4c 4d As 2c 2d", "Kc Kd 4h 4s Ac 8c Jd"),  # the third pair
        ("As Kh Qc Jd Ts 2c 4d", "Ad Kc Qh Js Tc 8s 8d"),  # a pair beside a straight
        ("2s 5s 8s Js Ks 2c 2d", "2h 5h 8h Jh Kh Ac Qd"),  # what is not of the suit
        ("8s 8h 8c 8d As 2c 2d", "8s 8h 8c 8d Ac Kh Kd"),  # beyond the fifth card
        ("5s 5h 5c Kd Kh 2c 4d", "5s 5h 5d Ks Kc Qc Jd"),  # beside a full house
        ("8s 8h 8c 8d 3c Ac Ad", "8s 8h 8c 8d 3c 2c 4d"),  # beside five of a kind
    ],
)
def test_cards_beyond_the_five_do_not_break_a_tie(one: str, other: str) -> None:
    assert showdown(cards(one)) == showdown(cards(other))


def test_a_wild_fills_the_gap_before_it_goes_on_top() -> None:
    assert text("5c 6d 7h 8s 3c Td") == "ten-high straight"
    assert ("3c", "9c") in showdown(cards("5c 6d 7h 8s 3c Td")).five
    assert text("5c 6d 7h 8s 3c Jd") == "nine-high straight"
    assert text("5c 6c 7c 8c 3h Tc 2d") == "ten-high straight flush"


def test_a_rank_that_reaches_six_or_seven_with_wilds_is_five_of_a_kind() -> None:
    assert text("8s 8h 8c 8d 3c 9c") == "five eights"
    assert text("8s 8h 8c 8d 3c 9c 3h") == "five eights"
    assert text("8s 8h 8c 8d 3c 9c 3h 9h") == "five eights"
    # More of a lower rank is no better than enough of a higher one.
    assert text("8s 8h 8c 8d 3c 9c Ks Kh Kd") == "five kings"


def test_every_suit_with_five_cards_is_looked_at() -> None:
    assert text("2c 4c 5c 7c 8c 2s 4s 5s 7s As") == "ace-high flush, seven, five, four, two"
    assert text("As Ks 8s 7s 2s 4c 5c 6c 7c 8c") == "eight-high straight flush"
    assert text("Ac Kc 8c 7c 2c 4h 5h 6h 7h 8h") == "eight-high straight flush"
    assert text("Jc 7c 5c 3d Kh Qh 8h 9s 2d") == "ace-high flush, king, queen, jack, eight"


def test_two_full_houses_with_the_same_three_are_told_apart_by_their_pairs() -> None:
    assert showdown(cards("8s 8h 8c Kd Ks")) > showdown(cards("8s 8h 8c Qd Qs"))
    assert text("8s 8h 8c Kd Ks Kc") == "full house, kings over eights"
    assert text("8s 8h 8c 2d 2s Kd Ks") == "full house, eights over kings"


@pytest.mark.parametrize("value", [showdown, exposed])
def test_a_card_twice_is_refused(value: Callable[[list[int]], Value]) -> None:
    with pytest.raises(CardError, match="card 6: 8s is there already as card 1"):
        value([27, 26, 25, 24, 4, 27])
    with pytest.raises(CardError, match="card 2: 3c is there already as card 1"):
        value([4, 4, 4, 4, 26])


def test_10_for_t_is_not_misread() -> None:
    with pytest.raises(CardError, match="card 2: '10h' is not a card: the ten is written T"):
        cards("8s 10h")


def test_the_five_shown_are_five() -> None:
    for received in ("8s 8h 8c 8d 3c 9c 3h", "2s 4s 5s 7s 8s Ts Js", "4c 5d 6h 7s 8c Td 2s Jh"):
        five = showdown(cards(received)).five
        assert len(five) == len({received for received, _ in five}) == 5


def test_a_longer_row_of_up_cards_does_not_win_by_its_length() -> None:
    assert exposed(cards("Ac Kd")) > exposed(cards("Ad Qc Jh"))
    assert exposed(cards("Ac")) > exposed(cards("Kd Qc Jh 8s"))


def test_wild_up_cards_are_not_ignored() -> None:
    assert exposed(cards("3c 2d")) > exposed(cards("As Kd"))
