"""A bot that follows a script: a raw client of the protocol, for good behaviour and for bad.

Beside ``sandlot.wire`` on purpose: it speaks by the generated code alone, as a bot in another
language would.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import grpc
import grpc.aio

from sandlot.v1 import arbiter_pb2, table_pb2

PLAY = "/sandlot.v1.ArbiterService/Play"
GARBAGE = b"\xff\xff\xffgarbage"


def hello(protocol: int = 1, variants: tuple[str, ...] = ("baseball",)) -> bytes:
    """Return a message with a hello."""
    said = arbiter_pb2.Hello(protocol=protocol, sdk="scripted", variants=variants)
    return arbiter_pb2.PlayRequest(hello=said).SerializeToString()


def decision(match: str, number: int, action: str = "call") -> arbiter_pb2.Decision:
    """Return an answer to any decision, asked for or not."""
    return arbiter_pb2.Decision(match=match, decision=number, action=table_pb2.Action(name=action))


Choose = Callable[[list[str]], str]
"""Picks an action's name from those that are legal."""


def check_or_call(legal: list[str]) -> str:
    """Check where it is free, else call."""
    return "check" if "check" in legal else "call"


def answer(
    asked: arbiter_pb2.DecisionRequested, action: str = "", choose: Choose = check_or_call
) -> arbiter_pb2.Decision:
    """Return an answer to a request: an action by its name, or what is chosen."""
    seen = asked.observation
    chosen = action or choose([each.name for each in seen.legal])
    return decision(seen.match, seen.decision, chosen)


def message(*decisions: arbiter_pb2.Decision) -> bytes:
    """Return one message with these answers."""
    return arbiter_pb2.PlayRequest(decisions=decisions).SerializeToString()


class ScriptedBot:
    """One stream to an arbiter, said to and heard piece by piece.

    Over a channel of its own, or one that it shares.

    Attributes:
        heard: all items that have come, in order.
        messages: in how many messages they came.

    """

    def __init__(
        self, address: str, token: str | None, channel: grpc.aio.Channel | None = None
    ) -> None:
        self.heard: list[arbiter_pb2.Item] = []
        self.messages = 0
        self._coming: deque[arbiter_pb2.Item] = deque()
        unlimited = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        self._own: grpc.aio.Channel | None = None
        if channel is None:
            channel = self._own = grpc.aio.insecure_channel(address, options=unlimited)
        metadata = () if token is None else (("authorization", f"Bearer {token}"),)
        self._call: Any = channel.stream_stream(PLAY)(metadata=metadata)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.drop()

    async def say(self, raw: bytes) -> None:
        """Send a message as it is; into the void if the stream has ended."""
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
            await self._call.write(raw)

    async def hear(self) -> arbiter_pb2.Item | None:
        """Wait for the next item; None at the end of the stream."""
        while not self._coming:
            try:
                raw = await self._call.read()
            except grpc.aio.AioRpcError:
                return None  # ended with a status other than OK: see ``status``
            if raw is grpc.aio.EOF:
                return None
            self.messages += 1
            self._coming.extend(arbiter_pb2.PlayResponse.FromString(raw).items)
        item = self._coming.popleft()
        self.heard.append(item)
        return item

    async def hear_until(self, kind: str) -> Any:
        """Wait for an item of this kind, past others."""
        while (item := await self.hear()) is not None:
            if item.WhichOneof("item") == kind:
                return getattr(item, kind)
        raise AssertionError(f"the stream ended before {kind}: {await self.status()}")

    async def asked(self, match: str = "", after: int = 0) -> arbiter_pb2.DecisionRequested:
        """Wait for the next request, of this match and after this decision if they are given."""
        while True:
            found = await self.hear_until("decision_requested")
            assert isinstance(found, arbiter_pb2.DecisionRequested)
            seen = found.observation
            if match in ("", seen.match) and seen.decision > after:
                return found

    async def warned(self) -> arbiter_pb2.Warning:
        """Wait for the next warning."""
        found = await self.hear_until("warning")
        assert isinstance(found, arbiter_pb2.Warning)
        return found

    async def connect(self) -> Self:
        """Say hello and wait for the welcome."""
        await self.say(hello())
        await self.hear_until("welcome")
        return self

    async def play_on(self, choose: Choose = check_or_call) -> None:
        """Choose until the stream ends."""
        while (item := await self.hear()) is not None:
            if item.WhichOneof("item") == "decision_requested":
                await self.say(message(answer(item.decision_requested, choose=choose)))

    async def play_on_until_over(self, choose: Choose = check_or_call) -> None:
        """Choose until a match is over."""
        while True:
            item = await self.hear()
            assert item is not None, await self.status()
            kind = item.WhichOneof("item")
            if kind == "decision_requested":
                await self.say(message(answer(item.decision_requested, choose=choose)))
            elif kind == "match_ended":
                return

    async def status(self) -> tuple[grpc.StatusCode, str]:
        """Wait for the end of the stream; return its status and the reason in its metadata.

        A client that was still writing when the arbiter ended the stream has only INTERNAL to tell.
        """
        while await self.hear() is not None:
            pass
        code = await self._call.code()
        trailing = await self._call.trailing_metadata()
        reasons = [value for key, value in trailing or () if key == "sandlot-reason"]
        return code, "".join(map(str, reasons))

    async def half_close(self) -> None:
        """Say that nothing more will be said."""
        await self._call.done_writing()

    async def drop(self) -> None:
        """Break the stream off, as the end of a process does."""
        self._call.cancel()
        if self._own is not None:
            await self._own.close()

    def warnings(self) -> list[arbiter_pb2.Warning]:
        """Return the warnings that have come so far."""
        return [item.warning for item in self.heard if item.WhichOneof("item") == "warning"]
