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


def read_part(logs: Sequence[Path], after: int, most: int = MOST) -> LogPart:
    """Return what stands in logs, one behind the other, from a position on.

    Args:
        logs: the files; one that is not there is empty.
        after: the position, in bytes; below 0 is the beginning.
        most: bytes at most, never more than `MOST`.

    Raises:
        OSError: a file cannot be read.
    """
    most = min(max(1, most), MOST)
    position = max(0, after)
    found = b""
    begin = 0  # of the file, over all
    for log in logs:
        try:
            with log.open("rb") as file:
                size = file.seek(0, 2)
                reached = position + len(found)
                if begin <= reached < begin + size:
                    file.seek(reached - begin)
                    found += file.read(most - len(found))
        except FileNotFoundError:
            continue
        begin += size
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text = decoder.decode(found)
    cut = len(decoder.getstate()[0])  # bytes of a letter whose end is not there
    if cut and cut == len(found) == most:  # nothing else would ever come
        return LogPart(decoder.decode(b"", True), position + cut)
    return LogPart(text, position + len(found) - cut)
