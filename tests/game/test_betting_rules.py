"""R4: betting, rule by rule. Seat 0 is on the dealer's left and shows the ace unless said."""

from fractions import Fraction

import pytest
from game.scripted import dealt, names, play, stacked

from sandlot import Action, cards
from sandlot.errors import RuleError
from sandlot.game import Acted, Awarded, Dealt, Opened, Revealed, Variant
from sandlot.game.steps import Ante, Bet, Deal, Showdown

TWO = "2c 2d 5c 5d As 7d 8c 8d Tc Td Jc Jd"  # seat 0 shows the ace
THREE = "2c 2d 2h 5c 5d 5h As 7d 6h"


def openers(hand):
    return [event.seat for event in hand.events if isinstance(event, Opened)]


def test_r4_2_the_best_exposed_hand_opens():
    hand = dealt("2c 2d 2h 5c 5d 5h 7d As 6h", seats=3)
    assert hand.to_act == 1


def test_r4_2_it_is_decided_anew_every_round():
    hand = dealt("2c 2d 5c 5d As 7d 8c 7h Tc Td", seats=2)
    play(hand, "check check")
    assert openers(hand) == [0, 1]  # the pair of sevens


@pytest.mark.parametrize(("dealer", "opener"), [(0, 1), (1, 2), (2, 0)])
def test_r4_2_of_equal_hands_the_first_from_the_dealers_left_opens(dealer, opener):
    hand = dealt("2c 2d 2h 5c 5d 5h Ks Kd Kh", seats=3, dealer=dealer)
    assert hand.to_act == opener


def test_r4_2_a_seat_that_has_folded_does_not_open():
    hand = dealt("2c 2d 2h 5c 5d 5h Ks As Qh 2s 6c 7c", seats=3)
    play(hand, "check bet raise fold call")  # seat 1, the ace, folds to the raise of seat 0
    assert [event.seat for event in hand.events if isinstance(event, Opened)] == [1, 0]


def test_r4_2_wild_up_cards_count():
    hand = dealt("2c 2d 5c 5d Ks 3d", seats=2)
    assert hand.to_act == 1  # a lone wild is an ace (R5.1)


def test_r4_3_play_goes_clockwise_from_the_opener_over_the_seats_still_in():
    hand = dealt("2c 2d 2h 2s 5c 5d 5h 5s 7d As 6h 8h", seats=4)
    order = []
    for name in "check bet fold call call".split():
        order.append(hand.to_act)
        hand.apply(Action(name))
    assert order == [1, 2, 3, 0, 1]


def test_r4_3_the_opener_need_not_bet():
    assert names(dealt(TWO)) == ["check", "bet"]


def test_r4_4_before_a_bet_check_or_bet_and_no_fold():
    hand = play(dealt(TWO), "check")
    assert names(hand) == ["check", "bet"]
    for name in ("fold", "call", "raise"):
        assert not hand.accepts(Action(name))
    with pytest.raises(RuleError, match=r"R4\.4"):
        hand.apply(Action.FOLD)


def test_r4_5_after_the_bet_call_raise_or_fold():
    hand = play(dealt(TWO), "bet")
    assert names(hand) == ["call", "raise", "fold"]
    with pytest.raises(RuleError, match=r"R4\.5"):
        hand.apply(Action.CHECK)
    with pytest.raises(RuleError, match=r"R4\.5"):
        hand.apply(Action.BET)


@pytest.mark.parametrize("seats", [2, 3])
def test_r4_5_three_raises_then_only_call_or_fold(seats):
    hand = play(dealt(TWO if seats == 2 else THREE, seats=seats), "bet raise raise raise")
    assert hand.level == 4
    assert names(hand) == ["call", "fold"]
    with pytest.raises(RuleError, match=r"R4\.5"):
        hand.apply(Action.RAISE)


def test_r4_5_raises_are_counted_anew_every_round():
    hand = play(dealt(TWO), "bet raise raise raise call")
    assert hand.street == 4
    assert (hand.level, hand.raises_left) == (0, 3)


def test_r4_5_raises_left_counts_down_for_the_table():
    hand = dealt(TWO)
    seen = [hand.raises_left]
    for name in "bet raise raise raise".split():
        hand.apply(Action(name))
        seen.append(hand.raises_left)
    assert seen == [3, 3, 2, 1, 0]


def test_r4_6_each_pays_the_level_less_what_it_has_paid_in_this_round():
    hand = play(dealt(THREE, seats=3), "bet raise raise call call")
    acted = [(e.seat, e.paid, e.level, e.pot) for e in hand.events if isinstance(e, Acted)]
    assert acted == [(0, 1, 1, 4), (1, 2, 2, 6), (2, 3, 3, 9), (0, 2, 3, 11), (1, 1, 3, 12)]


@pytest.mark.parametrize("seats", [2, 3])
def test_r4_6_every_way_to_act_is_its_own_event_at_other_stakes_too(seats):
    program = (Ante(5), Deal(3, (False, False, True)), Bet(3, size=10, raises=2), Showdown())
    game = Variant("dear", 1, 2, 3, wild="", bonus="", program=program)
    for script in ("check bet raise raise call", "bet raise call", "bet fold", "bet call fold"):
        hand = game.deal(seats, seats - 1, cards(stacked("As Ad Ah" if seats == 3 else "As Ad")))
        level, pot, paid = 0, 5 * seats, [0] * seats
        for name in script.split():
            if hand.to_act is None:
                break
            seat = hand.to_act
            level += 10 if name in ("bet", "raise") else 0
            pays = 0 if name == "fold" else level - paid[seat]
            paid[seat] += pays
            pot += pays
            hand.apply(Action(name))
            acted = [event for event in hand.events if isinstance(event, Acted)]
            assert acted[-1] == Acted(3, seat, Action(name), pays, level, pot)


def test_r4_6_a_fold_and_a_check_pay_nothing():
    hand = play(dealt(THREE, seats=3), "check bet fold")
    assert [e.paid for e in hand.events if isinstance(e, Acted)] == [0, 1, 0]


@pytest.mark.parametrize("answer", ["call", "raise", "fold"])
def test_r4_7_a_seat_that_has_checked_may_call_raise_or_fold_later(answer):
    hand = play(dealt(THREE, seats=3), "check bet call")
    assert hand.to_act == 0
    assert answer in names(hand)
    play(hand, answer)


def test_r4_8_without_a_bet_the_round_ends_when_all_have_checked():
    hand = play(dealt(THREE, seats=3), "check check")
    assert hand.street == 3
    play(hand, "check")
    assert hand.street == 4


def test_r4_8_after_a_bet_it_ends_when_every_other_seat_has_called():
    hand = play(dealt(THREE, seats=3), "check check bet call")
    assert (hand.street, hand.to_act) == (3, 1)
    play(hand, "call")
    assert hand.street == 4


def test_r4_8_the_last_raiser_does_not_act_again_but_all_others_do():
    hand = play(dealt(THREE, seats=3), "bet call raise")
    assert hand.to_act == 0
    play(hand, "call")
    assert (hand.street, hand.to_act) == (3, 1)
    play(hand, "call")
    assert hand.street == 4


def test_r4_9_the_down_cards_of_a_folded_seat_are_not_shown_its_up_cards_stay():
    hand = play(dealt(THREE, seats=3), "bet fold call " + "check check " * 4)
    assert {e.seat for e in hand.events if isinstance(e, Revealed)} == {0, 2}
    for seat in (0, 2):
        faces = [e.card for e in hand.view(seat).history if isinstance(e, Dealt) and e.seat == 1]
        assert faces[:2] == [None, None]
        assert hand.view(seat).seats[1].up == hand.up[1] != ()


def test_r4_9_a_folded_seat_wins_nothing_even_with_the_best_hand():
    # Seat 0 would have five aces.
    hand = dealt("3c 2d 3d 5d As 7d 9c 8d Tc Td", seats=2)
    play(hand, "check bet fold")
    assert hand.net == (Fraction(-1), Fraction(1))


def test_r4_10_the_last_seat_takes_the_pot_at_once_with_its_unanswered_bet():
    hand = play(dealt(THREE, seats=3), "bet raise fold fold")
    assert hand.over
    assert hand.events[-1] == Awarded(1, Fraction(6))  # 3 antes, 1 bet, 2 for the raise
    assert hand.street == 3
    assert not any(isinstance(event, Revealed) for event in hand.events)


@pytest.mark.parametrize("street", [3, 4, 5, 6, 7])
def test_r4_10_on_any_street(street):
    hand = play(dealt(TWO), "check check " * (street - 3) + "bet fold")
    assert hand.over
    assert hand.street == street
    assert hand.to_act is None
    assert hand.legal == ()


def test_r4_10_nobody_is_asked_when_alone():
    hand = play(dealt(TWO), "bet fold")
    with pytest.raises(RuleError, match=r"R7\.3"):
        hand.apply(Action.CHECK)


@pytest.mark.parametrize("action", [Action("check", 1), Action("dance"), Action("raise"), "check"])
def test_what_is_not_legal_changes_nothing(action):
    hand = dealt(TWO)
    before = (hand.events, hand.pot, hand.to_act, hand.legal)
    assert not hand.accepts(action)
    with pytest.raises(RuleError):
        hand.apply(action)
    assert (hand.events, hand.pot, hand.to_act, hand.legal) == before
