"""Certificates for servers of the tests' own, of an authority that lives as long as its object."""

from __future__ import annotations

import datetime
import os
from dataclasses import dataclass
from pathlib import Path

import trustme

from sandlot_server.serving.certificates import CertificateFiles

LOCAL = ("localhost", "127.0.0.1")


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


class Authority:
    """Makes certificates, and writes them into a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._authority = trustme.CA()
        self.root: bytes = self._authority.cert_pem.bytes()

    def issue(
        self, name: str = "server", *, hosts: tuple[str, ...] = LOCAL, expired: bool = False
    ) -> CertificateFiles:
        """Write a certificate and its key as ``NAME.pem`` and ``NAME.key``, in one step each."""
        now = datetime.datetime.now(datetime.UTC)
        ends = now + datetime.timedelta(days=-1 if expired else 1)
        made = self._authority.issue_cert(
            *hosts, not_before=now - datetime.timedelta(days=2), not_after=ends
        )
        files = CertificateFiles(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        chain = b"".join(each.bytes() for each in made.cert_chain_pems)
        for path, text in ((files.key, made.private_key_pem.bytes()), (files.certificate, chain)):
            fresh = path.with_suffix(".fresh")
            fresh.write_bytes(text)
            os.replace(fresh, path)
        return files


def certificate(directory: Path, *hosts: str, expired: bool = False) -> Certificate:
    """Make an authority and a certificate for these hosts, names or numbers, in a directory."""
    directory.mkdir(exist_ok=True)
    authority = Authority(directory)
    root = directory / "ca.pem"
    root.write_bytes(authority.root)
    files = authority.issue(hosts=hosts, expired=expired)
    return Certificate(files.certificate, files.key, root)
