"""What a seat may not know is nowhere in what it is given: not in print and not in copies."""

from __future__ import annotations

import copy
import gc
import json
import pickle
from collections.abc import Callable
from fractions import Fraction
from types import FunctionType, ModuleType
from typing import Any

import pytest
from game.scripted import dealt, play

from sandlot.errors import RuleError
from sandlot.game import Dealt, Hand, Revealed, View
from sandlot.observation import Observation
from sandlot.pack import Card

CHECKED_DOWN = "check check check " * 5


def a_hand() -> Hand:
    """Seat 1 has folded; seats 0 and 2 are on fourth street."""
    return play(dealt("2c 2d 2h 5c 5d 5h As 7d 6h Kd 8s", seats=3), "bet fold call")


def observation(hand: Hand, seat: int) -> Observation:
    return Observation(hand, seat, (Fraction(0),) * hand.seats, "1-1-1", 1, 1)


def hidden_from(hand: Hand, seat: int | None) -> set[Card]:
    """Down cards of others that nobody has shown, and the whole stock."""
    shown = {card for event in hand.events if isinstance(event, Revealed) for card in event.down}
    downs = {
        card for other in range(hand.seats) if other != seat for card in hand.known_down(other)
    }
    return downs - shown | set(hand.deck[hand.drawn :])


def cards_held(thing: Any) -> set[Card]:
    """Every card that can be reached from the thing, by whatever way there is."""
    held, met, ahead = set(), {id(thing)}, [thing]
    while ahead:
        thing = ahead.pop()
        if isinstance(thing, Card):
            held.add(thing)
        for part in gc.get_referents(thing):
            if id(part) not in met and not isinstance(part, (type, ModuleType, FunctionType)):
                met.add(id(part))
                ahead.append(part)
    return held


COPIES: dict[str, Callable[[View], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda view: [pickle.loads(pickle.dumps(view, n)) for n in range(6)],
    "reduce": lambda view: view.__reduce_ex__(4)[1:],
    "getstate": lambda view: view.__getstate__(),
    "history": lambda view: view.history,
    "down": lambda view: view.down,
    "seats": lambda view: view.seats,
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_no_copy_of_a_view_or_an_observation_holds_a_hidden_card(way: str, seat: int) -> None:
    hand = a_hand()
    for view in (hand.view(seat), hand.view(None), observation(hand, seat)):
        held = cards_held(COPIES[way](view))
        assert not held & hidden_from(hand, view.seat)
        assert held or view.seat is None


@pytest.mark.parametrize("seat", [0, 1, 2, None])
@pytest.mark.parametrize("show", [repr, str, "{}".format, lambda view: json.dumps(view.to_json())])
def test_no_print_of_a_view_names_a_hidden_card(show: Callable[[View], str], seat: int) -> None:
    hand = a_hand()
    text = show(hand.view(seat))
    assert "As" in text  # an up card
    assert not [card for card in hidden_from(hand, seat) if str(card) in text]


def test_the_measure_sees_a_hidden_card() -> None:
    """The proof above would be empty if a way to the cards were overlooked."""
    hand = a_hand()
    assert hidden_from(hand, 0) <= cards_held(hand)
    assert cards_held(pickle.loads(pickle.dumps(hand))) == cards_held(hand)


def test_copies_are_equal_and_of_one_hash() -> None:
    view = observation(a_hand(), 0)
    for again in (copy.copy(view), copy.deepcopy(view), *COPIES["pickle"](view)):
        assert again == view
        assert hash(again) == hash(view)
        assert again.history == view.history


@pytest.mark.parametrize("kind", ["view", "observation"])
def test_the_eyes_of_a_view_cannot_be_changed(kind: str) -> None:
    hand = a_hand()
    seen = hand.view(0) if kind == "view" else observation(hand, 0)
    with pytest.raises(AttributeError):
        seen.seat = 1  # type: ignore[misc]
    assert not cards_held(seen.history) & hidden_from(hand, 0)


def test_a_spectator_sees_no_down_card_before_the_showdown_and_those_shown_after() -> None:
    hand = dealt("", seats=3)
    view = hand.view(None)
    assert (view.down, view.cards, view.legal, view.to_call) == ((), (), (), 0)
    assert view.to_act == hand.to_act
    play(hand, CHECKED_DOWN)
    after = hand.view(None).history
    assert {e.card for e in after if isinstance(e, Dealt) and not e.up} == {None}
    assert [e.down for e in after if isinstance(e, Revealed)] == [hand.down[s] for s in (0, 1, 2)]


def test_r4_9_a_seat_that_has_folded_sees_no_more_than_before_and_keeps_its_own() -> None:
    hand = a_hand()
    folded = hand.view(1)
    assert not folded.seats[1].live
    assert [str(card) for card in folded.down] == ["2d", "5d"]
    assert [seat.down for seat in folded.seats] == [2, 2, 2]
    assert (folded.to_call, folded.legal) == (0, ())
    faces = [e.card for e in folded.history if isinstance(e, Dealt) and not e.up and e.seat != 1]
    assert faces == [None] * 4


def test_r4_9_after_the_showdown_the_down_cards_of_a_folded_seat_are_still_hidden() -> None:
    hand = play(a_hand(), "check check " * 4)
    assert hand.over
    for seat in (0, 2, None):
        assert not cards_held(hand.view(seat).history) & set(hand.known_down(1))


def test_r4_10_the_winner_by_folds_has_shown_nothing() -> None:
    hand = play(a_hand(), "bet fold")
    winner = hand.live.index(True)
    for seat in {0, 1, 2} - {winner}:
        assert not cards_held(hand.view(seat).history) & set(hand.known_down(winner))


@pytest.mark.parametrize("seat", [-1, 3, 99])
def test_r1_1_there_is_no_view_for_a_seat_that_is_not_there(seat: int) -> None:
    hand = a_hand()
    with pytest.raises(RuleError, match=rf"seat {seat}: the seats are numbered 0 to 2 \(R1\.1\)"):
        hand.view(seat)
    with pytest.raises(RuleError, match=r"R1\.1"):
        View.fold(hand.variant, 3, 2, seat, [event.seen_by(seat) for event in hand.events])
