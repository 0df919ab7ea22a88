"""R7: the showdown and the pot, rule by rule."""

from fractions import Fraction

import pytest
from game.scripted import dealt, play

from sandlot.game import Awarded, Revealed, event_from_json
from sandlot.game.table import Table

CHECKED_DOWN = {n: ("check " * n) * 5 for n in range(2, 8)}


def revealed(hand):
    return [event for event in hand.events if isinstance(event, Revealed)]


def awards(hand):
    return [(event.seat, event.amount) for event in hand.events if isinstance(event, Awarded)]


def test_r7_1_every_seat_still_in_shows_from_the_dealers_left_winner_or_not():
    hand = play(dealt("", seats=4, dealer=1), CHECKED_DOWN[4])
    assert [event.seat for event in revealed(hand)] == [2, 3, 0, 1]
    assert all(len(event.down) == 3 for event in revealed(hand))


def test_r7_1_a_reveal_shows_what_the_cards_are_worth_and_how():
    hand = play(dealt("Ah 2c Kh 2d 8h 7d 5h 7c 9c Qd 2s Jd 6c Tc"), CHECKED_DOWN[2])
    flush = revealed(hand)[0]
    assert flush.category == "flush"
    assert ("9c", "Qh") in flush.five
    assert len(flush.five) == 5


def test_r7_2_the_best_takes_the_pot():
    hand = play(dealt("3c 2d 3d 5d As 7d"), "bet call " + CHECKED_DOWN[2][: -len("check check ")])
    assert awards(hand) == [(0, Fraction(4))]
    assert hand.net == (2, -2)


# Both seats hold the same ranks and no flush, so the pot is split.
SPLIT = "Kc Kd Qc Qd Js Jh 8h 8s 7h 7s 2c 2d 5s 5h"
SPLIT_OF_SEVEN = "Kc Kd 2h Qc Qd 2s Js Jh 5c 8h 8s 7h 7s 6c 6d Tc Td"


def test_r7_2_equal_bests_share_it_exactly():
    hand = play(dealt(SPLIT), CHECKED_DOWN[2])
    assert awards(hand) == [(0, Fraction(1)), (1, Fraction(1))]
    assert hand.net == (0, 0)


def test_r7_2_seven_between_two_is_seven_halves_each():
    # Three antes and two raised bets of two: the third seat folds to the second bet.
    hand = play(dealt(SPLIT_OF_SEVEN, seats=3), "bet raise fold call")
    assert hand.pot == 7
    play(hand, "check check " * 4)
    assert awards(hand) == [(0, Fraction(7, 2)), (1, Fraction(7, 2))]
    assert hand.net == (Fraction(1, 2), Fraction(1, 2), Fraction(-1))


@pytest.mark.parametrize("seats", [2, 3])
def test_r7_2_a_share_that_happens_again_is_as_exact(seats):
    if seats == 2:
        hand = play(dealt(SPLIT), CHECKED_DOWN[2])
    else:
        hand = play(dealt(SPLIT_OF_SEVEN, seats=3), "bet raise fold call " + "check check " * 4)
    table = Table(hand.variant, hand.seats, hand.dealer)
    for event in hand.events:
        table.happen(event_from_json(event.to_json()))
    assert table.net == hand.net
    assert [type(net) for net in table.net] == [Fraction] * seats


def test_r7_2_awards_go_from_the_dealers_left():
    hand = play(dealt(SPLIT, dealer=0), CHECKED_DOWN[2])
    assert [seat for seat, _ in awards(hand)] == [1, 0]


def test_r7_3_a_hand_is_completed_by_its_award():
    hand = dealt(SPLIT)
    assert not hand.over
    assert not awards(hand)
    play(hand, CHECKED_DOWN[2])
    assert hand.over
    assert awards(hand)


def test_r6_6_r7_2_a_natural_hand_does_not_beat_an_equal_wild_one():
    # A pair of aces with K Q 8 for both: seat 1 by a wild three.
    hand = play(dealt("As Ac Ah 3d Kc Kd Qd Qh 8h 8s 7c 7d 2s 2d"), CHECKED_DOWN[2])
    assert [event.category for event in revealed(hand)] == ["pair", "pair"]
    assert awards(hand) == [(0, Fraction(1)), (1, Fraction(1))]
