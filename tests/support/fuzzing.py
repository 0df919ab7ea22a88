"""How long the targets in ``tests/fuzz`` go on: so many examples, never so many seconds.

``SANDLOT_FUZZ=100000 pytest tests/fuzz`` goes on longer, by hand.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from sandlot.errors import SandlotError

EXAMPLES = int(os.environ.get("SANDLOT_FUZZ", "300"))

fuzzed = settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
"""A decorator for a target."""

always_the_same = settings(fuzzed, max_examples=300, derandomize=True)
"""A decorator for what is said of the examples themselves."""


def check_told(error: SandlotError) -> None:
    """See that a refusal is one line that can be printed, however much was sent."""
    line = str(error)
    assert line.isprintable()
    assert 10 < len(line) < 400
