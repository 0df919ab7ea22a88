"""How a rate is taken, and what is said where a figure cannot be had."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

SECONDS: Final = 1.0
"""How long a rate is taken, after a tenth of that to warm up."""


class MissingError(Exception):
    """What a figure needs is not on this machine; the text names it."""


def rate(once: Callable[[], int], seconds: float = SECONDS) -> float:
    """Return how much is done a second by what returns how much it has done."""
    clock = time.perf_counter
    began = clock()
    while clock() - began < seconds / 10:
        once()
    done, began = 0, clock()
    while (passed := clock() - began) < seconds:
        done += once()
    return done / passed
