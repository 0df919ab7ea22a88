"""The engine against rules.md read aloud: the same hands, card by card and choice by choice."""

from __future__ import annotations

import random
from collections import Counter

from game import naive

from sandlot import Action, cards
from sandlot.game import VARIANTS, Awarded, Dealt, Hand, Revealed

HANDS = 1600


def a_deck(rng: random.Random) -> list[str]:
    """A deck by chance, or one in which 3, 4 and 9 or hands alike come up early."""
    kind = rng.choice(["even", "even", "rich", "alike"])
    if kind == "even":
        return rng.sample(naive.PACK, 52)
    if kind == "rich":
        return sorted(naive.PACK, key=lambda card: rng.random() * (0.4 if card[0] in "349" else 1))
    ranks = rng.sample(naive.RANKS, 13)
    return [rank + suit for rank in ranks for suit in rng.sample("cdhs", 4)]


def assert_everybody_knows(hand: Hand, asked: naive.Asked) -> None:
    """What each seat, and a spectator, can see is what lies on the table, and no more."""
    for viewer in (None, *range(hand.seats)):
        view = hand.view(viewer)
        assert (view.street, view.level, view.to_act) == (asked.street, asked.level, asked.seat)
        assert view.pot == sum(asked.paid_hand)
        assert view.raises_left == min(3, 4 - asked.level)
        assert [action.name for action in view.legal] == (
            asked.legal if viewer == asked.seat else []
        )
        for seat, shown in enumerate(view.seats):
            assert [str(card) for card in shown.up] == asked.up[seat]
            assert shown.down == len(asked.down[seat])
            assert shown.live == (seat in asked.live)
            assert (shown.paid_round, shown.paid_hand) == (
                asked.paid_round[seat],
                asked.paid_hand[seat],
            )
        mine = [] if viewer is None else asked.down[viewer]
        assert [str(card) for card in view.down] == mine
        owed = 0 if viewer not in asked.live else asked.level - asked.paid_round[viewer or 0]
        assert view.to_call == owed
        for event in view.history:
            if isinstance(event, Dealt) and not event.up:
                assert (event.card is None) == (event.seat != viewer)


def play_both(hand: Hand, deck: list[str], rng: random.Random) -> Hand:
    """Play a hand in the engine and with the pencil, and compare at every decision."""
    game = naive.hand(hand.seats, hand.dealer, deck, hand.variant.wild, hand.variant.bonus)
    timid = rng.choice([0.02, 0.2, 1.0])  # how often a fold is chosen beside the other choices
    asked = next(game)
    while True:
        assert hand.to_act == asked.seat
        assert [action.name for action in hand.legal] == asked.legal
        if rng.random() < 0.1:
            assert_everybody_knows(hand, asked)
        weights = [timid if name == "fold" else 1.0 for name in asked.legal]
        [name] = rng.choices(asked.legal, weights)
        hand.apply(Action(name))
        try:
            asked = game.send(name)
        except StopIteration as end:
            net, events = end.value
            break
    assert hand.over
    assert list(hand.net) == net
    forms = [event.to_json() for event in hand.events]
    assert [{key: form[key] for key in form if key != "five"} for form in forms] == events
    return hand


def test_r2_to_r7_random_hands_of_baseball_go_as_the_rules_read_aloud() -> None:
    rng = random.Random("baseball")
    met: Counter[object] = Counter()
    for _ in range(HANDS):
        seats = rng.randint(2, 6)
        deck = a_deck(rng)
        hand = VARIANTS["baseball"].deal(seats, rng.randrange(seats), cards(deck))
        for event in play_both(hand, deck, rng).events:
            if isinstance(event, Revealed):
                met[event.category] += 1
            elif isinstance(event, Dealt):
                met["bonus"] += event.bonus
            elif isinstance(event, Awarded):
                met["fraction"] += event.amount.denominator > 1
        met[seats, sum(hand.live)] += 1
    # Chance has come to all that the rules speak of.
    assert all(met[label] > 20 for label in naive.LABELS), met
    assert all(met[n, still_in] for n in range(2, 7) for still_in in range(1, n + 1)), met
    assert met["bonus"] > HANDS / 10
    assert met["fraction"] > 0


def test_random_hands_of_stud_go_as_the_rules_read_aloud() -> None:
    rng = random.Random("stud")
    for _ in range(HANDS // 4):
        seats = rng.randint(2, 7)
        deck = a_deck(rng)
        hand = VARIANTS["seven-card-stud"].deal(seats, rng.randrange(seats), cards(deck))
        play_both(hand, deck, rng)
