"""What goes into the store and comes out of it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from sandlot.errors import StoreError
from sandlot_server.store.registered import SeasonStatus

T = TypeVar("T")

# Of zlib: 3 takes a third less time for a twelfth more bytes, 6 two fifths more for a ninth less.
_LEVEL: Final = 5
# Lines out of records at tables of six, four and two: what a record is likely to hold, for zlib to
# point at. What is stored can only be read with this very file: it never changes.
_LIKELY: Final = Path(__file__).with_name("records.zdict").read_bytes()


class MissingError(StoreError):
    """Nothing of that name is stored."""


class ConflictError(StoreError):
    """What was asked for does not go with what is stored; nothing was changed."""


class LostError(StoreError):
    """The server of the database is gone in the middle: whether it did the last thing is open.

    A run does not go on after it. Its right to the tournament was lost with its connection, and
    another run may have it already.
    """


@dataclass(frozen=True, slots=True)
class StoredBot:
    """A bot of a tournament; ``withdrawn`` is the reason, or None while it plays."""

    name: str
    version: str
    withdrawn: str | None


@dataclass(frozen=True, slots=True)
class StoredTournament:
    """A tournament as it was begun; ``rounds`` is the most that was asked for so far.

    ``created`` is a time, ISO 8601 in UTC; ``seed`` raw bytes, ``commitment`` their SHA-256 in hex.
    """

    name: str
    configuration: dict[str, Any]
    rounds: int
    seed: bytes = field(repr=False)  # whoever has it knows every card still to be dealt
    commitment: str
    created: str
    bots: tuple[StoredBot, ...]
    season: SeasonStatus | None = None
    """How it stands if it is a season of the league server; None if it is of a league file."""


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How a match ended for one seat: net in units, place by R8.2, number of faults by cause."""

    bot: str
    net: Fraction
    place: int
    faults: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FinishedMatch:
    """An attempt that came to its end; ``seats`` in order of the seats.

    ``record`` is what ``pack`` makes of the record's text: whoever has played the match packs it,
    and it is handed on and stored as it is.
    """

    match: str
    attempt: int
    hands: int
    digest: str
    record: bytes
    seats: tuple[SeatResult, ...]


@dataclass(frozen=True, slots=True)
class VoidAttempt:
    """An attempt without a result; times in ISO 8601, UTC."""

    match: str
    attempt: int
    reason: str
    started: str
    ended: str


def pack(record: str) -> bytes:
    """Return a record's text as it is stored.

    >>> unpack(pack("a record"))
    'a record'
    """
    packing = zlib.compressobj(_LEVEL, zdict=_LIKELY)
    return packing.compress(record.encode()) + packing.flush()


def unpack(stored: bytes) -> str:
    """Return the text of a stored record.

    Raises:
        StoreError: it is no packed record, or not a whole one: the database is damaged.
    """
    unpacking = zlib.decompressobj(zdict=_LIKELY)
    try:
        text = unpacking.decompress(stored).decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise StoreError(f"a stored record cannot be unpacked: {error}; {_DAMAGED}") from None
    if not unpacking.eof:
        raise StoreError(f"a stored record is cut short; {_DAMAGED}")
    return text


_DAMAGED: Final = "the database is damaged: go back to a copy of it"


def match_order(match: str) -> tuple[tuple[int, ...], str]:
    """Return a key that sorts match ids by the numbers in them.

    >>> sorted(["10-1-1", "2-1-2", "2-1-1"], key=match_order)
    ['2-1-1', '2-1-2', '10-1-1']
    """
    return tuple(int(number) for number in re.findall(r"\d+", match)), match


def now() -> str:
    """Return the time as it is stored: ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def storable(text: str) -> str:
    r"""Return text that every database takes: what one does not stands there as an escape.

    Reasons hold what a bot's program has said. A name that needs this is nobody's: it can be looked
    for, and is not found.

    >>> storable("exited\0: \udcff")
    'exited\\x00: \\udcff'
    """
    return text.replace("\0", r"\x00").encode(errors="backslashreplace").decode()


def chunks(values: Iterable[T], size: int = 500) -> Iterator[list[T]]:
    """Yield the values in lists that are short enough to go into one statement.

    >>> list(chunks("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    rest = iter(values)
    while some := list(islice(rest, size)):
        yield some
