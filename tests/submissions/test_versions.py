"""The version of a submission, as anyone can compute it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support.attacks import FILES

from sandlot_server.submissions.archive import write_archive
from sandlot_server.submissions.unpacking import unpack


def test_it_is_what_sha256sum_says_of_its_list(tmp_path: Path) -> None:
    files = {**FILES, "cards/odds.py": b"x", "é.py": b"", "Z.py": b"", "a b.py": b""}
    contents = unpack(write_archive(files), tmp_path / "bot")
    typed = "find . -type f -printf '%P\\0' | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum"
    ran = subprocess.run(
        ["bash", "-c", typed], cwd=tmp_path / "bot", capture_output=True, text=True, check=True
    )
    assert ran.stdout.split()[0] == contents.version


def version(files: dict[str, bytes], folder: Path) -> str:
    return unpack(write_archive(files), folder / str(len(list(folder.iterdir())))).version


def test_names_and_contents_make_it_and_nothing_else(tmp_path: Path) -> None:
    one = version({"a.py": b"1", "b.py": b"2"}, tmp_path)
    assert version({"b.py": b"2", "a.py": b"1"}, tmp_path) == one
    assert version({"a.py": b"1", "c.py": b"2"}, tmp_path) != one
    assert version({"a.py": b"1", "b.py": b"3"}, tmp_path) != one
    assert version({"a.py": b"1"}, tmp_path) != version({"b.py": b"1"}, tmp_path)
