"""Numbers with what they count."""

from __future__ import annotations


def many(number: int, one: str, more: str = "") -> str:
    """Return a number and what it counts; ``more`` where that takes more than an s.

    >>> many(1, "match", "matches"), many(1200, "match", "matches"), many(0, "hand")
    ('1 match', '1,200 matches', '0 hands')
    """
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"
