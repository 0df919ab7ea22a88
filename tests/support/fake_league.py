"""A league server that answers what a test tells it to: real gRPC, no league behind it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager
from typing import Any, TypeAlias

from support.scripted_arbiter import Conversation, Script  # sets what gRPC looks at first

import grpc  # isort: skip
from google.protobuf.message import Message

from sandlot.v1 import league_pb2
from sandlot.wire import SERVICE as ARBITER
from sandlot_server.cli.calling import SERVICE
from sandlot_server.service.refusals import Reason, RefusedError

TOKEN = "a-good-token"

OWNER = league_pb2.Owner(name="ann", role="owner", created="2026-12-01T12:00:00Z", tokens=1)

Answer: TypeAlias = Message | RefusedError | grpc.StatusCode
"""A message, a refusal of the server's own, or a status that comes from elsewhere."""

Answering: TypeAlias = Callable[[Any], Iterator[Answer]]

STREAMS = ("Submit", "Record", "Watch")


class FakeLeague:
    """Answers by method; without an answer a call is unknown to it.

    Attributes:
        address: where it is.
        asked: what it was asked, in order.

    """

    def __init__(self) -> None:
        self.address = ""
        self.asked: list[Any] = []
        self._answers: dict[str, Answering] = {}
        self._play: Script | None = None
        self.answer("WhoAmI", league_pb2.WhoAmIResponse(owner=OWNER, server="sandlot/0.1.0"))

    def answer(self, method: str, *answers: Answer) -> None:
        """Answer every call of a method so; a call of one answer takes the first one."""
        self._answers[method] = lambda request: iter(answers)

    def answer_by(self, method: str, answering: Answering) -> None:
        """Answer the calls of a method as a function of the request says."""
        self._answers[method] = answering

    def play(self, script: Script) -> None:
        """Follow the script where a bot opens a session."""
        self._play = script

    def of(self, kind: type[Message]) -> list[Any]:
        """Return what it was asked of one kind."""
        return [request for request in self.asked if isinstance(request, kind)]

    def handlers(self) -> list[grpc.GenericRpcHandler]:
        """Return what a server of gRPC has to be given."""
        service = league_pb2.DESCRIPTOR.services_by_name["LeagueService"]
        methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}
        for method in service.methods:
            request = getattr(league_pb2, method.input_type.name)
            streams = method.name in STREAMS
            make: Any = (
                grpc.unary_stream_rpc_method_handler
                if streams
                else grpc.unary_unary_rpc_method_handler
            )
            answering = self._stream if streams else self._one
            methods[method.name] = make(
                functools.partial(answering, method.name),
                request_deserializer=request.FromString,
                response_serializer=lambda message: message.SerializeToString(),
            )
        play: Any = grpc.stream_stream_rpc_method_handler(self._session)
        return [
            grpc.method_handlers_generic_handler(SERVICE, methods),
            grpc.method_handlers_generic_handler(ARBITER, {"Play": play}),
        ]

    def _one(self, method: str, request: Message, context: grpc.ServicerContext) -> Message:
        return next(self._stream(method, request, context))

    def _stream(
        self, method: str, request: Message, context: grpc.ServicerContext
    ) -> Iterator[Message]:
        self.asked.append(request)
        if dict(context.invocation_metadata()).get("authorization") != f"Bearer {TOKEN}":
            _refuse(context, RefusedError(Reason.WRONG_TOKEN, "the token is nobody's"))
        answering = self._answers.get(method)
        if answering is None:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")
        for answer in answering(request):
            if isinstance(answer, RefusedError):
                _refuse(context, answer)
            elif isinstance(answer, grpc.StatusCode):
                context.abort(answer, "something between")
            else:
                yield answer

    def _session(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        assert self._play is not None
        conversation = Conversation(requests, context)
        conversation.hello = conversation.hear().hello
        yield from self._play(conversation)


def _refuse(context: grpc.ServicerContext, refusal: RefusedError) -> None:
    context.set_trailing_metadata(refusal.trailing())
    context.abort(refusal.reason.status, str(refusal))


@contextmanager
def serving(
    league: FakeLeague, host: str = "127.0.0.1", pair: tuple[bytes, bytes] | None = None
) -> Iterator[FakeLeague]:
    """Serve a league on this machine; with a key and a certificate over TLS."""
    server = grpc.server(futures.ThreadPoolExecutor(8), options=[("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers(league.handlers())
    if pair is None:
        port = server.add_insecure_port(f"{host}:0")
        league.address = f"{host}:{port}"
    else:
        port = server.add_secure_port(f"{host}:0", grpc.ssl_server_credentials([pair]))
        league.address = f"tls://{host}:{port}"
    server.start()
    try:
        yield league
    finally:
        server.stop(None).wait()
