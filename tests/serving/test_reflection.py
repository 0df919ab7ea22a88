"""What the server says of its services is what is in proto/."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import grpc
import grpc.aio
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from support.one_loop import run

from sandlot.v1 import arbiter_pb2
from sandlot.wire import SERVICE
from sandlot_server.serving import health
from sandlot_server.serving.listening import listen
from sandlot_server.serving.reflection import NEWER, OLDER, handlers

T = TypeVar("T")


@asynccontextmanager
async def serving() -> AsyncIterator[str]:
    listening = await listen("127.0.0.1:0", handlers([SERVICE, health.SERVICE]))
    await listening.server.start()
    try:
        yield listening.address
    finally:
        await listening.server.stop(None)


def asked(question: Callable[[ProtoReflectionDescriptorDatabase], T]) -> T:
    """Ask with the library's own client, which is for threads."""

    def ask(address: str) -> T:
        with grpc.insecure_channel(address) as channel:
            return question(ProtoReflectionDescriptorDatabase(channel))

    async def scene() -> T:
        async with serving() as address:
            return await asyncio.to_thread(ask, address)

    return run(scene())


def test_the_services_are_listed_in_order() -> None:
    names = asked(lambda database: list(database.get_services()))
    assert names == [health.SERVICE, NEWER, OLDER, SERVICE]


@pytest.mark.parametrize("name", [SERVICE, health.SERVICE, OLDER, NEWER])
def test_every_service_that_is_listed_is_described(name: str) -> None:
    found = asked(
        lambda database: [
            method.full_name for method in DescriptorPool(database).FindServiceByName(name).methods
        ]
    )
    assert found
    assert all(each.startswith(f"{name}.") for each in found)


def test_the_messages_are_described_as_they_were_generated() -> None:
    ours = FileDescriptorProto()
    arbiter_pb2.DESCRIPTOR.CopyToProto(ours)
    theirs = asked(lambda database: database.FindFileContainingSymbol("sandlot.v1.PlayRequest"))
    assert theirs == ours
    assert theirs == asked(lambda database: database.FindFileByName("sandlot/v1/arbiter.proto"))


def test_what_no_service_needs_is_not_shown() -> None:
    with pytest.raises(KeyError):
        asked(lambda database: database.FindFileByName("google/protobuf/descriptor.proto"))


def test_a_client_that_knows_the_newer_version_alone_is_served() -> None:
    async def scene() -> list[str]:
        async with serving() as address, grpc.aio.insecure_channel(address) as channel:
            method: grpc.aio.StreamStreamMultiCallable[
                reflection_pb2.ServerReflectionRequest, reflection_pb2.ServerReflectionResponse
            ] = channel.stream_stream(
                f"/{NEWER}/ServerReflectionInfo",
                reflection_pb2.ServerReflectionRequest.SerializeToString,
                reflection_pb2.ServerReflectionResponse.FromString,
            )
            call = method(timeout=30)
            await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
            answer = await call.read()
            await call.done_writing()
            assert isinstance(answer, reflection_pb2.ServerReflectionResponse)
            call.cancel()
            return [each.name for each in answer.list_services_response.service]

    assert SERVICE in run(scene())


def test_a_service_that_nothing_describes_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(KeyError):
        handlers(["sandlot.v1.Casino"])
