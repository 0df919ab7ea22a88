"""An arbiter that follows a script, for tests of the client: real gRPC, no game of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import grpc

from sandlot.v1 import arbiter_pb2
from sandlot.wire import SERVICE

Script: TypeAlias = Callable[["Conversation"], Iterator[bytes]]
"""Yields the messages to send; may ask the conversation for what the bot says in between."""


class Conversation:
    """What the bot says, read message by message."""

    def __init__(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> None:
        self._requests = requests
        self.context = context
        self.hello: arbiter_pb2.Hello | None = None
        self.messages: list[arbiter_pb2.PlayRequest] = []

    def hear(self) -> arbiter_pb2.PlayRequest:
        """Wait for the bot's next message."""
        message = arbiter_pb2.PlayRequest.FromString(next(self._requests))
        self.messages.append(message)
        return message

    def decisions(self, count: int) -> list[arbiter_pb2.Decision]:
        """Wait until the bot has sent so many decisions."""
        heard: list[arbiter_pb2.Decision] = []
        while len(heard) < count:
            heard += self.hear().decisions
        return heard

    def closed(self) -> None:
        """Wait until the bot has closed or dropped the stream."""
        for _ in self._requests:
            pass


@contextmanager
def scripted_arbiter(
    at: Path | str, script: Script, pair: tuple[bytes, bytes] | None = None
) -> Iterator[str]:
    """Serve the script on a Unix socket in a directory, or at ``host:0``; give the address.

    With a key and a certificate it is served over TLS.
    """

    def play(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        conversation = Conversation(requests, context)
        conversation.hello = conversation.hear().hello
        yield from script(conversation)

    server = grpc.server(futures.ThreadPoolExecutor(2))
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(play)
    generic = grpc.method_handlers_generic_handler(SERVICE, {"Play": handler})
    server.add_generic_rpc_handlers((generic,))
    address = f"unix:{at}/arbiter" if isinstance(at, Path) else at
    if pair is None:
        port = server.add_insecure_port(address)
    else:
        port = server.add_secure_port(address, grpc.ssl_server_credentials([pair]))
    address = address if isinstance(at, Path) else f"{at.rpartition(':')[0]}:{port}"
    server.start()
    try:
        yield address
    finally:
        server.stop(None).wait()
