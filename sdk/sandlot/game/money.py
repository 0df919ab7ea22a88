"""Exact amounts: whole units nearly always, fractions where a pot was shared (R7.2)."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Final

# To make a Fraction is dear, and the same few hundred whole amounts come up in every hand.
whole: Final = lru_cache(maxsize=1 << 12)(Fraction)


def plus(amount: Fraction, more: Fraction | int) -> Fraction:
    """Return the sum of two amounts.

    >>> plus(Fraction(7, 2), -3)
    Fraction(1, 2)
    """
    if amount.denominator == 1 and more.denominator == 1:
        return whole(amount.numerator + more.numerator)
    return amount + more
