"""The example's session: the protocol as somebody reads it who has only the .proto files."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from support import javascript
from support.javascript import PINS, Node
from support.reducing import effects_of, setup_for
from support.scripted_arbiter import Conversation, scripted_arbiter

from sandlot.match import Ask, Tell
from sandlot.notices import MatchStart
from sandlot.v1 import arbiter_pb2, table_pb2
from sandlot.wire import Request, SeatWriter, Warned, write_warning


def started_and_asked(matches: int) -> tuple[list[bytes], list[bytes]]:
    """Return the start and the first request that seat 0 gets in each of so many matches."""
    starts: list[bytes] = []
    asks: list[bytes] = []
    for number in range(1, matches + 1):
        setup = setup_for(match=f"{number}-1-1", hands=1, seed=bytes([number] * 16))
        writer = SeatWriter()
        for effect in effects_of(setup, random.Random(number)):
            if isinstance(effect, Tell) and isinstance(effect.notice, MatchStart):
                if effect.seat == 0:
                    starts.append(writer.tell(effect.notice))
            elif isinstance(effect, Ask) and effect.seat == 0:
                asks.append(writer.ask(Request(effect.seen, effect.allowed, effect.bank)))
                break
    return starts, asks


def changed(ask: bytes, change: object) -> bytes:
    """Return the request after a change to its observation."""
    assert callable(change)
    message = arbiter_pb2.PlayResponse.FromString(ask)
    change(message.items[0].decision_requested.observation)
    return message.SerializeToString()


def test_the_hello_and_the_token(tmp_path: Path, node: Node) -> None:
    heard: list[tuple[arbiter_pb2.Hello | None, object]] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        heard.append((bot.hello, dict(bot.context.invocation_metadata())["authorization"]))
        yield from ()

    with scripted_arbiter(tmp_path, script) as address:
        ended = node("caller.js", address)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    [(hello, authorization)] = heard
    assert hello is not None
    assert hello.protocol == 1
    assert list(hello.variants) == ["baseball", "seven-card-stud"]
    assert authorization == "Bearer secret"


def test_requests_of_one_message_are_answered_in_one_message(tmp_path: Path, node: Node) -> None:
    starts, asks = started_and_asked(matches=64)
    answered: list[arbiter_pb2.PlayRequest] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        yield b"".join(starts) + b"".join(asks)
        answered.append(bot.hear())

    with scripted_arbiter(tmp_path, script) as address:
        ended = node("caller.js", address)
    assert (ended.returncode, ended.stderr) == (0, "")
    [message] = answered
    assert [decision.match for decision in message.decisions] == [
        f"{number}-1-1" for number in range(1, 65)
    ]
    for decision, ask in zip(message.decisions, asks, strict=True):
        request = arbiter_pb2.PlayResponse.FromString(ask).items[0].decision_requested
        legal = [choice.name for choice in request.observation.legal]
        assert decision.decision == request.observation.decision
        assert decision.action.name == ("check" if "check" in legal else "call")


def in_the_history(seen: table_pb2.Observation) -> None:
    seen.history.add(event="swap", seat=0)


def as_an_action(seen: table_pb2.Observation) -> None:
    seen.legal.add(name="pass")


def as_a_choice_of_amount(seen: table_pb2.Observation) -> None:
    seen.legal.add(name="bet", least=0, most=0)


def as_another_seats_action(seen: table_pb2.Observation) -> None:
    seen.history.add(event="action", seat=1).action.name = "declare"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (in_the_history, 'the event "swap" is unknown to this bot'),
        (as_an_action, 'the action "pass" is unknown to this bot'),
        (as_a_choice_of_amount, 'the action "bet" with an amount or cards to choose is unknown'),
        (as_another_seats_action, 'the action "declare" is unknown to this bot'),
    ],
)
def test_what_it_does_not_know_it_refuses_by_name_and_plays_the_other_matches(
    tmp_path: Path, node: Node, change: object, says: str
) -> None:
    starts, asks = started_and_asked(matches=2)
    answered: list[arbiter_pb2.Decision] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        yield b"".join(starts) + changed(asks[0], change) + asks[1]
        answered.extend(bot.decisions(2))

    with scripted_arbiter(tmp_path, script) as address:
        ended = node("caller.js", address)
    assert says in answered[0].exception
    assert answered[1].action.name in ("check", "call")
    assert says in ended.stderr
    assert ended.returncode == 0


def test_a_match_of_other_rules_is_refused_by_name(tmp_path: Path, node: Node) -> None:
    starts, asks = started_and_asked(matches=1)
    strange = arbiter_pb2.PlayResponse.FromString(starts[0])
    strange.items[0].match_started.rules = "baseball/2"
    answered: list[arbiter_pb2.Decision] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        yield strange.SerializeToString() + asks[0]
        answered.extend(bot.decisions(1))

    with scripted_arbiter(tmp_path, script) as address:
        node("caller.js", address)
    assert '"baseball/2" is unknown to this bot' in answered[0].exception


def test_what_it_throws_is_shown_and_told_and_play_goes_on(
    tmp_path: Path, node: Node, installed: Path
) -> None:
    (installed / "thrower.js").write_text(
        'import { run } from "./session.js";\n'
        "let asked = 0;\n"
        "run((seen) => {\n"
        '  if (++asked === 1) throw new RangeError("by design");\n'
        "  return seen.legal[0].name;\n"
        "});\n"
    )
    starts, asks = started_and_asked(matches=2)
    answered: list[arbiter_pb2.Decision] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        yield b"".join(starts) + b"".join(asks)
        answered.extend(bot.decisions(2))

    with scripted_arbiter(tmp_path, script) as address:
        ended = node("thrower.js", address)
    assert answered[0].exception == "RangeError: by design"
    assert answered[1].action.name in ("check", "call")
    assert "thrower.js:4" in ended.stderr


def test_a_warning_is_shown(tmp_path: Path, node: Node) -> None:
    def script(bot: Conversation) -> Iterator[bytes]:
        yield write_warning(Warned("1-1-1", 4, "answered twice"))

    with scripted_arbiter(tmp_path, script) as address:
        ended = node("caller.js", address)
    assert ended.stderr == "the arbiter warns: match 1-1-1, decision 4: answered twice\n"


def test_a_session_that_is_refused_ends_it_with_one_line(tmp_path: Path, node: Node) -> None:
    def script(bot: Conversation) -> Iterator[bytes]:
        bot.context.abort(grpc.StatusCode.UNAUTHENTICATED, "this token is unknown")
        yield b""

    with scripted_arbiter(tmp_path, script) as address:
        ended = node("caller.js", address)
    assert ended.returncode == 1
    assert "this token is unknown (UNAUTHENTICATED)" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_without_an_arbiter_it_says_what_to_set(node: Node) -> None:
    ended = node("caller.js", "")
    assert ended.returncode == 1
    assert ended.stderr.startswith("Error: set SANDLOT_ADDRESS and SANDLOT_TOKEN")


def test_without_the_proto_files_it_says_what_to_set(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(javascript, "PROTO", Path("/nowhere"))
    ended = node("caller.js", "unix:/nowhere")
    assert ended.returncode == 1
    assert ended.stderr.startswith("Error: no sandlot/v1/arbiter.proto in /nowhere: set SANDLOT_")


def test_all_that_npm_has_installed_is_held_by_version(installed: Path) -> None:
    listed = subprocess.run(
        ["npm", "ls", "--all", "--json"], cwd=installed, capture_output=True, text=True, check=True
    )
    found: dict[str, str] = {}

    def gather(package: dict[str, object]) -> None:
        needs = package.get("dependencies", {})
        assert isinstance(needs, dict)
        for name, needed in needs.items():
            found[name] = needed["version"]
            gather(needed)

    gather(json.loads(listed.stdout))
    package = json.loads((installed / "package.json").read_text("utf-8"))
    assert found == package["dependencies"] | PINS
