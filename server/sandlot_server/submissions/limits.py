"""How large a submission may be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one submission, the same for who packs it and for who unpacks it."""

    archive: int = 8 << 20
    """Bytes of the archive."""
    unpacked: int = 64 << 20
    """Bytes of all files together."""
    files: int = 1000
    depth: int = 16
    """The most parts of a file's name, the folders it lies in and its own."""
    ratio: int = 100
    """How many bytes may come out of one byte of the archive, on the whole. Deflate makes 1,032 of
    one at most; source is packed 3:1 to 20:1."""
    unrated: int = 1 << 20
    """Bytes that may come out of any archive, however small: many short files alike pack well."""
