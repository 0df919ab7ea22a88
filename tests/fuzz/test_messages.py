"""Any bytes at all as a message: they are read, or refused in one line, on either side."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from google.protobuf.message import Message
from hypothesis import example, given
from hypothesis import strategies as st
from support.fuzzing import always_the_same, check_told, fuzzed
from support.mutating import nearly
from support.reducing import effects_of, setup_for

from sandlot.errors import WireError
from sandlot.game.actions import Action
from sandlot.match import Ask, Tell
from sandlot.v1 import arbiter_pb2
from sandlot.v1 import league_pb2 as pb
from sandlot.wire import (
    Hello,
    Request,
    ResponseReader,
    SeatWriter,
    Unknown,
    Warned,
    Welcome,
    read_request,
    write_answer,
    write_exception,
    write_hello,
    write_warning,
    write_welcome,
)
from sandlot_server.service.calls import Method, methods, parse
from sandlot_server.service.league import League
from sandlot_server.service.limits import Limits
from sandlot_server.service.refusals import RefusedError
from sandlot_server.service.tables import read_table
from sandlot_server.service.values import read_bot, read_match, read_owner

NO_TIME = arbiter_pb2.PlayResponse(
    items=[
        arbiter_pb2.Item(
            match_started=arbiter_pb2.MatchStarted(
                variant="baseball", rules="baseball/1", clock=arbiter_pb2.Clock(bank_ms=1000)
            )
        )
    ]
).SerializeToString()
"""A match by a clock that gives no time for a decision."""

LIMITS = Limits(archive=400, message=300, text=20)
"""Small, so that examples reach them."""

METHODS = methods(League(*[None] * 4))  # type: ignore[arg-type]  # nothing is answered here


def requests() -> list[bytes]:
    """Return what bots send."""
    return [
        write_hello(Hello(1, "sandlot/1", ("baseball",))),
        write_answer("1-1-1", 3, Action.CALL),
        write_answer("1-1-1", 3, Action.FOLD) + write_answer("1-2-1", 4, Action.RAISE),
        write_exception("1-1-1", 3, "ValueError: no"),
    ]


def responses() -> list[bytes]:
    """Return what an arbiter tells in a match."""
    pen = SeatWriter()
    told = [write_welcome(Welcome(1, "sandlot/1", "ann")), write_warning(Warned("1", 2, "late"))]
    for effect in effects_of(setup_for(hands=1), random.Random(3)):
        if isinstance(effect, Ask):
            told.append(pen.ask(Request(effect.seen, 1.0, 2.0)))
        elif isinstance(effect, Tell):
            told.append(pen.tell(effect.notice))
    return told


CALLS: dict[str, list[Message]] = {
    "Submit": [pb.SubmitRequest(archive=bytes(100), name="river-rat")],
    "List": [pb.ListRequest(owner="ann", page_size=3, page_token="x")],
    "Logs": [pb.LogsRequest(bot="river-rat", number=2, season="spring", after=1, tail=True)],
    "Matches": [pb.MatchesRequest(season="spring", bot="ann", page_size=3, page_token="7")],
    "Watch": [pb.WatchRequest(match="1-1-1")],
}

MEAN = pb.Mean(value="-7/2", interval=pb.Interval(low=-4, high=1))
ROW = pb.StandingsRow(
    rank=1, bot="ann@1", matches=2, hands=16, net=MEAN, places={1: 2}, faults={"timeout": 1}
)
TABLE = pb.StandingsResponse(
    season="spring",
    status="open",
    configuration='{"seats": 2}',
    rank_by="net",
    rows=[ROW],
    meetings=[pb.Meeting(bot="ann@1", other="bob@1", matches=2, difference=MEAN)],
    entrants=[pb.Entrant(name="ann@1", withdrawn="retired")],
)
VERSION = pb.Version(bot="ann", number=1, manifest='{"run": "bot.py"}', settled="2026-12-01")
SEAT = pb.FinishedSeat(bot="ann@1", net=str(Fraction(7, 2)), place=1, faults={"crash": 1})
ANSWERS: list[tuple[Message, Callable[[Any], object]]] = [
    (TABLE, read_table),
    (pb.Bot(name="ann", disqualified="x", versions=[VERSION]), read_bot),
    (pb.FinishedMatch(match="1-1-1", attempt=1, seats=[SEAT]), read_match),
    (pb.Owner(name="ann", role="owner"), read_owner),
]


@given(nearly(requests()))
@fuzzed
def test_any_bytes_from_a_bot_are_answers_or_refused(raw: bytes) -> None:
    try:
        hello, answers = read_request(raw)
    except WireError as error:
        check_told(error)
        return
    for answer in answers:
        assert answer.illegible == "" or (answer.action, answer.exception) == (None, None)
        assert answer.illegible.isprintable()
    assert hello is None or isinstance(hello.protocol, int)


@given(st.lists(nearly(responses()), min_size=1, max_size=4))
@example([NO_TIME])
@fuzzed
def test_any_bytes_from_an_arbiter_are_told_or_refused(session: list[bytes]) -> None:
    reader = ResponseReader()
    for raw in session:
        try:
            told = reader.read(raw)
        except WireError as error:
            check_told(error)
            continue
        for each in told:
            if isinstance(each, Unknown):
                assert str(each.error).isprintable()


@pytest.mark.parametrize(("name", "method"), METHODS.items())
def test_any_bytes_to_a_method_are_its_message_or_refused(name: str, method: Method) -> None:
    made = [each.SerializeToString() for each in CALLS.get(name, [])] or [b"\x0a\x03ann", b""]

    @given(nearly(made))
    @fuzzed
    def target(raw: bytes) -> None:
        try:
            message = parse(method, raw, LIMITS)
        except RefusedError as error:
            check_told(error)
            return
        assert len(raw) <= LIMITS.archive
        assert isinstance(message, method.request)

    target()


@pytest.mark.parametrize(("message", "read"), ANSWERS)
def test_any_bytes_of_a_server_are_a_value_or_refused(
    message: Message, read: Callable[[Any], object]
) -> None:
    @given(nearly([message.SerializeToString()]))
    @fuzzed
    def target(raw: bytes) -> None:
        try:
            received = type(message).FromString(raw)
        except Exception:  # it is gRPC that reads it, and says so
            return
        try:
            read(received)
        except WireError as error:
            check_told(error)

    target()


def test_the_examples_reach_both_ends() -> None:
    """Were all refused, or none, the targets above would show little."""
    taken, refused = [0], set[str]()

    @given(nearly(requests()))
    @always_the_same
    def sort(raw: bytes) -> None:
        try:
            answers = read_request(raw)[1]
        except WireError as error:
            refused.add(str(error))
        else:
            taken[0] += 1
            refused.update(answer.illegible for answer in answers)

    sort()
    assert taken[0] > 50
    assert len(refused) > 15
