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
from typing import Final

import grpc
import grpc.aio

from sandlot.errors import ServerError
from sandlot_server.arbiter import Limits, server_options
from sandlot_server.serving.addresses import (
    HostPort,
    UnixSocket,
    is_loopback,
    parse,
    resolved,
    take_over,
)
from sandlot_server.serving.certificates import CertificateFiles, credentials

PUBLIC: Final = Limits(receive=16 << 20)
"""What a connection may do: the largest message is a submission, not a bot's."""

CALLS: Final = 4000
"""Calls that may be open at once on all connections; one more is refused."""


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
    limits: Limits = PUBLIC,
    calls: int = CALLS,
) -> Listening:
    """Make a server for the services and take its address. It serves when it is started.

    Args:
        address: ``HOST:PORT``, ``[IPV6]:PORT`` or ``unix:PATH``; port 0 takes any that is free.
        handlers: the services.
        tls: the certificate to speak TLS with; without, only this machine may reach the address.
        limits: what a connection may do.
        calls: calls that may be open at once on all connections; beyond it a call is refused with
            ``RESOURCE_EXHAUSTED``.

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
    server = grpc.aio.server(options=server_options(limits), maximum_concurrent_rpcs=calls)
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
