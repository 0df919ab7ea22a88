"""What a bot may do to the arbiter's time and memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sandlot.address import Keepalive

PINGS: Final = Keepalive(every=20.0, timeout=20.0)
"""How the arbiter pings. A bot may be in a language in which none is answered while it thinks."""

AS_OFTEN: Final = 4
"""How many times as often as ours a bot's pings may come; whoever pings more often is cut off."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that an honest bot never comes near.

    Attributes:
        message: bytes of one message from a bot; a longer one is not read, and is ``malformed``.
        receive: bytes of one message that gRPC takes in. Beyond it gRPC itself ends the stream, as
            if the bot had closed it; so it is far above ``message``. Whoever has a stream can have
            so much memory taken: where strangers call, take less.
        outbox: bytes that may wait for a bot that has stopped reading; beyond it the session is
            ended.
        unread: seconds that a bot may leave its stream unread; beyond it the session is ended.
        hello: seconds from the opening of a stream to the hello.
        patience: how much a bot may ask for nothing before its session is ended. An answer that
            nobody waits for costs 1, a message that cannot be read ``illegible``, one that is too
            long ``oversize``, each ``weight`` bytes of one that can be read 1, and a stream that
            has ended ``reopening``. Each answer that somebody waited for earns 1 back, and a second
            ``regained``. Who has none left is not let in either.
        illegible, oversize, weight, reopening, regained: see ``patience``.
        at_once: answers that are played in one turn of the event loop, before others have theirs.
        linger: seconds in which a session that ends may still be written what waits for it.
        streams: strangers' streams that are open at once, in all. One without a token that is known
            is refused before it counts.
        unheard: of them, those that have not said hello.
        calls: calls that one connection may have open at once.
        metadata: bytes of a call's metadata; gRPC itself refuses a call with more.
        handshake: seconds that a connection may take to come about.

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
    weight: int = 64 << 10
    reopening: int = 10
    regained: float = 1.0
    linger: float = 1.0
    streams: int = 1000
    unheard: int = 100
    calls: int = 100
    metadata: int = 8 << 10
    handshake: float = 20.0


def server_options(
    limits: Limits = Limits(),
    keepalive: Keepalive | None = PINGS,
) -> list[tuple[str, int]]:
    """Return the options of a gRPC server that bots call, as gRPC writes them.

    Args:
        limits: what it takes from them.
        keepalive: how it notices that one is gone without a word; None for a Unix socket, where the
            kernel tells. Bots' own pings are welcome in any case, with or without a stream.

    """
    pings = PINGS if keepalive is None else keepalive
    options = [
        ("grpc.so_reuseport", 0),  # or a second server would share the port in silence
        ("grpc.max_receive_message_length", limits.receive),
        ("grpc.max_send_message_length", -1),
        ("grpc.max_metadata_size", limits.metadata),
        ("grpc.absolute_max_metadata_size", limits.metadata),
        ("grpc.max_concurrent_streams", limits.calls),
        ("grpc.server_handshake_timeout_ms", round(limits.handshake * 1000)),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", round(pings.every * 1000 / AS_OFTEN)),
    ]
    return options if keepalive is None else options + keepalive.options()
