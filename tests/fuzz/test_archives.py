"""Any bytes at all: unpacked they are a folder within the limits, or refused in one line."""

from __future__ import annotations

import gzip
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path

from hypothesis import assume, example, given
from hypothesis import strategies as st
from support.attacks import ATTACKS, BLOCK, FILES, member, signed
from support.fuzzing import always_the_same, check_told, fuzzed

from sandlot.errors import SubmissionError
from sandlot_server.submissions.archive import write_archive
from sandlot_server.submissions.limits import Limits
from sandlot_server.submissions.unpacking import unpack

LIMITS = Limits(archive=1 << 16, unpacked=1 << 14, files=8, depth=3, ratio=20, unrated=1 << 15)
"""Small, so that examples reach them."""


GOOD = [
    gzip.decompress(write_archive(files))
    for files in (
        FILES,
        {"bot.py": b""},
        {**FILES, "cards/odds.py": b"x" * 600},
        {f"cards/{number}.py": b"" for number in range(7)},
        {"a/b/c": bytes(LIMITS.unpacked), "a/b/d": b"", "A": b""},
    )
]
"""Tars before they are packed, all or nearly all of which may be taken."""


def attacks() -> list[bytes]:
    """Return what the small attacks are before they are packed, as far as they are packed."""
    found: list[bytes] = []
    for attack in ATTACKS.values():
        if len(attack.archive) < 1 << 14:
            with suppress(zlib.error):
                found.append(zlib.decompressobj(31).decompress(attack.archive, 1 << 15))
    return found


BAD = attacks()

FIELDS = (
    *((0, 100), (100, 108), (108, 116), (116, 124), (124, 136), (136, 148), (156, 157)),
    *((157, 257), (257, 265), (265, 297), (297, 329), (329, 337), (337, 345), (345, 500)),
)
"""Where the fields of a header are, but for its checksum."""

NAMES = st.text(st.sampled_from("abAB./\\:é\u0301ﬁ \0\n\u202e-~"), max_size=12)
FIELD = st.one_of(
    st.binary(max_size=12),
    NAMES.map(str.encode),
    st.sampled_from([b"\xff" * 12, b"\x80" + b"\0" * 11, b"77777777777\0", b"00000001000\0"]),
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Return a tar of which a few headers and bytes are others, its checksums good in the main."""
    tar = bytearray(draw(st.sampled_from(GOOD) | st.sampled_from(BAD)))
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2, 4]))):
        blocks = len(tar) // BLOCK
        assume(blocks)
        at = BLOCK * draw(st.integers(0, blocks - 1))
        change = draw(st.sampled_from(["field", "byte", "cut", "copy", "member"]))
        if change == "field":
            begin, end = draw(st.sampled_from(FIELDS))
            block = tar[at : at + BLOCK]
            block[begin:end] = draw(FIELD)[: end - begin].ljust(end - begin, b"\0")
            tar[at : at + BLOCK] = signed(block)
        elif change == "byte":
            tar[at + draw(st.integers(0, BLOCK - 1))] = draw(st.integers(0, 255))
        elif change == "cut":
            del tar[at : at + draw(st.integers(1, 2 * BLOCK))]
        elif change == "copy":
            tar[at:at] = tar[at : at + 2 * BLOCK]
        else:
            tar[at:at] = member(draw(NAMES), draw(st.binary(max_size=3)))
    return bytes(tar)


@st.composite
def packed(draw: st.DrawFn) -> bytes:
    """Return an archive that is well packed in the main."""
    archive = bytearray(gzip.compress(draw(mutated()), draw(st.integers(0, 9)), mtime=0))
    for _ in range(draw(st.sampled_from([0, 0, 0, 0, 0, 0, 0, 1]))):
        archive[draw(st.integers(0, len(archive) - 1))] = draw(st.integers(0, 255))
    return bytes(archive[: len(archive) - draw(st.sampled_from([0, 0, 0, 0, 0, 0, 1, 9]))])


@given(st.one_of(packed(), packed(), st.binary(max_size=2000)))
@example(write_archive(FILES))
@fuzzed
def test_any_bytes_are_a_folder_within_the_limits_or_refused(archive: bytes) -> None:
    with tempfile.TemporaryDirectory() as place:
        room = Path(place, "room")
        room.mkdir()
        try:
            contents = unpack(archive, room / "bot", LIMITS)
        except SubmissionError as error:
            check_told(error)
            contents = None
        assert [*Path(place).iterdir()] == [room]
        if contents is None:
            assert [*room.iterdir()] == []
            return
        assert [*room.iterdir()] == [room / "bot"]
        found = [*(room / "bot").rglob("*")]
        assert all(path.is_dir() or path.is_file() for path in found)
        assert not any(path.is_symlink() for path in found)
        files = [path for path in found if path.is_file()]
        names = {path.relative_to(room / "bot").as_posix() for path in files}
        assert names == set(contents.files)
        assert 1 <= len(files) <= LIMITS.files
        assert sum(path.stat().st_size for path in files) == contents.size <= LIMITS.unpacked
        assert all(len(name.split("/")) <= LIMITS.depth for name in names)
        again = write_archive({name: (room / "bot" / name).read_bytes() for name in names})
        assert unpack(again, room / "again", LIMITS) == contents


def test_the_examples_reach_both_ends() -> None:
    """Were all refused, or none, the target above would show little."""
    taken, refused = set[int](), set[str]()

    @given(packed())
    @always_the_same
    def sort(archive: bytes) -> None:
        with tempfile.TemporaryDirectory() as place:
            try:
                taken.add(len(unpack(archive, Path(place, "bot"), LIMITS).files))
            except SubmissionError as error:
                refused.add(str(error).split("'")[-1])

    sort()
    assert len(taken) > 2
    assert len(refused) > 15
