"""A session that outlives its connection: when the bot comes back, and what it finds."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from support.reducing import effects_of, setup_for

from sandlot import Action, BatchBot, Bot, MatchStart, Observation
from sandlot.attendance import FIRST_WAIT, LONGEST_WAIT, Attendance, waits
from sandlot.errors import SessionError
from sandlot.host import Host
from sandlot.match import Ask, Tell
from sandlot.notices import MatchEnd
from sandlot.session import Last, Session
from sandlot.v1 import arbiter_pb2
from sandlot.wire import PROTOCOL, Request, SeatWriter, Welcome, write_welcome

LOST = SessionError("it broke", lost=True)


class Time:
    """Time that passes by waiting only."""

    def __init__(self) -> None:
        self.now = 100.0
        self.waited: list[float] = []

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.now += seconds

    def attendance(self) -> Attendance:
        return Attendance(lambda: self.now, self.wait)


def test_waits_grow_up_to_the_longest_and_are_drawn() -> None:
    latest, earliest = waits(lambda: 1.0), waits(lambda: 0.0)
    assert [latest() for _ in range(7)] == [FIRST_WAIT, 1.0, 2.0, 4.0, 8.0, LONGEST_WAIT, 15.0]
    assert [earliest() for _ in range(3)] == [FIRST_WAIT / 2, 0.5, 1.0]


def test_it_tries_for_as_long_as_it_may_be_away_and_then_gives_up(
    capsys: pytest.CaptureFixture[str],
) -> None:
    time = Time()
    attendance = time.attendance()
    assert not attendance.welcomed(20.0)
    while sum(time.waited) < 20.0 - 1e-9:
        attendance.ended(LOST)
    with pytest.raises(SessionError, match=r"given up after 20\.0 s .*: it broke") as given_up:
        attendance.ended(LOST)
    assert given_up.value.__cause__ is LOST
    assert sum(time.waited) == pytest.approx(20.0)
    said = capsys.readouterr().err
    assert said == "the connection is lost; back within 20 s, or not at all: it broke\n"


def test_once_it_is_back_it_may_be_away_as_long_again(capsys: pytest.CaptureFixture[str]) -> None:
    time = Time()
    attendance = time.attendance()
    attendance.welcomed(20.0)
    for _ in range(3):
        for _ in range(5):
            attendance.ended(LOST)
        assert time.waited.pop() > 3
        assert attendance.welcomed(20.0)
    assert capsys.readouterr().err.count("\nback after ") == 3


def test_it_does_not_come_back_where_it_was_never_welcome_or_need_not() -> None:
    attendance = Time().attendance()
    with pytest.raises(SessionError, match="it broke"):
        attendance.ended(LOST)
    attendance.welcomed(0.0)
    with pytest.raises(SessionError, match="it broke"):
        attendance.ended(LOST)


@pytest.mark.parametrize("reason", ["flood", "time-outs", "replaced", "unknown-token", "worn-out"])
def test_it_does_not_come_back_after_what_the_arbiter_has_decided(reason: str) -> None:
    attendance = Time().attendance()
    attendance.welcomed(60.0)
    attendance.ended(LOST)
    with pytest.raises(SessionError, match="no more of you"):
        attendance.ended(SessionError("no more of you", reason=reason))


@pytest.mark.parametrize("reason", ["already-connected", "full"])
def test_it_tries_again_where_that_may_pass_but_only_when_it_was_away(reason: str) -> None:
    refused = SessionError("not now", reason=reason)
    attendance = Time().attendance()
    attendance.welcomed(60.0)
    with pytest.raises(SessionError, match="not now"):
        attendance.ended(refused)
    attendance.ended(LOST)
    attendance.ended(refused)


class Counts(Bot):
    made = 0
    asked = 0

    def __init__(self) -> None:
        Counts.made += 1

    def act(self, seen: Observation) -> Action:
        Counts.asked += 1
        return self.rng.choice(seen.legal)


class CountsMany(BatchBot):
    asked = started = 0

    def match_started(self, start: MatchStart) -> None:
        CountsMany.started += 1

    def act_many(self, seen: list[Observation]) -> list[Action]:
        CountsMany.asked += 1
        return [each.legal[-1] for each in seen]


class Recorded:
    """A stream out of a list, and what was put into it."""

    def __init__(self, *messages: bytes) -> None:
        self._messages: list[bytes | None] = [*messages, None]
        self.put_in: list[bytes] = []

    empty = property(lambda self: len(self._messages) <= 1)

    def receive(self) -> bytes | None:
        return self._messages.pop(0)

    def put(self, written: bytes) -> None:
        self.put_in.append(written)

    def send(self) -> None: ...


def told(seed: int = 1) -> tuple[bytes, bytes, bytes, MatchStart]:
    """Return the start, first request and end of a match for seat 0, and the start as a value."""
    writer, asks, ends = SeatWriter(), [], []
    start = None
    for effect in effects_of(setup_for(hands=1, seed=bytes([seed] * 16)), random.Random(seed)):
        if isinstance(effect, Ask) and effect.seat == 0:
            asks.append(writer.ask(Request(effect.seen, effect.allowed, effect.bank)))
        elif isinstance(effect, Tell) and effect.seat == 0:
            if isinstance(effect.notice, MatchStart):
                start = effect.notice
            elif isinstance(effect.notice, MatchEnd):
                ends.append(SeatWriter().tell(effect.notice))
    assert start is not None
    return SeatWriter().tell(start), asks[0], ends[0], start


def welcome(grace: float) -> bytes:
    return write_welcome(Welcome(PROTOCOL, "test", "bot-0", grace))


@pytest.fixture(autouse=True)
def _from_nothing() -> None:
    Counts.made = Counts.asked = CountsMany.asked = CountsMany.started = 0


@pytest.mark.parametrize("bot", [Counts, CountsMany])
def test_a_bot_that_is_back_keeps_its_object_and_is_not_asked_the_same_twice(
    bot: type[Bot] | type[BatchBot],
) -> None:
    start, ask, end, _ = told()
    host, last, attendance = Host(bot), Last(), Time().attendance()
    first, second, third = Recorded(welcome(9), start, ask), Recorded(), Recorded()
    Session(host, first, attendance, last).play()
    for stream in (second, third):
        attendance.ended(LOST)
        stream.__init__(welcome(9), start, ask)  # type: ignore[misc]
        Session(host, stream, attendance, last).play()
        assert stream.put_in == first.put_in
        assert arbiter_pb2.PlayRequest.FromString(stream.put_in[0]).decisions
    assert (Counts.made, CountsMany.started) in ((1, 0), (0, 1))
    assert Counts.asked + CountsMany.asked == 1
    Session(host, Recorded(welcome(9), start, end), attendance, last).play()
    assert last == {}


def test_a_bot_is_asked_anew_where_it_need_not_come_back() -> None:
    start, ask, _, _ = told()
    host, last = Host(Counts), Last()
    Session(host, Recorded(welcome(0), start, ask, ask), Time().attendance(), last).play()
    assert (Counts.asked, last) == (2, {})


def notices() -> tuple[MatchStart, Callable[[Host], int]]:
    _, _, _, start = told()
    return start, lambda host: len(host._seats)


def test_a_match_of_the_same_name_that_is_another_begins_anew() -> None:
    """As after an arbiter was killed: the match is played again with other cards."""
    start, count = notices()
    other = told(seed=2)[3]
    assert (start.match, start.seat) == (other.match, other.seat)
    host = Host(Counts)
    host.tell(start)
    host.come_back()
    host.tell(other)
    assert (Counts.made, count(host)) == (2, 1)


def test_a_match_that_ended_meanwhile_is_forgotten_in_the_end() -> None:
    start, count = notices()
    host = Host(Counts)
    host.tell(start)
    assert host.come_back() == []
    assert count(host) == 1  # it may still be told that it goes on
    assert host.come_back() == [start.match]
    assert count(host) == 0
    host.tell(start)
    assert Counts.made == 2
