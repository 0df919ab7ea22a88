"""A match shown again: each moment is what the seat could see then, and no card comes early."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from records.handled import records
from support.faulty import faulty_match
from support.reducing import setup_for

from sandlot.errors import RuleError
from sandlot.game import VARIANTS, View
from sandlot.game.events import Dealt, Revealed
from sandlot.pack import PACK, Card
from sandlot.played import MatchSetup
from sandlot.records import Moment, Unfolding, read, replay, replay_hand

CARDS = {str(card) for card in PACK}


@st.composite
def setups(draw: st.DrawFn) -> MatchSetup:
    return setup_for(
        seats=draw(st.integers(2, 6)),
        hands=2,
        variant=draw(st.sampled_from(sorted(VARIANTS))),
        seed=draw(st.binary(min_size=32, max_size=32)),
    )


any_match = given(setups(), st.randoms(use_true_random=False))


def cards_in(value: Any) -> Iterator[str]:
    """Yield every card that is written anywhere in plain data."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from cards_in(item)
    elif value in CARDS:
        yield value


@settings(max_examples=25)
@any_match
def test_a_moment_is_the_view_that_the_seat_had(setup: MatchSetup, choices: random.Random) -> None:
    played = faulty_match(setup, choices, 0.05)
    seats = len(played.setup.entrants)
    variant = VARIANTS[played.setup.variant]
    for seat in (None, *range(seats)):
        for moment in replay(played, seat):
            hand = played.hands[moment.hand - 1]
            seen = [event.seen_by(seat) for event in hand.events[: moment.step]]
            view = View.fold(variant, seats, hand.dealer, seat, seen)
            assert moment.event == (hand.events[moment.step - 1] if seat is None else seen[-1])
            assert (moment.street, moment.pot, moment.level) == (view.street, view.pot, view.level)
            assert (moment.to_act, moment.raises_left) == (view.to_act, view.raises_left)
            for at, known in zip(moment.seats, view.seats, strict=True):
                assert (at.up, len(at.down), at.live) == (known.up, known.down, known.live)
                assert (at.paid_round, at.paid_hand) == (known.paid_round, known.paid_hand)
            if seat is not None:
                assert moment.seats[seat].down == view.down


@settings(max_examples=25)
@any_match
def test_no_card_is_in_a_moment_before_the_seat_has_seen_it(
    setup: MatchSetup, choices: random.Random
) -> None:
    played = faulty_match(setup, choices, 0.05)
    for seat in range(len(played.setup.entrants)):
        for number, moments in groupby(replay(played, seat), lambda moment: moment.hand):
            seen: set[str] = set()
            for moment, event in zip(moments, played.hands[number - 1].events, strict=True):
                if isinstance(event, Dealt) and (event.up or event.seat == seat):
                    seen.add(str(event.card))
                stands_for: set[str] = set()
                if isinstance(event, Revealed):
                    seen.update(map(str, event.down))
                    stands_for.update(named for _, named in event.five)
                assert set(cards_in(moment.to_json())) <= seen | stands_for


@settings(max_examples=25)
@any_match
def test_with_open_cards_every_card_is_there_once_it_is_dealt(
    setup: MatchSetup, choices: random.Random
) -> None:
    played = faulty_match(setup, choices, 0.05)
    for number in range(1, len(played.hands) + 1):
        dealt: set[Card] = set()
        for moment in replay_hand(played, number):
            if isinstance(moment.event, Dealt) and moment.event.card is not None:
                dealt.add(moment.event.card)
            assert {card for seat in moment.seats for card in seat.cards} == dealt
            assert moment.bonus <= dealt


def test_balances_count_a_hand_when_its_pot_is_awarded() -> None:
    played = faulty_match(setup_for(seats=3, hands=3), random.Random(3), 0.0)
    balance: tuple[Fraction, ...] = (Fraction(0),) * 3
    for hand in played.hands:
        *before, last = replay_hand(played, hand.hand)
        assert {tuple(seat.balance for seat in moment.seats) for moment in before} == {balance}
        assert {moment.net for moment in before} == {None}
        assert last.net == hand.net
        balance = hand.balance
        assert tuple(seat.balance for seat in last.seats) == balance


@any_match
@settings(deadline=None, max_examples=30)
def test_a_spectator_who_knows_no_end_sees_the_money_of_each_hand(
    setup: MatchSetup, choices: random.Random
) -> None:
    match = faulty_match(setup, choices)
    for hand in match.hands:
        before = tuple([ours - net for ours, net in zip(hand.balance, hand.net, strict=True)])
        variant = VARIANTS[setup.variant]
        unfolding = Unfolding(setup.match, variant, hand.hand, hand.dealer, before)
        *moments, last = [unfolding.happen(event.seen_by(None)) for event in hand.events]
        assert {moment.net for moment in moments} == {None}
        assert last.net == hand.net
        assert tuple([seat.balance for seat in last.seats]) == unfolding.balances == hand.balance


def faults(moments: Iterator[Moment]) -> list[tuple[int, str]]:
    return [
        (moment.decision.seat, moment.decision.fault)
        for moment in moments
        if moment.decision is not None and moment.decision.fault is not None
    ]


def test_a_seat_sees_its_own_faults_and_not_those_of_others() -> None:
    (record,) = read(records()["faulty"])
    everything = faults(replay(record.played))
    assert {seat for seat, _ in everything} == {0, 1, 2}
    for seat in range(3):
        assert faults(replay(record.played, seat)) == [
            (whose, fault) for whose, fault in everything if whose == seat
        ]


def test_a_moment_is_plain_data() -> None:
    (record,) = read(records()["clean"])
    for moment in replay(record.played, 1):
        form = moment.to_json()
        assert json.loads(json.dumps(form)) == form


def test_a_seat_that_is_none_is_refused() -> None:
    (record,) = read(records()["clean"])
    with pytest.raises(RuleError, match=r"seat 3: the seats are numbered 0 to 2 .R1\.1."):
        list(replay(record.played, 3))
