"""Why a call failed, in the form that gRPC's own libraries read: a ``google.rpc.ErrorInfo``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

import grpc
from google.protobuf.any_pb2 import Any
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

DOMAIN: Final = "sandlot"
"""Whose reasons they are, as an ``ErrorInfo`` says it."""

Trailing: TypeAlias = tuple[tuple[str, str | bytes], ...]
"""Metadata that goes with the status of a call."""


def error_info(
    status: grpc.StatusCode, text: str, reason: str, metadata: Mapping[str, str] | None = None
) -> Trailing:
    """Return the trailing metadata that says the reason.

    Args:
        status: what the call ends with.
        text: what was wrong, for a person; the call's status has to say the very same.
        reason: one word, the same in every version.
        metadata: what a program may want to know beside it.
    """
    info = Any()
    info.Pack(ErrorInfo(reason=reason, domain=DOMAIN, metadata=metadata))
    said = Status(code=status.value[0], message=text, details=[info])
    return tuple(rpc_status.to_status(said).trailing_metadata)
