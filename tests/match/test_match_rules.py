"""R2.3, R7.3 and R8.1 in the match, and what it says to each seat, rule by rule."""

from __future__ import annotations

from fractions import Fraction

import pytest
from support.reducing import setup_for

from sandlot import Action
from sandlot.game import Awarded, Dealt, Revealed
from sandlot.match import Answered, Ask, Effect, Ended, Match, Tell
from sandlot.notices import HandEnd
from sandlot.played import PlayedMatch
from sandlot.seeds import hand_seed, shuffle

SEED = bytes(range(32))


def play_out(match: Match, bold: bool = False) -> list[Effect]:
    """Play on with the first legal action; the bold bet, raise, and fold to the last raise."""
    effects = match.start()
    while (asked := match.asked) is not None:
        legal = asked.seen.legal
        action = legal[0]
        if bold:
            action = legal[1] if len(legal) != 2 or Action.CHECK in legal else Action.FOLD
        effects += match.handle(Answered(asked.seat, asked.decision, action, 0.0))
    return effects


def played(effects: list[Effect]) -> PlayedMatch:
    [ended] = [effect.played for effect in effects if isinstance(effect, Ended)]
    return ended


def test_r2_3_the_pack_is_shuffled_afresh_and_cut_for_every_hand() -> None:
    hands = played(play_out(Match(setup_for(3, seed=SEED)))).hands
    for hand in hands:
        deal = shuffle(hand_seed(SEED, hand.hand))  # hands are counted from 1
        assert (hand.deck, hand.cut) == (deal.deck, deal.cut)
        faces = [event.card for event in hand.events if isinstance(event, Dealt)]
        assert faces == list(deal.deck[: len(faces)])
    assert len({hand.deck for hand in hands}) == 8


def test_r7_3_r8_1_a_hand_that_ends_by_folds_is_completed_too() -> None:
    effects = play_out(Match(setup_for(2, seed=SEED)), bold=True)
    hands = played(effects).hands
    assert len(hands) == 8
    assert not any(isinstance(event, Revealed) for hand in hands for event in hand.events)
    assert all(isinstance(hand.events[-1], Awarded) for hand in hands)


def test_r1_3_each_seat_sees_the_balances_of_the_hands_completed_and_which_hand_it_is() -> None:
    effects = play_out(Match(setup_for(4, seed=SEED)))
    hands = played(effects).hands
    before = {1: (Fraction(0),) * 4} | {hand.hand + 1: hand.balance for hand in hands}
    asks = [effect for effect in effects if isinstance(effect, Ask)]
    assert {ask.seen.hand for ask in asks} == set(range(1, 9))
    for ask in asks:
        assert tuple(seat.balance for seat in ask.seen.seats) == before[ask.seen.hand]
        assert (ask.seen.seat, ask.seen.to_act) == (ask.seat, ask.seat)


@pytest.mark.parametrize("bold", [False, True])
def test_r4_9_r4_10_the_end_of_a_hand_tells_no_seat_a_down_card_that_was_not_shown(
    bold: bool,
) -> None:
    effects = play_out(Match(setup_for(3, seed=SEED)), bold)
    hands = {hand.hand: hand for hand in played(effects).hands}
    ends = [effect for effect in effects if isinstance(effect, Tell)]
    told = [end.notice for end in ends if isinstance(end.notice, HandEnd)]
    assert len(told) == 3 * 8
    for end in told:
        events = hands[end.hand].events
        assert end.events == tuple(event.seen_by(end.seat) for event in events)
        others = [e for e in end.events if isinstance(e, Dealt) and not e.up and e.seat != end.seat]
        assert others
        assert {event.card for event in others} == {None}
        own = [e for e in end.events if isinstance(e, Dealt) and not e.up and e.seat == end.seat]
        assert None not in {event.card for event in own}
