"""The fields of a protobuf message, written by hand.

A field that has its default is left out, as protobuf leaves it out, unless it is ``optional`` and
present. Numbers are ``uint32``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from sandlot.errors import WireError


@lru_cache(maxsize=1 << 12)
def varint(value: int) -> bytes:
    """Return the number as base-128 digits, the lowest first.

    Raises:
        WireError: it is not a ``uint32``.

    >>> varint(300).hex()
    'ac02'
    """
    if not 0 <= value < 1 << 32:
        raise WireError(f"{value} cannot travel: numbers on the wire run from 0 to {2**32 - 1}")
    digits = bytearray()
    while value > 127:
        digits.append(value & 127 | 128)
        value >>= 7
    digits.append(value)
    return bytes(digits)


@lru_cache(maxsize=1 << 14)
def number(field: int, value: int) -> bytes:
    """Write a number, or nothing for 0."""
    return varint(field << 3) + varint(value) if value else b""


def present(field: int, value: int | None) -> bytes:
    """Write an ``optional`` number, which is there when it is 0, too; nothing for None."""
    return b"" if value is None else varint(field << 3) + varint(value)


def delimited(field: int, value: bytes) -> bytes:
    """Write bytes or a message, even an empty one."""
    return varint(field << 3 | 2) + varint(len(value)) + value


def text(field: int, value: str) -> bytes:
    """Write a text, or nothing for an empty one."""
    return delimited(field, value.encode(errors="replace")) if value else b""


def texts(field: int, values: Iterable[object]) -> bytes:
    """Write a list of texts."""
    return b"".join([delimited(field, str(value).encode()) for value in values])


def packed(field: int, values: Sequence[int]) -> bytes:
    """Write a packed list of numbers, or nothing for an empty one."""
    if not values:
        return b""
    if max(values) < 128:  # as cards are: a byte each
        return delimited(field, bytes(values))
    return delimited(field, b"".join(map(varint, values)))
