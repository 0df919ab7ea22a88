"""Where an arbiter or a server is, and how it is reached.

::

    unix:/path         a socket on this machine
    host:port          without TLS, and only on this machine: every call carries a token
    tls://host:port    with TLS

A server that is reached over TLS shows a certificate. Those that sign certificates for everybody
are known to gRPC; where it is signed by somebody else the PEM file of that authority must be given.
"""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from sandlot.errors import SessionError

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")  # a bot may start processes of its own
os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what it has to say, its errors say, too

if TYPE_CHECKING:
    import grpc
    import grpc.aio

UNIX: Final = "unix:"
TLS: Final = "tls://"


@dataclass(frozen=True, slots=True)
class Address:
    """Where an arbiter or a server is.

    Attributes:
        target: ``host:port`` or ``unix:/path``, as gRPC writes it.
        tls: whether it is reached over TLS.
        authority: the certificates, as PEM, of who may have signed that of the server; None for
            the authorities that gRPC knows.

    >>> print(Address.parse("tls://league.example:443"))
    tls://league.example:443
    """

    target: str
    tls: bool = False
    authority: bytes | None = field(default=None, repr=False)

    @classmethod
    def parse(cls, text: str, ca: str | Path = "") -> Self:
        """Return the address that is written so.

        Args:
            text: ``unix:/path``, ``host:port`` on this machine, or ``tls://host:port``.
            ca: the PEM file of the authority that signed the server's certificate, or nothing. It
                is read only where there is TLS.

        Raises:
            SessionError: it is no address, a token would travel in the open, or the file cannot be
                read or holds no certificate.

        """
        if text.startswith(UNIX):
            return cls(text)
        if text.startswith(TLS):
            target = text.removeprefix(TLS)
            _host(target, text)
            return cls(target, tls=True, authority=_authority(Path(ca)) if ca else None)
        if not _is_loopback(_host(text, text)):
            raise SessionError(
                f"{text} is not on this machine, and without TLS anybody on the way could read "
                f"the token: write {TLS}{text}"
            )
        return cls(text)

    def __str__(self) -> str:
        return TLS + self.target if self.tls else self.target

    @property
    def is_unix(self) -> bool:
        """Whether it is a socket in the file system."""
        return self.target.startswith(UNIX)


@dataclass(frozen=True, slots=True)
class Keepalive:
    """How a peer that has gone without a word is noticed: it leaves a ping unanswered.

    Attributes:
        every: seconds without anything from the other side before it is pinged.
        timeout: seconds in which it has to answer.

    """

    every: float = 20.0
    timeout: float = 10.0

    def options(self) -> list[tuple[str, int]]:
        """Return the options of a channel or server that pings, as gRPC writes them."""
        return [
            ("grpc.keepalive_time_ms", round(self.every * 1000)),
            ("grpc.keepalive_timeout_ms", round(self.timeout * 1000)),
            # The line above does nothing by itself in gRPC 1.85, whose timer for it is not started:
            # a ping without an answer is found out by this one, by default after a minute.
            ("grpc.http2.ping_timeout_ms", round(self.timeout * 1000)),
            ("grpc.keepalive_permit_without_calls", 1),
            # Or after two pings it would say nothing more until there is data to send.
            ("grpc.http2.max_pings_without_data", 0),
        ]


def channel(address: Address, keepalive: Keepalive = Keepalive()) -> grpc.Channel:
    """Return a channel to the address; to be closed."""
    import grpc

    options = _options(address, keepalive)
    if address.tls:
        credentials = grpc.ssl_channel_credentials(address.authority)
        return grpc.secure_channel(address.target, credentials, options)
    return grpc.insecure_channel(address.target, options)


def aio_channel(address: Address, keepalive: Keepalive = Keepalive()) -> grpc.aio.Channel:
    """Return a channel to the address for the running event loop; to be closed."""
    import grpc
    import grpc.aio

    options = _options(address, keepalive)
    if address.tls:
        credentials = grpc.ssl_channel_credentials(address.authority)
        return grpc.aio.secure_channel(address.target, credentials, options)
    return grpc.aio.insecure_channel(address.target, options)


def no_connection(address: Address, details: str, whom: str = "arbiter") -> str:
    """Return in one line why nobody is reached, and what to do.

    Args:
        address: where somebody should be.
        details: what gRPC says, where the status is ``UNAVAILABLE``.
        whom: what should be there.

    """
    if address.tls:
        for mark, text in _TLS_TROUBLES:
            if mark in details:
                return text.format(address)
    # A server with TLS hangs up on a client without.
    elif "failed to connect" in details and "Socket closed" in details:
        details += f" (if it uses TLS, write {TLS}{address})"
    why = details.rpartition(_REMOTE)[2]  # what comes before it says the address once more
    return f"no {whom} at {address}, or it is gone: {why}; see that it runs, and try again"


_REMOTE: Final = "Failed to connect to remote host: "

_FOR_ANOTHER: Final = (
    "the certificate at {} is for another host: write the name that stands in it, or have one made "
    "for this name"
)
_TLS_TROUBLES: Final = (
    ("Hostname Verification Check failed", _FOR_ANOTHER),
    ("is not in peer certificate", _FOR_ANOTHER),  # the same, until gRPC 1.80 or so
    ("certificate has expired", "the certificate at {} has expired: its operator has to renew it"),
    ("certificate is not yet valid", "the certificate at {} is not valid yet: look at your clock"),
    (
        "CERTIFICATE_VERIFY_FAILED",
        "the certificate at {} is signed by an authority that is not known here: see that it is "
        "the server you mean, and give its authority's file with --ca FILE or SANDLOT_CA",
    ),
    (
        "WRONG_VERSION_NUMBER",
        "what listens at {} does not speak TLS: look at host and port, or leave out tls:// where "
        "it is on this machine",
    ),
)
"""What stands in gRPC's details, and what it means."""


def _options(address: Address, keepalive: Keepalive) -> list[tuple[str, int]]:
    unlimited = [
        ("grpc.max_receive_message_length", -1),
        ("grpc.max_send_message_length", -1),
        # A second channel to where a first one just failed tries by itself, and at once.
        ("grpc.use_local_subchannel_pool", 1),
    ]
    # The kernel tells at once when the process at the other end of a Unix socket is gone.
    return unlimited if address.is_unix else unlimited + keepalive.options()


def _host(target: str, text: str) -> str:
    """Return the host in ``host:port``, without the brackets of IPv6."""
    host, _, port = target.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    bare = host[1:-1] if bracketed else host
    well_made = bare and (bracketed or ":" not in bare) and not set(bare) & set("/@ ")
    if not (well_made and port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16):
        raise SessionError(
            f"{text!r} is no address: write host:port or unix:/path, and {TLS}host:port for a "
            "server elsewhere"
        )
    return bare


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _authority(path: Path) -> bytes:
    import ssl

    try:
        written = path.read_bytes()
        # gRPC would take anything, and only say that it does not know who signed.
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=written.decode())
    except OSError as error:
        if not isinstance(error, ssl.SSLError):
            raise SessionError(
                f"cannot read the authority's certificate {path}: {error.strerror}"
            ) from None
    except ValueError:
        pass
    else:
        return written
    raise SessionError(f"{path} holds no certificate: give the authority's file, as PEM")
