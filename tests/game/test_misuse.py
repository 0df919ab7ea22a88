"""The engine in hands that know it badly: what is refused says why, and nothing has changed."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest
from game.scripted import dealt, names, play

from sandlot import Action
from sandlot.errors import RuleError
from sandlot.game import VARIANTS, Hand
from sandlot.pack import PACK, Card, text_of

TWO = "2c 2d 5c 5d As 7d 8c 8d Tc Td Jc Jd"  # seat 0 shows the ace


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ("check", r"seat 0 may not 'check': it is no Action, as Action\.CHECK is"),
        (None, r"seat 0 may not None: it is no Action"),
        (0, r"seat 0 may not 0: it is no Action"),
        ([], r"seat 0 may not \[\]: it is no Action"),
        (Action, r"it is no Action"),
        (("check", None, ()), r"it is no Action"),
        (Action("check", 0), r"may not check 0: it takes no amount and no cards"),
        (Action("bet", 1), r"may not bet 1: it takes no amount and no cards"),
        (Action("bet", cards=(Card("As"),)), r"may not bet As: it takes no amount and no cards"),
        (Action("check", cards=[]), r"it takes no amount and no cards"),  # type: ignore[arg-type]
        (Action("CHECK"), r"may not CHECK: there is no such action"),
        (Action(""), r"there is no such action"),
        (Action(None), r"may not None: there is no such action"),  # type: ignore[arg-type]
        (Action([]), r"may not \[\]: there is no such action"),  # type: ignore[arg-type]
        (Action.RAISE, r"may not raise: nobody has bet yet \(R4\.4\)"),
        (Action.CALL, r"may not call: nobody has bet yet \(R4\.4\)"),
        (Action.FOLD, r"may not fold: a check is free, so there is no fold \(R4\.4\)"),
    ],
)
def test_what_may_not_be_done_is_refused_with_the_true_reason(action: Action, why: str) -> None:
    hand = dealt(TWO)
    before = (hand.events, hand.pot, hand.to_act, hand.legal, hand.net)
    assert not hand.accepts(action)
    with pytest.raises(RuleError, match=rf"{why}.*; allowed: check, bet$"):
        hand.apply(action)
    assert (hand.events, hand.pot, hand.to_act, hand.legal, hand.net) == before


def test_an_action_that_is_made_anew_is_the_same() -> None:
    hand = dealt(TWO)
    hand.apply(Action("bet", None, ()))
    assert names(hand) == ["call", "raise", "fold"]
    assert {Action.BET: 1}[Action("bet")] == 1
    assert Action.BET != ("bet", None, ())
    assert pickle.loads(pickle.dumps(Action("draw", 2, PACK[:2]))) == Action("draw", 2, PACK[:2])
    assert str(Action("draw", 2, PACK[:2])) == "draw 2 2c 2d"


@pytest.mark.parametrize(
    "copied",
    [Hand.clone, copy.copy, copy.deepcopy, lambda hand: pickle.loads(pickle.dumps(hand))],
    ids=["clone", "copy", "deepcopy", "pickle"],
)
def test_every_copy_of_a_hand_goes_its_own_way(copied: Callable[[Hand], Hand]) -> None:
    hand = play(dealt(TWO), "bet raise")
    before = (hand.events, hand.net, hand.live[:], hand.up[:], hand.down[:], hand.level)
    other = copied(hand)
    assert other.events == hand.events
    play(other, "call check check bet fold")
    assert other.over
    assert (hand.events, hand.net, hand.live, hand.up, hand.down, hand.level) == before
    play(hand, "fold")
    assert other.events != hand.events


def test_a_deck_may_be_text_numbers_or_cards() -> None:
    baseball = VARIANTS["baseball"]
    decks = (PACK, list(PACK), range(52), text_of(PACK), map(str, PACK))
    hands = [baseball.deal(2, 0, deck) for deck in decks]
    assert len({hand.events for hand in hands}) == 1
    assert {type(card) for hand in hands for card in hand.up[0]} == {Card}
