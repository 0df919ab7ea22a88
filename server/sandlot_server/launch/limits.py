"""What a sandboxed bot may use of the machine, and how a size is written: ``64M``, ``1G``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sandlot.errors import BotError

_UNITS: Final = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_SIZE: Final = re.compile(r"([0-9]{1,9})([KMG])")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds for one bot, with all processes that it starts.

    A Python bot on the SDK has 9 threads, 13 files open, 90 MiB of memory that is its own to write
    and 45 MiB of it in use (grpcio 1.8x, two cores).

    Attributes:
        memory: bytes. No process may have more of its own; all of them together may not hold more.
        processes: how many processes and threads there may be at once.
        files: how many files and connections each process may have open.
        scratch: bytes that fit into ``/tmp``, and again into ``/dev/shm``; they are memory too.
        output: bytes of standard output and error that are kept, over all starts of a run.
        cpu: seconds of computing for each process, after which it is killed; None for no such end.

    """

    memory: int = 1 << 30
    processes: int = 64
    files: int = 256
    scratch: int = 64 << 20
    output: int = 16 << 20
    cpu: int | None = None


def parse_size(text: str) -> int:
    """Return the bytes of a size such as ``512K``, ``64M`` or ``1G``; a K is 1024.

    Raises:
        BotError: the text is no size, or none at all.

    >>> parse_size("64M")
    67108864
    >>> parse_size("64")
    Traceback (most recent call last):
    sandlot.errors.BotError: '64' is no size: write a number and a unit, as in "64M" or "1G"
    """
    found = _SIZE.fullmatch(text)
    if found is None or int(found[1]) == 0:
        shown = text if len(text) <= 20 else f"{text[:17]}..."
        raise BotError(f'{shown!r} is no size: write a number and a unit, as in "64M" or "1G"')
    return int(found[1]) * _UNITS[found[2]]


def format_size(size: int) -> str:
    """Return a size in the largest unit that leaves it whole, as ``parse_size`` reads it.

    >>> format_size(1 << 30), format_size(1536 << 10)
    ('1G', '1536K')
    """
    unit, scale = next(
        ((unit, scale) for unit, scale in reversed(_UNITS.items()) if size % scale == 0), ("", 1)
    )
    return f"{size // scale}{unit}"
