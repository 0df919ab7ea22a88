"""The log of a version, read in parts by its owner: that of its trial, then that of a season.

A position counts bytes over both, one behind the other. The first does not change once it is there,
the other only grows; so a part that is read again is the same, and who asks from where the last one
has ended misses nothing.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MOST: Final = 256 << 10
"""Bytes of one part."""


@dataclass(frozen=True, slots=True)
class LogPart:
    """A part of a log.

    Its text is as the bot wrote it, with whatever a terminal would obey: who shows it sees to that.
    """

    text: str
    next: int
    """Where the next part begins; that of the part before it when nothing has been added."""
    more: bool
    """Whether there is a next part already."""


def read_part(logs: Sequence[Path], after: int, most: int = MOST) -> LogPart:
    """Return what stands in logs, one behind the other, from a position on.

    Args:
        logs: the files; one that is not there is empty.
        after: the position, in bytes; below 0 it is counted from the end.
        most: bytes at most, never more than `MOST`.

    Raises:
        OSError: a file cannot be read.
    """
    most = min(max(1, most), MOST)
    sizes = [log.stat().st_size if log.exists() else 0 for log in logs]
    end = sum(sizes)
    position = after if after >= 0 else max(0, end + after)
    found = b""
    begin = 0  # of the file, over all
    for log, size in zip(logs, sizes, strict=True):
        place = position + len(found) - begin
        if place < size and len(found) < most:
            with log.open("rb") as file:
                file.seek(place)
                found += file.read(min(size - place, most - len(found)))
        begin += size
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(found)
    cut = len(decoder.getstate()[0])  # bytes of a letter whose end is not there
    if cut and cut == len(found) == most:  # nothing else would ever come
        text, cut = decoder.decode(b"", True), 0
    following = position + len(found) - cut
    return LogPart(text, following, len(found) == most and following < end)
