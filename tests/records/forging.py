"""A record in the hands of a forger, who knows the form well and has our hash functions.

Written from the description of the form, not with the code under test.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, TypeAlias

Json: TypeAlias = Any
Path: TypeAlias = tuple[str | int, ...]


def parsed(text: str) -> list[Json]:
    """Return the lines of a record as plain data."""
    return [json.loads(line) for line in text.splitlines()]


def compact(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def joined(lines: list[Json]) -> str:
    """Return the lines as a record's text, digest and checksum as they are."""
    return "".join(compact(line) + "\n" for line in lines)


def forged(lines: list[Json]) -> str:
    """Return the lines as a record's text, digest and checksum made to fit again."""
    *before, result = lines
    text = joined(before)
    if {"digest", "checksum"} <= set(result):
        result = result.copy()
        result["digest"] = sha(joined([_without_times(line) for line in before]))
        del result["checksum"]
        last = compact(result)[:-1]
        result["checksum"] = sha(text + last)
    return text + compact(result) + "\n"


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _without_times(value: Json) -> Json:
    if isinstance(value, dict):
        return {k: _without_times(v) for k, v in value.items() if k not in ("started", "ms")}
    return [_without_times(item) for item in value] if isinstance(value, list) else value


def walk(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """Yield every value within plain data, with the path to it; containers before contents."""
    yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from walk(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from walk(item, (*path, number))


def changed(value: Json, path: Path, new: Json) -> Json:
    """Return plain data with another value in one place; the rest is shared."""
    if not path:
        return new
    step, *below = path
    copy = value.copy()
    copy[step] = changed(value[step], tuple(below), new)
    return copy


def near(value: Json) -> Json:
    """Return a value of the same type that might stand there instead."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return _neighbour(value) if isinstance(value, str) else "call"


def others(value: Json) -> Iterator[Json]:
    """Yield values of all kinds that might stand instead of a scalar."""
    if isinstance(value, bool):
        yield from (not value, int(value), None)
    elif isinstance(value, int):
        yield from (value + 1, value - 1, 2**63, 10**400, float(value), str(value), None)
    elif isinstance(value, str):
        yield from (
            _neighbour(value),
            value + " ",
            value[:-1],
            value.upper(),
            "",
            "9" * 5000,
            0,
            None,
        )
    else:
        yield from ("", "call", "timeout", "out", 0)


def same(one: Json, two: Json) -> bool:
    """Return whether two values are written alike; Python takes 1, 1.0 and True for equal."""
    return compact(one) == compact(two)


def other_containers(value: Json) -> Iterator[Json]:
    """Yield what a forger might make of an object or a list without touching what is in it."""
    if isinstance(value, dict):
        items = list(value.items())
        for number, (key, item) in enumerate(items):
            yield dict(items[:number] + items[number + 1 :])
            yield dict([*items[:number], (key + "_", item), *items[number + 1 :]])
        yield dict(reversed(items))
        yield {**value, "extra": 1}
    else:
        for number, item in enumerate(value):
            yield value[:number] + value[number + 1 :]
            yield [*value[:number], item, *value[number:]]
        for number, (one, two) in enumerate(pairwise(value)):
            yield [*value[:number], two, one, *value[number + 2 :]]
        yield [*value, None]


def _neighbour(text: str) -> str:
    """Return the text with its first character changed to one of the same kind."""
    for kind in ("0123456789abcdef", "23456789TJQKA"):
        if text[:1] in kind and text:
            return kind[(kind.index(text[0]) + 1) % len(kind)] + text[1:]
    return "b" + text[1:] if text[:1] == "a" else "a" + text[1:]
