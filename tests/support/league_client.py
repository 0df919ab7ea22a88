"""Calls of ``LeagueService`` as anybody can make them, with a token or without."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import grpc
import grpc.aio
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status

from sandlot.v1 import league_pb2
from sandlot_server.service.calls import SERVICE


@dataclass
class Failure:
    """How a call ended that failed."""

    status: grpc.StatusCode
    text: str
    reason: str
    metadata: dict[str, str] = field(default_factory=dict)


class LeagueClient:
    """A way to call a league server.

    Attributes:
        address: of the server.
        tokens: of its owners, by their names.
        channel: to the server, once there is one.

    """

    address: str
    tokens: dict[str, str]
    channel: grpc.aio.Channel

    def new_channel(self) -> grpc.aio.Channel:
        """Return another connection."""
        unlimited = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        return grpc.aio.insecure_channel(
            self.address, options=[*unlimited, ("grpc.use_local_subchannel_pool", 1)]
        )

    def metadata(self, who: str | None) -> tuple[tuple[str, str], ...]:
        """Return what somebody sends beside a message: an owner's token, or a token itself."""
        if who is None:
            return ()
        return (("authorization", f"Bearer {self.tokens.get(who, who)}"),)

    def begin(
        self, who: str | None, method: str, request: Message | bytes, **options: Any
    ) -> grpc.aio.UnaryStreamCall[Any, Any]:
        """Begin a call; its answers are bytes."""
        raw = request if isinstance(request, bytes) else request.SerializeToString()
        channel = options.pop("channel", self.channel)
        options.setdefault("metadata", self.metadata(who))
        call: grpc.aio.UnaryStreamCall[Any, Any]
        call = channel.unary_stream(f"/sandlot.v1.LeagueService/{method}")(raw, **options)
        return call

    async def stream(
        self, who: str | None, method: str, request: Message | bytes, **options: Any
    ) -> list[Any]:
        """Call a method to the end; return its answers."""
        known = SERVICE.methods_by_name.get(method)
        kind = getattr(league_pb2, "Owner" if known is None else known.output_type.name)
        return [kind.FromString(raw) async for raw in self.begin(who, method, request, **options)]

    async def call(
        self, who: str | None, method: str, request: Message | bytes, **options: Any
    ) -> Any:
        """Call a method that gives one answer, and return that."""
        [answer] = await self.stream(who, method, request, **options)
        return answer

    async def fails(
        self, who: str | None, method: str, request: Message | bytes, **options: Any
    ) -> Failure:
        """Call a method that fails, and return how."""
        try:
            answers = await self.stream(who, method, request, **options)
        except grpc.aio.AioRpcError as error:
            return failure(error)
        raise AssertionError(f"it gave {answers}")


def failure(error: grpc.aio.AioRpcError | grpc.Call) -> Failure:
    """Return what the error of a call says."""
    status = rpc_status.from_call(error)
    if status is None:
        return Failure(error.code(), error.details() or "", "")
    info = ErrorInfo()
    [detail] = status.details
    assert detail.Unpack(info)
    assert info.domain == "sandlot"
    return Failure(error.code(), error.details() or "", info.reason, dict(info.metadata))
