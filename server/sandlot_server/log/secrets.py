"""The last line of defence: what an event may hold is cut down to what may be read by anybody.

Nothing should log a token, a seed or a card that is hidden. Should something do it all the same, it
is kept out here: by its name, by its looks, and because an object is shown by its kind alone, as
its text might hold anything.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date
from enum import Enum
from fractions import Fraction
from pathlib import PurePath
from typing import Any, Final

from structlog.typing import EventDict

SECRET: Final = re.compile(
    r"(?:.*_)?(?:authorization|card|cookie|deck|down|password|private_key|secret|seed|token)s?",
    re.IGNORECASE,
)
"""Names of what is never shown."""

_IN_TEXT: Final = (
    (re.compile(r"\b(Bearer\s+)[^\s'\",)]+", re.IGNORECASE), r"\1***"),
    (re.compile(r"(\w://[^\s/@:]*:)[^\s/@]+@"), r"\1***@"),  # a password in a URL
)

_SHOWN_AS_TEXT: Final = (Fraction, PurePath, date, BaseException)


def presentable(_: object, __: str, event: EventDict) -> EventDict:
    """Return the event without secrets, of nothing but text, numbers, lists and dictionaries.

    >>> presentable(None, "", {"event": "hello", "token": "x", "where": {"seed": 1, "seat": 2}})
    {'event': 'hello', 'where': {'seat': 2}}
    >>> presentable(None, "", {"event": "sent Bearer abc", "raw": b"abc"})
    {'event': 'sent Bearer ***', 'raw': '<bytes>'}
    """
    return _dictionary(event)


def _dictionary(mapping: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        str(key): _shown(value) for key, value in mapping.items() if not SECRET.fullmatch(str(key))
    }


def _shown(value: object) -> object:
    if isinstance(value, Enum):
        return _shown(value.value)
    if value is None or type(value) in (int, bool):  # and no heir of int: a card is one
        return value
    if type(value) is str:
        return _text(value)
    if type(value) is float:
        return value if math.isfinite(value) else str(value)  # JSON has no other numbers
    if isinstance(value, Mapping):
        return _dictionary(value)
    if type(value) in (list, tuple, set, frozenset):  # and no named tuple, as a hand is
        return [_shown(each) for each in value]  # type: ignore[attr-defined]
    if isinstance(value, _SHOWN_AS_TEXT):
        return _text(str(value))
    return f"<{type(value).__name__}>"


def _text(text: str) -> str:
    for pattern, instead in _IN_TEXT:
        text = pattern.sub(instead, text)
    return text
