"""The little of HTTP/2 that a client needs which does what gRPC's own never would."""

from __future__ import annotations

import struct
from collections.abc import Mapping

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, PING, GOAWAY = 0, 1, 4, 6, 7
END_STREAM, END_HEADERS = 1, 4

NO_WINDOW = struct.pack(">HI", 4, 0)
"""A setting: nothing of any stream's answer is taken."""


def frame(kind: int, payload: bytes = b"", *, flags: int = 0, stream: int = 0) -> bytes:
    """Return a frame."""
    head = struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream)
    return head + payload


def call(path: str, request: bytes, stream: int = 1) -> bytes:
    """Return the frames that call a method of gRPC with one message."""
    headers = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "localhost",
        "te": "trailers",
        "content-type": "application/grpc",
    }
    message = b"\0" + struct.pack(">I", len(request)) + request
    return frame(HEADERS, _packed(headers), flags=END_HEADERS, stream=stream) + frame(
        DATA, message, flags=END_STREAM, stream=stream
    )


def _packed(headers: Mapping[str, str]) -> bytes:
    return b"".join(b"\0" + _text(name) + _text(value) for name, value in headers.items())


def _text(text: str) -> bytes:
    return bytes([len(text)]) + text.encode()
