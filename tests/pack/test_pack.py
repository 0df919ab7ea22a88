"""Cards, packs and decks: they print and parse back, and what is none is refused by name."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandlot.errors import CardError, SandlotError
from sandlot.pack import PACK, RANKS, SUITS, Card, Deck, cards, deck, text_of

some_cards = st.lists(st.sampled_from(PACK), unique=True)


def refused(what: str) -> pytest.RaisesExc[CardError]:
    return pytest.raises(CardError, match=f"^{what}$")


def test_a_card_is_four_times_its_rank_from_2_and_its_suit() -> None:
    assert [int(card) for card in cards("2c 2d 2h 2s 3c Th As")] == [0, 1, 2, 3, 4, 34, 51]
    assert Card("Th").rank == 10
    assert Card("Th").suit == 2
    assert (Card("2c").rank, Card("As").rank) == (2, 14)


def test_r1_1_the_pack_is_52_different_cards_in_order() -> None:
    assert [int(card) for card in PACK] == list(range(52))
    assert [str(card) for card in PACK] == [rank + suit for rank in RANKS for suit in SUITS]
    assert len({str(card) for card in PACK}) == 52


@pytest.mark.parametrize("card", PACK)
def test_a_card_prints_and_parses_back(card: Card) -> None:
    assert Card(str(card)) is card
    assert Card(int(card)) is card
    assert Card(card) is card
    assert f"{card}" == repr(card) == str(card)
    assert f"{card:>4}" == "  " + str(card)
    assert pickle.loads(pickle.dumps(card)) is card
    assert copy.deepcopy(card) is card


@given(some_cards)
def test_cards_print_and_parse_back(found: list[Card]) -> None:
    assert cards(text_of(found)) == tuple(found)
    assert cards(map(str, found)) == tuple(found)
    assert cards(map(int, found)) == tuple(found)


@given(st.permutations(PACK))
def test_a_deck_prints_and_parses_back(order: list[Card]) -> None:
    assert deck(text_of(order)) == deck(order) == tuple(order)


@given(st.text(max_size=4) | st.text(RANKS + SUITS + "10x ", max_size=3))
def test_any_text_is_a_card_that_prints_so_or_is_refused(text: str) -> None:
    if text in {str(card) for card in PACK}:
        assert str(Card(text)) == text
    else:
        with pytest.raises(CardError, match=re.escape(f"{text!r} is not a card: ")):
            Card(text)


@given(st.integers(-100, 200))
def test_any_number_is_a_card_from_0_to_51_or_is_refused(number: int) -> None:
    if 0 <= number < 52:
        assert int(Card(number)) == number
    else:
        with refused(rf"{number} is not a card: card numbers run from 0 \(2c\) to 51 \(As\)"):
            Card(number)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("10h", "the ten is written T, as in 'Th'"),
        ("10", "the ten is written T, as in 'Th'"),
        ("Xx", "the rank 'X' is none of 2 3 4 5 6 7 8 9 T J Q K A"),
        ("1h", "the rank '1' is none of 2 3 4 5 6 7 8 9 T J Q K A"),
        ("Tx", "the suit 'x' is none of c d h s"),
        ("th", "write 'Th'"),
        ("TH", "write 'Th'"),
        ("T", "a card is a rank and a suit, two characters, as in 'Th'"),
        ("", "a card is a rank and a suit, two characters, as in 'Th'"),
        ("Thh", "a card is a rank and a suit, two characters, as in 'Th'"),
        ("hT", "the rank 'h' is none of 2 3 4 5 6 7 8 9 T J Q K A"),
    ],
)
def test_what_is_no_card_is_refused_with_what_to_write(text: str, why: str) -> None:
    with refused(f"'{text}' is not a card: {why}"):
        Card(text)


@pytest.mark.parametrize("junk", [None, b"Th", 1.0, 34.5, Fraction(34), [], ("T", "h"), object()])
def test_what_is_neither_text_nor_a_whole_number_is_no_card(junk: Any) -> None:
    with pytest.raises(CardError, match=re.escape(f"{junk!r} is not a card: write it as text")):
        Card(junk)
    with pytest.raises(CardError, match=re.escape(f"card 2: {junk!r} is not a card")):
        cards(["Th", junk])


def test_whatever_counts_as_a_whole_number_is_a_card() -> None:
    class Whole:
        def __index__(self) -> int:
            return 34

    assert Card(Whole()) is Card("Th")  # type: ignore[arg-type]


def test_a_card_counts_as_its_number_and_reckons_as_one() -> None:
    card = Card("Th")
    assert card == 34
    assert hash(card) == hash(34)
    assert sorted(cards("As 2c Th")) == [0, 34, 51]
    assert list(range(52))[card] == 34
    assert (type(card + 1), Card(card + 1)) == (int, Card("Ts"))
    assert json.dumps([card]) == "[34]"


def test_a_refusal_says_which_card_it_was() -> None:
    with refused("card 3: '10h' is not a card: the ten is written T, as in 'Th'"):
        cards("8s 8h 10h 3c")
    with refused("card 2: 'Xx' is not a card: the rank 'X' is none of 2 3 4 5 6 7 8 9 T J Q K A"):
        cards("8s Xx")
    with refused(r"card 2: 52 is not a card: card numbers run from 0 \(2c\) to 51 \(As\)"):
        cards([0, 52])


@given(some_cards.filter(bool), st.data())
def test_a_card_twice_is_refused_with_both_places(found: list[Card], data: st.DataObject) -> None:
    first = data.draw(st.integers(1, len(found)))
    twice = [*found, found[first - 1]]
    place = len(twice)
    with refused(f"card {place}: {found[first - 1]} is there already as card {first}"):
        cards(text_of(twice))
    with refused(f"card {place}: {found[first - 1]} is there already as card {first}"):
        deck(twice)


def test_a_short_deck_is_refused_with_what_is_missing() -> None:
    with refused("the deck is short: 51 cards of 52, without As"):
        deck(PACK[:-1])
    with refused("the deck is short: 46 cards of 52, without Kh Ks Ac Ad Ah ..."):
        deck(text_of(PACK[:46]))
    with refused("the deck is short: 0 cards of 52, without 2c 2d 2h 2s 3c ..."):
        deck("")


def test_a_deck_too_long_holds_a_card_twice() -> None:
    with refused("card 53: 2c is there already as card 1"):
        deck([*PACK, PACK[0]])


@pytest.mark.parametrize(
    "wrong", [PACK[:-1], [*PACK, PACK[0]], [PACK[0]] * 52, [*PACK[:-1], "10h"]]
)
def test_no_deck_is_made_of_what_is_none(wrong: list[Card]) -> None:
    with pytest.raises(CardError):
        Deck(wrong)


@pytest.mark.parametrize(
    "same", [list(PACK), range(52), text_of(PACK), [str(card) for card in PACK]]
)
def test_a_deck_holds_cards_whatever_it_was_made_of(same: Any) -> None:
    made = Deck(same)
    assert made == deck(same) == PACK
    assert {type(card) for card in made} == {Card}


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_a_copy_of_a_deck_is_a_deck(copied: Callable[[Deck], Deck]) -> None:
    made = Deck(reversed(PACK))
    other = copied(made)
    assert type(other) is Deck
    assert other == made == PACK[::-1]
    assert hash(other) == hash(PACK[::-1])


def test_white_space_of_any_kind_parts_cards_and_no_card_is_none() -> None:
    assert cards("  8s\t8h\n3c ") == cards("8s 8h 3c")
    assert cards("") == cards([]) == ()
    assert text_of(()) == ""


def test_a_card_error_is_a_sandlot_error_and_a_value_error() -> None:
    with pytest.raises(SandlotError):
        Card("10h")
    with pytest.raises(ValueError, match="is not a card"):
        Card("10h")
