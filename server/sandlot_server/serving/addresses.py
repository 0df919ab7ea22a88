"""Where a server may listen: what an operator writes, and what of it nobody else can reach."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import stat
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Final

from sandlot.errors import ServerError

UNIX: Final = "unix:"

LONGEST_SOCKET: Final = 107
"""Bytes that the path of a unix socket may have, on Linux."""


@dataclass(frozen=True, slots=True)
class HostPort:
    """A host, by name or number and empty for every address of the machine, and a port.

    >>> str(HostPort("::1", 7777))
    '[::1]:7777'
    """

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class UnixSocket:
    """A socket in the file system, which only this machine can reach."""

    path: Path

    def __str__(self) -> str:
        return f"{UNIX}{self.path}"


def parse(text: str) -> HostPort | UnixSocket:
    """Return the address that is written ``HOST:PORT``, ``[IPv6]:PORT`` or ``unix:PATH``.

    Raises:
        ServerError: it is none of them.

    >>> parse("[::1]:7777")
    HostPort(host='::1', port=7777)
    >>> parse(":7777")
    HostPort(host='', port=7777)
    >>> str(parse("unix:///run/sandlot.sock"))
    'unix:/run/sandlot.sock'
    """
    if text.startswith(UNIX):
        return _socket(text.removeprefix(UNIX).removeprefix("//"))
    host, colon, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    if not colon or (":" in host) is not bracketed:
        raise ServerError(
            f"{text!r} is no address: write HOST:PORT, [IPV6]:PORT or unix:PATH, as in "
            "127.0.0.1:7777"
        )
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) < 1 << 16):
        raise ServerError(f"{port!r} in {text!r} is no port: write a number from 0 to 65535")
    return HostPort(host[1:-1] if bracketed else host, int(port))


def _socket(path: str) -> UnixSocket:
    if not path or "\0" in path:
        raise ServerError("'unix:' wants the path of a socket behind it, as in unix:/run/bots.sock")
    length = len(os.fsencode(path))
    if length > LONGEST_SOCKET:
        raise ServerError(
            f"the path of a unix socket has {LONGEST_SOCKET} bytes at most and {path} has {length}:"
            " take a shorter one"
        )
    return UnixSocket(Path(path))


async def resolved(address: HostPort) -> tuple[str, ...]:
    """Return the numbers that the host stands for, the first of them the one to take.

    Raises:
        ServerError: it stands for none.
    """
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            address.host or None,
            address.port,
            type=socket.SOCK_STREAM,
            flags=socket.AI_PASSIVE,
        )
    except (OSError, UnicodeError) as error:  # a name that is too long is the latter
        reason = error.strerror if isinstance(error, OSError) else "not a name"
        raise ServerError(
            f"cannot listen at {address}: {address.host!r} is no host known here ({reason}): write "
            "a number, as in 127.0.0.1"
        ) from None
    return tuple(dict.fromkeys(str(place[0]) for *_, place in found))


def is_loopback(number: str) -> bool:
    """Tell whether an address, as a number, is one that only this machine itself can reach.

    >>> [is_loopback(number) for number in ("127.8.9.1", "::1", "::ffff:127.0.0.1", "0.0.0.0")]
    [True, True, True, False]
    """
    address = ip_address(number)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def take_over(address: UnixSocket) -> None:
    """Remove a socket that nobody listens at any more, as a server leaves it that was killed.

    Raises:
        ServerError: somebody listens at it, it is no socket, or its folder is not there.
    """
    path = address.path
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise ServerError(f"cannot listen at {address}: the file there is no socket: move it")
        if _is_listened_at(path):
            raise ServerError(
                f"cannot listen at {address}: a server is there already: end it, or take another "
                "path"
            )
        path.unlink()
    except FileNotFoundError:
        if not path.parent.is_dir():
            problem = f"there is no folder {path.parent}: make it first"
            raise ServerError(f"cannot listen at {address}: {problem}") from None
    except OSError as error:
        raise ServerError(f"cannot listen at {address}: {error.strerror}") from None


def _is_listened_at(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)  # one whose queue is full is in use, and would make us wait
        failed = probe.connect_ex(str(path))
    if failed in (errno.EACCES, errno.EPERM):
        raise PermissionError(failed, "the socket there is another user's")
    return failed not in (errno.ECONNREFUSED, errno.ENOENT)
