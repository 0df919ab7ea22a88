"""The first signal drains a server, the second stops it, and in between what runs may end."""

from __future__ import annotations

import asyncio
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


async def endless() -> None:
    await asyncio.Event().wait()


async def ended(tasks: list[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def test_work_that_ends_within_the_grace_period_is_waited_for() -> None:
    async def scene() -> tuple[set[Any], list[bool]]:
        over, drain = asyncio.Event(), Drain()
        tasks = [asyncio.create_task(over.wait()) for _ in range(3)]
        waiting = asyncio.create_task(drain.finish_within(3600, tasks))
        await asyncio.sleep(0)
        over.set()
        return await waiting, [task.done() for task in tasks]

    assert run(scene()) == (set(), [True] * 3)


def test_work_that_does_not_end_within_the_grace_period_is_returned_and_still_runs() -> None:
    async def scene() -> bool:
        tasks = [asyncio.create_task(endless()), asyncio.create_task(asyncio.Event().wait())]
        tasks[0].cancel()  # one ends, by an error
        left = await Drain().finish_within(0.01, tasks)
        right = left == {tasks[1]} and not tasks[1].cancelled() and not tasks[1].cancelling()
        await ended(tasks)
        return right

    assert run(scene())


def test_to_stop_at_once_ends_the_wait() -> None:
    async def scene() -> bool:
        drain, tasks = Drain(), [asyncio.create_task(endless())]
        waiting = asyncio.create_task(drain.finish_within(3600, tasks))
        await asyncio.sleep(0)
        drain.at_once.set()
        left = await waiting
        await ended(tasks)
        return left == set(tasks)

    assert run(scene())


def test_to_stop_waiting_leaves_the_work_alone() -> None:
    async def scene() -> bool:
        task = asyncio.create_task(endless())
        waiting = asyncio.create_task(Drain().finish_within(3600, [task]))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        right = waiting.cancelled() and not task.done() and not task.cancelling()
        await ended([task])
        return right

    assert run(scene())


def test_no_work_is_not_waited_for() -> None:
    async def scene() -> set[Any]:
        return await Drain().finish_within(3600, [])

    assert run(scene()) == set()
