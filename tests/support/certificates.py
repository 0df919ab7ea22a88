"""Certificates for tests, of an authority that lives as long as its object."""

from __future__ import annotations

import datetime
import os
from pathlib import Path

import trustme

from sandlot_server.serving.certificates import CertificateFiles


class Authority:
    """Makes certificates for ``localhost`` and ``127.0.0.1``, and writes them into a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._authority = trustme.CA()
        self.root: bytes = self._authority.cert_pem.bytes()

    def issue(self, name: str = "server", *, expired: bool = False) -> CertificateFiles:
        """Write a certificate and its key as ``NAME.pem`` and ``NAME.key``, in one step each."""
        now = datetime.datetime.now(datetime.UTC)
        ends = now + datetime.timedelta(days=-1 if expired else 1)
        made = self._authority.issue_cert(
            "localhost", "127.0.0.1", not_before=now - datetime.timedelta(days=2), not_after=ends
        )
        files = CertificateFiles(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        chain = b"".join(each.bytes() for each in made.cert_chain_pems)
        for path, text in ((files.key, made.private_key_pem.bytes()), (files.certificate, chain)):
            fresh = path.with_suffix(".fresh")
            fresh.write_bytes(text)
            os.replace(fresh, path)
        return files
