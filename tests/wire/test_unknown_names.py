"""What a later version of the game may send is refused by name, and garbage as garbage."""

from __future__ import annotations

import random

import pytest
from support.reducing import effects_of, setup_for

from sandlot.errors import WireError
from sandlot.match import Ask, Tell
from sandlot.v1 import arbiter_pb2, table_pb2
from sandlot.wire import (
    Request,
    ResponseReader,
    SeatWriter,
    Unknown,
    read_event,
    read_observation,
    read_request,
    write_observation,
)
from sandlot.wire.fields import delimited


def an_observation() -> table_pb2.Observation:
    asked = next(e for e in effects_of(setup_for(), random.Random(1)) if isinstance(e, Ask))
    return table_pb2.Observation.FromString(write_observation(asked.seen))


def refusal_of(item: arbiter_pb2.Item) -> Unknown:
    [told] = ResponseReader().read(arbiter_pb2.PlayResponse(items=[item]).SerializeToString())
    assert isinstance(told, Unknown)
    return told


def test_an_unknown_event_is_refused_by_name() -> None:
    with pytest.raises(WireError, match="'swap' is unknown"):
        read_event(table_pb2.Event(event="swap", seat=1))


def test_an_event_of_the_whole_table_is_refused_by_name() -> None:
    with pytest.raises(WireError, match="'deal' of the whole table"):
        read_event(table_pb2.Event(event="deal", card=5, up=True))


def test_an_unknown_action_in_the_history_is_refused_by_name() -> None:
    action = table_pb2.Action(name="declare")
    with pytest.raises(WireError, match="'declare' is unknown"):
        read_event(table_pb2.Event(event="action", seat=1, action=action))


def test_an_unknown_choice_is_refused_by_name() -> None:
    message = an_observation()
    message.legal.add(name="declare")
    with pytest.raises(WireError, match="'declare' is unknown"):
        read_observation(message)


def test_a_known_action_with_an_amount_to_choose_is_refused_by_name() -> None:
    message = an_observation()
    message.legal.add(name="raise", least=2, most=9)
    with pytest.raises(WireError, match="'raise' leaves an amount"):
        read_observation(message)


@pytest.mark.parametrize(
    "event",
    [
        table_pb2.Event(event="deal", seat=0, card=52, up=True),
        table_pb2.Event(event="reveal", seat=0, down=[99]),
        table_pb2.Event(event="reveal", seat=0, five=[1, 2], five_as=[1]),
        table_pb2.Event(event="reveal", seat=0, five=[1], five_as=[65]),
        table_pb2.Event(event="award", seat=0, amount="a lot"),
        table_pb2.Event(event="award", seat=0, amount="1/0"),
    ],
)
def test_an_event_that_cannot_be_is_refused(event: table_pb2.Event) -> None:
    with pytest.raises(WireError):
        read_event(event)


def test_a_request_with_something_unknown_names_its_match_and_decision() -> None:
    message = an_observation()
    message.history.add(event="swap", seat=0)
    asked = arbiter_pb2.DecisionRequested(observation=message)
    refused = refusal_of(arbiter_pb2.Item(decision_requested=asked))
    assert (refused.match, refused.decision) == ("3-12-1", message.decision)
    assert "'swap'" in str(refused.error)


def test_the_rest_of_a_message_is_read_beside_what_is_unknown() -> None:
    asked = next(e for e in effects_of(setup_for(), random.Random(1)) if isinstance(e, Ask))
    request = Request(asked.seen, asked.allowed, asked.bank)
    strange = arbiter_pb2.Item(hand_ended=arbiter_pb2.HandEnded(match="9-9-9", net=["much"]))
    raw = arbiter_pb2.PlayResponse(items=[strange]).SerializeToString() + SeatWriter().ask(request)
    refused, read = ResponseReader().read(raw)
    assert isinstance(refused, Unknown)
    assert refused.match == "9-9-9"
    assert read == request


@pytest.mark.parametrize(
    ("variant", "rules"),
    [("night-baseball", "night-baseball/1"), ("baseball", "baseball/2")],
)
def test_an_unknown_variant_is_refused_by_name(variant: str, rules: str) -> None:
    start = next(e for e in effects_of(setup_for(), random.Random(1)) if isinstance(e, Tell))
    raw = SeatWriter().tell(start.notice)
    item = arbiter_pb2.PlayResponse.FromString(raw).items[0]
    item.match_started.variant = variant
    item.match_started.rules = rules
    refused = refusal_of(item)
    assert refused.match == "3-12-1"
    assert f"{variant!r} with the rules {rules!r}" in str(refused.error)


def test_a_thing_told_that_this_version_does_not_know_is_not_guessed() -> None:
    assert refusal_of(arbiter_pb2.Item()).match == ""


@pytest.mark.parametrize("raw", [b"\xff\xff\xff", b"\x12\x05abc", b'"\xc3', b"GET / HTTP/1.1\r\n"])
def test_garbage_is_no_request(raw: bytes) -> None:
    with pytest.raises(WireError, match="no PlayRequest"):
        read_request(raw)


@pytest.mark.parametrize("raw", [b"", b"\x18\x05"])
def test_a_request_that_says_nothing_is_refused(raw: bytes) -> None:
    with pytest.raises(WireError, match="without a decision"):
        read_request(raw)


def test_garbage_is_no_response() -> None:
    with pytest.raises(WireError, match="no PlayResponse"):
        ResponseReader().read(b"\xff\xff\xff")


def test_an_answer_that_cannot_be_read_is_told_apart_from_its_neighbours() -> None:
    decisions = [
        arbiter_pb2.Decision(match="1-1-1", decision=1),
        arbiter_pb2.Decision(match="1-1-1", decision=2, action=table_pb2.Action(cards=[60])),
        arbiter_pb2.Decision(match="1-1-1", decision=3, exception=""),
    ]
    message = arbiter_pb2.PlayRequest(decisions=decisions)
    _, [neither, no_cards, raised] = read_request(message.SerializeToString())
    assert "neither" in neither.illegible
    assert "no cards" in no_cards.illegible
    assert (raised.exception, raised.illegible) == ("", "")


@pytest.mark.parametrize(
    "part",
    [delimited(4, delimited(15, b"\0")), delimited(3, delimited(1, delimited(9, b"\0")))],
    ids=["event", "seat"],
)
def test_a_part_that_is_garbage_is_refused_as_garbage(part: bytes) -> None:
    with pytest.raises(WireError, match="no PlayResponse"):
        ResponseReader().read(delimited(1, part))
