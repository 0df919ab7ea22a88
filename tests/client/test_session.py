"""A bot over gRPC: what it hears, what leaves it and when, and how its session ends."""

from __future__ import annotations

import contextlib
import random
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import grpc
import grpc.aio
import pytest
from support.reducing import effects_of, setup_for
from support.scripted_arbiter import Conversation, scripted_arbiter

from sandlot import Action, BatchBot, Bot, HandEnd, MatchEnd, MatchStart, Observation
from sandlot.address import Address
from sandlot.attendance import Attendance
from sandlot.errors import SessionError
from sandlot.host import BotClass, Host
from sandlot.match import Ask, Tell
from sandlot.session import Session, play_session
from sandlot.v1 import arbiter_pb2
from sandlot.wire import PROTOCOL, Request, SeatWriter, Warned, write_warning


def told_to_seat_0(
    matches: int = 1, hands: int = 1
) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """Return the starts, the first requests and the ends that seat 0 gets in so many matches."""
    starts: list[bytes] = []
    asks: list[bytes] = []
    ends: list[bytes] = []
    for number in range(1, matches + 1):
        setup = setup_for(match=f"{number}-1-1", hands=hands, seed=bytes([number] * 16))
        writer = SeatWriter()
        asked = False
        for effect in effects_of(setup, random.Random(number)):
            if isinstance(effect, Tell) and effect.seat == 0:
                notice = effect.notice
                (starts if isinstance(notice, MatchStart) else ends).append(writer.tell(notice))
            elif isinstance(effect, Ask) and effect.seat == 0 and not asked:
                asks.append(writer.ask(Request(effect.seen, effect.allowed, effect.bank)))
                asked = True
    return starts, asks, ends


class Caller(Bot):
    def act(self, seen: Observation) -> Action:
        return Action.CHECK if Action.CHECK in seen.legal else Action.CALL


def play(bot: BotClass, script: object, directory: Path) -> None:
    assert callable(script)
    with scripted_arbiter(directory, script) as address:
        play_session(Host(bot), Address.parse(address), "secret")


def test_the_hello_says_protocol_library_and_variants_and_the_token_is_metadata(
    tmp_path: Path,
) -> None:
    heard = []

    def script(bot: Conversation) -> Iterator[bytes]:
        heard.append((bot.hello, dict(bot.context.invocation_metadata())["authorization"]))
        yield from ()

    play(Caller, script, tmp_path)
    [(hello, authorization)] = heard
    assert isinstance(hello, arbiter_pb2.Hello)
    assert hello.protocol == PROTOCOL
    assert hello.sdk.startswith("sandlot-python")
    assert list(hello.variants) == ["baseball", "seven-card-stud"]
    assert authorization == "Bearer secret"


def test_many_requests_of_one_message_are_answered_in_order_in_one_message(tmp_path: Path) -> None:
    starts, asks, _ = told_to_seat_0(matches=64)
    answered: list[list[arbiter_pb2.Decision]] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        yield b"".join(starts)
        yield b"".join(asks)
        answered.append(bot.decisions(64))

    play(Caller, script, tmp_path)
    assert [decision.match for decision in answered[0]] == [f"{n}-1-1" for n in range(1, 65)]
    assert all(decision.action.name in ("check", "call") for decision in answered[0])


def test_an_answer_leaves_while_the_bot_thinks_about_the_next(tmp_path: Path) -> None:
    """One decision does not wait for another that takes long, or never ends."""
    starts, asks, _ = told_to_seat_0(matches=2)
    first_is_heard = threading.Event()

    class SlowAtTheSecond(Caller):
        def act(self, seen: Observation) -> Action:
            if seen.match == "2-1-1":
                assert first_is_heard.wait(60)
            return super().act(seen)

    answered: list[str] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        yield b"".join(starts + asks)
        answered.append(bot.decisions(1)[0].match)
        first_is_heard.set()
        answered.append(bot.decisions(1)[0].match)

    play(SlowAtTheSecond, script, tmp_path)
    assert answered == ["1-1-1", "2-1-1"]


def test_one_bot_object_serves_one_seat_of_one_match_from_start_to_end(tmp_path: Path) -> None:
    log: list[tuple[int, str, str]] = []

    class Logger(Caller):
        def match_started(self, start: MatchStart) -> None:
            log.append((id(self), "start", start.match))

        def act(self, seen: Observation) -> Action:
            log.append((id(self), "act", seen.match))
            return super().act(seen)

        def hand_ended(self, end: HandEnd) -> None:
            log.append((id(self), "hand", end.match))

        def match_ended(self, end: MatchEnd) -> None:
            log.append((id(self), "end", end.match))

    starts, asks, ends = told_to_seat_0(matches=2)

    def script(bot: Conversation) -> Iterator[bytes]:
        yield b"".join(starts + asks)
        bot.decisions(2)
        yield b"".join(ends)

    play(Logger, script, tmp_path)
    by_object: dict[int, list[tuple[str, str]]] = {}
    for self, what, match in log:
        by_object.setdefault(self, []).append((what, match))
    assert sorted(by_object.values(), key=lambda each: each[0][1]) == [
        [(what, match) for what in ("start", "act", "hand", "end")] for match in ("1-1-1", "2-1-1")
    ]


def test_a_batch_bot_gets_all_that_waits_at_once() -> None:
    starts, asks, _ = told_to_seat_0(matches=6)
    inbox: deque[bytes | None] = deque()
    batches: list[list[str]] = []

    class Batch(BatchBot):
        def act_many(self, seen: list[Observation]) -> list[Action]:
            batches.append([each.match for each in seen])
            # While it thinks, more comes in, each in a message of its own.
            for ask in asks[2:] if len(batches) == 1 else [None]:
                inbox.append(ask)
            return [each.legal[0] for each in seen]

    class Lists:
        """A stream out of a list."""

        empty = property(lambda self: not inbox)

        def receive(self) -> bytes | None:
            return inbox.popleft()

        def put(self, written: bytes) -> None: ...

        def send(self) -> None: ...

    inbox.extend([*starts, *asks[:2]])
    Session(Host(Batch), Lists(), Attendance(), {}).play()
    assert batches == [["1-1-1", "2-1-1"], ["3-1-1", "4-1-1", "5-1-1", "6-1-1"]]


@pytest.mark.parametrize("answer", [None, "call", [Action.CALL, Action.CALL], [None]])
def test_a_batch_with_a_wrong_answer_is_an_exception(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: object
) -> None:
    class Batch(BatchBot):
        def act_many(self, seen: list[Observation]) -> list[Action]:
            return answer  # type: ignore[return-value]

    starts, asks, _ = told_to_seat_0()
    answered: list[arbiter_pb2.Decision] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        yield starts[0] + asks[0]
        answered.extend(bot.decisions(1))

    play(Batch, script, tmp_path)
    assert answered[0].WhichOneof("answer") == "exception"
    assert "must return one" in answered[0].exception
    assert "must return one" in capsys.readouterr().err


def test_an_exception_is_shown_and_told_and_play_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class FailsOnce(Caller):
        failed = False

        def act(self, seen: Observation) -> Action:
            if not FailsOnce.failed:
                FailsOnce.failed = True
                raise ZeroDivisionError("by design")
            return super().act(seen)

    starts, asks, _ = told_to_seat_0(matches=2)
    answered: list[arbiter_pb2.Decision] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        yield b"".join(starts + asks)
        answered.extend(bot.decisions(2))

    play(FailsOnce, script, tmp_path)
    assert answered[0].exception == "ZeroDivisionError: by design"
    assert answered[1].action.name in ("check", "call")
    shown = capsys.readouterr().err
    assert 'raise ZeroDivisionError("by design")' in shown
    assert "Traceback" in shown


@pytest.mark.parametrize("answer", ["call", None, 7, Action("bet", -1), Action(None)])  # type: ignore[arg-type]
def test_an_answer_that_is_no_action_is_told_as_an_exception(
    tmp_path: Path, answer: object
) -> None:
    class Wrong(Bot):
        def act(self, seen: Observation) -> Action:
            return answer  # type: ignore[return-value]

    starts, asks, _ = told_to_seat_0()
    answered: list[arbiter_pb2.Decision] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        yield starts[0] + asks[0]
        answered.extend(bot.decisions(1))

    play(Wrong, script, tmp_path)
    assert answered[0].WhichOneof("answer") == "exception"
    assert "must return one of seen.legal" in answered[0].exception or (
        "cannot travel" in answered[0].exception
    )


def test_an_action_with_another_name_is_sent_as_it_is(tmp_path: Path) -> None:
    class Dancer(Bot):
        def act(self, seen: Observation) -> Action:
            return Action("dance")

    starts, asks, _ = told_to_seat_0()
    answered: list[arbiter_pb2.Decision] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        yield starts[0] + asks[0]
        answered.extend(bot.decisions(1))

    play(Dancer, script, tmp_path)
    assert answered[0].action.name == "dance"


def test_an_exception_in_a_hook_is_shown_and_told_with_decision_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class FailsAtTheEnd(Caller):
        def hand_ended(self, end: HandEnd) -> None:
            raise KeyError("gone")

    starts, _, ends = told_to_seat_0()
    answered: list[arbiter_pb2.Decision] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        yield b"".join(starts + ends)
        answered.extend(bot.decisions(1))

    play(FailsAtTheEnd, script, tmp_path)
    assert (answered[0].match, answered[0].decision) == ("1-1-1", 0)
    assert answered[0].exception == "KeyError: 'gone'"
    assert "hand_ended" in capsys.readouterr().err


def test_system_exit_ends_the_session_and_the_arbiter_notices(tmp_path: Path) -> None:
    class Quits(Bot):
        def act(self, seen: Observation) -> Action:
            raise SystemExit(3)

    starts, asks, _ = told_to_seat_0()
    noticed = threading.Event()

    def script(bot: Conversation) -> Iterator[bytes]:
        assert bot.context.add_callback(noticed.set)
        yield starts[0] + asks[0]
        with contextlib.suppress(grpc.RpcError):
            bot.closed()

    with scripted_arbiter(tmp_path, script) as address, pytest.raises(SystemExit) as ended:
        play_session(Host(Quits), Address.parse(address), "secret")
    assert ended.value.code == 3
    assert noticed.wait(60)


def test_a_match_of_an_unknown_variant_is_refused_and_others_are_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    starts, asks, ends = told_to_seat_0(matches=2)
    strange = arbiter_pb2.PlayResponse.FromString(starts[0])
    strange.items[0].match_started.variant = "night-baseball"
    answered: list[arbiter_pb2.Decision] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        yield strange.SerializeToString() + starts[1]
        yield b"".join(asks)
        answered.extend(bot.decisions(2))
        yield b"".join(ends)

    play(Caller, script, tmp_path)
    assert "'night-baseball'" in answered[0].exception
    assert answered[1].action.name in ("check", "call")
    assert capsys.readouterr().err.count("match 1-1-1 is refused") == 1


def test_an_unknown_event_is_refused_by_name(tmp_path: Path) -> None:
    starts, asks, _ = told_to_seat_0()
    strange = arbiter_pb2.PlayResponse.FromString(asks[0])
    strange.items[0].decision_requested.observation.history.add(event="swap", seat=0)
    answered: list[arbiter_pb2.Decision] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        yield starts[0] + strange.SerializeToString()
        answered.extend(bot.decisions(1))

    play(Caller, script, tmp_path)
    assert "'swap' is unknown" in answered[0].exception


def test_a_warning_is_shown_to_the_author(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(bot: Conversation) -> Iterator[bytes]:
        yield write_warning(Warned("1-1-1", 4, "answered twice"))

    play(Caller, script, tmp_path)
    shown = capsys.readouterr().err
    assert shown == "the arbiter warns: match 1-1-1, decision 4: answered twice\n"


def test_a_session_that_the_arbiter_refuses_says_why(tmp_path: Path) -> None:
    def script(bot: Conversation) -> Iterator[bytes]:
        bot.context.abort(grpc.StatusCode.UNAUTHENTICATED, "nobody has this token")
        yield b""

    with pytest.raises(SessionError, match=r"nobody has this token \(UNAUTHENTICATED\)"):
        play(Caller, script, tmp_path)


@pytest.mark.parametrize(
    ("status", "reason", "lost"),
    [
        (grpc.StatusCode.UNAVAILABLE, "stopping", False),
        (grpc.StatusCode.INTERNAL, "broken", False),
        (grpc.StatusCode.ABORTED, "time-outs", False),
        (grpc.StatusCode.UNAVAILABLE, "", True),
        (grpc.StatusCode.INTERNAL, "", True),
        (grpc.StatusCode.CANCELLED, "", True),
        (grpc.StatusCode.UNIMPLEMENTED, "", False),
    ],
)
def test_an_end_with_the_arbiters_reason_is_no_lost_connection(
    status: grpc.StatusCode, reason: str, lost: bool, tmp_path: Path
) -> None:
    def script(bot: Conversation) -> Iterator[bytes]:
        if reason:
            bot.context.set_trailing_metadata((("sandlot-reason", reason),))
        bot.context.abort(status, "by design")
        yield b""

    with pytest.raises(SessionError, match="by design") as ended:
        play(Caller, script, tmp_path)
    assert (ended.value.reason, ended.value.lost) == (reason, lost)


def test_no_arbiter_at_the_address_says_so(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="no arbiter at unix:"):
        play_session(Host(Caller), Address.parse(f"unix:{tmp_path}/nobody"), "secret")


def test_whatever_breaks_the_stream_ends_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("by design")

    monkeypatch.setattr(grpc.aio, "insecure_channel", broken)
    with pytest.raises(SessionError, match=r"the stream with unix:there broke: ValueError"):
        play_session(Host(Caller), Address.parse("unix:there"), "secret")
