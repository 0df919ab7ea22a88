"""Archives of strangers: what is taken, and what each attack meets."""

from __future__ import annotations

import os
import random
import stat
import tracemalloc
from pathlib import Path

import pytest
from support.attacks import ATTACKS, FILES, good, huge, member, packed

from sandlot.errors import SubmissionError
from sandlot_server.submissions.archive import write_archive
from sandlot_server.submissions.limits import Limits
from sandlot_server.submissions.unpacking import content, examine, unpack


def holds(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if not path.is_dir()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("kind", ATTACKS)
def test_an_attack_is_refused_in_one_line_and_leaves_nothing(kind: str, tmp_path: Path) -> None:
    archive, told = ATTACKS[kind]
    room = tmp_path / "room"
    room.mkdir()
    with pytest.raises(SubmissionError) as caught:
        unpack(archive, room / "bot")
    line = str(caught.value)
    assert told in line
    assert line.isprintable()
    assert len(line) < 300
    assert list(room.iterdir()) == []
    assert list(tmp_path.iterdir()) == [room]


def test_what_was_packed_comes_out(tmp_path: Path) -> None:
    files = {**FILES, "cards/odds.py": b"x" * 100_000, "cards/é.bin": bytes(range(256))}
    contents = unpack(write_archive(files), tmp_path / "bot")
    assert holds(tmp_path / "bot") == files
    assert contents.files == tuple(sorted(files))
    assert contents.size == sum(map(len, files.values()))
    assert [path.name for path in tmp_path.iterdir()] == ["bot"]


def test_modes_times_and_owners_are_ours(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        unpack(good(member("a/b/set-uid")), tmp_path / "bot")
    finally:
        os.umask(old)
    for path in [tmp_path / "bot", *(tmp_path / "bot").rglob("*")]:
        status = path.lstat()
        assert stat.S_IMODE(status.st_mode) == (0o755 if path.is_dir() else 0o644)
        assert (status.st_mtime, status.st_uid) == (0, os.getuid())


def test_names_that_windows_alone_refuses_are_taken(tmp_path: Path) -> None:
    unpack(good(member("aux.py"), member("what?.txt"), member("-rf")), tmp_path / "bot")
    assert {"aux.py", "what?.txt", "-rf"} < set(holds(tmp_path / "bot"))


def test_the_longest_name(tmp_path: Path) -> None:
    name = "/".join(["f" * 77] * 2) + "/" + "n" * 100
    unpack(write_archive({name: b""}), tmp_path / "bot")
    assert list(holds(tmp_path / "bot")) == [name]


def test_padding_as_tar_writes_it_is_taken(tmp_path: Path) -> None:
    assert examine(packed(member("bot.py"), end=bytes(10240))).files == ("bot.py",)


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (Limits(archive=100), "the archive has"),
        (Limits(unpacked=36), "'bot.toml' goes beyond 36 bytes"),
        (Limits(files=1), "more than 1 files"),
        (Limits(unrated=1024, ratio=1), "bytes come out of an archive"),
    ],
)
def test_limits_are_the_servers_to_set(limits: Limits, told: str, tmp_path: Path) -> None:
    archive = write_archive(FILES)
    with pytest.raises(SubmissionError, match=told):
        unpack(archive, tmp_path / "bot", limits)
    assert list(tmp_path.iterdir()) == []


def test_limits_may_be_reached() -> None:
    archive, size = write_archive(FILES), sum(map(len, FILES.values()))
    limits = Limits(archive=len(archive), unpacked=size, files=2, depth=1)
    assert examine(archive, limits).size == size


def test_memory_does_not_grow_with_what_comes_out(tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(1 << 14)
    pieces = [noise] * (48 << 6)  # 48 MiB, which deflate packs well
    archive = huge([member("weights", size=b"%011o\0" % (48 << 20)), *pieces, bytes(1024)])
    limits = Limits(ratio=1032)
    tracemalloc.start()
    try:
        assert unpack(archive, tmp_path / "bot", limits).size == 48 << 20
        assert tracemalloc.get_traced_memory()[1] < 2 << 20
    finally:
        tracemalloc.stop()


def test_what_is_there_already_stays(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    with pytest.raises(FileExistsError):
        unpack(write_archive(FILES), tmp_path / "bot")
    assert [path.name for path in tmp_path.iterdir()] == ["bot"]
    assert holds(tmp_path / "bot") == {}


def test_a_disk_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.utime", full)
    with pytest.raises(OSError, match="No space left"):
        unpack(write_archive(FILES), tmp_path / "bot")
    assert list(tmp_path.iterdir()) == []


def test_one_file_is_read_as_far_as_is_asked_for() -> None:
    archive = good()
    assert content(archive, "bot.py", 100) == FILES["bot.py"]
    assert content(archive, "bot.py", 3) == FILES["bot.py"][:3]
    assert content(archive, "bot.p", 3) is None
    with pytest.raises(SubmissionError, match="climbs out"):
        content(packed(member("../bot.py")), "bot.py", 3)
