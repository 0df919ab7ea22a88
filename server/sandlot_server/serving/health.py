"""The standard health service of gRPC: whether the server can be used, for who checks or watches.

The messages are those of ``grpc_health``. Its servicer is not used: it holds a lock while it writes
to one who watches, so that a stranger who does not read keeps the server from saying anything to
anybody. Here nobody waits for anybody.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any, Final

import grpc
import grpc.aio
from grpc_health.v1 import health_pb2

SERVICE: Final = "grpc.health.v1.Health"

OVERALL: Final = ""
"""The name under which the server as a whole is asked for."""

Response = health_pb2.HealthCheckResponse


class Health:
    """Answers for the server as a whole and for each of its services; all are well or none is.

    A server is unwell while its store cannot be written, and from the moment it drains. Call it on
    the event loop alone.

    Args:
        services: the full names of the services, as in ``sandlot.v1.ArbiterService``.

    """

    def __init__(self, services: Iterable[str]) -> None:
        self._known = {OVERALL, *services}
        self._draining = False
        self._writable = True
        self._changed = asyncio.Event()

    @property
    def is_serving(self) -> bool:
        """Whether the server takes new work."""
        return self._writable and not self._draining

    def drain(self) -> None:
        """Say from now on that the server takes no new work."""
        self._draining = True
        self._tell()

    def store_is_writable(self, writable: bool) -> None:
        """Take note whether what is played can be stored."""
        self._writable = writable
        self._tell()

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the service, for a server to add."""
        read, write = health_pb2.HealthCheckRequest.FromString, Response.SerializeToString
        return grpc.method_handlers_generic_handler(
            SERVICE,
            {
                "Check": grpc.unary_unary_rpc_method_handler(self._check, read, write),
                "Watch": grpc.unary_stream_rpc_method_handler(self._watch, read, write),
            },
        )

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _status(self) -> int:
        status: int = Response.SERVING if self.is_serving else Response.NOT_SERVING
        return status

    async def _check(self, request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        if request.service not in self._known:
            await context.abort(grpc.StatusCode.NOT_FOUND, "no such service here")
        return Response(status=self._status())

    async def _watch(self, request: Any, _: object) -> AsyncIterator[Any]:
        if request.service not in self._known:
            # The protocol wants the call to stay open: a service may come. Here none does.
            yield Response(status=Response.SERVICE_UNKNOWN)
            await asyncio.Event().wait()
        told: int | None = None
        while True:
            changed = self._changed
            status = self._status()
            if status != told:
                yield Response(status=status)
                told = status
                continue  # it may have changed while that was written
            await changed.wait()
