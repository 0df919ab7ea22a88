"""Worked hands and matches from an independent program."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from sandlot import Action, cards
from sandlot.game import VARIANTS, Acted, Dealt, Opened, event_from_json
from sandlot.game.table import Table
from sandlot.played import places

CASES = Path(__file__).parents[1] / "cases"
HANDS = [json.loads(line) for line in (CASES / "hands.jsonl").read_text().splitlines()]
MATCHES = [json.loads(line) for line in (CASES / "matches.jsonl").read_text().splitlines()]
OPENERS = [json.loads(line) for line in (CASES / "openers.jsonl").read_text().splitlines()]


def without_five(event):
    return {key: value for key, value in event.items() if key != "five"}


@pytest.mark.parametrize("case", HANDS, ids=range(len(HANDS)))
def test_hand(case):
    hand = VARIANTS["baseball"].deal(case["seats"], case["dealer"], cards(case["deck"]))
    for decision in case["decisions"]:
        assert hand.to_act == decision["seat"]
        assert [action.name for action in hand.legal] == decision["legal"]
        hand.apply(Action(decision["action"]))
    assert hand.over
    assert [without_five(event.to_json()) for event in hand.events] == case["events"]
    assert [str(net) for net in hand.net] == case["net"]


@pytest.mark.parametrize("case", HANDS, ids=range(len(HANDS)))
def test_events_of_a_hand_survive_text(case):
    hand = VARIANTS["baseball"].deal(case["seats"], case["dealer"], cards(case["deck"]))
    for decision in case["decisions"]:
        hand.apply(Action(decision["action"]))
    text = json.dumps([event.to_json() for event in hand.events])
    assert tuple(event_from_json(form) for form in json.loads(text)) == hand.events


@pytest.mark.parametrize("case", MATCHES, ids=range(len(MATCHES)))
def test_match(case):
    seats = case["seats"]
    balance = (Fraction(0),) * seats
    for number, (deck, actions, net) in enumerate(
        zip(case["decks"], case["actions"], case["net_by_hand"], strict=True)
    ):
        dealer = (case["first_dealer"] + number) % seats
        hand = VARIANTS["baseball"].deal(seats, dealer, cards(deck))
        for action in actions:
            hand.apply(Action(action))
        assert hand.over
        assert [str(change) for change in hand.net] == net
        balance = tuple(a + b for a, b in zip(balance, hand.net, strict=True))
    assert [str(sum_) for sum_ in balance] == case["net"]
    assert list(places(balance)) == case["places"]


@pytest.mark.parametrize("case", OPENERS, ids=range(len(OPENERS)))
def test_opener(case):
    variant = VARIANTS["baseball"]
    table = Table(variant, case["seats"], case["dealer"])
    for seat in range(case["seats"]):
        for card in cards(case["up"].get(str(seat), "")):
            table.happen(Dealt(4, seat, card, up=True, bonus=False))
    table.happen(Opened(4, 0))
    for seat in range(case["seats"]):
        if seat not in case["in"]:
            table.happen(Acted(4, seat, Action.FOLD, paid=0, level=0, pot=case["seats"]))
    assert variant.betting[4].opener(table) == case["opener"]
