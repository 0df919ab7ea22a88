"""A certificate that a client would refuse is refused at the start, with the name of its file."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from support.certificates import Authority

from sandlot.errors import ServerError
from sandlot_server.serving import certificates
from sandlot_server.serving.certificates import Certificate, CertificateFiles


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def refused(files: CertificateFiles) -> str:
    with pytest.raises(ServerError) as caught:
        certificates.read(files)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_certificate_and_its_key_are_read(authority: Authority) -> None:
    files = authority.issue()
    found = certificates.read(files)
    assert found.chain == files.certificate.read_bytes()
    assert found.key == files.key.read_bytes()


def test_files_that_change_while_they_are_read_are_read_again(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, checked = authority.issue(), []

    def check_and_renew(files: CertificateFiles, found: Certificate) -> None:
        checked.append(found)
        if len(checked) == 1:
            authority.issue()

    monkeypatch.setattr(certificates, "_check", check_and_renew)
    assert certificates.read(files).chain == files.certificate.read_bytes()
    assert len(checked) == 2


def test_files_that_change_all_the_time_are_refused(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates, "_check", lambda files, found: authority.issue())
    assert refused(authority.issue()).endswith("change all the time: try again")


def test_a_key_is_never_printed(authority: Authority) -> None:
    assert "PRIVATE" not in repr(certificates.read(authority.issue()))


def test_a_file_that_is_not_there_is_named(authority: Authority, tmp_path: Path) -> None:
    files = authority.issue()
    gone = tmp_path / "gone.pem"
    assert refused(CertificateFiles(gone, files.key)) == (
        f"{gone}: the certificate cannot be read: No such file or directory"
    )
    assert refused(CertificateFiles(files.certificate, gone)) == (
        f"{gone}: the key cannot be read: No such file or directory"
    )


def test_files_that_are_no_pem_are_named(authority: Authority) -> None:
    files = authority.issue()
    swapped = CertificateFiles(files.key, files.certificate)
    assert refused(swapped).startswith(f"{files.key}: no certificate in it; give the file")
    files.key.write_bytes(b"\x30\x82\x04\xa4")
    assert refused(files).startswith(f"{files.key}: no key in it; give the file")


def damaged(path: Path) -> None:
    first, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([first, b"AAAA\n", *rest[3:]]))


def test_a_damaged_certificate_is_named(authority: Authority) -> None:
    files = authority.issue()
    damaged(files.certificate)
    assert refused(files).startswith(f"{files.certificate}: the certificate is damaged")


def test_a_damaged_key_is_named(authority: Authority) -> None:
    files = authority.issue()
    damaged(files.key)
    assert refused(files).startswith(f"{files.key}: the key is damaged")


def test_the_key_of_another_certificate_is_refused(authority: Authority) -> None:
    ours, other = authority.issue("ours"), authority.issue("other")
    assert refused(CertificateFiles(ours.certificate, other.key)) == (
        f"{other.key}: this is not the key of {ours.certificate}; give the two that were made "
        "together"
    )


def test_an_expired_certificate_is_refused(authority: Authority) -> None:
    files = authority.issue(expired=True)
    assert refused(files) == (
        f"{files.certificate}: clients will refuse it: certificate has expired; renew it"
    )


def test_a_key_that_wants_a_password_is_refused_and_nobody_is_asked(
    authority: Authority, tmp_path: Path
) -> None:
    files = authority.issue()
    locked = tmp_path / "locked.key"
    key = load_pem_private_key(files.key.read_bytes(), password=None)
    way = (Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))
    locked.write_bytes(key.private_bytes(*way))
    told = refused(CertificateFiles(files.certificate, locked))
    assert told.startswith(f"{locked}: the key wants a password")
