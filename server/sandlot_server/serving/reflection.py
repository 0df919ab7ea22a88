"""The standard reflection service of gRPC: what a tool like grpcurl can ask the server for.

The library speaks ``v1alpha`` alone. ``v1`` has the same messages under another name, so the same
servicer answers for both, and clients that know only the newer one are served too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import grpc
from google.protobuf import text_format
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import Default, DescriptorPool
from grpc_reflection.v1alpha import reflection, reflection_pb2

OLDER: Final = "grpc.reflection.v1alpha.ServerReflection"
NEWER: Final = "grpc.reflection.v1.ServerReflection"


def handlers(services: Iterable[str]) -> list[grpc.GenericRpcHandler]:
    """Return the service in both versions, for a server to add.

    Args:
        services: the full names of the others; their generated modules have been imported. They are
            shown with the files that they need, and nothing else is.

    Raises:
        KeyError: no module that was imported describes a service of this name.
    """
    named = [*services, OLDER]
    pool = _described(named)
    servicer = reflection.aio.ReflectionServicer([*named, NEWER], pool=pool)
    handler = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    return [
        grpc.method_handlers_generic_handler(name, {"ServerReflectionInfo": handler})
        for name in (OLDER, NEWER)
    ]


def _described(services: Iterable[str]) -> DescriptorPool:
    """Return a pool of the files of these services, and of the newer reflection."""
    pool, added = DescriptorPool(), set[str]()

    def add(file: FileDescriptor) -> None:
        if file.name not in added:
            added.add(file.name)
            for needed in file.dependencies:
                add(needed)
            pool.AddSerializedFile(file.serialized_pb)

    for name in services:
        add(Default().FindServiceByName(name).file)
    pool.AddSerializedFile(_newer().SerializeToString())
    return pool


def _newer() -> FileDescriptorProto:
    """Return the file of the newer version: that of the older with the other name in it."""
    older = FileDescriptorProto()
    reflection_pb2.DESCRIPTOR.CopyToProto(older)
    text = text_format.MessageToString(older).replace("v1alpha", "v1")
    return text_format.Parse(text, FileDescriptorProto())
