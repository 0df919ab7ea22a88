"""Bots that attack, in a sandbox: each is held, whether root or an ordinary user started it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from launch.sandboxed import WHO, Room, needs_sandbox, room_of

from sandlot_server.launch.limits import Limits

pytestmark = needs_sandbox

SECRET = "of-the-operator-alone"
MIB = 1 << 20


@pytest.fixture(params=WHO)
def room(request: pytest.FixtureRequest) -> Iterator[Room]:
    """A room of root's or of an ordinary user's."""
    with room_of(request.param) as made:
        yield made


@pytest.fixture
def victim() -> Iterator[subprocess.Popen[bytes]]:
    """A process of somebody else's, which does nothing."""
    with subprocess.Popen(["sleep", "infinity"]) as process:
        yield process
        process.kill()


def test_it_reads_neither_others_files_nor_the_store_nor_the_environment_nor_proc(
    room: Room, victim: subprocess.Popen[bytes]
) -> None:
    files = [
        room.league / "other" / "bot.py",
        room.league / "league.toml",
        room.league / "sandlot.db",
        room.directory / "run" / "bots-1.ledger",
    ]
    for path in files:
        path.parent.mkdir(exist_ok=True)
        path.write_text(SECRET)
    wanted = [*files, room.log, f"/proc/{os.getpid()}/environ", f"/proc/1/root{files[0]}"]
    command = [sys.executable, "-S", room.attack("reads")]
    (room.league / "mine" / "wanted").write_text("\n".join([SECRET, *map(str, wanted)]))
    ended = room.run(command, environment={"OF_THE_OPERATOR": SECRET})
    assert ended.exit == "exited with status 0"
    assert [line for line in ended.said if line.startswith("file ")] == [
        *["file held: No such file or directory"] * 6,
        "file held: Permission denied"
        if "file held: Permission denied" in ended.said
        else "file held: No such file or directory",
    ]
    assert ended.said[7:12] == [
        "passwords held: No such file or directory",
        "in files: ['wanted']",  # what it was told to look for
        "in processes: []",
        "in its environment: []",
        "its folder: ['mine']",
    ]
    assert set(ended.said[12].split()) - {"PYTHONPATH"} == {
        *("HOME", "LANG", "PATH", "PWD", "TMPDIR", "PYTHONUNBUFFERED", "GRPC_ENABLE_FORK_SUPPORT"),
        *("SANDLOT_ADDRESS", "SANDLOT_RUN", "SANDLOT_TOKEN"),
    }


def test_it_opens_no_connection(room: Room) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as port,
        socket.socket(socket.AF_UNIX) as named,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        named.bind(str(room.directory / "socket"))
        abstract.bind(f"\0sandlot-test-{os.getpid()}")
        for listening in (port, named, abstract):
            listening.listen()
        ended = room.python(
            "connects",
            str(port.getsockname()[1]),
            str(room.directory / "socket"),
            f"sandlot-test-{os.getpid()}",
        )
    assert ended.said == [
        "port held: Connection refused",
        "world held: Network is unreachable",
        "file held: No such file or directory",
        "abstract held: Connection refused",
        "raw held: Operation not permitted",
    ]


def test_it_does_not_fork_without_end(room: Room) -> None:
    ended = room.python("forks", limits=Limits(processes=20))
    held, forked, thread = ended.said
    assert held == "held: Resource temporarily unavailable"
    assert 10 <= int(forked) < 20
    assert thread == "held: can't start new thread"
    assert ended.left == []


def test_what_its_user_runs_does_not_count_against_it(room: Room) -> None:
    """Else it would have no process left where an operator has many."""
    others = [subprocess.Popen([*room.as_who(), "sleep", "infinity"]) for _ in range(20)]
    try:
        ended = room.python("forks", limits=Limits(processes=20))
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert 10 <= int(ended.said[1]) < 20


def test_it_takes_no_more_memory_than_it_may(room: Room) -> None:
    held, taken = room.python("takes_memory", "alone", limits=Limits(memory=128 * MIB)).said
    assert held == "held"
    assert 64 * MIB < int(taken) < 128 * MIB


def test_all_its_processes_together_take_no_more_memory_than_it_may(room: Room) -> None:
    limits = Limits(memory=128 * MIB)
    ended = room.python("takes_memory", "together", str(50 * MIB), limits=limits)
    assert ended.exit == "killed by signal 9 (SIGKILL)"
    assert re.fullmatch(
        r"--- killed: its \d+ processes hold \d+[MG] of memory together, more than 128M "
        r"\(memory, in \[sandbox\]\)",
        ended.said[-1],
    )
    assert ended.left == []


def test_memory_that_is_shared_counts_as_well(room: Room) -> None:
    ended = room.python("takes_memory", "shared", limits=Limits(memory=128 * MIB))
    assert ended.exit == "killed by signal 9 (SIGKILL)"
    assert ended.said[-1].startswith("--- killed: its ")


def test_it_makes_no_memory_that_nobody_could_count(room: Room) -> None:
    assert room.python("takes_memory", "unseen").said == ["held: Function not implemented"] * 2


def test_it_does_not_fill_the_disk(room: Room) -> None:
    folders = ["/", "/bot", "/bot/mine", "/dev", "/usr", "/etc", "/run", "/proc"]
    folders.append(f"{sys.prefix}/lib")
    limits = Limits(scratch=3 * MIB)
    ended = room.python("fills_disk", "bytes", *folders, limits=limits)
    for line, folder in zip(ended.said[:2], ("/tmp", "/dev/shm"), strict=True):
        assert re.fullmatch(f"{folder}: 3145728 (No space left on device|File too large)", line)
    for line, folder in zip(ended.said[2:], folders, strict=True):
        assert re.fullmatch(
            f"{folder}: 0 (Read-only file system|Permission denied|No such file or directory)", line
        )
    assert [*room.league.joinpath("mine").iterdir()] == [room.league / "mine" / "fills_disk.py"]


def test_it_does_not_fill_the_memory_with_names_of_files(room: Room) -> None:
    ended = room.python("fills_disk", "names")
    assert ended.exit == "killed by signal 9 (SIGKILL)"
    assert ended.said == ["--- killed: it has more than 65536 files in its scratch"]


def test_it_does_not_write_without_end(room: Room) -> None:
    """What is too much is not kept, its author is told so, and the bot plays on."""
    ended = room.python("writes", str(MIB), limits=Limits(output=64 << 10))
    assert ended.exit == "exited with status 0"
    cut = "--- cut: it has written 64K, and no more is kept in this run (output, in [sandbox])"
    assert ended.said[-1] == cut
    assert room.log.stat().st_size < (64 << 10) + 1000
    assert room.log.read_text().splitlines()[-2] == "x" * 4095


def test_what_it_may_write_does_not_begin_anew_with_each_start(room: Room) -> None:
    command = [sys.executable, "-S", room.attack("writes"), str(50 << 10)]
    with room.start(command, command, limits=Limits(output=64 << 10)) as driven:
        for _ in range(2):
            driven.started()
            ended = driven.ended()
    assert ended.said[-1].startswith("--- cut: ")
    assert room.log.stat().st_size < (64 << 10) + 1000


def test_each_of_its_processes_computes_no_longer_than_it_may(room: Room) -> None:
    ended = room.run([sys.executable, "-S", "-c", "while True: pass"], limits=Limits(cpu=1))
    assert ended.exit.startswith("killed by signal ")


def test_it_opens_no_more_files_than_it_may(room: Room) -> None:
    opening = "import os\nfor number in range(1000):\n    print(os.open('/dev/null', 0))"
    ended = room.run([sys.executable, "-S", "-c", opening], limits=Limits(files=20))
    assert "19" in ended.said
    assert ended.said[-1] == "OSError: [Errno 24] Too many open files: '/dev/null'"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_program_in_another_language_runs(room: Room) -> None:
    (room.league / "js").mkdir()
    (room.league / "js" / "bot.js").write_text("console.log(process.cwd(), __filename)")
    assert room.run(["node", "js/bot.js"]).said == ["/bot /bot/js/bot.js"]


def test_it_kills_and_traces_nobody(room: Room, victim: subprocess.Popen[bytes]) -> None:
    ended = room.python("harms", str(victim.pid), str(os.getpid()))
    assert (
        ended.said[:-1]
        == [
            *["kill held: No such process"] * 2,
            "trace held: No such process",
        ]
        * 2
    )
    assert re.fullmatch("it sees [234] processes", ended.said[-1])
    assert victim.poll() is None


def test_it_leaves_no_daemon_when_it_exits(room: Room) -> None:
    with room.start([sys.executable, "-S", room.attack("stays")]) as driven:
        driven.started()
        with room.up() as daemon:
            daemon.send(b"x")
            ended = driven.ended()
            assert daemon.recv(1) == b""  # nobody holds the other end any more
    assert ended.exit == "exited with status 0"
    assert ended.left == []


@pytest.mark.parametrize("end", ["of the run", "of bubblewrap"])
def test_all_of_it_is_killed_as_one(end: str, room: Room) -> None:
    with room.start([sys.executable, "-S", room.attack("stays")]) as driven:
        leader = driven.started()
        with room.up() as daemon:
            assert len(descendants(leader)) >= 3  # the sandbox's first process, bot and daemon
            if end == "of the run":
                driven.kill()
            else:
                os.kill(leader, signal.SIGKILL)
                assert driven.ended().exit == "killed by signal 9 (SIGKILL)"
            assert daemon.recv(1) == b""


def descendants(leader: int) -> list[int]:
    """Return the pids of all processes that stem from one."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
    found = [leader]
    for above in found:
        found += [pid for pid, parent in parents.items() if parent == above]
    return found[1:]


def test_it_is_asked_to_end_like_any_bot(room: Room) -> None:
    """TERM is the bot's to heed; bubblewrap does not take it away by ending first."""
    with room.start([sys.executable, "-S", room.attack("ends")], stop=True) as driven:
        driven.started()
        with room.up():
            driven.stop()
            ended = driven.ended()
    assert ended.said == ["asked to end"]
    assert ended.exit == "exited with status 5"


def test_it_becomes_nobody_else(room: Room) -> None:
    ended = room.python("outside")
    *held, rights = ended.said
    assert [line.partition(" held: ")[0] for line in held] == ["user", "net", "root", "su"]
    assert rights == "0000000000000000 0000000000000000 1"


@pytest.mark.skipif("root" not in WHO, reason="only root can give a bot a user of its own")
def test_started_by_root_each_bot_has_a_user_of_its_own_whom_nobody_else_has() -> None:
    with room_of("root") as room:
        users = [user_of(room) for _ in range(2)]
    assert users[0] != users[1]
    assert all(0x7000_0000 <= user < 0x7FFE_0000 for user in users)


def user_of(room: Room) -> int:
    """Return the user that a bot has on the machine."""
    with room.start([sys.executable, "-S", room.attack("stays")]) as driven:
        driven.started()
        with room.up() as connection:
            size = struct.calcsize("3i")
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    _pid, user, _group = struct.unpack("3i", credentials)
    assert isinstance(user, int)
    return user


def test_no_token_is_on_a_command_line(room: Room) -> None:
    with room.start([sys.executable, "-S", room.attack("stays")], token=SECRET) as driven:
        leader = driven.started()
        with room.up():
            for pid in (leader, *descendants(leader)):
                with suppress(
                    FileNotFoundError, ProcessLookupError
                ):  # the one between the bot and its daemon
                    assert SECRET not in Path(f"/proc/{pid}/cmdline").read_text()
