"""Any bytes at all as the report of a check: they are one, or they are said to be none."""

from __future__ import annotations

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st
from support.fuzzing import fuzzed

from sandlot.testing.telling import Told
from sandlot_server.league.checking import LONGEST, read_report

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["ok", "line", "account", "x"]), inner, max_size=4)
    ),
)
REPORTS = st.builds(Told, st.booleans(), st.text(max_size=5), st.text(max_size=5))


@fuzzed
@given(st.binary(max_size=100) | JSON.map(msgspec.json.encode))
@example(b"[" * 100_000)
@example(b" " * LONGEST + b" ")
def test_whatever_comes_is_a_report_or_none(said: bytes) -> None:
    found = read_report(said)
    if isinstance(found, str):
        assert found == "the check told what is no report"
    else:
        assert [type(value) for value in msgspec.structs.astuple(found)] == [bool, str, str]


@fuzzed
@given(REPORTS)
def test_what_was_told_is_read(told: Told) -> None:
    assert read_report(msgspec.json.encode(told)) == told
