"""Bytes that are nearly right: what was well made, with a few changes."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st


@st.composite
def mutated(draw: st.DrawFn, made: Sequence[bytes]) -> bytes:
    """Return one of those that were made, or two together, of which some bytes are others."""
    raw = bytearray(draw(st.sampled_from(made)))
    for _ in range(draw(st.sampled_from([0, 1, 1, 2, 4]))):
        at = draw(st.integers(0, len(raw)))
        change = draw(st.sampled_from(["byte", "bit", "cut", "insert", "repeat", "join"]))
        if change == "byte":
            raw[at : at + 1] = bytes([draw(st.integers(0, 255))])
        elif change == "bit" and at < len(raw):
            raw[at] ^= 1 << draw(st.integers(0, 7))
        elif change == "cut":
            del raw[at : at + draw(st.integers(1, 20))]
        elif change == "insert":
            raw[at:at] = draw(st.binary(max_size=8))
        elif change == "repeat":
            raw[at:at] = raw[at : at + 30] * draw(st.integers(1, 20))
        else:
            raw += draw(st.sampled_from(made))
    return bytes(raw)


def nearly(made: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Return what was made with changes, in the main, and now and then any bytes at all."""
    return st.one_of(mutated(made), mutated(made), mutated(made), st.binary(max_size=200))
