"""What an author has becomes an archive, or a line that says why not."""

from __future__ import annotations

import hashlib
import os
import random
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from support.attacks import FILES

from sandlot.errors import SubmissionError
from sandlot_server.submissions.limits import Limits
from sandlot_server.submissions.manifest import Manifest
from sandlot_server.submissions.packing import pack
from sandlot_server.submissions.unpacking import unpack


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    return lay(tmp_path / "bot", FILES)


def lay(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def refused(path: Path, limits: Limits | None = None) -> str:
    with pytest.raises(SubmissionError) as caught:
        pack(path, limits=limits)
    line = str(caught.value)
    assert line.isprintable()
    return line


def test_a_folder_and_back(bot: Path, tmp_path: Path) -> None:
    lay(bot, {"cards/odds.py": b"x"})
    packed = pack(bot)
    assert packed.manifest == Manifest("mine", "bot.py", None)
    assert packed.contents.files == ("bot.py", "bot.toml", "cards/odds.py")
    assert packed.sha256 == hashlib.sha256(packed.archive).hexdigest()
    assert unpack(packed.archive, tmp_path / "there") == packed.contents
    assert pack(tmp_path / "there") == packed


def test_one_file_and_back(tmp_path: Path) -> None:
    lay(tmp_path, {"river-rat.py": b"# a bot", "other.txt": b"", "link.py": b""})
    packed = pack(tmp_path / "river-rat.py")
    assert packed.manifest == Manifest("river-rat", "river-rat.py", None)
    assert packed.contents.files == ("river-rat.py",)
    assert pack(tmp_path / "river-rat.py", "mine").manifest.name == "mine"


def test_the_same_files_are_the_same_bytes_whatever_the_disk_says(
    bot: Path, tmp_path: Path
) -> None:
    other = lay(tmp_path / "other", dict(reversed(FILES.items())))
    (other / "bot.py").chmod(0o700)
    os.utime(other / "bot.py", (7, 7))
    assert pack(other) == pack(bot)


def test_what_nobody_wants_is_left_out_links_and_all(bot: Path) -> None:
    before = pack(bot)
    unwanted = (
        ".git/config .env cards/.hidden/x .DS_Store __pycache__/bot.pyc odds.pyc sandlot.db "
        "sandlot.db-wal sandlot-logs/friday/bot.log myenv/pyvenv.cfg myenv/bin/x"
    )
    lay(bot, dict.fromkeys(unwanted.split(), b"x"))
    (bot / ".venv").symlink_to("/usr")
    (bot / "myenv" / "bin" / "python").symlink_to("/usr/bin/python3")
    (bot / "empty").mkdir()
    assert pack(bot) == before


def link(path: Path) -> None:
    path.symlink_to("bot.py")


def broken_link(path: Path) -> None:
    path.symlink_to("nowhere")


def link_to_a_folder(path: Path) -> None:
    path.symlink_to("/usr")


def pipe(path: Path) -> None:
    os.mkfifo(path)


def listener(path: Path) -> None:
    short = os.open(path.parent, os.O_RDONLY)  # the path of a socket may have 107 bytes
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{short}/{path.name}")
    os.close(short)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (link, "is a link; put the file itself in its place"),
        (broken_link, "is a link; put the file itself in its place"),
        (link_to_a_folder, "is a link; put the file itself in its place"),
        (pipe, "is no regular file; take it out of the folder"),
        (listener, "is no regular file; take it out of the folder"),
    ],
)
def test_what_is_no_file_is_refused(make: Callable[[Path], None], told: str, bot: Path) -> None:
    make(bot / "x")
    assert refused(bot) == f"'x' {told}"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a:b.py", "holds a \\ or a :"),
        ("x\n.py", "'x\\n.py' holds a character that cannot be shown"),
        ("Bot.py", "differ in case"),
        ("e\u0301.py", "is not in Unicode's form NFC"),
        ("x" * 101, "is too long; write at most 100 bytes"),
        ("a/" * 16 + "b.py", "lies too deep"),
    ],
)
def test_a_name_that_the_server_refuses_is_refused_here(name: str, told: str, bot: Path) -> None:
    lay(bot, {name: b""})
    assert told in refused(bot)


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (Limits(files=2), "there are more than 2 files; leave out what the bot does not need"),
        (Limits(unpacked=1000), "'noise' goes beyond 1,000 bytes, the most that all files may"),
        (Limits(archive=4000), "bytes; at most 4,000 are taken"),
        (Limits(unrated=1000, ratio=1), "bytes come out of an archive of"),
    ],
)
def test_what_is_too_large_is_refused_here(limits: Limits, told: str, bot: Path) -> None:
    lay(bot, {"noise": random.Random(1).randbytes(5000), "zeros": bytes(20_000)})
    assert told in refused(bot, limits)


def test_what_is_too_large_is_not_even_read(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandlot_server.submissions.packing._read", None)
    (bot / "weights").touch()
    os.truncate(bot / "weights", 1 << 40)
    assert refused(bot).startswith("'weights' goes beyond 67,108,864 bytes")


def test_a_folder_of_folders_is_not_walked_for_ever(bot: Path) -> None:
    for number in range(12):
        (bot / str(number)).mkdir()
    assert refused(bot, Limits(files=10)).endswith("has more than 10 folders; name another")


def test_a_manifest_is_read_before_anything_is_packed(bot: Path, tmp_path: Path) -> None:
    (bot / "bot.toml").write_text('name = "mine"\nrun = ".venv/bot.py"')
    lay(bot, {".venv/bot.py": b"", "odds.py": b""})
    assert "there is no file '.venv/bot.py' in the submission" in refused(bot)
    (bot / "bot.toml").unlink()
    assert refused(bot).startswith("there is no bot.toml; write one with")
    (bot / "bot.toml").mkdir()
    assert refused(bot).startswith("there is no bot.toml")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nowhere", "nowhere: there is no such file or folder"),
        ("bot/bot.toml", "one file is submitted if it is Python; name the folder, with a bot.toml"),
        ("link.py", "'link.py' is a link"),
    ],
)
def test_what_is_neither_folder_nor_python(name: str, told: str, bot: Path) -> None:
    (bot.parent / "link.py").symlink_to("bot/bot.py")
    assert told in refused(bot.parent / name)
