"""A bare gRPC echo: one stream, one message a decision, as much in each message as a match has."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from typing import Any

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import grpc
import grpc.aio

METHOD = "Echo"
SERVICE = "bench.Echo"


async def echo(seconds: float, asked: int, answered: int) -> float:
    """Return round trips a second between this process and another one.

    Args:
        seconds: how long to measure.
        asked: bytes of a question.
        answered: bytes of an answer.

    """
    question = b"q" * asked
    rate: asyncio.Future[float] = asyncio.get_running_loop().create_future()

    async def ask(_: object, context: Any) -> None:
        await context.read()  # the client is there
        for _ in range(200):
            await context.write(question)
            await context.read()
        trips, began = 0, time.perf_counter()
        while (passed := time.perf_counter() - began) < seconds:
            await context.write(question)
            await context.read()
            trips += 1
        rate.set_result(trips / passed)

    server = grpc.aio.server()
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(ask)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(SERVICE, {METHOD: handler}),)
    )
    with tempfile.TemporaryDirectory() as directory:
        address = f"unix:{directory}/echo"
        server.add_insecure_port(address)
        await server.start()
        client = await asyncio.create_subprocess_exec(
            sys.executable, __file__, address, str(answered)
        )
        try:
            return await rate
        finally:
            await client.wait()
            await server.stop(None)


async def answer(address: str, answered: int) -> None:
    """Answer every question until the stream ends."""
    reply = b"a" * answered
    async with grpc.aio.insecure_channel(address) as channel:
        call: Any = channel.stream_stream(f"/{SERVICE}/{METHOD}")()
        await call.write(reply)
        while await call.read() is not grpc.aio.EOF:
            await call.write(reply)


if __name__ == "__main__":
    asyncio.run(answer(sys.argv[1], int(sys.argv[2])))
