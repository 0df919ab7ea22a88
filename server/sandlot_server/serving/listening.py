"""The public address of a server: who may reach it, and what a connection may do to it.

A token that travels in the clear is anybody's. So without TLS a server listens only where nobody
but this machine is: at its loopback addresses or at a unix socket.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass

import grpc
import grpc.aio

from sandlot.errors import ServerError
from sandlot_server.serving.addresses import (
    HostPort,
    UnixSocket,
    is_loopback,
    parse,
    resolved,
    take_over,
)
from sandlot_server.serving.certificates import CertificateFiles, credentials


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """What a connection may do to the server's memory and time.

    A connection has no greatest age: a bot's stream lives as long as its matches.

    Attributes:
        receive: bytes of one message that is taken in; beyond it gRPC ends the call.
        metadata: bytes of all the metadata of one call.
        streams: calls that one connection may have open at once.
        calls: calls that may be open at once on all of them; beyond it a call is refused with
            ``RESOURCE_EXHAUSTED``. None for no limit.
        handshake: seconds in which a connection must have said what it is.
        keepalive: seconds of silence after which the server asks whether the other side is there.
        answer: seconds that the other side has to answer that; then the connection is closed.
        ping: seconds that a client must let pass between its own such questions; one that asks
            more often is cut off.

    """

    receive: int = 64 << 20
    metadata: int = 16 << 10
    streams: int = 100
    calls: int | None = 4000
    handshake: float = 10.0
    keepalive: float = 30.0
    answer: float = 20.0
    ping: float = 5.0

    def options(self) -> list[tuple[str, int]]:
        """Return them as gRPC's own options."""
        return [
            ("grpc.so_reuseport", 0),  # or a second server would share the port in silence
            ("grpc.max_receive_message_length", self.receive),
            ("grpc.max_send_message_length", -1),
            ("grpc.max_metadata_size", self.metadata),
            ("grpc.absolute_max_metadata_size", self.metadata),
            ("grpc.max_concurrent_streams", self.streams),
            ("grpc.server_handshake_timeout_ms", _milliseconds(self.handshake)),
            ("grpc.keepalive_time_ms", _milliseconds(self.keepalive)),
            ("grpc.keepalive_timeout_ms", _milliseconds(self.answer)),
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.max_pings_without_data", 0),  # as many as the time allows
            ("grpc.http2.min_recv_ping_interval_without_data_ms", _milliseconds(self.ping)),
        ]


@dataclass(frozen=True, slots=True)
class Listening:
    """A server that has its address, and the address as clients write it.

    The caller starts the server, and stops it: gRPC lets go of an address only when a server stops
    that was started.
    """

    server: grpc.aio.Server
    address: str


async def listen(
    address: str,
    handlers: Sequence[grpc.GenericRpcHandler],
    *,
    tls: CertificateFiles | None = None,
    limits: ServerLimits = ServerLimits(),
) -> Listening:
    """Make a server for the services and take its address. It serves when it is started.

    Args:
        address: ``HOST:PORT``, ``[IPV6]:PORT`` or ``unix:PATH``; port 0 takes any that is free.
        handlers: the services.
        tls: the certificate to speak TLS with; without, only this machine may reach the address.
        limits: what a connection may do.

    Raises:
        ServerError: the address is none, is in use, cannot be taken here, or others could reach it
            without TLS; or the certificate will not do.
    """
    place = parse(address)
    secure = await asyncio.to_thread(credentials, tls) if tls is not None else None
    if isinstance(place, UnixSocket):
        await asyncio.to_thread(take_over, place)
    else:
        place = await _allowed(place, encrypted=tls is not None)
    server = grpc.aio.server(options=limits.options(), maximum_concurrent_rpcs=limits.calls)
    server.add_generic_rpc_handlers(tuple(handlers))
    try:
        if secure is None:
            port = server.add_insecure_port(str(place))
        else:
            port = server.add_secure_port(str(place), secure)
    except RuntimeError:
        raise _not_taken(place) from None
    bound = place if isinstance(place, UnixSocket) else HostPort(place.host, port)
    return Listening(server, str(bound))


async def _allowed(address: HostPort, *, encrypted: bool) -> HostPort:
    """Return the address by number, so that what was looked at is what is taken."""
    numbers = await resolved(address)
    if not encrypted and not all(map(is_loopback, numbers)):
        raise ServerError(
            f"{address} can be reached from elsewhere, and without TLS everybody on the way reads "
            "the tokens: give a certificate with --tls-cert and --tls-key, or listen at an address "
            f"of this machine alone, as in 127.0.0.1:{address.port}"
        )
    return HostPort(numbers[0] if address.host else "::", address.port)


def _not_taken(place: HostPort | UnixSocket) -> ServerError:
    """Say why an address could not be taken: gRPC keeps that to itself, so it is tried again."""
    reason = "it is not to be had"
    if isinstance(place, HostPort):
        family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
        try:
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((place.host, place.port))
                probe.listen()
        except OSError as error:
            reason = os.strerror(error.errno or errno.EADDRNOTAVAIL)
    else:
        reason = "no socket can be made there"
    return ServerError(
        f"cannot listen at {place}: {reason}: take another address, or end what uses it"
    )


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
