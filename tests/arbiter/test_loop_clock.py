"""The arbiter's own delays are not taken from the bots."""

from __future__ import annotations

import asyncio

from support.arbiter_room import Room
from support.one_loop import run
from support.scripted_bot import answer, message

from sandlot_server.arbiter import LoopClock
from sandlot_server.arbiter.clock import SLACK, TICK


class Monotonic:
    """The machine's clock, as a test sets it."""

    def __init__(self) -> None:
        self.now = 500.0

    def __call__(self) -> float:
        return self.now


def beating() -> tuple[Monotonic, LoopClock]:
    monotonic = Monotonic()
    clock = LoopClock(monotonic)
    clock._due = monotonic.now + TICK  # as ``start`` does, with beats by hand
    return monotonic, clock


def test_time_passes_while_the_loop_turns() -> None:
    monotonic, clock = beating()
    before = clock.now()
    for _ in range(100):
        monotonic.now += TICK + SLACK / 2
        clock.beat()
    assert abs(clock.now() - before - 100 * (TICK + SLACK / 2)) < 1e-9
    assert clock.lost == 0


def test_time_stands_while_the_loop_does() -> None:
    monotonic, clock = beating()
    before = clock.now()
    monotonic.now += 30.0
    assert abs(clock.now() - before - TICK - SLACK) < 1e-9
    clock.beat()
    assert abs(clock.now() - before - TICK - SLACK) < 1e-9  # it does not jump when it is beaten
    assert abs(clock.lost - (30 - TICK - SLACK)) < 1e-9
    monotonic.now += TICK
    assert abs(clock.now() - before - 2 * TICK - SLACK) < 1e-9


def test_a_clock_that_is_stopped_runs_on_from_where_it_was() -> None:
    monotonic, clock = beating()

    async def scene() -> None:
        clock.start()
        monotonic.now += 3.0
        before = clock.now()
        clock.stop()
        monotonic.now += 5.0
        assert abs(clock.now() - before - 5.0) < 1e-9

    run(scene())


def test_an_alarm_rings_by_this_clock_and_not_before() -> None:
    async def scene() -> None:
        monotonic = Monotonic()
        clock = LoopClock(monotonic)
        rung = asyncio.Event()
        alarm = clock.call_at(clock.now() + 0.001, rung.set)
        # The machine's clock stands still: however often the loop looks, the time has not come.
        alarm._handle.cancel()  # type: ignore[attr-defined]
        alarm._ring()  # type: ignore[attr-defined]
        assert not rung.is_set()
        monotonic.now += 0.002
        await rung.wait()
        cancelled = clock.call_at(clock.now() - 1, lambda: rung.clear())
        cancelled.cancel()
        done = asyncio.Event()
        clock.call_at(clock.now() - 1, done.set)
        await done.wait()
        assert rung.is_set()

    run(scene())


def test_the_heart_beats_by_itself() -> None:
    async def scene() -> None:
        clock = LoopClock()
        clock.start()
        first = clock._due
        woken = asyncio.Event()
        clock.call_at(clock.now() + 2 * TICK, woken.set)
        await woken.wait()
        assert clock._due > first
        clock.stop()

    run(scene())


def test_a_bot_does_not_lose_by_a_standstill_of_the_arbiter() -> None:
    """Half a minute passes between a request and its answer, but the arbiter slept through it."""

    async def scene() -> None:
        monotonic = Monotonic()
        clock = LoopClock(monotonic)
        async with Room(clock=clock) as room:
            clock.start()
            bot = await room.connected(0)
            await room.caller(1)
            playing = room.play()
            asked = await bot.asked()
            monotonic.now += 30.0
            await bot.say(message(answer(asked)))
            await bot.play_on_until_over()
            played = await playing
            clock.stop()
            assert played.faults == ({}, {})
            assert played.hands[0].decisions[0].ms <= 1000 * (TICK + SLACK) + 1

    run(scene())
