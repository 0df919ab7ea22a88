"""What a call of ``sandlot.equity`` takes: 10,000 samples, 6 seats on fifth street.

python bench/equity.py                     the best of five calls
python bench/equity.py --samples 1000      of so many samples
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from fractions import Fraction
from random import Random

from sandlot import Observation
from sandlot.build import compiled
from sandlot.equity import equity
from sandlot.game import VARIANTS, Hand
from sandlot.pack import PACK

SEATS, STREET = 6, 5


def fifth_street() -> Hand:
    """Return a hand of six seats that all checked until fifth street."""
    hand = VARIANTS["baseball"].deal(SEATS, 0, Random(1).sample(PACK, 52))
    while hand.street < STREET:
        hand.apply(hand.legal[0])
    return hand


def best_of(repeats: int, call: Callable[[], object]) -> float:
    """Return the seconds of the quickest call."""
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--samples", type=int, default=10_000, help="(10,000)")
    parser.add_argument("--repeats", type=int, default=5, help="(5)")
    given = parser.parse_args()

    hand = fifth_street()
    assert hand.to_act is not None
    seen = Observation(hand, hand.to_act, [Fraction(0)] * SEATS, "1-1-1", 1, 1)
    seconds = best_of(given.repeats, lambda: equity(seen, given.samples))
    each = seconds / given.samples / SEATS * 1e6
    build = "compiled" if compiled() else "pure Python"
    print(f"{build}: {given.samples:,} samples, {SEATS} seats on fifth street")
    print(f"{seconds:.4f} s a call, {each:.3f} µs a seat a sample")


if __name__ == "__main__":
    main()
