"""A game is data: seven-card stud as played at home runs on the same engine."""

import pytest
from game.scripted import dealt, names, play, ups

from sandlot.errors import RuleError
from sandlot.game import VARIANTS, Dealt, Revealed
from sandlot.pack import PACK

STUD = VARIANTS["seven-card-stud"]


def test_the_variants_differ_in_data_only():
    baseball = VARIANTS["baseball"]
    assert type(STUD) is type(baseball)
    assert STUD.program == baseball.program
    assert (STUD.wild, STUD.bonus, STUD.most_seats) == ("", "", 7)
    assert (baseball.wild, baseball.bonus, baseball.most_seats) == ("39", "4", 6)
    assert (STUD.rules, baseball.rules) == ("seven-card-stud/1", "baseball/1")


@pytest.mark.parametrize("seats", [2, 7])
def test_stud_seats_two_to_seven(seats):
    hand = STUD.deal(seats, 0, PACK)
    play(hand, "check " * (5 * seats))
    assert hand.over
    assert sum(isinstance(event, Dealt) for event in hand.events) == 7 * seats


def test_stud_does_not_seat_eight():
    with pytest.raises(RuleError, match="2 to 7"):
        STUD.deal(8, 0, PACK)


def test_in_stud_a_four_brings_nothing_and_threes_and_nines_are_plain():
    hand = dealt("2c 2d 5c 5d 4h 9d", variant="seven-card-stud")
    assert ups(hand) == ["4h", "9d"]
    assert hand.to_act == 1  # nine high opens, a nine is not an ace
    assert hand.view(0).wild == ""
    assert names(hand) == ["check", "bet"]


def test_in_stud_a_pair_of_threes_is_a_pair():
    hand = dealt("3c Ad 3d Kd 5h 7d 6s 8d Tc Jd Jc Qs 2h 6h", variant="seven-card-stud")
    play(hand, "check check " * 5)
    shown = {event.seat: event.category for event in hand.events if isinstance(event, Revealed)}
    assert shown[0] == "pair"
