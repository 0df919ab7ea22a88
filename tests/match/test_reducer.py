"""The match as a reducer: no network, no clock but the test's own."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandlot import Action
from sandlot.clock import Clock
from sandlot.errors import RuleError
from sandlot.match import (
    Answered,
    Ask,
    Ended,
    Faulted,
    Gone,
    Illegible,
    Match,
    Raised,
    Tell,
    TimedOut,
    Warn,
)
from sandlot.notices import HandEnd, MatchEnd, MatchStart
from sandlot.played import Entrant, MatchSetup, places
from sandlot.seeds import bot_seed, commitment

SETUP = MatchSetup(
    match="1-1-1",
    tournament="test",
    attempt=1,
    variant="baseball",
    entrants=(Entrant("a", "1"), Entrant("b", "2"), Entrant("c", "3")),
    first_dealer=1,
    seed=bytes(range(32)),
    clock=Clock(1.0, 10.0),
)


def of(kind, effects):
    return [effect for effect in effects if isinstance(effect, kind)]


def started(**changes):
    match = Match(replace(SETUP, **changes))
    return match, match.start()


def answer(match, action=None, elapsed=0.0):
    asked = match.asked
    if action is None:
        action = asked.seen.legal[0]
    return match.handle(Answered(asked.seat, asked.decision, action, elapsed))


def play_out(match, effects=()):
    """Answer every question with the first legal action until the match is over."""
    effects = list(effects)
    while match.asked is not None:
        effects += answer(match)
    return effects


def decisions(effects):
    played = of(Ended, effects)[0].played
    return [decision for hand in played.hands for decision in hand.decisions]


def test_everybody_is_told_its_own_start_before_the_first_question():
    _, effects = started()
    starts = [effect.notice for effect in effects[:3]]
    assert [effect.seat for effect in effects[:3]] == [0, 1, 2]
    assert all(isinstance(start, MatchStart) for start in starts)
    assert [start.seed for start in starts] == [bot_seed(SETUP.seed, seat) for seat in range(3)]
    assert {start.commitment for start in starts} == {commitment(SETUP.seed)}
    assert {start.bots for start in starts} == {("a", "b", "c")}
    assert isinstance(effects[3], Ask)
    assert len(effects) == 4


def test_an_anonymous_tournament_names_seats():
    _, effects = started(anonymous=True)
    assert effects[0].notice.bots == ("seat 0", "seat 1", "seat 2")


def test_the_seed_of_the_match_is_told_to_nobody():
    match, effects = started()
    everything = play_out(match, effects)
    told = repr([effect for effect in everything if not isinstance(effect, Ended)])
    assert SETUP.seed.hex() not in told
    assert repr(SETUP.seed) not in told


def test_decisions_are_numbered_in_the_match_from_1():
    match, effects = started()
    asks = of(Ask, play_out(match, effects))
    assert [ask.decision for ask in asks] == list(range(1, len(asks) + 1))
    assert [ask.seen.decision for ask in asks] == [ask.decision for ask in asks]
    assert {ask.seen.match for ask in asks} == {"1-1-1"}


def test_r2_1_the_deal_moves_one_seat_to_the_left_whoever_won():
    match, effects = started()
    ended = of(Ended, play_out(match, effects))[0]
    assert [hand.dealer for hand in ended.played.hands] == [1, 2, 0, 1, 2, 0, 1, 2]


def test_r8_1_a_match_is_eight_completed_hands():
    match, effects = started()
    ended = of(Ended, play_out(match, effects))[0]
    assert [hand.hand for hand in ended.played.hands] == list(range(1, 9))
    assert match.over
    assert match.asked is None


@pytest.mark.parametrize("hands", [1, 3, 20])
def test_r8_1_another_number_is_a_setting(hands):
    match, effects = started(hands=hands)
    ended = of(Ended, play_out(match, effects))[0]
    assert len(ended.played.hands) == hands


def test_r8_1_no_hands_are_no_match():
    with pytest.raises(RuleError, match=r"R8\.1"):
        started(hands=0)


def test_an_unknown_variant_is_refused_by_name():
    with pytest.raises(RuleError, match="hold'em"):
        started(variant="hold'em")


def test_r1_3_balances_start_at_0_and_add_up():
    match, effects = started()
    asked = match.asked
    assert [seat.balance for seat in asked.seen.seats] == [0, 0, 0]
    effects = play_out(match, effects)
    played = of(Ended, effects)[0].played
    running = (Fraction(0),) * 3
    for hand in played.hands:
        running = tuple(a + b for a, b in zip(running, hand.net, strict=True))
        assert hand.balance == running
    assert played.net == running
    ends = [e.notice for e in of(Tell, effects) if isinstance(e.notice, HandEnd)]
    assert [end.balance for end in ends if end.seat == 2] == [h.balance for h in played.hands]


@pytest.mark.parametrize(
    ("net", "expected"),
    [
        ((3, 3, -6), (1, 1, 3)),
        ((0, 0, 0), (1, 1, 1)),
        ((-1, 2, -1), (2, 1, 2)),
        ((1, 2, 3), (3, 2, 1)),
        ((Fraction(1, 3), Fraction(1, 2), Fraction(-5, 6)), (2, 1, 3)),
    ],
)
def test_r8_2_a_place_is_one_plus_the_seats_with_a_higher_net(net, expected):
    assert places(tuple(map(Fraction, net))) == expected


def test_the_end_is_told_to_every_seat_after_its_last_hand():
    match, effects = started()
    effects = play_out(match, effects)
    assert isinstance(effects[-1], Ended)
    tail = effects[-4:-1]
    assert all(isinstance(effect.notice, MatchEnd) for effect in tail)
    assert [effect.seat for effect in tail] == [0, 1, 2]


def test_a_right_answer_costs_no_bank_within_the_limit():
    match, _ = started()
    answer(match, elapsed=1.0)
    while match.asked.seat != 1:
        answer(match)
    assert match.asked.bank == 10.0


def test_the_bank_is_used_when_the_limit_is_passed():
    match, _ = started()
    seat = match.asked.seat
    assert match.asked.allowed == 11.0
    answer(match, elapsed=3.5)
    while match.asked.seat != seat:
        answer(match)
    assert match.asked.bank == 7.5
    assert match.asked.allowed == 8.5


def test_the_bank_is_a_seats_own():
    match, _ = started()
    answer(match, elapsed=5.0)
    assert match.asked.bank == 10.0


def test_an_answer_after_limit_and_bank_is_a_timeout_though_it_came():
    match, _ = started()
    effects = answer(match, Action.BET, elapsed=11.01)
    assert of(Faulted, effects)[0].cause == "timeout"
    recorded = decisions(play_out(match))[0]
    assert (recorded.answer, recorded.applied, recorded.fault) == ("bet", "check", "timeout")
    assert recorded.ms == 11010


def test_a_bank_once_spent_stays_spent():
    match, _ = started()
    seat = match.asked.seat
    match.handle(TimedOut(seat, match.asked.decision, 11.0))
    while match.asked.seat != seat:
        answer(match)
    assert match.asked.bank == 0.0


CAUSES = {
    "timeout": lambda ask: TimedOut(ask.seat, ask.decision, 11.0),
    "illegal": lambda ask: Answered(ask.seat, ask.decision, Action("dance"), 0.1),
    "malformed": lambda ask: Illegible(ask.seat, 0.1, "b'\\xff'"),
    "exception": lambda ask: Raised(ask.seat, ask.decision, 0.1, "ValueError: no"),
    "crash": lambda ask: Gone(ask.seat, "crash", "exited with status 1"),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_a_fault_is_recorded_with_its_cause_and_the_seat_checks_if_it_may(cause):
    match, _ = started()
    ask = match.asked
    assert Action.CHECK in ask.seen.legal
    effects = match.handle(CAUSES[cause](ask))
    faulted = of(Faulted, effects)[0]
    assert (faulted.seat, faulted.decision, faulted.cause) == (ask.seat, ask.decision, cause)
    assert faulted.seen == ask.seen
    first = decisions(play_out(match))[0]
    assert (first.seat, first.fault, first.applied) == (ask.seat, cause, "check")


@pytest.mark.parametrize("cause", CAUSES)
def test_else_it_folds(cause):
    match, _ = started()
    answer(match, Action.BET)
    ask = match.asked
    match.handle(CAUSES[cause](ask))
    second = decisions(play_out(match))[1]
    assert (second.seat, second.fault, second.applied) == (ask.seat, cause, "fold")


@pytest.mark.parametrize("cause", ["timeout", "illegal", "malformed", "exception"])
def test_three_strikes_and_the_seat_is_out_and_not_asked_again(cause):
    match, effects = started()
    seat = match.asked.seat
    outs = []
    while match.asked is not None:
        happening = CAUSES[cause](match.asked) if match.asked.seat == seat else None
        effects = match.handle(happening) if happening else answer(match)
        outs += of(Faulted, effects)
        if len(outs) < 3:
            continue
        assert not [ask for ask in of(Ask, effects) if ask.seat == seat]
        last = effects
    assert [fault.out for fault in outs] == [False, False, True]
    played = of(Ended, last)[0].played
    assert played.faults[seat] == {cause: 3}
    faults = [d.fault for hand in played.hands for d in hand.decisions if d.seat == seat]
    assert faults[faults.index(cause) :].count(cause) == 3
    assert set(faults[-5:]) == {"out"}
    assert len(played.hands) == 8


def test_a_crash_is_out_at_once():
    match, _ = started()
    seat = match.asked.seat
    effects = match.handle(Gone(seat, "crash", "killed"))
    assert of(Faulted, effects)[0].out
    played = of(Ended, play_out(match))[0].played
    assert played.faults[seat] == {"crash": 1}
    mine = [d.fault for hand in played.hands for d in hand.decisions if d.seat == seat]
    assert mine[0] == "crash"
    assert set(mine[1:]) == {"out"}


def test_a_crash_while_another_seat_is_asked_counts_at_the_next_decision():
    match, _ = started()
    asked = match.asked
    gone = (asked.seat + 1) % 3
    assert match.handle(Gone(gone, "crash", "killed")) == []
    assert match.asked == asked
    played = of(Ended, play_out(match))[0].played
    mine = [d.fault for hand in played.hands for d in hand.decisions if d.seat == gone]
    assert mine[0] == "crash"
    assert set(mine[1:]) == {"out"}
    assert played.faults[gone] == {"crash": 1}


def test_all_bots_gone_the_match_still_ends():
    match, _ = started()
    asked = match.asked.seat
    effects = []
    for seat in (1, 2, 0) if asked == 0 else (0, 2, 1) if asked == 1 else (0, 1, 2):
        effects += match.handle(Gone(seat, "crash", "killed"))
    played = of(Ended, effects)[0].played
    assert len(played.hands) == 8
    assert sum(played.net) == 0


def test_other_seats_are_not_told_of_a_fault():
    match, effects = started()
    ask = match.asked
    effects = match.handle(Answered(ask.seat, ask.decision, Action("dance"), 0.0))
    assert {type(effect) for effect in effects} <= {Faulted, Ask, Tell}
    assert "illegal" not in repr(of(Ask, effects) + of(Tell, effects))


def test_a_late_answer_to_an_old_decision_is_dropped_and_warned_of():
    match, _ = started()
    ask = match.asked
    match.handle(TimedOut(ask.seat, ask.decision, 11.0))
    now = match.asked
    effects = match.handle(Answered(ask.seat, ask.decision, Action.BET, 12.0))
    assert [type(effect) for effect in effects] == [Warn]
    assert effects[0].seat == ask.seat
    assert match.asked == now
    assert match.strays == 1


def test_the_second_answer_to_a_decision_is_dropped():
    match, _ = started()
    ask = match.asked
    match.handle(Answered(ask.seat, ask.decision, Action.CHECK, 0.0))
    effects = match.handle(Answered(ask.seat, ask.decision, Action.BET, 0.0))
    assert [type(effect) for effect in effects] == [Warn]


def test_nobody_can_answer_for_another_seat():
    match, _ = started()
    ask = match.asked
    effects = match.handle(Answered((ask.seat + 1) % 3, ask.decision, Action.BET, 0.0))
    assert [type(effect) for effect in effects] == [Warn]
    assert match.asked == ask


def test_an_answer_to_a_decision_not_yet_asked_is_dropped():
    match, _ = started()
    ask = match.asked
    effects = match.handle(Answered(ask.seat, ask.decision + 3, Action.CHECK, 0.0))
    assert [type(effect) for effect in effects] == [Warn]
    assert match.asked == ask


def test_a_clock_that_runs_out_after_the_answer_changes_nothing():
    match, _ = started()
    ask = match.asked
    answer(match)
    now = match.asked
    assert match.handle(TimedOut(ask.seat, ask.decision, 11.0)) == []
    assert match.asked == now


def test_what_comes_after_the_end_is_dropped():
    match, _ = started()
    play_out(match)
    assert [type(e) for e in match.handle(Answered(0, 1, Action.CHECK, 0.0))] == [Warn]
    assert match.handle(Gone(0, "crash", "exited")) == []


def test_a_long_answer_is_cut_at_200_characters():
    match, _ = started()
    ask = match.asked
    match.handle(Answered(ask.seat, ask.decision, Action("x" * 5000), 0.0))
    assert decisions(play_out(match))[0].answer == "x" * 200


def test_untimed_seats_have_all_the_time_there_is():
    match, _ = started(clock=None)
    effects = answer(match, elapsed=1e9)
    assert not of(Faulted, effects)


@given(st.data(), st.integers(2, 6))
def test_whatever_happens_the_match_ends_and_nets_sum_to_0(data, seats):
    entrants = tuple(Entrant(f"bot{seat}", "1") for seat in range(seats))
    seed = data.draw(st.binary(min_size=32, max_size=32))
    match = Match(replace(SETUP, entrants=entrants, first_dealer=0, seed=seed, hands=3))
    effects = match.start()
    while match.asked is not None:
        ask = match.asked
        kind = data.draw(st.sampled_from(["right"] * 12 + list(CAUSES) + ["stray"]))
        if kind == "right":
            more = answer(match, data.draw(st.sampled_from(ask.seen.legal)))
        elif kind == "stray":
            more = match.handle(Answered(ask.seat, ask.decision - 1, Action.CHECK, 0.1))
        else:
            more = match.handle(CAUSES[kind](ask))
        effects += more
    played = of(Ended, effects)[0].played
    assert sum(played.net) == 0
    assert len(played.hands) == 3
    for seat in range(seats):
        marks = [d.fault for hand in played.hands for d in hand.decisions if d.seat == seat]
        counted = {cause: marks.count(cause) for cause in CAUSES if cause in marks}
        assert played.faults[seat] == counted
        if "out" in marks:
            assert set(marks[marks.index("out") :]) == {"out"}
