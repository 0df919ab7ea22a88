"""Any bytes at all as a record: they are read and written back as they are, or refused."""

from __future__ import annotations

import re
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st
from records.forging import changed, forged, others, parsed, walk
from records.handled import records
from support.fuzzing import always_the_same, check_told, fuzzed
from support.mutating import nearly

from sandlot.errors import RecordError
from sandlot.records import read, verify

MADE = [records()[name] for name in ("short", "clean", "faulty")]


@st.composite
def altered(draw: st.DrawFn) -> bytes:
    """Return a record of which a value or two are others, its digest and checksum right again."""
    lines = parsed(draw(st.sampled_from(MADE)))
    for _ in range(draw(st.sampled_from([0, 1, 1, 2]))):
        path, value = draw(st.sampled_from([*walk(lines)][1:]))
        huge = isinstance(value, int) and abs(value) > 2**64
        kinds = [] if huge or isinstance(value, dict | list) else [*others(value)]
        lines = changed(lines, path, draw(st.sampled_from([*kinds, [], {}, None, -1, "é"])))
    with suppress(TypeError, ValueError, AttributeError):
        return forged(lines).encode(errors="replace")
    return b""


FILES = st.one_of(altered(), altered(), nearly([each.encode() for each in MADE]))


@given(FILES)
@fuzzed
def test_any_bytes_are_a_record_or_refused(text: bytes) -> None:
    try:
        found = list(read(text))
    except RecordError as error:
        check_told(error)
        return
    assert "".join(record.text for record in found).encode() == text


@given(FILES)
@fuzzed
def test_any_bytes_are_verified_or_refused(text: bytes) -> None:
    try:
        found = list(verify(text))
    except RecordError as error:
        check_told(error)
        return
    assert "".join(match.record.text for match in found) == text.decode()


def test_the_examples_reach_both_ends() -> None:
    """Were all refused, or none, the targets above would show little."""
    taken, refused = [0], set[str]()

    @given(FILES)
    @always_the_same
    def sort(text: bytes) -> None:
        try:
            list(read(text))
            taken[0] += 1
        except RecordError as error:
            refused.add(re.sub(r"'.*'|\d", "", str(error)))

    sort()
    assert taken[0] > 10
    assert len(refused) > 15
