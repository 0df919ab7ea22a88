"""R1 to R3: the table, the dealer, the pack and the deal, rule by rule."""

import pytest
from game.scripted import dealt, play, stacked, ups

from sandlot import cards
from sandlot.errors import CardError, RuleError
from sandlot.game import VARIANTS, Anted, Dealt, Opened
from sandlot.pack import PACK, Deck

BASEBALL = VARIANTS["baseball"]
CHECKED_DOWN = "check check " * 5


def deals(hand, street=None):
    return [e for e in hand.events if isinstance(e, Dealt) and street in (None, e.street)]


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_r1_1_two_to_six_seats_may_play(seats):
    hand = BASEBALL.deal(seats, 0, PACK)
    assert len(hand.net) == seats


@pytest.mark.parametrize("seats", [-1, 0, 1, 7])
def test_r1_1_other_numbers_of_seats_are_refused(seats):
    with pytest.raises(RuleError, match=r"2 to 6 \(R1.1\)"):
        BASEBALL.deal(seats, 0, PACK)


@pytest.mark.parametrize("dealer", [-1, 3])
def test_r1_1_seats_are_numbered_from_0_to_one_less(dealer):
    with pytest.raises(RuleError, match=r"0 to 2 \(R1.1\)"):
        BASEBALL.deal(3, dealer, PACK)


def test_r1_2_threes_and_nines_are_wild_in_every_view():
    hand = dealt("")
    assert BASEBALL.wild == "39"
    assert hand.view(0).wild == "39"


def test_r1_2_a_wild_face_down_counts_at_the_showdown():
    # seat 0: 3s Kd down; seat 1: Ac Ad down; nothing else helps.
    hand = dealt("3s Ac Kd Qd Kc 2h 7h 6c 8d Jh 2c Tc 5h 8c")
    play(hand, CHECKED_DOWN)
    shown = {e.seat: e.category for e in hand.events if type(e).__name__ == "Revealed"}
    assert shown[0] == "three of a kind"


def test_r1_3_nobody_is_ever_all_in():
    hand = dealt("")
    script = "bet raise raise raise call " * 5
    play(hand, script)
    assert hand.over
    assert sorted(hand.paid_hand) == [21, 21]  # 1 + 5 x 4, whatever the balance


def test_r2_2_every_seat_antes_one_from_the_dealers_left():
    hand = dealt("", seats=4, dealer=1)
    assert hand.events[:4] == (Anted(2, 1), Anted(3, 1), Anted(0, 1), Anted(1, 1))
    assert hand.pot == 4


def test_r2_3_a_deck_is_all_52_cards():
    with pytest.raises(CardError, match="short"):
        BASEBALL.deal(2, 0, PACK[1:])
    with pytest.raises(CardError, match="there already"):
        BASEBALL.deal(2, 0, (*PACK[1:], PACK[1]))


def test_r2_3_a_deck_that_is_one_is_taken_as_it_is():
    deck = Deck(reversed(PACK))
    assert BASEBALL.deal(2, 0, deck).deck is deck
    assert BASEBALL.deal(2, 0, tuple(deck)).deck == deck


def test_r2_3_the_deck_is_dealt_from_the_top():
    deck = cards(stacked("As Ks Qs Js Ts"))
    hand = BASEBALL.deal(2, 1, deck)
    assert [event.card for event in deals(hand)] == list(deck[:6])


def test_r3_1_cards_go_clockwise_from_the_dealers_left_the_dealer_last():
    hand = dealt("", seats=4, dealer=2)
    assert [event.seat for event in deals(hand)] == [3, 0, 1, 2] * 3


def test_r3_1_a_folded_dealer_still_marks_the_place():
    # Seat 3 shows the ace and bets; the dealer, seat 1, folds.
    hand = dealt("2c 2d 2h 2s 5c 5d 5h 5s 6c As 7d 8d", seats=4, dealer=1)
    assert ups(hand) == ["7d", "8d", "6c", "As"]
    play(hand, "bet call fold call")
    assert [event.seat for event in deals(hand, 4)] == [2, 3, 0]


def test_r3_2_third_street_is_down_down_up():
    hand = dealt("", seats=3)
    assert [event.up for event in deals(hand, 3)] == [False] * 6 + [True] * 3


def test_r3_2_then_three_up_and_one_down():
    hand = play(dealt(""), CHECKED_DOWN)
    faces = {street: {event.up for event in deals(hand, street)} for street in (4, 5, 6, 7)}
    assert faces == {4: {True}, 5: {True}, 6: {True}, 7: {False}}
    assert all(len(deals(hand, street)) == 2 for street in (4, 5, 6, 7))


def test_r3_3_an_exposed_four_brings_a_card_before_the_next_seat_is_served():
    # The worked example: 6c, then 4h up, at once Kd up, then the next seat.
    hand = dealt("2c 2d 5c 5d 6c 7d 4h Kd 8s")
    play(hand, "check check")
    fourth = [(e.seat, str(e.card), e.up, e.bonus) for e in deals(hand, 4)]
    assert fourth == [(0, "4h", True, False), (0, "Kd", True, True), (1, "8s", True, False)]
    assert ups(hand) == ["6c 4h Kd", "7d 8s"]


def test_r3_3_a_four_brought_by_a_four_brings_another_and_so_on():
    hand = dealt("2c 2d 5c 5d 6c 7d 4h 4s 4d 4c Kd 8s")
    play(hand, "check check")
    assert ups(hand) == ["6c 4h 4s 4d 4c Kd", "7d 8s"]
    assert [e.bonus for e in deals(hand, 4)] == [False, True, True, True, True, False]


def test_r3_3_it_holds_for_the_first_up_card():
    hand = dealt("2c 2d 5c 5d 4h Kd 7d")
    assert ups(hand) == ["4h Kd", "7d"]


def test_r3_3_r3_6_it_is_free():
    hand = dealt("2c 2d 5c 5d 4h Kd 7d")
    assert hand.pot == 2
    assert hand.paid_hand == [1, 1]


def test_r3_4_a_four_face_down_gives_nothing():
    hand = dealt("4c 4d 4h 4s 6c 7d")
    assert [len(down) for down in hand.down] == [2, 2]
    assert ups(hand) == ["6c", "7d"]


def test_r3_4_on_seventh_street_neither():
    hand = dealt("2c 2d 5c 5d 6c 7d 8c 8d Tc Td Jc Jd 4c 4d Kc")
    play(hand, CHECKED_DOWN)
    assert [event.bonus for event in deals(hand, 7)] == [False, False]
    assert [len(down) for down in hand.down] == [3, 3]


@pytest.mark.parametrize("card", [card for card in PACK if card.rank != 4])
def test_r3_4_only_a_four_brings_a_card(card):
    assert BASEBALL.gives_bonus[card] is False


def test_r3_4_a_wild_card_is_never_a_four():
    fours_wild = type(BASEBALL)("fours", 1, 2, 6, wild="4", bonus="4", program=BASEBALL.program)
    assert not any(fours_wild.gives_bonus)


def test_r3_5_nothing_is_burned_and_a_folded_seat_gets_no_card():
    deck = cards(stacked("2c 2d 2h 5c 5d 5h 6c 7d As"))
    hand = BASEBALL.deal(3, 2, deck)
    play(hand, "bet fold call")
    assert [event.seat for event in deals(hand, 4)] == [1, 2]
    assert [event.card for event in deals(hand, 4)] == list(deck[9:11])


def test_r3_6_a_wild_up_card_costs_nothing():
    hand = dealt("2c 2d 5c 5d 3c 9d")
    assert hand.pot == 2


def test_r3_7_the_stock_never_runs_out_and_46_is_the_most():
    # Every 4 comes up for somebody; six seats stay to the end.
    fours = "4c 4d 4h 4s"
    first = "2c 2d 2h 2s 5c 5d 5h 5s 6c 6d 6h 6s " + fours
    hand = dealt(first, seats=6)
    play(hand, "check " * 30)
    assert len(deals(hand)) == 46
    held = [len(down) + len(up) for down, up in zip(hand.down, hand.up, strict=True)]
    assert sum(held) == 46
    assert min(held) == 7
    assert max(held) == 11


def test_r3_7_a_game_that_could_run_out_of_cards_is_refused():
    with pytest.raises(RuleError, match=r"R3.7"):
        type(BASEBALL)("crowd", 1, 2, 7, wild="39", bonus="4", program=BASEBALL.program)


def test_r4_1_five_betting_rounds_one_a_street():
    hand = play(dealt(""), CHECKED_DOWN)
    assert [e.street for e in hand.events if isinstance(e, Opened)] == [3, 4, 5, 6, 7]
