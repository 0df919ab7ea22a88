"""What one side writes, the other reads as the same values; and protobuf agrees to every byte."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reducing import effects_of, setup_for

from sandlot import Action, cards
from sandlot.clock import Clock
from sandlot.errors import WireError
from sandlot.game import Awarded, Revealed
from sandlot.match import Ask, Tell
from sandlot.notices import HandEnd, MatchEnd, MatchStart
from sandlot.v1 import arbiter_pb2, table_pb2
from sandlot.wire import (
    Answer,
    Hello,
    Request,
    ResponseReader,
    SeatWriter,
    Told,
    Warned,
    Welcome,
    read_event,
    read_observation,
    read_request,
    write_answer,
    write_event,
    write_exception,
    write_hello,
    write_observation,
    write_warning,
    write_welcome,
)

TABLES = [("baseball", seats) for seats in range(2, 7)] + [("seven-card-stud", 7)]


@pytest.mark.parametrize(("variant", "seats"), TABLES)
def test_every_observation_of_a_match_is_read_as_it_was_written(variant: str, seats: int) -> None:
    asked = 0
    for effect in effects_of(setup_for(seats, variant=variant), random.Random(seats)):
        if isinstance(effect, Ask):
            written = write_observation(effect.seen)
            message = table_pb2.Observation.FromString(written)
            assert read_observation(message) == effect.seen
            assert message.SerializeToString(deterministic=True) == written
            asked += 1
    assert asked > 8 * 5 * seats // 2


@pytest.mark.parametrize(("variant", "seats"), TABLES)
def test_a_session_reads_all_that_its_seats_are_told(variant: str, seats: int) -> None:
    """One session at every seat of two matches at once, as a bot that plays itself would have."""
    writers = {(match, seat): SeatWriter() for match in ("1-1-1", "1-1-2") for seat in range(seats)}
    reader = ResponseReader()
    both = [
        effects_of(
            setup_for(seats, variant=variant, match=match, seed=bytes([number] * 16)),
            random.Random(number),
        )
        for number, match in enumerate(("1-1-1", "1-1-2"))
    ]
    kinds: set[type] = set()
    while both:
        told: list[Told] = []
        written = []
        for effects in list(both):
            effect = next(effects, None)
            if effect is None:
                both.remove(effects)
            elif isinstance(effect, Ask):
                told.append(Request(effect.seen, effect.allowed, effect.bank))
                writer = writers[effect.seen.match, effect.seat]
                written.append(writer.ask(Request(effect.seen, effect.allowed, effect.bank)))
            elif isinstance(effect, Tell):
                told.append(effect.notice)
                written.append(writers[effect.notice.match, effect.seat].tell(effect.notice))
        message = b"".join(written)
        assert reader.read(message) == told
        kinds.update(map(type, told))
        parsed = arbiter_pb2.PlayResponse.FromString(message)
        assert parsed.SerializeToString(deterministic=True) == message
    assert kinds == {MatchStart, Request, HandEnd, MatchEnd}


def test_times_travel_in_milliseconds_beside_the_observation() -> None:
    asked = next(e for e in effects_of(setup_for(), random.Random(1)) if isinstance(e, Ask))
    written = SeatWriter().ask(Request(asked.seen, 10.9999, 9.9999))
    message = arbiter_pb2.PlayResponse.FromString(written).items[0].decision_requested
    assert (message.allowed_ms, message.bank_ms) == (11000, 10000)
    assert message.observation.SerializeToString() == write_observation(asked.seen)


def test_a_match_without_a_clock_says_so() -> None:
    start = next(e for e in effects_of(setup_for(clock=None), random.Random(1)))
    assert isinstance(start, Tell)
    assert isinstance(start.notice, MatchStart)
    assert ResponseReader().read(SeatWriter().tell(start.notice)) == [start.notice]
    assert start.notice.clock is None
    asked = next(
        e for e in effects_of(setup_for(clock=None), random.Random(1)) if isinstance(e, Ask)
    )
    request = Request(asked.seen, asked.allowed, asked.bank)
    assert request.allowed == math.inf
    assert ResponseReader().read(SeatWriter().ask(request)) == [request]


fractions = st.fractions(min_value=0, max_value=10_000, max_denominator=5)


@given(fractions)
def test_an_award_of_any_fraction_is_exact(amount: Fraction) -> None:
    event = Awarded(0, amount)
    assert read_event(table_pb2.Event.FromString(write_event(event))) == event


def test_five_of_a_kind_names_its_fifth_card() -> None:
    event = Revealed(
        1,
        cards("8c 8d 3c"),
        "five of a kind",
        (("8c", "8c"), ("8d", "8d"), ("8h", "8h"), ("8s", "8s"), ("3c", "8*")),
    )
    message = table_pb2.Event.FromString(write_event(event))
    assert list(message.five_as) == [24, 25, 26, 27, 52 + 6]
    assert read_event(message) == event


actions = st.builds(
    Action,
    st.text(max_size=20),
    st.none() | st.integers(0, 2**32 - 1),
    st.lists(st.sampled_from(cards("2c 3d As Th")), max_size=4).map(tuple),
)
answers = st.lists(
    st.tuples(st.text(max_size=20), st.integers(0, 2**32 - 1), actions | st.text(max_size=300))
)


@given(answers.filter(bool))
def test_answers_travel_together(sent: list[tuple[str, int, Action | str]]) -> None:
    written = b"".join(
        write_answer(match, decision, answer)
        if isinstance(answer, Action)
        else write_exception(match, decision, answer)
        for match, decision, answer in sent
    )
    expected = [
        Answer(match, decision, action=answer)
        if isinstance(answer, Action)
        else Answer(match, decision, exception=answer)
        for match, decision, answer in sent
    ]
    hello, read = read_request(written)
    assert (hello, list(read)) == (None, expected)
    parsed = arbiter_pb2.PlayRequest.FromString(written)
    assert parsed.SerializeToString(deterministic=True) == written


@given(st.integers(0, 2**32 - 1), st.text(), st.lists(st.text()))
def test_a_hello_travels(protocol: int, sdk: str, variants: list[str]) -> None:
    hello = Hello(protocol, sdk, tuple(variants))
    read, answers = read_request(write_hello(hello))
    assert (read, list(answers)) == (hello, [])


@given(st.text(), st.integers(0, 2**32 - 1), st.text(), st.text(), st.integers(0, 2**32 - 1))
def test_a_welcome_and_a_warning_travel(
    name: str, number: int, other: str, third: str, grace_ms: int
) -> None:
    welcome = Welcome(number, name, other, grace_ms / 1000)
    warned = Warned(name, number, third)
    written = write_welcome(welcome) + write_warning(warned)
    assert ResponseReader().read(written) == [welcome, warned]
    parsed = arbiter_pb2.PlayResponse.FromString(written)
    assert parsed.SerializeToString(deterministic=True) == written


@pytest.mark.parametrize(
    "action",
    [
        Action("bet", -1),
        Action("bet", 2**32),
        Action("bet", "1"),  # type: ignore[arg-type]
        Action(7),  # type: ignore[arg-type]
        Action("pass", cards=("As",)),  # type: ignore[arg-type]
        Action("pass", cards=[1]),  # type: ignore[arg-type]
    ],
)
def test_an_action_that_cannot_travel_is_refused_by_name(action: Action) -> None:
    with pytest.raises(WireError, match=rf"{action.name!r}|\d+ cannot travel"):
        write_answer("1-1-1", 1, action)


def test_lone_surrogates_do_not_stop_a_message() -> None:
    _, [answer] = read_request(write_exception("1-1-1", 1, "bad \udcff name"))
    assert answer.exception == "bad ? name"


def test_a_clock_in_minutes_travels() -> None:
    start = next(e for e in effects_of(setup_for(clock=Clock(0.25, 120.0)), random.Random(1)))
    assert isinstance(start, Tell)
    assert isinstance(start.notice, MatchStart)
    [read] = ResponseReader().read(SeatWriter().tell(start.notice))
    assert isinstance(read, MatchStart)
    assert read.clock == Clock(0.25, 120.0)
