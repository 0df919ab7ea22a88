"""The generated messages once more, with what they are made of left as bytes.

On the wire a message within a message is bytes with their length before them, so a reader may take
it as such. The parts of a match repeat themselves: looking the bytes up among those that were read
before costs a fraction of what reading their fields costs.
"""

from __future__ import annotations

from typing import Any, Final

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto

from sandlot.v1 import arbiter_pb2, table_pb2

_PACKAGE: Final = "sandlot.v1.parts"
_COPIED: Final = (
    table_pb2.Observation,
    arbiter_pb2.DecisionRequested,
    arbiter_pb2.HandEnded,
    arbiter_pb2.Item,
    arbiter_pb2.PlayResponse,
    arbiter_pb2.Decision,
    arbiter_pb2.PlayRequest,
)
_AS_BYTES: Final = {
    ("Observation", "seats"),
    ("Observation", "legal"),
    ("Observation", "history"),
    ("HandEnded", "events"),
    ("Decision", "action"),
}


def _classes() -> dict[str, Any]:
    """Return the classes of the copied messages, by name."""
    file = FileDescriptorProto(name="sandlot/v1/parts.proto", package=_PACKAGE, syntax="proto3")
    file.dependency.append(arbiter_pb2.DESCRIPTOR.name)
    names = {f".{copied.DESCRIPTOR.full_name}": copied.DESCRIPTOR.name for copied in _COPIED}
    for copied in _COPIED:
        message = file.message_type.add()
        copied.DESCRIPTOR.CopyToProto(message)
        for field in message.field:
            if (message.name, field.name) in _AS_BYTES:
                field.type = FieldDescriptorProto.TYPE_BYTES
                field.ClearField("type_name")
            elif field.type_name in names:
                field.type_name = f".{_PACKAGE}.{names[field.type_name]}"
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(file.SerializeToString())
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
        for name in names.values()
    }


_CLASSES: Final = _classes()
Observation: Final = _CLASSES["Observation"]
PlayRequest: Final = _CLASSES["PlayRequest"]
PlayResponse: Final = _CLASSES["PlayResponse"]
