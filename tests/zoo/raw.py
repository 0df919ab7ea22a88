"""A bot without the SDK's care: it speaks the protocol by hand, so that it can speak it wrongly."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import grpc

from sandlot.v1 import arbiter_pb2 as pb
from sandlot.v1 import table_pb2

PLAY = "/sandlot.v1.ArbiterService/Play"


class Raw:
    """A stream to the arbiter, on which any bytes can be sent."""

    def __init__(self, token: str | None = None) -> None:
        self._channel = grpc.insecure_channel(
            os.environ["SANDLOT_ADDRESS"],
            options=[("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)],
        )
        self._outbox: SimpleQueue[bytes | None] = SimpleQueue()
        token = os.environ["SANDLOT_TOKEN"] if token is None else token
        method: grpc.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream(PLAY)
        self.call = method(
            iter(self._outbox.get, None), metadata=(("authorization", f"Bearer {token}"),)
        )
        self._told = self._listen()

    def send(self, message: pb.PlayRequest | bytes) -> None:
        """Send a message, or bytes that are none."""
        self._outbox.put(message if isinstance(message, bytes) else message.SerializeToString())

    def hello(self) -> None:
        """Say hello as one should."""
        self.send(
            pb.PlayRequest(
                hello=pb.Hello(protocol=1, sdk="zoo", variants=["baseball", "seven-card-stud"])
            )
        )

    def close(self) -> None:
        """Close the stream from this side."""
        self._outbox.put(None)

    def items(self) -> Iterator[pb.Item]:
        """Return what the arbiter tells and nobody has read yet, until the stream ends."""
        return self._told

    def _listen(self) -> Iterator[pb.Item]:
        for raw in self.call:
            yield from pb.PlayResponse.FromString(raw).items


def first_legal(asked: pb.DecisionRequested) -> pb.Decision:
    """The answer of a bot without ambition: check or call."""
    seen = asked.observation
    action = table_pb2.Action(name=seen.legal[0].name)
    return pb.Decision(match=seen.match, decision=seen.decision, action=action)


def answer_all(raw: Raw, misbehave: Callable[[pb.DecisionRequested, int], bool]) -> None:
    """Answer every request rightly, unless ``misbehave`` has dealt with it and returns True.

    ``misbehave`` gets the request and how many requests there have been, this one with them.
    """
    count = 0
    try:
        for item in raw.items():
            if item.WhichOneof("item") == "decision_requested":
                count += 1
                if not misbehave(item.decision_requested, count):
                    raw.send(pb.PlayRequest(decisions=[first_legal(item.decision_requested)]))
    except grpc.RpcError as error:
        print(f"the stream ended: {error.code()}: {error.details()}", file=sys.stderr)


def sleep_for_ever() -> None:
    """Hang."""
    threading.Event().wait()
