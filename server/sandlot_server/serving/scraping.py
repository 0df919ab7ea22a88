"""Where Prometheus fetches the metrics: a small HTTP server in threads of its own."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from socketserver import TCPServer, ThreadingMixIn
from typing import Any, Final

import structlog
from prometheus_client import CollectorRegistry, MetricsHandler

from sandlot.errors import ServerError
from sandlot_server.serving.addresses import HostPort, UnixSocket, parse, resolved

LOOPBACK: Final = "127.0.0.1"

PATIENCE: Final = 5.0
"""Seconds that a client may say nothing."""

AT_ONCE: Final = 16
"""Clients that are served at once; more are hung up on."""


@asynccontextmanager
async def scraped(address: str, registry: CollectorRegistry) -> AsyncIterator[str]:
    """Serve the metrics over HTTP within the context, and give the URL where they are.

    Args:
        address: ``HOST:PORT``; without the host, as in ``9464`` or ``:9464``, for this machine
            alone. Port 0 takes any that is free.
        registry: the metrics.

    Raises:
        ServerError: the address is none, or cannot be taken.
    """
    place = await _place(address)
    try:
        server = _Server(place, registry)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise ServerError(
            f"cannot show metrics at {place}: {reason}: name another address with --metrics, or "
            "end what uses it"
        ) from None
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), name="metrics")
    thread.start()
    try:
        port: int = server.server_address[1]
        yield f"http://{HostPort(place.host, port)}/metrics"
    finally:
        await asyncio.to_thread(_end, server, thread)


async def _place(address: str) -> HostPort:
    place = parse(address if ":" in address else f":{address}")
    if isinstance(place, UnixSocket):
        raise ServerError(f"metrics are shown at HOST:PORT, and not at {place}")
    if not place.host:
        return HostPort(LOOPBACK, place.port)
    return HostPort((await resolved(place))[0], place.port)


def _end(server: _Server, thread: threading.Thread) -> None:
    server.shutdown()
    thread.join()
    server.hang_up()
    server.server_close()  # waits for the threads of the clients


class _Server(ThreadingMixIn, TCPServer):
    """Serves a client a thread, some at once, and leaves no thread behind."""

    allow_reuse_address = True
    daemon_threads = False
    request_queue_size = AT_ONCE

    def __init__(self, place: HostPort, registry: CollectorRegistry) -> None:
        self.address_family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
        self._clients: set[socket.socket] = set()
        self._lock = threading.Lock()
        handler = type("Handler", (MetricsHandler,), {"registry": registry, "timeout": PATIENCE})
        super().__init__((place.host, place.port), handler)

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Tell whether there is room for one more client."""
        with self._lock:
            if len(self._clients) >= AT_ONCE:
                return False
            self._clients.add(request)
        return True

    def shutdown_request(self, request: Any) -> None:
        """Let a client go."""
        with self._lock:
            self._clients.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell of what went wrong here; that a client hangs up is its own business."""
        if not isinstance(sys.exception(), OSError):
            structlog.get_logger("sandlot.serving").exception("metrics not shown")

    def hang_up(self) -> None:
        """End the connections of those who are still there, so that their threads end."""
        with self._lock:
            for client in self._clients:
                with suppress(OSError):
                    client.shutdown(socket.SHUT_RDWR)
