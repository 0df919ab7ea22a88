"""However a run ends, no process of a bot is left behind."""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from launch.daemons import DAEMONS
from support.scene import DEADLINE, Scene

from sandlot_server.launch import processes
from sandlot_server.launch.census import Process, _from_ps, environments, group_runs, process
from sandlot_server.launch.ledger import Ledger, end_left_behind
from sandlot_server.launch.marks import new_mark

RUN = """
import asyncio, os, signal, sys
from pathlib import Path
from sandlot_server.launch import processes
from sandlot_server.launch.bots import CommandBot
from sandlot_server.launch.ledger import Ledger

directory, trick = Path(sys.argv[1]), sys.argv[2]
if "without pdeathsig" in trick:
    processes._pdeathsig = lambda: ()
if "dies at the gate" in trick:
    def note(self, group, bot, mark):
        print(group, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    Ledger.note = note

async def main():
    async with processes.Launcher(directory / "run") as launcher:
        process = await launcher.start(
            CommandBot((sys.executable, "-S", "bot.py"), directory),
            name="mine", address="", token="", log=directory / "mine.log",
        )
        print(process.pid, launcher._warden.pid, flush=True)
        await process.wait()

asyncio.run(main())
"""

IGNORES_TERM = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"

WITH_GRANDCHILD = f"""
{IGNORES_TERM}
if os.fork() == 0:
    say("grandchild")
    forever()
say("bot")
forever()
"""

linux = pytest.mark.skipif(sys.platform != "linux", reason="marks are read from /proc")
BODIES = [
    pytest.param(WITH_GRANDCHILD, id="grandchild"),
    *(
        pytest.param(f"{IGNORES_TERM}{daemon}say('bot')\nforever()\n", id=name, marks=linux)
        for name, daemon in DAEMONS.items()
    ),
]


def run(scene: Scene, trick: str = "") -> subprocess.Popen[str]:
    # The operator stands where a file of theirs is called like a standard module.
    (scene.directory / "secrets.py").write_text("raise SystemExit('not the real one')")
    return subprocess.Popen(
        [sys.executable, "-P", "-c", RUN, str(scene.directory), trick],
        cwd=scene.directory,
        stdout=subprocess.PIPE,
        text=True,
    )


def pids(runner: subprocess.Popen[str]) -> list[int]:
    assert runner.stdout is not None
    return [int(word) for word in runner.stdout.readline().split()]


def ended(pid: int) -> None:
    """Wait until a process that need not be our child has ended."""
    try:
        file = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([file], [], [], DEADLINE)[0]
    finally:
        os.close(file)


def ledgers(scene: Scene) -> list[Path]:
    return list((scene.directory / "run").glob("*.ledger"))


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("trick", ["", "without pdeathsig"])
def test_kill_9_of_the_run_ends_bots_and_grandchildren(trick: str, body: str, scene: Scene) -> None:
    scene.script(body)
    with run(scene, trick) as runner:
        _, warden = pids(runner)
        assert {scene.next_line(), scene.next_line()} == {"bot", "grandchild"}
        runner.kill()
        assert scene.all_gone() == ""
        ended(warden)
    assert ledgers(scene) == []


@pytest.mark.skipif(not processes._pdeathsig(), reason="needs setpriv --pdeathsig")
def test_the_system_itself_kills_the_bot_of_a_killed_run(scene: Scene) -> None:
    scene.script("say('bot')\nforever()\n")
    with run(scene) as runner:
        _, warden = pids(runner)
        assert scene.next_line() == "bot"
        os.kill(warden, signal.SIGKILL)
        runner.kill()
        assert scene.all_gone() == ""


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("trick", ["", "without pdeathsig"])
def test_the_next_run_ends_what_is_left_when_the_warden_was_killed_too(
    trick: str, body: str, scene: Scene
) -> None:
    scene.script(body)
    with run(scene, trick) as runner:
        _, warden = pids(runner)
        assert {scene.next_line(), scene.next_line()} == {"bot", "grandchild"}
        assert end_left_behind(scene.directory / "run") == []  # the run lives: they are its own
        os.kill(warden, signal.SIGKILL)
        runner.kill()
    assert len(ledgers(scene)) == 1
    assert end_left_behind(scene.directory / "run") == ["mine"]
    assert scene.all_gone() == ""
    assert ledgers(scene) == []
    assert end_left_behind(scene.directory / "run") == []


def test_a_run_that_dies_before_it_has_written_the_bot_down_has_not_started_it(
    scene: Scene,
) -> None:
    scene.script("say('bot')\nforever()\n")
    with run(scene, "dies at the gate, without pdeathsig") as runner:
        (bot,) = pids(runner)
    ended(bot)
    with pytest.raises(TimeoutError):  # nobody ever opened the pipe
        scene.all_gone(deadline=0)
    assert not (scene.directory / "mine.log").read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_other_signals_to_the_run_leave_nothing_either(number: int, scene: Scene) -> None:
    scene.script(WITH_GRANDCHILD)
    with run(scene) as runner:
        _, warden = pids(runner)
        assert {scene.next_line(), scene.next_line()} == {"bot", "grandchild"}
        runner.send_signal(number)
        assert scene.all_gone() == ""
        ended(warden)
    assert ledgers(scene) == []


@pytest.fixture
def bystander(scene: Scene) -> Callable[..., subprocess.Popen[bytes]]:
    """Start somebody else's process, in a group of its own."""

    def start(body: str) -> subprocess.Popen[bytes]:
        command = scene.script(body).argv()
        return subprocess.Popen(command, cwd=scene.directory, start_new_session=True)

    return start


def entry(group: int, started: str = "1@boot", mark: str = "x") -> dict[str, object]:
    return {"group": group, "started": started, "bot": "mine", "mark": mark}


def left_ledger(directory: Path, *entries: dict[str, object]) -> None:
    """Leave the ledger of a dead run."""
    (directory / "bots-0123456789abcdef.ledger").write_text(
        "".join(f"{json.dumps(entry)}\n" for entry in entries)
    )


def test_a_pid_that_is_used_again_is_not_ours(
    scene: Scene, bystander: Callable[..., subprocess.Popen[bytes]]
) -> None:
    with bystander("say('up')\nforever()\n") as other:
        assert scene.next_line() == "up"
        left_ledger(scene.directory, entry(other.pid, started="1@another boot"))
        assert end_left_behind(scene.directory) == []
        assert list(scene.directory.glob("*.ledger")) == []
        assert other.poll() is None
        other.kill()


def test_a_group_without_its_leader_is_ours_only_by_its_mark(
    scene: Scene,
    bystander: Callable[..., subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mark = f"marked by {os.getpid()}"
    monkeypatch.setenv("SANDLOT_RUN", mark)
    with bystander("if os.fork():\n    sys.exit()\nsay('orphan')\nforever()\n") as leader:
        assert scene.next_line() == "orphan"
    left_ledger(scene.directory, entry(leader.pid, mark="another"))
    assert end_left_behind(scene.directory) == []
    assert group_runs(leader.pid)
    left_ledger(scene.directory, entry(leader.pid, mark=mark))
    assert end_left_behind(scene.directory) == ["mine"]
    assert scene.all_gone() == ""


def test_a_group_that_was_struck_out_and_a_torn_line_count_for_nothing(
    scene: Scene, bystander: Callable[..., subprocess.Popen[bytes]]
) -> None:
    with bystander("say('up')\nforever()\n") as other:
        assert scene.next_line() == "up"
        seen = process(other.pid)
        assert seen is not None
        left_ledger(scene.directory, entry(other.pid, seen.started), {"gone": other.pid})
        with (scene.directory / "bots-0123456789abcdef.ledger").open("a") as file:
            file.write('{"group": 1, "sta')
        assert end_left_behind(scene.directory) == []
        assert other.poll() is None
        other.kill()


def test_the_ledger_of_a_run_that_lives_is_left_alone(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    with ledger.path.open() as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert end_left_behind(tmp_path) == []
    assert ledger.path.exists()
    ledger.close()
    assert not ledger.path.exists()


def test_a_ledger_that_still_holds_a_group_stays(
    scene: Scene, bystander: Callable[..., subprocess.Popen[bytes]]
) -> None:
    ledger = Ledger(scene.directory)
    with bystander("say('up')\nforever()\n") as other:
        assert scene.next_line() == "up"
        ledger.note(other.pid, "mine", new_mark())
        ledger.close()
        assert ledger.path.exists()
        assert end_left_behind(scene.directory) == ["mine"]
        assert other.wait() == -signal.SIGKILL


def test_a_zombie_is_not_a_process_that_runs(
    scene: Scene, bystander: Callable[..., subprocess.Popen[bytes]]
) -> None:
    with bystander("say('up')\n") as other:
        scene.all_gone()
        os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)  # ended, and not yet reaped
        os.killpg(other.pid, 0)
        assert not group_runs(other.pid)
        assert process(other.pid) is None


def test_ps_and_proc_tell_the_same(
    scene: Scene, bystander: Callable[..., subprocess.Popen[bytes]]
) -> None:
    try:
        subprocess.run(["ps"], capture_output=True, check=True)
    except FileNotFoundError:
        pytest.skip("ps is not there, and not needed where /proc is")
    with bystander("say('up')\nforever()\n") as other:
        assert scene.next_line() == "up"
        (told,) = _from_ps("-p", str(other.pid))
        seen = process(other.pid)
        assert isinstance(seen, Process)
        assert (told.pid, told.group) == (seen.pid, seen.group) == (other.pid, other.pid)
        assert told.started
        assert told in set(_from_ps("-A"))
        assert environments("PATH")[other.pid] == os.environ["PATH"]
        assert other.pid not in environments("PAT")
        other.kill()
    assert list(_from_ps("-p", str(other.pid))) == []
