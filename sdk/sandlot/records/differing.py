"""The first difference between what stands in a record and what should stand there."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from sandlot.records.lines import Place

_SHOWN: Final = 66
"""Characters of a value that an error shows: room for a SHA-256."""

_ABSENT: Final = object()


def compare_lines(found: bytes, expected: bytes, place: Place) -> None:
    """Compare two lines, key by key in their order.

    Raises:
        RecordError: they differ; names the key, what stands there, and what should.
    """
    if found != expected:
        _refuse_difference(msgspec.json.decode(found), msgspec.json.decode(expected), place)


def compare_hands(found: bytes, expected: bytes, place: Place) -> None:
    """Compare the lines of two hands, decisions and events in the order in which they happened.

    A wrong decision makes other events, though they stand before it in the line: so a decision is
    looked at before the action that came of it.

    Raises:
        RecordError: they differ; names the key, what stands there, and what should.
    """
    if found == expected:
        return
    one, two = msgspec.json.decode(found), msgspec.json.decode(expected)
    for key in ("hand", "dealer", "deck", "cut"):
        _refuse_difference(one[key], two[key], place, key)
    decided = 0
    for at, event in enumerate(two["events"]):
        if event["event"] == "action":
            _refuse_difference_at(one, two, "decisions", decided, place)
            decided += 1
        _refuse_difference_at(one, two, "events", at, place)
    _refuse_difference(one, two, place)


def _refuse_difference_at(found: Any, expected: Any, key: str, at: int, place: Place) -> None:
    one = found[key][at] if at < len(found[key]) else _ABSENT
    _refuse_difference(one, expected[key][at], place, f"{key}[{at}]")


def _refuse_difference(found: Any, expected: Any, place: Place, path: str = "") -> None:
    difference = first_difference(found, expected, path)
    if difference is not None:
        path, one, two = difference
        place.refuse(
            f"{path} is {_shown(one, two, 'missing')}; expected {_shown(two, one, 'nothing')}", path
        )


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


def _shown(value: Any, other: Any, absent: str) -> str:
    """Return a value as JSON, cut to where it begins to differ from the other one if it is long."""
    if value is _ABSENT:
        return absent
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
