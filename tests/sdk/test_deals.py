"""What may still come: nothing that was seen, everything else, and whole hands."""

from __future__ import annotations

from collections import Counter
from itertools import islice, permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandlot import cards
from sandlot.deals import completions, shuffled, unseen
from sandlot.errors import RuleError
from sandlot.game import VARIANTS, Hand, Revealed, Variant
from sandlot.game.steps import Ante, Bet, Deal, Showdown
from sandlot.pack import PACK, Deck

BASEBALL = VARIANTS["baseball"]


@st.composite
def hands(draw: st.DrawFn) -> Hand:
    """Draw a hand that was played to any moment."""
    variant = VARIANTS[draw(st.sampled_from(sorted(VARIANTS)))]
    seats = draw(st.integers(variant.least_seats, variant.most_seats))
    random = Random(draw(st.integers(0, 2**32)))
    hand = variant.deal(seats, random.randrange(seats), random.sample(PACK, 52))
    for _ in range(draw(st.integers(0, 60))):
        if hand.to_act is not None:
            hand.apply(random.choice(hand.legal))
    return hand


@given(hands())
def test_unseen_is_the_pack_without_what_the_seat_has_seen(hand: Hand) -> None:
    for seat in range(hand.seats):
        seen = set(hand.known_down(seat))
        for up in hand.up:
            seen |= set(up)
        for event in hand.events:
            if isinstance(event, Revealed):
                seen |= set(event.down)
        assert unseen(hand.view(seat)) == tuple(card for card in PACK if card not in seen)


@given(hands(), st.integers(0, 2**32))
def test_a_completion_agrees_with_what_was_seen(hand: Hand, seed: int) -> None:
    variant = hand.variant
    for viewer in (*range(hand.seats), None):
        view = hand.view(viewer)
        (dealt,) = islice(completions(view, variant, Random(seed)), 1)
        assert len(dealt) == hand.seats
        everything = [card for cards in dealt for card in cards]
        assert len(set(everything)) == len(everything)
        hidden = set(unseen(view))
        for number, (seat, held) in enumerate(zip(view.seats, dealt, strict=True)):
            if not seat.live:
                assert held == ()
                continue
            known = seat.up + (view.down if number == viewer else ())
            assert held[: len(known)] == (view.down + seat.up if number == viewer else seat.up)
            assert set(held[len(known) :]) <= hidden
            if not variant.bonus:
                assert len(held) == 7
            assert 7 <= len(held) <= 11


@given(hands(), st.integers(0, 2**32))
def test_a_completion_of_a_hand_with_all_cards_out_deals_hidden_cards_alone(
    hand: Hand, seed: int
) -> None:
    while hand.to_act is not None and hand.street < 7:
        hand.apply(hand.legal[0])
    if hand.over or hand.street < 7:
        return
    view = hand.view(hand.to_act)
    (dealt,) = islice(completions(view, hand.variant, Random(seed)), 1)
    for number, seat in enumerate(view.seats):
        if seat.live:
            assert len(dealt[number]) == len(seat.up) + seat.down
            assert number != view.seat or dealt[number] == view.cards


def test_r3_3_a_4_to_come_face_up_brings_its_bonus_and_face_down_none() -> None:
    view = BASEBALL.deal(2, 0, PACK).view(0)
    counts: Counter[tuple[int, int]] = Counter()
    for dealt in islice(completions(view, BASEBALL, Random(1)), 4000):
        own = dealt[0]
        new = own[3:]
        counts[len(own) - 7, sum(card.rank == 4 for card in new)] += 1
        # The first of the new cards is the one that will be dealt face down on seventh street.
        assert len(own) - 7 == sum(card.rank == 4 for card in new[1:])
    assert {bonus for bonus, _ in counts} >= {0, 1, 2}


def test_r3_4_a_4_face_down_brings_nothing() -> None:
    view = BASEBALL.deal(2, 0, PACK).view(0)
    down_only = 0
    for dealt in islice(completions(view, BASEBALL, Random(1)), 1000):
        new = dealt[0][3:]
        if new[0].rank == 4 and all(card.rank != 4 for card in new[1:]):
            down_only += 1
            assert len(dealt[0]) == 7
    assert down_only > 20


def test_r3_3_a_4_that_has_been_dealt_has_had_its_bonus() -> None:
    first = cards("2c 2d 5c 5d 4h 6c Kd")
    deck = [*first, *(card for card in PACK if card not in first)]
    view = BASEBALL.deal(2, 1, deck).view(0)
    assert view.up == cards("4h 6c")
    lengths = {len(deal[0]) for deal in islice(completions(view, BASEBALL, Random(2)), 500)}
    assert min(lengths) == 8


def test_every_unseen_card_is_as_likely_everywhere() -> None:
    view = BASEBALL.deal(2, 0, PACK).view(0)
    stud = VARIANTS["seven-card-stud"]  # no bonus cards, so that all places are alike
    places: Counter[tuple[int, int]] = Counter()
    deals = 4000
    for dealt in islice(completions(view, stud, Random(3)), deals):
        drawn = dealt[0][3:] + dealt[1][1:]
        places.update((place, card) for place, card in enumerate(drawn))
    hidden = unseen(view)
    expected = deals / len(hidden)
    chi_square = sum(
        (places[place, card] - expected) ** 2 / expected for place in range(10) for card in hidden
    )
    freedom = 10 * (len(hidden) - 1)
    assert abs(chi_square - freedom) < 5 * (2 * freedom) ** 0.5


def test_the_same_chance_gives_the_same_deals() -> None:
    view = BASEBALL.deal(4, 0, PACK).view(1)
    once, again = (list(islice(completions(view, BASEBALL, Random(4)), 5)) for _ in "12")
    assert once == again
    assert len(set(once)) == 5


@pytest.mark.parametrize("seats", range(2, 7))
def test_the_stock_never_runs_out(seats: int) -> None:
    view = BASEBALL.deal(seats, 0, PACK).view(0)
    for dealt in islice(completions(view, BASEBALL, Random(5)), 300):
        assert sum(map(len, dealt)) <= 46


class Scripted(Random):
    """Gives the numbers it was told, and counts them."""

    def __init__(self, *numbers: float) -> None:
        super().__init__()
        self.numbers = list(numbers)
        self.asked = 0

    def random(self) -> float:
        self.asked += 1
        return self.numbers.pop(0) if self.numbers else 0.0


TABLES = [
    (name, seats)
    for name, variant in VARIANTS.items()
    for seats in range(variant.least_seats, variant.most_seats + 1)
]


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_r3_7_a_shuffled_deck_is_whole_and_drawn_as_deep_as_the_hand_can_go(
    name: str, seats: int
) -> None:
    variant, chance = VARIANTS[name], Scripted()
    deck = shuffled(variant, seats, chance)
    assert type(deck) is Deck
    assert sorted(deck) == list(PACK)
    assert chance.asked == 7 * seats + (4 if name == "baseball" else 0)


@pytest.mark.parametrize("number", [0.0, 0.5, 1 - 2**-53])
def test_a_deck_is_whole_whatever_is_drawn(number: float) -> None:
    deck = shuffled(BASEBALL, 6, Scripted(*[number] * 46))
    assert sorted(deck) == list(PACK)


def test_every_row_of_the_cards_that_can_be_dealt_is_equally_likely() -> None:
    # One card each for two seats: of the 52 x 51 ways to draw them each gives another row.
    program = (Ante(), Deal(3, (True,)), Bet(3), Showdown())
    tiny = Variant("tiny", 1, 2, 2, wild="", bonus="", program=program)
    rows = Counter(
        shuffled(tiny, 2, Scripted((first + 0.5) / 52, (second + 0.5) / 51))[:2]
        for first in range(52)
        for second in range(51)
    )
    assert rows == Counter(permutations(PACK, 2))


@given(st.sampled_from(TABLES), st.integers(0, 2**32))
def test_no_card_is_dealt_that_was_not_drawn(table: tuple[str, int], seed: int) -> None:
    name, seats = table
    variant, random = VARIANTS[name], Random(seed)
    hand = variant.deal(seats, 0, shuffled(variant, seats, random))
    while hand.to_act is not None:
        hand.apply(random.choice(hand.legal[:-1]))  # nobody folds where it can be helped
    assert hand.drawn <= variant.most_dealt(seats)


def test_the_same_chance_shuffles_alike() -> None:
    once, again = (shuffled(BASEBALL, 3, Random(1)) for _ in "12")
    assert once == again != shuffled(BASEBALL, 3, Random(2))


@pytest.mark.parametrize("seats", [1, 7])
def test_r1_1_no_deck_is_shuffled_for_a_table_that_cannot_be(seats: int) -> None:
    with pytest.raises(RuleError, match=rf"^{seats} seats: baseball is for 2 to 6 \(R1.1\)$"):
        shuffled(BASEBALL, seats, Random(1))
