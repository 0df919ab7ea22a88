"""What it takes to start: milliseconds until a process of its own has ended.

Equal work: the same interpreter with the same settings, beside one that does nothing. Median of
some runs, so the files lie in the system's cache.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from bench.timing import MissingError

RUNS = 7


def milliseconds(*command: str) -> float:
    """Return how long the command takes."""
    taken = []
    for _ in range(RUNS):
        began = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True, cwd="/")
        taken.append(1e3 * (time.perf_counter() - began))
    return median(taken)


def bare() -> float:
    """``python -c pass``."""
    return milliseconds(sys.executable, "-c", "pass")


def imported() -> float:
    """``import sandlot``, all that a bot needs."""
    return milliseconds(sys.executable, "-c", "import sandlot")


def helped() -> float:
    """``sandlot --help``, the command as it is installed."""
    command = Path(sys.executable).with_name("sandlot")
    if not command.exists():
        raise MissingError(f"no command {command}: install Sandlot")
    return milliseconds(str(command), "--help")
