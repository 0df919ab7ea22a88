"""Between our values and the messages of ``proto/sandlot/v1``.

``SeatWriter`` and ``read_request`` are the arbiter's side, ``ResponseReader`` and ``write_answer``
the bot's. What a side does not know, by a later version of the game, it refuses by name with a
``WireError``; it never guesses.

What is written is written by hand, from parts that are kept: the messages of a match repeat
themselves, and building them anew as protobuf objects costs several times as much. It rests on what
protobuf guarantees: a message is the concatenation of its fields, so that messages put one after
the other are merged, and a list grows by appending to its bytes. Reading uses the generated code,
and the tests hold what is written against it, byte for byte.
"""

from typing import Final

from sandlot.wire.requests import (
    Answer,
    Hello,
    read_request,
    write_answer,
    write_exception,
    write_hello,
)
from sandlot.wire.responses import (
    Request,
    ResponseReader,
    SeatWriter,
    Told,
    Unknown,
    Warned,
    Welcome,
    write_warning,
    write_welcome,
)
from sandlot.wire.table import read_event, read_observation, write_event, write_observation

PROTOCOL: Final = 1
"""The version of the protocol that this library speaks."""

SERVICE: Final = "sandlot.v1.ArbiterService"
PLAY: Final = f"/{SERVICE}/Play"
"""The path of its only method."""

REASON: Final = "sandlot-reason"
"""Where the trailing metadata says why a session has ended."""

__all__ = [
    "PLAY",
    "PROTOCOL",
    "REASON",
    "SERVICE",
    "Answer",
    "Hello",
    "Request",
    "ResponseReader",
    "SeatWriter",
    "Told",
    "Unknown",
    "Warned",
    "Welcome",
    "read_event",
    "read_observation",
    "read_request",
    "write_answer",
    "write_event",
    "write_exception",
    "write_hello",
    "write_observation",
    "write_warning",
    "write_welcome",
]
