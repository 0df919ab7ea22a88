"""What may be written for an address, and what a unix socket does that is there already."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.one_loop import run

from sandlot.errors import ServerError
from sandlot_server.serving.addresses import (
    HostPort,
    UnixSocket,
    is_loopback,
    parse,
    resolved,
    take_over,
)


@pytest.mark.parametrize("text", ["127.0.0.1:7777", "[::1]:0", "localhost:65535", "unix:/run/a.s"])
def test_an_address_prints_as_it_is_written(text: str) -> None:
    assert str(parse(text)) == text


@pytest.mark.parametrize("text", ["", "localhost", "::1:7777", "[::1]", "[::1:7777", "a:b:7"])
def test_what_is_no_address_is_refused_with_the_way_to_write_one(text: str) -> None:
    with pytest.raises(ServerError, match=r"no address: write HOST:PORT"):
        parse(text)


@pytest.mark.parametrize("port", ["", "-1", "65536", "http", "+1", "\u0667", "1" * 5000])
def test_what_is_no_port_is_refused(port: str) -> None:
    with pytest.raises(ServerError, match="is no port: write a number from 0 to 65535"):
        parse(f"localhost:{port}")


def test_a_socket_wants_a_path_and_no_longer_one_than_the_system_takes() -> None:
    with pytest.raises(ServerError, match="wants the path of a socket"):
        parse("unix:")
    assert parse(f"unix:/{'a' * 106}") == UnixSocket(Path(f"/{'a' * 106}"))
    with pytest.raises(ServerError, match=r"has 107 bytes at most and /a+ has 108"):
        parse(f"unix:/{'a' * 107}")


@pytest.mark.parametrize("number", ["127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1"])
def test_addresses_of_this_machine_alone(number: str) -> None:
    assert is_loopback(number)


@pytest.mark.parametrize(
    "number", ["0.0.0.0", "::", "::ffff:0.0.0.0", "128.0.0.1", "10.0.0.1", "fe80::1%lo", "::2"]
)
def test_addresses_that_others_may_reach(number: str) -> None:
    assert not is_loopback(number)


def test_short_and_odd_ways_to_write_a_number_are_read_as_the_system_reads_them() -> None:
    assert run(resolved(HostPort("127.1", 1))) == ("127.0.0.1",)
    assert run(resolved(HostPort("0", 1))) == ("0.0.0.0",)


@pytest.mark.parametrize("host", ["nobody.invalid", "a" * 300, "."])
def test_a_host_that_nobody_knows_is_refused(host: str) -> None:
    with pytest.raises(ServerError, match="is no host known here"):
        run(resolved(HostPort(host, 1)))


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as server:
        yield server


def test_a_socket_left_behind_is_removed(tmp_path: Path, listener: socket.socket) -> None:
    path = tmp_path / "bots.sock"
    listener.bind(str(path))
    listener.listen()
    listener.close()
    assert path.exists()
    take_over(UnixSocket(path))
    assert not path.exists()


def test_a_socket_in_use_is_left_alone(tmp_path: Path, listener: socket.socket) -> None:
    path = tmp_path / "bots.sock"
    listener.bind(str(path))
    listener.listen()
    with pytest.raises(ServerError, match=r"bots\.sock: a server is there already: end it"):
        take_over(UnixSocket(path))
    assert path.exists()


def test_a_socket_in_use_by_a_server_that_is_busy_is_left_alone(
    tmp_path: Path, listener: socket.socket
) -> None:
    path = tmp_path / "bots.sock"
    listener.bind(str(path))
    listener.listen(0)
    with socket.socket(socket.AF_UNIX) as first:
        first.connect(str(path))  # the queue is full
        with pytest.raises(ServerError, match="a server is there already"):
            take_over(UnixSocket(path))


def test_a_file_that_is_no_socket_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("mine")
    with pytest.raises(ServerError, match="the file there is no socket: move it"):
        take_over(UnixSocket(path))
    assert path.read_text() == "mine"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=r"there is no folder .*gone: make it first"):
        take_over(UnixSocket(tmp_path / "gone" / "bots.sock"))
