"""``PlayRequest``: what a bot sends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError

from sandlot.errors import WireError
from sandlot.game.actions import Action
from sandlot.v1 import table_pb2
from sandlot.wire.fields import delimited, number, text, texts
from sandlot.wire.parts import PlayRequest
from sandlot.wire.table import read_action, write_action


@dataclass(frozen=True, slots=True)
class Hello:
    """How a bot opens its stream."""

    protocol: int
    sdk: str
    variants: tuple[str, ...]


class Answer(NamedTuple):
    """What a bot answers to a decision: an action, or the text of what went wrong in it.

    ``action`` is None, and ``exception`` says what went wrong, when the bot could not decide. Both
    are None when the answer itself cannot be read; ``illegible`` says why.
    """

    match: str
    decision: int
    action: Action | None = None
    exception: str | None = None
    illegible: str = ""


def write_hello(hello: Hello) -> bytes:
    """Return a ``PlayRequest`` with a hello."""
    said = number(1, hello.protocol) + text(2, hello.sdk) + texts(3, hello.variants)
    return delimited(1, said)


@lru_cache(maxsize=1 << 10)
def _match(match: str) -> bytes:
    return text(1, match)


def write_answer(match: str, decision: int, action: Action) -> bytes:
    """Return a ``PlayRequest`` with one decision; put together, they are one with many.

    Raises:
        WireError: the action's amount or cards cannot travel.
    """
    said = delimited(3, write_action(action))
    return delimited(2, _match(match) + number(2, decision) + said)


def write_exception(match: str, decision: int, exception: str) -> bytes:
    """Return a ``PlayRequest`` that says that the bot could not decide."""
    said = delimited(4, exception.encode(errors="replace"))
    return delimited(2, _match(match) + number(2, decision) + said)


def read_request(raw: bytes) -> tuple[Hello | None, Iterator[Answer]]:
    """Return the hello, if there is one, and the answers of a ``PlayRequest``.

    The answers are read one by one as they are asked for: there may be far too many of them.

    Raises:
        WireError: it is no such message, or an empty one.
    """
    try:
        message = PlayRequest.FromString(raw)
    except DecodeError:
        shown = raw[:16].hex(" ") + (" ..." if len(raw) > 16 else "")
        raise WireError(f"{len(raw)} bytes that are no PlayRequest: {shown}") from None
    hello = None
    if message.HasField("hello"):
        said = message.hello
        hello = Hello(said.protocol, said.sdk, tuple(said.variants))
    elif not message.decisions:
        raise WireError(f"a PlayRequest of {len(raw)} bytes without a decision")
    return hello, map(_read_answer, message.decisions)


def _read_answer(decision: Any) -> Answer:
    kind = decision.WhichOneof("answer")
    match, number = decision.match, decision.decision
    if kind == "action":
        written = decision.action
        try:
            # Only what is short is kept: a bot may send anything.
            read = _read_short if len(written) < 64 else _read_action
            return Answer(match, number, read(written))
        except WireError as error:
            return Answer(match, number, illegible=str(error))
    if kind == "exception":
        return Answer(match, number, exception=decision.exception)
    return Answer(match, number, illegible="a decision that says neither action nor exception")


def _read_action(written: bytes) -> Action:
    try:
        return read_action(table_pb2.Action.FromString(written))
    except DecodeError:
        raise WireError(f"an action of {len(written)} bytes that cannot be read") from None


_read_short = lru_cache(maxsize=1 << 10)(_read_action)
