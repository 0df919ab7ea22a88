"""A disk of the server's is full: it lives, says so, leaves nothing half done, and goes on."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from support.crashing import (
    Author,
    all_settled,
    league_in,
    refusal,
    remote_bot,
    submission,
)
from support.live_server import Home
from support.whole import check_audit, check_season, check_submissions

from sandlot.v1 import league_pb2 as pb
from sandlot_server.league.places import DataFolder
from sandlot_server.store import Store

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="a disk of memory, as Linux has it"),
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a disk"),
]


class SmallDisk:
    """A disk of a few megabytes, at a folder."""

    def __init__(self, folder: Path) -> None:
        self._filling = folder / "filling"

    def fill(self) -> None:
        """Leave no room on it."""
        with self._filling.open("ab", buffering=0) as file:
            size = 1 << 16
            while size:
                try:
                    file.write(bytes(size))
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
                    size //= 2

    def clear(self) -> None:
        """Give the room back."""
        self._filling.unlink()


@contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk]:
    """Have a folder be a disk of its own."""
    options = ["-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs"]
    mounted = subprocess.run(["mount", *options, folder], capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    """The folder of a league."""
    folder = DataFolder(tmp_path / "data")
    folder.make()
    return folder


def test_the_disk_of_the_store(folder: DataFolder, tmp_path: Path) -> None:
    # All else is elsewhere, so that it is the store alone that fails.
    with small_disk(folder.root) as disk:
        for each in (folder.submissions, folder.logs, folder.run, folder.house):
            (tmp_path / each.name).mkdir()
            each.symlink_to(tmp_path / each.name)
        token = league_in(folder.database)
        archive = submission(tmp_path, "rat")
        with (
            Home(folder.root, "--unsafe", "--tables", "3") as home,
            remote_bot(home, token),
            Author(home, token) as author,
        ):
            server = home.serve()
            server.wait_for("match stored")
            disk.fill()
            said = server.wait_for("nothing is played")
            assert "the disk is full" in said["reason"]
            request = pb.SubmitRequest(archive=archive, name="rat")
            failed = refusal(home.address, token, request)
            assert failed == (grpc.StatusCode.UNAVAILABLE, "STORE")
            stored = len(home.all("match stored"))
            disk.clear()
            server.wait_for("match stored", times=stored + 2)
            author.submit("rat", archive)
            server.wait_until(lambda: all_settled(folder.database, 1))
            server.signal(signal.SIGTERM)
            assert server.end() == 0
            home.check_nothing_lies_about()
        with Store(folder.database) as store:
            assert check_season(store, home.log).voids
            check_submissions(store, folder, author.acknowledged)
            check_audit(store)


def test_the_disk_of_the_submissions(folder: DataFolder, tmp_path: Path) -> None:
    token = league_in(folder.database)
    archive = submission(tmp_path, "rat")
    with (
        small_disk(folder.submissions) as disk,
        Home(folder.root, "--unsafe", "--tables", "3") as home,
        remote_bot(home, token),
        Author(home, token) as author,
    ):
        disk.fill()
        server = home.serve()
        server.wait_for("match stored")
        failed = refusal(home.address, token, pb.SubmitRequest(archive=archive, name="rat"))
        assert failed == (grpc.StatusCode.UNAVAILABLE, "STORE")
        assert "No space left on device" in server.wait_for("store failed")["error"]
        with Store(folder.database) as store:
            check_submissions(store, folder, [])
        disk.clear()
        author.submit("rat", archive)
        server.wait_until(lambda: all_settled(folder.database, 1))
        server.signal(signal.SIGTERM)
        assert server.end() == 0
        home.check_nothing_lies_about()
        with Store(folder.database) as store:
            assert not check_season(store, home.log).voids
            check_submissions(store, folder, author.acknowledged)
            check_audit(store)


def test_the_disk_of_the_logs(folder: DataFolder) -> None:
    token = league_in(folder.database)
    with (
        small_disk(folder.logs) as disk,
        Home(folder.root, "--unsafe", "--tables", "3") as home,
        remote_bot(home, token),
    ):
        disk.fill()
        server = home.serve()
        said = server.wait_for("nothing is played")  # no bot starts whose log cannot be written
        assert said["reason"].endswith("No space left on device")
        disk.clear()
        server.wait_for("match stored", times=5)
        server.signal(signal.SIGTERM)
        assert server.end() == 0
        home.check_nothing_lies_about()
    with Store(folder.database) as store:
        assert check_season(store, home.log).voids
