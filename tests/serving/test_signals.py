"""The first signal drains a server, the second stops it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from support.command import LIMIT
from support.one_loop import run

from sandlot_server.serving.signals import STOPPING, Drain

SERVER = """
import asyncio
from sandlot_server.log import only_errors
from sandlot_server.serving.signals import Drain

def say(text):
    print(text, flush=True)

async def main():
    with Drain() as drain:
        say("serving")
        await drain.begun.wait()
        say("draining")
        await drain.at_once.wait()
        say("stopped")

only_errors()
asyncio.run(main())
"""


@contextmanager
def server() -> Iterator[subprocess.Popen[str]]:
    """A process that says what happens to it, a line each; it has begun."""
    child = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    with child:
        try:
            assert line(child) == "serving"
            yield child
        finally:
            child.kill()


def line(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().rstrip()


@pytest.mark.parametrize("first", STOPPING)
@pytest.mark.parametrize("second", STOPPING)
def test_the_first_signal_drains_and_the_second_stops(
    first: signal.Signals, second: signal.Signals
) -> None:
    with server() as child:
        child.send_signal(first)
        assert line(child) == "draining"
        child.send_signal(second)
        assert line(child) == "stopped"
        assert child.wait(LIMIT) == 0


def test_a_signal_that_was_ignored_at_the_start_stays_ignored() -> None:
    async def scene() -> list[Any]:
        with Drain():
            inside = signal.getsignal(signal.SIGHUP)
        return [inside, signal.getsignal(signal.SIGHUP)]

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert run(scene()) == [signal.SIG_IGN] * 2
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_handlers_of_before_are_put_back() -> None:
    def mine(*_: object) -> None:
        """Nothing."""

    async def scene() -> list[Any]:
        with Drain():
            inside = [signal.getsignal(number) for number in STOPPING]
        assert mine not in inside
        return [signal.getsignal(number) for number in STOPPING]

    before = {number: signal.signal(number, mine) for number in STOPPING}
    try:
        assert run(scene()) == [mine] * len(STOPPING)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
