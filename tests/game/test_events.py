"""Events as the record writes them: they read back, and nothing else is read as one."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from game.play_out import actions, fresh_hands
from game.scripted import dealt, play
from hypothesis import given
from hypothesis import strategies as st

from sandlot import Action
from sandlot.errors import RecordError, RuleError
from sandlot.game import Acted, Anted, Awarded, Dealt, Hand, Opened, View, event_from_json
from sandlot.pack import Card

DEAL = {"event": "deal", "street": 3, "seat": 1, "card": "Th", "up": True, "bonus": False}
ACTION = {
    "event": "action",
    "street": 3,
    "seat": 0,
    "action": "bet",
    "paid": 1,
    "level": 1,
    "pot": 3,
}
REVEAL = {
    "event": "reveal",
    "seat": 0,
    "down": ["Ah", "9c"],
    "category": "pair",
    "five": [["Ah", "Ah"], ["9c", "Ac"]],
}
AWARD = {"event": "award", "seat": 0, "amount": "7/2"}
ANTE = {"event": "ante", "seat": 0, "paid": 1}
OPEN = {"event": "open", "street": 3, "seat": 0}


@given(fresh_hands(), st.data())
def test_events_read_back_as_each_seat_has_seen_them(hand: Hand, choices: st.DataObject) -> None:
    for _ in actions(hand, choices):
        pass
    for viewer in (None, *range(hand.seats)):
        for event in (seen.seen_by(viewer) for seen in hand.events):
            text = json.dumps(event.to_json())
            again = event_from_json(json.loads(text))
            assert again == event
            assert json.dumps(again.to_json()) == text


@pytest.mark.parametrize("form", [DEAL, ACTION, REVEAL, AWARD, ANTE, OPEN])
def test_the_keys_are_in_the_order_of_the_record(form: dict[str, Any]) -> None:
    assert json.dumps(event_from_json(form).to_json()) == json.dumps(form)


def altered(form: dict[str, Any], key: str, *values: Any) -> list[dict[str, Any]]:
    return [{**form, key: value} for value in values]


@pytest.mark.parametrize(
    "form",
    [
        None,
        [],
        "ante",
        {},
        {"event": "ante", "seat": 0},
        *altered(ANTE, "seat", "0", 0.0, False, None, []),
        *altered(DEAL, "street", 3.0, "3", None),
        *altered(DEAL, "card", "10h", "th", "", 34, True, []),
        *altered(DEAL, "up", 1, 0, None, "true"),
        *altered(DEAL, "bonus", 1, 0, None, "true"),
        *altered(ACTION, "action", None, 5, ["bet"], {"name": "bet"}),
        *altered(ACTION, "paid", 1.0),
        *altered(ACTION, "level", 1.0),
        *altered(ACTION, "pot", 3.0),
        *altered(REVEAL, "down", "Th", ["Th", "Th"], [34], None, ["Xx"]),
        *altered(REVEAL, "five", ["ab"], [["Ah"]], [[1, 2]], None),
        *altered(REVEAL, "category", 1),
        *altered(AWARD, "amount", "1/0", "14/4", "7/1", "1e3", "3.5", " 7/2", "07/2", "1_0", ""),
        *altered(AWARD, "amount", "\u0663", 3, 3.5, None, [7, 2]),
    ],
    ids=str,
)
def test_what_is_misshapen_is_refused_and_shown(form: Any) -> None:
    with pytest.raises(RecordError, match="is misshapen: "):
        event_from_json(form)


def test_an_amount_that_would_fill_the_memory_is_not_reckoned_out() -> None:
    with pytest.raises(RecordError, match="is misshapen: "):
        event_from_json({**AWARD, "amount": "1e9999999999"})


def test_a_misshapen_event_does_not_take_the_place_of_a_right_one() -> None:
    # They are equal in Python, and right events are kept to be used again.
    wrong = {**DEAL, "street": 9.0, "seat": True, "up": 1, "bonus": 0}
    right = {**DEAL, "street": 9}
    with pytest.raises(RecordError, match="is misshapen: "):
        event_from_json(wrong)
    assert json.dumps(event_from_json(right).to_json()) == json.dumps(right)


@pytest.mark.parametrize("name", ["pass", "swap", "", None, 7])
def test_an_event_of_an_unknown_kind_is_refused_by_name(name: object) -> None:
    with pytest.raises(RecordError, match=f"the event {name!r} is unknown to this version"):
        event_from_json({"event": name, "seat": 0})


def test_an_event_or_action_that_a_table_does_not_know_is_refused_by_name() -> None:
    hand = dealt("")
    seen = list(hand.view(0).history)
    stranger: Any = object()
    with pytest.raises(RuleError, match=r"the event <object .* is unknown to this version"):
        View.fold(hand.variant, 2, 1, 0, [*seen, stranger])
    dance = Acted(3, hand.to_act or 0, Action("dance"), 0, 0, 2)
    with pytest.raises(RuleError, match="the action 'dance' is unknown to this version"):
        View.fold(hand.variant, 2, 1, 0, [*seen, dance])


def test_every_event_says_who_may_see_it() -> None:
    hand = play(dealt("4h 2d 5c 5d As 7d"), "check check " * 5)
    for event in hand.events:
        for viewer in (None, 0, 1):
            seen = event.seen_by(viewer)
            if isinstance(event, Dealt) and not event.up and event.seat != viewer:
                assert seen == Dealt(event.street, event.seat, None, False, False)
            else:
                assert seen is event


def test_amounts_are_exact_text() -> None:
    assert Awarded(1, Fraction(7, 2)).to_json()["amount"] == "7/2"
    assert Awarded(1, Fraction(4)).to_json()["amount"] == "4"
    assert Dealt(3, 0, Card("Th"), True, False).to_json()["card"] == "Th"


def test_events_of_two_kinds_are_never_the_same():
    anted, opened = Anted(3, 1), Opened(3, 1)
    assert anted != opened
    assert not anted == opened  # noqa: SIM201 - both operators are asked
    assert anted == Anted(3, 1)
    assert anted != (3, 1)
    assert len({anted, opened, (3, 1)}) == 3
    assert opened not in [anted]
