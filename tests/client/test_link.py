"""The stream of a session: who drives its loop, and that nothing waits for a bot that thinks."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import grpc
import pytest
from support.scripted_arbiter import Conversation, Script, scripted_arbiter

from sandlot import Action
from sandlot.address import Address
from sandlot.link import Link
from sandlot.wire import PROTOCOL, Hello, write_answer, write_hello


@contextmanager
def linked(directory: Path, script: Script) -> Iterator[Link]:
    """Give a link that has said hello to an arbiter that follows the script."""
    with scripted_arbiter(directory, script) as address, asyncio.Runner() as runner:
        link = Link(Address.parse(address), "secret", runner)
        link.put(write_hello(Hello(PROTOCOL, "test", ("baseball",))))
        link.open()
        try:
            yield link
        finally:
            link.close()


def until(condition: Callable[[], bool]) -> None:
    """Be a bot that is busy, in the interpreter, until something is so."""
    latest = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < latest


def answer(number: int) -> bytes:
    return write_answer("1-1-1", number, Action.CALL)


def test_what_comes_while_the_bot_is_busy_is_there_when_it_asks(tmp_path: Path) -> None:
    more = threading.Event()

    def script(bot: Conversation) -> Iterator[bytes]:
        yield b"first"
        assert more.wait(60)
        yield from [b"second", b"third"]
        bot.closed()

    with linked(tmp_path, script) as link:
        assert link.receive() == b"first"
        assert link.empty
        more.set()
        until(lambda: not link.empty)
        assert [link.receive(), link.receive()] == [b"second", b"third"]


def test_what_is_put_leaves_by_itself_while_the_bot_is_busy(tmp_path: Path) -> None:
    heard: list[int] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        yield b"ask"
        for _ in range(3):
            heard.extend(each.decision for each in bot.decisions(1))
        yield b"all heard"

    with linked(tmp_path, script) as link:
        assert link.receive() == b"ask"
        for number in range(1, 4):  # the first of them finds the stand-in not driving yet
            link.put(answer(number))
            until(lambda number=number: len(heard) == number)  # type: ignore[misc]
        assert link.receive() == b"all heard"
        assert link.receive() is None
    assert heard == [1, 2, 3]


def test_the_loop_changes_hands_as_the_bot_is_quick_and_slow_and_quick_again(
    tmp_path: Path,
) -> None:
    rounds = 60
    heard: list[int] = []

    def script(bot: Conversation) -> Iterator[bytes]:
        for number in range(rounds):
            yield b"%d" % number
            while len(heard) < 2 * number + 2:
                heard.extend(each.decision for each in bot.hear().decisions)

    with linked(tmp_path, script) as link:
        for number in range(rounds):
            assert link.receive() == b"%d" % number
            link.put(answer(2 * number))
            if number % 3 == 2:  # slow: the first answer does not wait for the second
                until(lambda number=number: 2 * number in heard)  # type: ignore[misc]
            link.put(answer(2 * number + 1))
            link.send()
        assert link.receive() is None
    assert heard == list(range(2 * rounds))


def test_what_is_sent_leaves_at_once_though_more_is_there_to_be_received(tmp_path: Path) -> None:
    heard = threading.Event()

    def script(bot: Conversation) -> Iterator[bytes]:
        yield from [b"first", b"second"]
        bot.decisions(1)
        heard.set()

    with linked(tmp_path, script) as link:
        assert link.receive() == b"first"
        until(lambda: not link.empty)
        link.put(answer(1))
        link.send()
        assert heard.wait(60)
        assert link.receive() == b"second"
        assert link.receive() is None


def test_it_may_be_closed_as_soon_as_it_is_open(tmp_path: Path) -> None:
    def script(bot: Conversation) -> Iterator[bytes]:
        bot.decisions(1)  # which never comes: it is for the bot to go
        yield b""

    with scripted_arbiter(tmp_path, script) as address, asyncio.Runner() as runner:
        link = Link(Address.parse(address), "secret", runner)
        link.open()
        link.close()
        assert link.receive() is None


def test_it_may_be_closed_without_being_opened(tmp_path: Path) -> None:
    with asyncio.Runner() as runner:
        link = Link(Address.parse(f"unix:{tmp_path}/nobody"), "secret", runner)
        link.close()
        assert link.receive() is None


def test_it_may_be_closed_while_the_bot_has_been_busy_for_long(tmp_path: Path) -> None:
    heard = threading.Event()
    noticed = threading.Event()

    def script(bot: Conversation) -> Iterator[bytes]:
        assert bot.context.add_callback(noticed.set)
        yield b"ask"
        bot.decisions(1)
        heard.set()
        with suppress(grpc.RpcError):
            bot.closed()

    with linked(tmp_path, script) as link:
        link.receive()
        link.put(answer(1))
        assert heard.wait(60)  # the stand-in drives
    assert noticed.wait(60)
    assert link.receive() is None
    assert not [each for each in threading.enumerate() if each.name == "sandlot-link"]


def test_ctrl_c_ends_the_wait_and_the_stream_can_be_closed(tmp_path: Path) -> None:
    noticed = threading.Event()
    main = threading.main_thread().ident
    assert main is not None

    def script(bot: Conversation) -> Iterator[bytes]:
        assert bot.context.add_callback(noticed.set)
        yield b"ask"
        bot.decisions(1)  # so the bot waits, or is about to
        signal.pthread_kill(main, signal.SIGINT)
        with suppress(grpc.RpcError):
            bot.closed()

    with linked(tmp_path, script) as link:
        link.receive()
        link.put(answer(1))
        link.send()
        with pytest.raises(KeyboardInterrupt):
            link.receive()
    assert noticed.wait(60)
