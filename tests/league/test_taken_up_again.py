"""A server that is killed while it takes or tries a submission, and the one after it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.desk import Desk, class_bot, settled
from support.one_loop import run
from support.scene import DEADLINE

from sandlot_server.store.registered import Version

SERVER = """
import asyncio, os, signal, sys
from pathlib import Path
from support.desk import Desk, class_bot, settled
from sandlot_server.league import reception

def killed(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)

def in_the_middle(archive, target, *rest):
    real_rename = Path.rename
    Path.rename = killed
    return real(archive, target, *rest)

moment = sys.argv[2]
if moment == "unpack":
    real, reception.unpack = reception.unpack, in_the_middle
elif moment == "receive":
    reception.Registry.receive = killed
elif moment == "answered":
    reception.Reception._received = killed
else:
    setattr(reception, moment, killed)

async def main():
    with Desk(Path(sys.argv[1])) as desk:
        async with desk.reception() as desk_open:
            await settled(desk_open, await desk_open.submit(desk.ann, class_bot()))

asyncio.run(main())
"""


def kill_at(moment: str, root: Path) -> None:
    tests = Path(__file__).parents[1]
    ended = subprocess.run(
        [sys.executable, "-c", SERVER, str(root), moment],
        env=os.environ | {"PYTHONPATH": str(tests)},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert ended.returncode == -9, ended.stderr


def next_server(root: Path) -> tuple[list[str], list[Version]]:
    """Let another server come; return what is on the disk then, and the versions as they stand."""

    async def scene() -> tuple[list[str], list[Version]]:
        async with desk.reception() as desk_open:
            pending = [one for bot in desk.registry.bots("ann") for one in bot.versions]
            return desk.left(), [await settled(desk_open, one) for one in pending]

    with Desk(root) as desk:
        return run(scene())


@pytest.mark.parametrize("moment", ["answered", "unpack", "build", "try_version"])
def test_what_was_taken_starts_over_and_becomes_active(moment: str, tmp_path: Path) -> None:
    kill_at(moment, tmp_path / "data")
    if moment == "unpack":
        assert [*(tmp_path / "data").glob("submissions/mine/1/.files-*")]
    _, (version,) = next_server(tmp_path / "data")
    assert (version.entrant, version.status) == ("mine@1", "active")
    folder = tmp_path / "data" / "submissions" / "mine" / "1"
    assert folder.joinpath("archive.tar.gz").read_bytes() == class_bot()
    assert not [*folder.glob(".*")]


def test_what_was_not_written_down_is_not_there(tmp_path: Path) -> None:
    kill_at("receive", tmp_path / "data")
    assert [*(tmp_path / "data" / "submissions").glob(".*")]
    assert next_server(tmp_path / "data") == ([], [])


def test_what_was_written_down_without_its_archive_is_refused(tmp_path: Path) -> None:
    kill_at("keep", tmp_path / "data")
    _, (version,) = next_server(tmp_path / "data")
    assert version.status == "refused"
    assert version.reason == "the server has ended before it kept the archive; submit it again"
    assert not [*(tmp_path / "data" / "submissions").glob(".*")]
