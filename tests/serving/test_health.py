"""Who checks or watches a server learns how it is, and keeps nobody else from learning it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from support.http2 import NO_WINDOW, PREFACE, SETTINGS, call, frame
from support.one_loop import run

from sandlot_server.serving.health import Health
from sandlot_server.serving.listening import listen

NAMES = ("", "sandlot.v1.ArbiterService", "sandlot.v1.LeagueService")
WATCH = "/grpc.health.v1.Health/Watch"
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


@asynccontextmanager
async def serving() -> AsyncIterator[tuple[Health, Any, str]]:
    """Yield the health of a server, the library's own client, and the address."""
    health = Health(NAMES[1:])
    listening = await listen("127.0.0.1:0", [health.handler()])
    await listening.server.start()
    try:
        async with grpc.aio.insecure_channel(listening.address) as channel:
            yield health, health_pb2_grpc.HealthStub(channel), listening.address
    finally:
        await listening.server.stop(None)


def request(name: str) -> health_pb2.HealthCheckRequest:
    return health_pb2.HealthCheckRequest(service=name)


async def check(client: Any, name: str) -> int:
    status: int = (await client.Check(request(name), timeout=30)).status
    return status


@pytest.mark.parametrize("name", NAMES)
def test_a_server_serves_until_it_drains(name: str) -> None:
    async def scene() -> list[int]:
        async with serving() as (health, client, _):
            before = await check(client, name)
            health.drain()
            return [before, await check(client, name)]

    assert run(scene()) == [SERVING, NOT_SERVING]


def test_a_server_does_not_serve_while_its_store_cannot_be_written() -> None:
    async def scene() -> list[int]:
        async with serving() as (health, client, _):
            health.store_is_writable(False)
            during = await check(client, "")
            health.store_is_writable(True)
            after = await check(client, "")
            health.drain()
            health.store_is_writable(True)
            return [during, after, await check(client, "")]

    assert run(scene()) == [NOT_SERVING, SERVING, NOT_SERVING]


def test_a_service_that_is_not_here_is_not_found() -> None:
    async def scene() -> grpc.StatusCode:
        async with serving() as (_, client, _):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await check(client, "sandlot.v1.Casino")
            return caught.value.code()

    assert run(scene()) == grpc.StatusCode.NOT_FOUND


def test_who_watches_is_told_of_each_change_and_of_nothing_else() -> None:
    async def scene() -> list[int]:
        async with serving() as (health, client, _):
            watching = client.Watch(request(NAMES[1]), timeout=30)
            told = [(await watching.read()).status]
            health.store_is_writable(True)  # as before
            health.store_is_writable(False)
            told.append((await watching.read()).status)
            health.store_is_writable(True)
            told.append((await watching.read()).status)
            health.drain()
            told.append((await watching.read()).status)
            watching.cancel()
            return told

    assert run(scene()) == [SERVING, NOT_SERVING, SERVING, NOT_SERVING]


def test_who_watches_a_service_that_is_not_here_is_told_so() -> None:
    async def scene() -> int:
        async with serving() as (_, client, _):
            watching = client.Watch(request("sandlot.v1.Casino"), timeout=30)
            status: int = (await watching.read()).status
            watching.cancel()
            return status

    assert run(scene()) == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN


def test_who_watches_and_does_not_read_keeps_nobody_from_the_truth() -> None:
    async def scene() -> tuple[int, int]:
        async with serving() as (health, client, address):
            host, _, port = address.rpartition(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(PREFACE + frame(SETTINGS, NO_WINDOW) + call(WATCH, b""))
            answered = b""
            while b"application/grpc" not in answered and b"grpc-" not in answered:
                answered += (came := await reader.read(1000))
                assert came, "the server hung up"
            health.drain()
            watching = client.Watch(request(""), timeout=30)
            told = (await watching.read()).status, await check(client, "")
            watching.cancel()
            writer.close()
            return told

    assert run(scene()) == (NOT_SERVING, NOT_SERVING)
