"""A match written down, read back and verified is the same match, and its text the same bytes."""

from __future__ import annotations

import io
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from records.handled import records
from support.faulty import faulty_match, played_with, scripted
from support.reducing import setup_for

from sandlot import Action, Bot, Observation
from sandlot.arena import play
from sandlot.clock import Clock
from sandlot.errors import RecordError
from sandlot.game import VARIANTS
from sandlot.match import Answered, Ask, Ended, Gone, Happening, Match, Raised, TimedOut
from sandlot.pack import PACK
from sandlot.played import Decision, MatchSetup, PlayedMatch
from sandlot.records import Record, read, utc_now, verify, write

STARTED, ENDED = "2026-03-01T12:00:00Z", "2026-03-01T12:00:04.250Z"

CLOCKS = (Clock(), Clock(0.25, 0), Clock(0.001, 0.002), Clock(120, 60), None)


def text_of(played: PlayedMatch) -> str:
    return write(played, STARTED, ENDED)


def decisions(played: PlayedMatch) -> list[Decision]:
    return [decision for hand in played.hands for decision in hand.decisions]


@st.composite
def setups(draw: st.DrawFn) -> MatchSetup:
    variant = draw(st.sampled_from(sorted(VARIANTS)))
    seats = draw(st.integers(2, 6))
    setup = setup_for(
        seats=seats,
        hands=draw(st.integers(1, 3)),
        variant=variant,
        seed=draw(st.binary(min_size=32, max_size=32)),
        clock=draw(st.sampled_from(CLOCKS)),
        strikes=draw(st.integers(1, 4)),
        bots=tuple(
            draw(st.text(max_size=8, alphabet=st.characters(exclude_categories=["Cs"])))
            for _ in range(seats)
        ),
    )
    return replace(setup, first_dealer=draw(st.integers(0, seats - 1)))


@settings(max_examples=120)
@given(setups(), st.randoms(use_true_random=False), st.sampled_from((0.0, 0.1, 0.5)))
def test_any_match_verifies_and_reads_back_to_the_same_bytes(
    setup: MatchSetup, choices: random.Random, fault: float
) -> None:
    played = faulty_match(setup, choices, fault)
    text = text_of(played)
    (verified,) = verify(text)
    (record,) = read(text)
    assert record.text == text
    assert record.played == played
    assert verified.record == record
    assert verified.hands == setup.hands
    assert verified.decisions == len(decisions(played))


def test_random_matches_hold_every_kind_of_fault() -> None:
    """The property above would be hollow if what it plays were all well-behaved."""
    causes: Counter[tuple[str | None, bool]] = Counter()
    for seed in range(40):
        played = faulty_match(setup_for(seats=3, strikes=4), random.Random(seed), 0.3)
        text = text_of(played)
        assert [each.record.played for each in verify(text)] == [played]
        causes.update((each.fault, each.answer is None) for each in decisions(played))
    for cause in ("illegal", "malformed", "exception"):
        assert causes[cause, False] > 3
    for cause in ("crash", "out", "timeout"):
        assert causes[cause, True] > 3
    assert causes["timeout", False] > 3
    assert causes[None, False] > 100


class Errs(Bot):
    """Any legal action, and now and then an exception or a wrong answer."""

    def act(self, seen: Observation) -> Action:
        drawn = self.rng.random()
        if drawn < 0.02:
            raise ValueError("I have lost my way")
        return Action.FOLD if drawn < 0.04 else self.rng.choice(seen.legal)


@pytest.mark.parametrize("seats", [2, 6])
def test_matches_of_the_arena_where_nobody_is_timed_verify_and_share_a_file(seats: int) -> None:
    played = list(play([Errs] * seats, 3, seed=bytes(16), on_fault=lambda fault: None))
    text = "".join(map(text_of, played))
    assert '"clock":{"decision":null,"bank":null,"strikes":3}' in text
    assert [each.record.played for each in verify(text, bytes(16))] == played
    assert [each.line for each in verify(text)] == [1, 11, 21]


class Lookalike(Action):
    """Prints as a legal action, and is none."""


class Careless(Bot):
    """Returns what looks like an action."""

    def act(self, seen: Observation) -> Action:
        name = seen.legal[0].name
        return self.rng.choice(
            (
                Lookalike(name),
                Action(name, cards=[]),  # type: ignore[arg-type]
                Action(None),  # type: ignore[arg-type]
                Action(name, amount=1),
                Action(name, cards=(PACK[0],)),
                seen.legal[0],
            )
        )


def test_what_only_looks_like_an_action_is_a_fault_that_verifies() -> None:
    (played,) = play([Careless] * 2, seed=bytes(16), strikes=1000, on_fault=lambda fault: None)
    (verified,) = verify(text_of(played))
    assert verified.record.played == played
    assert {decision.fault for decision in decisions(played)} == {None, "exception", "illegal"}


def test_a_record_is_read_from_a_path_an_open_file_bytes_or_text(tmp_path: Path) -> None:
    text = text_of(faulty_match(setup_for(hands=2), random.Random(1)))
    path = tmp_path / "one.jsonl"
    path.write_text(text, newline="")
    for source in (path, io.BytesIO(text.encode()), text.encode(), text):
        (record,) = read(source)
        assert record.text == text


def test_no_more_than_one_match_is_read_ahead() -> None:
    played = list(play([Errs] * 2, 5, seed=bytes(16), on_fault=lambda fault: None))
    records = [text_of(match).encode() for match in played]
    file = io.BytesIO(b"".join(records))
    for number, _ in enumerate(verify(file)):
        assert file.tell() == sum(map(len, records[: number + 1]))


def test_the_digest_leaves_the_times_out_and_nothing_else() -> None:
    setup = setup_for(hands=2, clock=Clock(1.0, 100.0))

    def digest(setup: MatchSetup, choice: int, elapsed: float, started: str) -> str:
        played = played_with(
            setup,
            lambda asked: Answered(asked.seat, asked.decision, asked.seen.legal[choice], elapsed),
        )
        return Record(played, started, ENDED).digest

    one = digest(setup, 0, 1.5, STARTED)
    assert digest(setup, 0, 0.2, "2027-01-01T00:00:00Z") == one
    assert digest(setup, 1, 1.5, STARTED) != one
    assert digest(replace(setup, attempt=2), 0, 1.5, STARTED) != one


def first_decisions(
    *firsts: Callable[[Ask], Happening], clock: Clock | None = CLOCKS[0]
) -> tuple[Decision, ...]:
    """Return the decisions of a hand in which ``firsts`` happen, out of its verified record."""
    played = played_with(setup_for(hands=1, clock=clock), scripted(*firsts))
    (verified,) = verify(text_of(played))
    assert verified.record.played == played
    return played.hands[0].decisions


# Time counts in whole milliseconds, so that the bank of a replay is the bank of the play.


@pytest.mark.parametrize(
    ("elapsed", "ms", "fault"),
    [
        (0.0, 0, None),
        (0.0001, 1, None),
        (11.0, 11_000, None),
        (11.0000001, 11_000, None),
        (11.0004, 11_001, "timeout"),
        (11.001, 11_001, "timeout"),
    ],
)
def test_an_answer_counts_in_milliseconds_that_have_begun(
    elapsed: float, ms: int, fault: str | None
) -> None:
    (decision, *_) = first_decisions(
        lambda asked: Answered(asked.seat, asked.decision, Action.BET, elapsed)
    )
    assert (decision.ms, decision.fault, decision.answer) == (ms, fault, "bet")
    assert decision.applied == ("check" if fault else "bet")


def test_a_clock_that_rings_early_has_rung_at_the_end() -> None:
    (decision, *_) = first_decisions(
        lambda asked: TimedOut(asked.seat, asked.decision, asked.allowed - 0.002)
    )
    assert (decision.ms, decision.fault, decision.answer) == (11_001, "timeout", None)


def test_many_small_overruns_use_up_the_bank_to_the_millisecond() -> None:
    def overrun(asked: Ask) -> Happening:
        return Answered(asked.seat, asked.decision, asked.seen.legal[0], 1.0004)

    rows = first_decisions(*[overrun] * 8, clock=Clock(1, 0.003))
    assert [(row.ms, row.fault) for row in rows[:8]] == [(1001, None)] * 6 + [(1001, "timeout")] * 2


def test_a_session_that_is_ended_has_not_used_up_the_time_and_is_out() -> None:
    (first, *rest) = first_decisions(lambda asked: Gone(asked.seat, "timeout", "", 99.0))
    assert (first.ms, first.fault, first.answer) == (11_000, "timeout", None)
    assert {row.fault for row in rest if row.seat == first.seat} == {"out"}


def test_a_seat_that_crashed_unasked_has_the_fault_at_its_next_decision() -> None:
    match = Match(setup_for(seats=3, hands=1))
    effects = match.start()
    assert match.asked is not None
    other = (match.asked.seat + 1) % 3
    assert match.handle(Gone(other, "crash", "killed by signal 9")) == []
    while not isinstance(effects[-1], Ended):
        asked = match.asked
        assert asked is not None
        effects = match.handle(Answered(asked.seat, asked.decision, asked.seen.legal[0], 0.0))
    played = effects[-1].played
    rows = [row for row in decisions(played) if row.seat == other]
    assert [(row.fault, row.answer, row.ms) for row in rows[:2]] == [
        ("crash", None, 0),
        ("out", None, 0),
    ]
    assert played.faults[other] == {"crash": 1}
    (verified,) = verify(text_of(played))
    assert verified.record.played == played


def test_what_came_is_kept_as_text_whatever_it_was() -> None:
    for text in ("", "\ud800!", "\x00", "x" * 300, "ü" * 300, '"\\', "\u2028"):

        def raised(asked: Ask, text: str = text) -> Happening:
            return Raised(asked.seat, asked.decision, 0.0, text)

        (decision, *_) = first_decisions(raised)
        assert decision.answer == text[:200].replace("\ud800", "?")
        assert decision.fault == "exception"


# What a record says of money and time.


def test_split_pots_are_written_exactly() -> None:
    setup = setup_for(seats=3, hands=1, seed=(41).to_bytes(32))
    played = played_with(setup, scripted())
    text = text_of(played)
    assert '"net":["-1","1/2","1/2"]' in text
    assert '{"event":"award","seat":1,"amount":"3/2"}' in text
    (record,) = read(text)
    assert record.played.net == (Fraction(-1), Fraction(1, 2), Fraction(1, 2))


@pytest.mark.parametrize(
    "time", ["", "yesterday", "2026-03-01 12:00:00Z", "2026-03-01T12:00:00+00:00", "2026-03-01"]
)
def test_a_time_in_another_form_is_not_written(time: str) -> None:
    played = faulty_match(setup_for(hands=1), random.Random(1))
    with pytest.raises(RecordError, match=r"started is .*utc_now"):
        write(played, time, ENDED)
    with pytest.raises(RecordError, match="ended is "):
        write(played, STARTED, time)


def test_the_time_now_is_written_as_a_record_has_it() -> None:
    played = faulty_match(setup_for(hands=1), random.Random(1))
    now = utc_now()
    assert f'"started":"{now}"' in write(played, now, utc_now())


def test_the_form_is_what_it_was_when_the_case_was_written() -> None:
    """`sandlot-record/1` is a contract: another byte here is another version of the form."""
    case = Path(__file__).parents[1] / "cases" / "records.jsonl"
    assert "".join(records().values()) == case.read_bytes().decode()
    assert len(list(verify(case))) == len(records())
