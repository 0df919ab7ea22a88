"""The first difference between what stands in a record and what should stand there."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from sandlot.records.lines import Place

_SHOWN: Final = 60
"""Characters of a value that an error shows."""

_ABSENT: Final = object()


def compare_lines(found: bytes, expected: bytes, place: Place) -> None:
    """Compare two lines, key by key in their order.

    Raises:
        RecordError: they differ; names the key, what stands there, and what should.
    """
    if found == expected:
        return
    difference = first_difference(msgspec.json.decode(found), msgspec.json.decode(expected))
    assert difference is not None, "a line has one form, so other bytes are other values"
    path, one, two = difference
    place.refuse(f"{path} is {_shown(one, two)}; expected {_shown(two, one)}", path)


def first_difference(found: Any, expected: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """Return the path to the first difference of two JSON values, and both sides of it.

    >>> first_difference({"net": ["1", "-1"]}, {"net": ["1", "-2"]})
    ('net[1]', '-1', '-2')
    """
    if isinstance(found, dict) and isinstance(expected, dict):
        if list(found) != list(expected):
            return path, found, expected
        for key in found:
            below = f"{path}.{key}" if path else key
            difference = first_difference(found[key], expected[key], below)
            if difference is not None:
                return difference
        return None
    if isinstance(found, list) and isinstance(expected, list):
        for number in range(max(len(found), len(expected))):
            one = found[number] if number < len(found) else _ABSENT
            two = expected[number] if number < len(expected) else _ABSENT
            difference = first_difference(one, two, f"{path}[{number}]")
            if difference is not None:
                return difference
        return None
    return None if found == expected and type(found) is type(expected) else (path, found, expected)


def _shown(value: Any, other: Any) -> str:
    """Return a value as JSON, cut to where it begins to differ from the other one if it is long."""
    if value is _ABSENT:
        return "not there"
    text = msgspec.json.encode(value).decode()
    if len(text) <= _SHOWN:
        return text
    if not isinstance(value, str) or not isinstance(other, str):
        return text[: _SHOWN - 4] + " ..."
    at = next(
        (at for at, (one, two) in enumerate(zip(value, other, strict=False)) if one != two),
        min(len(value), len(other)),
    )
    start = 0 if at < _SHOWN // 2 else at - _SHOWN // 3
    end = start + _SHOWN
    return f'"{"... " if start else ""}{value[start:end]}{" ..." if end < len(value) else ""}"'
