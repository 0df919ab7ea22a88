"""How fast records are verified: hands a second, on one core.

The hands are those of the tournament path that it stands beside: `caller` against `random` at 2
seats, 8 hands a match, played in this process beforehand. ``verify`` takes each match to pieces and
plays it again; its text is read from memory.
"""

from __future__ import annotations

from bench.timing import rate
from sandlot.arena import play
from sandlot.records import verify, write
from sandlot_bots.caller import Caller
from sandlot_bots.random import Random

MATCHES = 100


def hands() -> float:
    """Return the hands a second that are verified."""
    times = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z")
    bots = {"caller": Caller, "random": Random}
    text = "".join(write(played, *times) for played in play(bots, MATCHES, bytes(32)))

    def once() -> int:
        return sum(match.hands for match in verify(text))

    return rate(once)
