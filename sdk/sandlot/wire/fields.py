"""The fields of a protobuf message, written by hand.

A field that has its default is left out, as protobuf leaves it out, unless it is ``optional`` and
present. Numbers are ``uint32``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from sandlot.errors import WireError


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


# What is in nearly every message: keys, lengths, and numbers that are small.
_DELIMITED: Final = [varint(field << 3 | 2) for field in range(32)]
_SMALL: Final = [varint(value) for value in range(2048)]
_NUMBERS: Final = [
    [varint(field << 3) + varint(value) for value in range(256)] for field in range(16)
]


def number(field: int, value: int) -> bytes:
    """Write a number, or nothing for 0."""
    return present(field, value) if value else b""


def present(field: int, value: int | None) -> bytes:
    """Write an ``optional`` number, which is there when it is 0, too; nothing for None."""
    if value is None:
        return b""
    if 0 <= value < 256 and field < 16:
        return _NUMBERS[field][value]
    return varint(field << 3) + varint(value)


def delimited(field: int, value: bytes) -> bytes:
    """Write bytes or a message, even an empty one."""
    length = len(value)
    return _DELIMITED[field] + (_SMALL[length] if length < 2048 else varint(length)) + value


def head(field: int, length: int) -> bytes:
    """Write what stands before bytes or a message of this length."""
    return _DELIMITED[field] + (_SMALL[length] if length < 2048 else varint(length))


def text(field: int, value: str) -> bytes:
    """Write a text, or nothing for an empty one."""
    return delimited(field, value.encode(errors="replace")) if value else b""


def texts(field: int, values: Iterable[object]) -> bytes:
    """Write a list of texts."""
    return b"".join([delimited(field, str(value).encode()) for value in values])


def cards(field: int, cards: Collection[int]) -> bytes:
    """Write a packed list of numbers below 128, a byte each, or nothing for an empty one."""
    return delimited(field, bytes(cards)) if cards else b""


def packed(field: int, values: Collection[int]) -> bytes:
    """Write a packed list of any numbers, or nothing for an empty one."""
    return delimited(field, b"".join(map(varint, values))) if values else b""
