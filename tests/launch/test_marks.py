"""By its mark a bot's process is known, and nobody else's is taken for one."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from support.scene import Scene

from sandlot_server.launch.marks import MARK, carriers, kill_marked, new_mark, put_on

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="marks are read from /proc")


@contextmanager
def started(scene: Scene, body: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a script with this environment alone, wait until it is up, and kill it at the end."""
    command = scene.script(body).argv()
    with subprocess.Popen(command, cwd=scene.directory, env=environment) as script:
        try:
            assert scene.next_line() == "up"
            yield script
        finally:
            script.kill()


def test_a_mark_is_found_without_the_environment_and_on_children(scene: Scene) -> None:
    mark = new_mark()
    body = """
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
say("up")
signal.sigwait([signal.SIGUSR1])
if os.fork() == 0:
    os.setsid()
say("forked")
forever()
"""
    with started(scene, body) as bot:
        put_on(bot.pid, mark)
        bot.send_signal(signal.SIGUSR1)
        assert {scene.next_line(), scene.next_line()} == {"forked"}
        found = [pid for pid, value in carriers().items() if value == mark]
        assert len(found) == 2
        assert bot.pid in found
        assert kill_marked(mark, carriers())
        assert bot.wait() == -signal.SIGKILL
    assert scene.all_gone() == ""


def test_where_a_limit_cannot_be_set_the_environment_is_enough(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(resource, "prlimit", refused)
    mark = new_mark()
    with started(scene, "say('up')\nforever()\n", **{MARK: mark}) as bot:
        put_on(bot.pid, mark)
        assert carriers()[bot.pid] == mark
        assert kill_marked(mark, carriers())
        assert bot.wait() == -signal.SIGKILL


def test_a_zombie_carries_no_mark(scene: Scene) -> None:
    mark = new_mark()
    with started(scene, "say('up')\nforever()\n") as bot:
        put_on(bot.pid, mark)
        bot.kill()
        os.waitid(os.P_PID, bot.pid, os.WEXITED | os.WNOWAIT)  # ended, and not yet reaped
        assert bot.pid not in carriers()
        assert not kill_marked(mark, carriers())


def test_who_has_another_mark_or_none_is_left_alone(scene: Scene) -> None:
    body = "say('up')\nforever()\n"
    with started(scene, body) as marked, started(scene, body) as unmarked:
        put_on(marked.pid, new_mark())
        assert not kill_marked(new_mark(), carriers())
        assert (marked.poll(), unmarked.poll()) == (None, None)
        assert unmarked.pid not in carriers()


def test_what_belongs_to_another_user_meanwhile_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(pid: int, number: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", refused)
    assert not kill_marked("7", {1: "7"})


@pytest.mark.parametrize(
    ("hard", "most"),
    [(resource.RLIM_INFINITY, 1 << 62), (1 << 50, 1 << 50), (1 << 48, 1 << 62), (1, 1 << 62)],
)
def test_a_mark_is_below_our_own_limit_and_never_a_number_by_chance(
    hard: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (hard, hard))
    drawn = {int(new_mark()) for _ in range(200)}
    assert len(drawn) == 200
    assert min(drawn) >= 1 << 48
    assert max(drawn) < most
