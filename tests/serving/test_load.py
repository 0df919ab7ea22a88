"""A server under load, in short: ``python -m bench.league`` is the long form, with its figures."""

from __future__ import annotations

import sys

import pytest

from bench.league import run


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is read from /proc")
def test_many_bots_at_many_tables_meet_no_fault_of_the_servers() -> None:
    load = run(bots=16, tables=48, seconds=5)
    assert load.matches > 0
    assert load.decisions > load.matches
    assert load.live > 8  # more than one round at once
    assert not load.faults
    assert not load.void
    assert load.p50 >= 1  # they think for a millisecond at least
    assert len(load.megabytes) == 10
