"""Certificates for servers of the tests' own, made with openssl."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


@dataclass(frozen=True)
class Certificate:
    """The files of a server's certificate and key, and of the authority that signed it; all PEM."""

    certificate: Path
    key: Path
    authority: Path

    @property
    def pair(self) -> tuple[bytes, bytes]:
        """The key and the certificate, as ``grpc.ssl_server_credentials`` takes them."""
        return self.key.read_bytes(), self.certificate.read_bytes()


def certificate(directory: Path, *names: str, days: int = 2) -> Certificate:
    """Make an authority and a certificate for these names, ``DNS:localhost`` or ``IP:127.0.0.1``.

    One of no days has expired when it is made. Skips the test where there is no openssl.
    """
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here, which makes the tests' certificates: install openssl")
    directory.mkdir(exist_ok=True)
    ca, request, made = (directory / name for name in ("ca.pem", "request.pem", "made.pem"))
    ca_key, key = directory / "ca.key", directory / "made.key"
    authority = ("-subj", "/CN=tests", "-addext", "basicConstraints=critical,CA:TRUE")
    _openssl("req", "-x509", *KEY, *authority, "-keyout", ca_key, "-out", ca)
    alternatives = ("-addext", f"subjectAltName={','.join(names)}")
    _openssl(
        "req", "-new", *KEY, "-subj", "/CN=server", *alternatives, "-keyout", key, "-out", request
    )
    signed = ("-CA", ca, "-CAkey", ca_key, "-copy_extensions", "copy", "-days", str(days or -1))
    _openssl("x509", "-req", "-in", request, *signed, "-out", made)
    return Certificate(made, key, ca)


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=60)
