"""The certificate of a server that speaks TLS: checked before it is used, renewed while it is.

gRPC takes any bytes for a certificate and fails at the first client, without a word. So the files
are tried with the standard library first, by a handshake with themselves: what a client would
refuse is refused here, with the name of the file.
"""

from __future__ import annotations

import ssl
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import grpc
import structlog

from sandlot.errors import ServerError

READINGS: Final = 3
"""How often files that change while they are read are read before that is an error."""


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """Where the certificate, followed by those that lead to its root, and its key lie, as PEM."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate and its key as PEM, which belong together."""

    chain: bytes
    key: bytes = field(repr=False)


def read(files: CertificateFiles) -> Certificate:
    """Read a certificate and its key, and see whether clients will take them.

    Raises:
        ServerError: one of them cannot be read or is no such file, they do not belong together, or
            the certificate is expired, not yet valid or not for servers.
    """
    for _ in range(READINGS):
        found = _bytes(files)
        _check(files, found)
        if _bytes(files) == found:  # the check reads the files anew
            return found
    raise ServerError(f"{files.certificate} and its key change all the time: try again")


def credentials(files: CertificateFiles) -> grpc.ServerCredentials:
    """Return credentials for gRPC that follow the files: what is renewed is used from then on.

    Connections that stand keep what they began with. Files that will not do are told in the log,
    once, and what was used before is used on.

    Raises:
        ServerError: as for ``read``.
    """
    renewal = _Renewal(files)  # before they are read: a change in between is seen
    # None means no change, which the types do not know.
    return grpc.dynamic_ssl_server_credentials(_configuration(read(files)), renewal)  # type: ignore[arg-type]


class _Renewal:
    """Asked by gRPC at every new connection, in a thread of its own, for what is new."""

    def __init__(self, files: CertificateFiles) -> None:
        self._files = files
        self._seen = _state(files)
        self._lock = threading.Lock()
        self._log = structlog.get_logger("sandlot.serving")

    def __call__(self) -> grpc.ServerCertificateConfiguration | None:
        with self._lock:
            state = _state(self._files)
            if state == self._seen:
                return None
            self._seen = state
        try:
            renewed = read(self._files)
        except ServerError as error:
            self._log.error("certificate not renewed", reason=str(error))
            return None
        self._log.info("certificate renewed", file=str(self._files.certificate))
        return _configuration(renewed)


def _configuration(certificate: Certificate) -> grpc.ServerCertificateConfiguration:
    return grpc.ssl_server_certificate_configuration([(certificate.key, certificate.chain)])


def _state(files: CertificateFiles) -> list[tuple[int, int, int] | None]:
    """Return what tells one version of the files from the next, without reading them."""
    states: list[tuple[int, int, int] | None] = []
    for path in (files.certificate, files.key):
        try:
            found = path.stat()
        except OSError:
            states.append(None)
        else:
            states.append((found.st_ino, found.st_mtime_ns, found.st_size))
    return states


def _bytes(files: CertificateFiles) -> Certificate:
    return Certificate(
        _pem(files.certificate, "certificate", b"-----BEGIN CERTIFICATE-----"),
        _pem(files.key, "key", b"PRIVATE KEY-----"),
    )


def _pem(path: Path, what: str, mark: bytes) -> bytes:
    try:
        found = path.read_bytes()
    except OSError as error:
        raise ServerError(f"{path}: the {what} cannot be read: {error.strerror}") from None
    if mark not in found:
        raise ServerError(
            f"{path}: no {what} in it; give the file with the {what} as PEM, which begins with "
            "'-----BEGIN'"
        )
    return found


def _check(files: CertificateFiles, found: Certificate) -> None:
    """Shake hands with the certificate, as a client that trusts nothing else would."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False  # the names in it are the operator's business
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # itself is root enough
    try:
        client.load_verify_locations(cadata=found.chain.decode("latin-1"))
    except ssl.SSLError as error:
        raise ServerError(f"{files.certificate}: the certificate is damaged: {error}") from None
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        server.load_cert_chain(
            files.certificate, files.key, password=lambda: _refuse_password(files.key)
        )
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            problem = f"this is not the key of {files.certificate}; give the two that were made"
            raise ServerError(f"{files.key}: {problem} together") from None
        raise ServerError(f"{files.key}: the key is damaged: {error}") from None
    except OSError as error:
        raise ServerError(f"{error.filename or files.key}: {error.strerror}") from None
    try:
        _shake_hands(client, server)
    except ssl.SSLCertVerificationError as error:
        raise ServerError(
            f"{files.certificate}: clients will refuse it: {error.verify_message}; renew it"
        ) from None
    except ssl.SSLError as error:
        raise ServerError(f"{files.certificate}: TLS fails with it: {error.reason}") from None


def _refuse_password(key: Path) -> str:
    """Refuse a key that wants a password; otherwise it would be asked for at the terminal."""
    raise ServerError(
        f"{key}: the key wants a password, and nobody is there to give it: take it off, as with "
        "'openssl pkey', and let none but the server read the file"
    )


def _shake_hands(client: ssl.SSLContext, server: ssl.SSLContext) -> None:
    """Let the two shake hands in memory.

    Raises:
        SSLError: one of them will not.
    """
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides = [client.wrap_bio(back, there), server.wrap_bio(there, back, server_side=True)]
    while sides:
        for side in list(sides):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
            sides.remove(side)
