"""Amounts on the wire are exact numbers in one form, and never more work than they are worth."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sandlot.errors import WireError
from sandlot.wire.table import read_fraction


@pytest.mark.parametrize("written", ["0", "-1", "7/2", "-840"])
def test_an_amount_reads_back(written: str) -> None:
    assert read_fraction(written) == Fraction(written)


@pytest.mark.parametrize(
    "written",
    ["", "1.5", "14/4", "1/0", "x", " 1", "1e999999999", "9" * 100_000, "1/" + "7" * 9999],
)
def test_what_is_no_amount_is_refused_at_once(written: str) -> None:
    with pytest.raises(WireError, match="is no amount: amounts are written 7 or 7/2") as refused:
        read_fraction(written)
    assert len(str(refused.value)) < 200
