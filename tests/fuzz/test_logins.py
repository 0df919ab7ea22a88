"""Any bytes at all as the file of logins: they are logins, or the file is said to be damaged."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from unittest.mock import patch

from hypothesis import example, given
from support.fuzzing import always_the_same, check_told, fuzzed
from support.mutating import nearly

from sandlot.errors import CallError
from sandlot_server.cli.logins import Login, keep, login_file, read_logins

WRITTEN = [
    b'[[login]]\naddress = "tls://a.example:7400"\ntoken = "sandlot_x"\nca = ""\n',
    b'[[login]]\naddress = "127.0.0.1:7400"\ntoken = "y"\n\n[[login]]\naddress = "b"\ntoken = 1\n',
    b"login = []\n",
]


def logins(raw: bytes) -> list[Login] | None:
    """Read them from a file, and write them with another; None where the file is damaged."""
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, XDG_CONFIG_HOME=folder),
    ):
        path = login_file()
        path.parent.mkdir()
        path.write_bytes(raw)
        path.chmod(0o600)
        try:
            found = read_logins()
        except CallError as error:
            check_told(error)
            return None
        mine = Login("c:1", "z")
        keep(mine)
        assert read_logins() == [mine, *[each for each in found if each.address != mine.address]]
        assert [each.name for each in Path(folder, "sandlot").iterdir()] == ["login.toml"]
        return found


@given(nearly(WRITTEN))
@example(b"login = " + b"[" * 8000)
@example(b"login" + b".a" * 4000 + b" = 1")
@example(b"login = 1")
@example(b"login = {}")
@example(b"[[login]]\naddress = 9999999999999999999999\ntoken = nan")
@fuzzed
def test_any_bytes_are_logins_or_damaged(raw: bytes) -> None:
    logins(raw)


def test_the_examples_reach_both_ends() -> None:
    """Were all damaged, or none, the target above would show little."""
    found: list[int] = []

    @given(nearly(WRITTEN))
    @always_the_same
    def sort(raw: bytes) -> None:
        read = logins(raw)
        found.append(-1 if read is None else len(read))

    sort()
    assert found.count(-1) > 50
    assert {0, 1, 2} <= {*found}
