"""What a bot may do to the arbiter's time and memory."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that an honest bot never comes near.

    Attributes:
        message: bytes of one message from a bot; a longer one is not read, and is ``malformed``.
        receive: bytes of one message that gRPC takes in. Beyond it gRPC itself ends the stream, as
            if the bot had closed it; so it is far above ``message``.
        outbox: bytes that may wait for a bot that has stopped reading; beyond it the session is
            ended.
        unread: seconds that a bot may leave its stream unread; beyond it the session is ended.
        hello: seconds from the opening of a stream to the hello.
        patience: how much a session may ask for nothing before it is ended. An answer that nobody
            waits for costs 1, a message that cannot be read ``illegible``, one that is too long
            ``oversize``; each answer that somebody waited for earns 1 back.
        illegible, oversize: see ``patience``.
        at_once: answers that are played in one turn of the event loop, before others have theirs.
        linger: seconds in which a session that ends may still be written what waits for it.

    """

    message: int = 1 << 20
    receive: int = 64 << 20
    outbox: int = 16 << 20
    unread: float = 10.0
    hello: float = 30.0
    patience: int = 200
    illegible: int = 5
    oversize: int = 50
    at_once: int = 32
    linger: float = 1.0
