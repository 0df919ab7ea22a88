"""How times are written and read back."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandlot.clock import Clock, format_duration, parse_duration
from sandlot.errors import ClockError, SandlotError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1s", 1.0),
        ("250ms", 0.25),
        ("2m", 120.0),
        ("0s", 0.0),
        ("0ms", 0.0),
        ("1.5s", 1.5),
        ("0.5m", 30.0),
        ("1.50s", 1.5),
        ("0.001s", 0.001),
        ("007s", 7.0),
    ],
)
def test_a_duration_is_read(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (0.001, "1ms"), (0.25, "250ms"), (1.0, "1s"), (90.0, "90s"), (0.1 + 0.2, "300ms")],
)
def test_a_duration_is_written_in_its_largest_whole_unit(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


@given(st.integers(0, 10**10))
def test_a_duration_prints_and_reads_back(milliseconds: int) -> None:
    seconds = milliseconds / 1_000
    assert parse_duration(format_duration(seconds)) == seconds


@given(st.integers(0, 10**9), st.sampled_from(["ms", "s", "m"]))
def test_text_reads_and_prints_back_to_the_same_time(number: int, unit: str) -> None:
    seconds = parse_duration(f"{number}{unit}")
    assert parse_duration(format_duration(seconds)) == seconds


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("10", 'has no unit: write "10s" or "10ms"'),
        ("", "is no duration"),
        ("s", "is no duration"),
        ("-1s", "is no duration"),
        ("1 s", "is no duration"),
        ("1s ", "is no duration"),
        ("1s\n", "is no duration"),
        ("1h", "is no duration"),
        ("1S", "is no duration"),
        ("1,5s", "is no duration"),
        (".5s", "is no duration"),
        ("1.s", "is no duration"),
        ("1e3s", "is no duration"),
        ("infs", "is no duration"),
        ("nan", "is no duration"),
        ("\u0661s", "is no duration"),
        ("0.5ms", "finer than a millisecond"),
        ("0.0001s", "finer than a millisecond"),
        ("9" * 400 + "s", "too long"),
    ],
)
def test_a_bad_duration_is_refused_with_what_to_write(text: str, said: str) -> None:
    with pytest.raises(ClockError) as caught:
        parse_duration(text)
    message = str(caught.value)
    assert said in message
    assert "write" in message
    assert "\n" not in message
    assert isinstance(caught.value, SandlotError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("seconds", [-0.001, -1, math.inf, math.nan, 0.0005])
def test_a_clock_refuses_times_that_cannot_be_written(seconds: float) -> None:
    with pytest.raises(ClockError):
        Clock(decision=seconds)
    with pytest.raises(ClockError):
        Clock(bank=seconds)
    with pytest.raises(ClockError):
        format_duration(seconds)


def test_a_clock_gives_some_time_for_a_decision_and_perhaps_no_bank() -> None:
    assert Clock(0.001, 0) == Clock(decision=0.001, bank=0.0)
    with pytest.raises(ClockError, match="needs some time: write at least 1ms"):
        Clock(decision=0)


def test_the_clock_of_a_tournament_is_a_second_with_ten_in_the_bank() -> None:
    assert Clock() == Clock(decision=1.0, bank=10.0)
