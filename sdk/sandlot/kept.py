"""What was made once from a value, kept for the next time the value comes up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

MOST: Final = 1 << 14
"""How much is kept: more than the values that come up again and again, and not much memory."""


class Kept(dict[Any, Any]):
    """A dictionary that makes what it does not hold yet. To look up what it holds costs no call.

    Args:
        make: makes what belongs to a value.

    >>> squares = Kept(lambda number: number * number)
    >>> squares[12], squares
    (144, {12: 144})
    """

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[Any], Any]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, value: Any) -> Any:
        if len(self) >= MOST:
            self.clear()
        made = self[value] = self._make(value)
        return made
