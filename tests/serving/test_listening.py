"""A server takes its address, or says in one line why not, and what to do."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import grpc.aio
import pytest
from structlog.testing import capture_logs
from support.certificates import Authority
from support.http2 import GOAWAY, PING, PREFACE, SETTINGS, frame
from support.ipv6 import needs_ipv6
from support.one_loop import run

from sandlot.errors import ServerError
from sandlot_server.arbiter import Limits
from sandlot_server.serving import listening as listening_module
from sandlot_server.serving.certificates import CertificateFiles
from sandlot_server.serving.listening import CALLS, listen

ECHO = "/sandlot.test.Echo/Say"


async def say(request: bytes, context: object) -> bytes:
    return request


async def wait(request: bytes, context: object) -> bytes:
    await asyncio.Event().wait()
    return b""


def handlers(
    answer: Callable[[bytes, object], Awaitable[bytes]] = say,
) -> list[grpc.GenericRpcHandler]:
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.unary_unary_rpc_method_handler(answer)
    return [grpc.method_handlers_generic_handler("sandlot.test.Echo", {"Say": handler})]


@asynccontextmanager
async def serving(
    address: str,
    tls: CertificateFiles | None = None,
    limits: Limits = Limits(),  # noqa: B008 - a frozen value
    calls: int = CALLS,
    answer: Callable[[bytes, object], Awaitable[bytes]] = say,
) -> AsyncIterator[str]:
    listening = await listen(address, handlers(answer), tls=tls, limits=limits, calls=calls)
    await listening.server.start()
    try:
        yield listening.address
    finally:
        await listening.server.stop(None)


async def echo(channel: grpc.aio.Channel, text: bytes = b"hello") -> bytes:
    async with channel:
        return await method(channel)(text, timeout=30)


def method(channel: grpc.aio.Channel) -> grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]:
    return channel.unary_unary(ECHO)


def refused(address: str, tls: CertificateFiles | None = None) -> str:
    async def scene() -> str:
        with pytest.raises(ServerError) as caught:
            await listen(address, handlers(), tls=tls)
        return str(caught.value)

    told = run(scene())
    assert "\n" not in told
    return told


V6 = pytest.param("[::1]", marks=needs_ipv6)
MAPPED = pytest.param("[::ffff:127.0.0.1]", marks=needs_ipv6)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.9", "localhost", "127.1", V6, MAPPED])
def test_without_tls_an_address_of_this_machine_alone_serves(host: str) -> None:
    async def scene() -> tuple[str, bytes]:
        async with serving(f"{host}:0") as address:
            return address, await echo(grpc.aio.insecure_channel(address))

    address, answer = run(scene())
    assert answer == b"hello"
    assert not address.endswith(":0")


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "[::]", "", "0", "[::ffff:0.0.0.0]", "192.0.2.7", "[2001:db8::7]"]
)
def test_without_tls_any_other_address_is_refused_with_the_way_to_go_on(host: str) -> None:
    told = refused(f"{host}:7777")
    assert told.startswith(f"{host}:7777 can be reached from elsewhere, and without TLS")
    assert "--tls-cert and --tls-key" in told
    assert told.endswith("as in 127.0.0.1:7777")


def test_a_name_that_also_stands_for_an_address_elsewhere_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def both(address: object) -> tuple[str, ...]:
        return ("127.0.0.1", "192.0.2.7")

    monkeypatch.setattr(listening_module, "resolved", both)
    assert "can be reached from elsewhere" in refused("both.example:0")


def test_a_unix_socket_serves_and_is_gone_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "bots.sock"

    async def scene() -> bytes:
        async with serving(f"unix:{path}") as address:
            assert address == f"unix:{path}"
            return await echo(grpc.aio.insecure_channel(address))

    assert run(scene()) == b"hello"
    assert not path.exists()


def test_a_unix_socket_left_behind_by_a_killed_server_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "bots.sock"
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(path))
        killed.listen()

    async def scene() -> bytes:
        async with serving(f"unix:{path}") as address:
            return await echo(grpc.aio.insecure_channel(address))

    assert run(scene()) == b"hello"


def test_a_unix_socket_that_is_in_use_is_not_taken_from_its_server(tmp_path: Path) -> None:
    async def scene() -> bytes:
        async with serving(f"unix:{tmp_path / 'bots.sock'}") as address:
            with pytest.raises(ServerError, match="a server is there already"):
                await listen(address, handlers())
            return await echo(grpc.aio.insecure_channel(address))

    assert run(scene()) == b"hello"


@pytest.mark.parametrize("host", ["127.0.0.1", V6])
def test_a_port_in_use_is_told_in_one_line(host: str) -> None:
    async def scene() -> tuple[str, str]:
        async with serving(f"{host}:0") as address:
            with pytest.raises(ServerError) as caught:
                await listen(address, handlers())
            return address, str(caught.value)

    address, told = run(scene())
    assert told == (
        f"cannot listen at {address}: Address already in use: take another address, or end what "
        "uses it"
    )


def secure(authority: Authority, address: str) -> grpc.aio.Channel:
    credentials = grpc.ssl_channel_credentials(root_certificates=authority.root)
    # The certificate is for localhost, whatever number the server listens at.
    options = [("grpc.ssl_target_name_override", "localhost")]
    return grpc.aio.secure_channel(address, credentials, options=options)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0", ""])
def test_with_a_certificate_it_speaks_tls_at_any_address(host: str, tmp_path: Path) -> None:
    authority = Authority(tmp_path)

    async def scene() -> bytes:
        async with serving(f"{host}:0", authority.issue()) as address:
            port = address.rpartition(":")[2]
            return await echo(secure(authority, f"127.0.0.1:{port}"))

    assert run(scene()) == b"hello"


def test_with_a_certificate_a_client_without_tls_gets_nothing(tmp_path: Path) -> None:
    async def scene() -> grpc.StatusCode:
        async with serving("127.0.0.1:0", Authority(tmp_path).issue()) as address:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await echo(grpc.aio.insecure_channel(address))
            return caught.value.code()

    assert run(scene()) == grpc.StatusCode.UNAVAILABLE


def test_a_certificate_that_will_not_do_is_told_before_the_address_is_taken(
    tmp_path: Path,
) -> None:
    files = Authority(tmp_path).issue(expired=True)
    assert refused("127.0.0.1:0", files).startswith(f"{files.certificate}: clients will refuse it")


def serial_number(authority: Authority, address: str) -> object:
    """Return which certificate a new connection is shown."""
    context = ssl.create_default_context(cadata=authority.root.decode())
    context.set_alpn_protocols(["h2"])
    host, _, port = address.rpartition(":")
    with (
        socket.create_connection((host, int(port)), timeout=30) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as connection,
    ):
        return (connection.getpeercert() or {})["serialNumber"]


def test_a_renewed_certificate_is_shown_to_the_next_client(tmp_path: Path) -> None:
    authority = Authority(tmp_path)

    async def scene() -> list[object]:
        async with serving("127.0.0.1:0", authority.issue()) as address:
            shown = [await asyncio.to_thread(serial_number, authority, address) for _ in range(2)]
            await asyncio.to_thread(authority.issue)
            shown.append(await asyncio.to_thread(serial_number, authority, address))
            return shown

    first, again, renewed = run(scene())
    assert first == again
    assert renewed != first


def test_while_the_files_will_not_do_the_certificate_before_is_shown(tmp_path: Path) -> None:
    authority = Authority(tmp_path)

    async def scene() -> list[object]:
        files = authority.issue()
        async with serving("127.0.0.1:0", files) as address:
            shown = [await asyncio.to_thread(serial_number, authority, address)]
            for text in (b"", files.key.read_bytes()):
                files.certificate.write_bytes(text)
                shown += [  # twice, and it is in the log once
                    await asyncio.to_thread(serial_number, authority, address) for _ in range(2)
                ]
            files.certificate.unlink()
            shown.append(await asyncio.to_thread(serial_number, authority, address))
            await asyncio.to_thread(authority.issue)
            shown.append(await asyncio.to_thread(serial_number, authority, address))
            return shown

    with capture_logs() as events:
        *before, renewed = run(scene())
    assert len(set(before)) == 1
    assert renewed not in before
    told = [event["event"] for event in events]
    assert told == [*["certificate not renewed"] * 3, "certificate renewed"]


def test_a_message_over_the_limit_is_refused_and_the_server_serves_on() -> None:
    async def scene() -> tuple[grpc.StatusCode, bytes]:
        async with serving("127.0.0.1:0", limits=Limits(receive=1000)) as address:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await echo(grpc.aio.insecure_channel(address), bytes(1001))
            return caught.value.code(), await echo(grpc.aio.insecure_channel(address), bytes(999))

    assert run(scene()) == (grpc.StatusCode.RESOURCE_EXHAUSTED, bytes(999))


def test_metadata_over_the_limit_is_refused_and_the_server_serves_on() -> None:
    async def scene() -> tuple[grpc.StatusCode, bytes]:
        async with (
            serving("127.0.0.1:0") as address,
            grpc.aio.insecure_channel(address) as channel,
        ):
            much = (("authorization", "a" * (17 << 10)),)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await method(channel)(b"", metadata=much, timeout=30)
            return caught.value.code(), await echo(grpc.aio.insecure_channel(address))

    assert run(scene()) == (grpc.StatusCode.RESOURCE_EXHAUSTED, b"hello")


def test_calls_beyond_the_limit_are_refused_and_not_kept_waiting() -> None:
    async def scene() -> grpc.StatusCode:
        async with (
            serving("127.0.0.1:0", calls=2, answer=wait) as address,
            grpc.aio.insecure_channel(address) as channel,
        ):
            calls = [asyncio.ensure_future(method(channel)(b"", timeout=30)) for _ in range(3)]
            (refused,), waiting = await asyncio.wait(
                calls, timeout=30, return_when=asyncio.FIRST_COMPLETED
            )
            for call in waiting:
                call.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await refused
            return caught.value.code()

    assert run(scene()) == grpc.StatusCode.RESOURCE_EXHAUSTED


async def answered(address: str, said: bytes) -> bytes:
    """Return all that a connection is told that says this and no more, until it is ended."""
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(said)
    try:
        return await reader.read()
    finally:
        writer.close()


def test_a_client_that_asks_all_the_time_whether_the_server_is_there_is_cut_off() -> None:
    async def scene() -> bytes:
        async with serving("127.0.0.1:0") as address:
            return await answered(address, PREFACE + frame(SETTINGS) + 10 * frame(PING, bytes(8)))

    told = run(scene())
    assert b"too_many_pings" in told
    assert bytes([GOAWAY]) in told


@pytest.mark.parametrize("said", [b"", PREFACE[:10], PREFACE])
def test_a_connection_that_does_not_say_what_it_is_is_ended(said: bytes) -> None:
    async def scene() -> tuple[bytes, bytes]:
        async with serving("127.0.0.1:0", limits=Limits(handshake=0.1)) as address:
            told = await answered(address, said)
            return told, await echo(grpc.aio.insecure_channel(address))

    _, answer = run(scene())
    assert answer == b"hello"
