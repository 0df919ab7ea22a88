"""Numbers of things: printed with what they count, and read from a command line."""

from __future__ import annotations

from typing import Any

import click


class Count(click.ParamType[int]):
    """A whole number of things, from ``least`` to ``most``."""

    name = "n"

    def __init__(self, least: int = 1, most: int | None = None) -> None:
        self.least = least
        self.most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number, or fail with a line that says which numbers there are."""
        up_to = "or more" if self.most is None else f"to {self.most:,}"
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{value!r} is no whole number: write {self.least} {up_to}", param, ctx)
        if number < self.least or (self.most is not None and number > self.most):
            few = "few" if number < self.least else "many"
            self.fail(f"{number} is too {few}: write {self.least} {up_to}", param, ctx)
        return number


def many(number: int, one: str, more: str = "") -> str:
    """Return a number and what it counts; ``more`` where that takes more than an s.

    >>> many(1, "match", "matches"), many(1200, "match", "matches"), many(0, "hand")
    ('1 match', '1,200 matches', '0 hands')
    """
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"
