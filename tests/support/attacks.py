"""Archives that attack whoever unpacks them, made in code: each kind that is known, and ours."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterable
from typing import NamedTuple

from sandlot_server.submissions.archive import write_archive

BLOCK = 512

FILES = {"bot.py": b"# a bot\n", "bot.toml": b'name = "mine"\nrun = "bot.py"\n'}


def member(
    name: str | bytes,
    content: bytes = b"",
    kind: bytes = tarfile.REGTYPE,
    link: str = "",
    size: bytes | None = None,
    magic: bytes = tarfile.POSIX_MAGIC,
    prefix: bytes = b"",
) -> bytes:
    """Return one member of a tar, its header with whatever is asked for and a good checksum."""
    raw = name if isinstance(name, bytes) else name.encode()
    block = bytearray(BLOCK)
    block[0:100] = raw[:100].ljust(100, b"\0")
    block[100:124] = b"%07o\0%07o\0%07o\0" % (0o7777, 0, 0)
    block[124:136] = size if size is not None else b"%011o\0" % len(content)
    block[136:148] = b"77777777777\0"
    block[156:157] = kind
    block[157:257] = link.encode().ljust(100, b"\0")
    block[257:265] = magic
    block[345:500] = prefix.ljust(155, b"\0")
    return bytes(signed(block)) + content + bytes(-len(content) % BLOCK)


def signed(block: bytearray) -> bytearray:
    """Return a header with the checksum that belongs to it."""
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return block


def packed(*members: bytes, end: bytes = bytes(2 * BLOCK)) -> bytes:
    return gzip.compress(b"".join(members) + end, mtime=0)


def good(*more: bytes) -> bytes:
    """Return an archive with a bot in it and then something else."""
    return packed(*(member(name, content) for name, content in FILES.items()), *more)


def huge(pieces: Iterable[bytes]) -> bytes:
    """Return the archive of a tar that is never in memory as a whole."""
    packing = zlib.compressobj(1, zlib.DEFLATED, 31)
    return b"".join([*map(packing.compress, pieces), packing.flush()])


def pax(records: bytes, kind: bytes = tarfile.XHDTYPE) -> bytes:
    return member("PaxHeader", records, kind)


def by_tarfile(names: Iterable[str], form: int) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=form) as tar:
        for name in names:
            tar.addfile(tarfile.TarInfo(name))
    return out.getvalue()


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("bot.py", "")
    return out.getvalue()


class Attack(NamedTuple):
    """An archive, and a part of the line that refuses it."""

    archive: bytes
    told: str


MIB = bytes(1 << 20)
WHOLE = write_archive(FILES)

ATTACKS: dict[str, Attack] = {
    # Out of the folder.
    "climbs": Attack(good(member("../evil.py")), "'../evil.py' climbs out"),
    "climbs in the middle": Attack(good(member("a/../../evil.py")), "climbs out"),
    "climbs by its prefix": Attack(good(member("evil.py", prefix=b"..")), "climbs out"),
    "is only dots": Attack(good(member("..")), "climbs out"),
    "absolute": Attack(good(member("/etc/passwd")), "is an absolute path"),
    "absolute by its prefix": Attack(good(member("passwd", prefix=b"/etc")), "is an absolute path"),
    "two slashes": Attack(good(member("//host/share")), "is an absolute path"),
    "a drive": Attack(good(member("C:evil.py")), "holds a \\ or a :"),
    "a backslash": Attack(good(member("..\\evil.py")), "holds a \\ or a :"),
    "an empty part": Attack(good(member("a//b.py")), "has an empty part"),
    "a part that is a dot": Attack(good(member("./b.py")), "has an empty part"),
    "no name": Attack(good(member("")), "has an empty part"),
    "ends in a slash": Attack(good(member("bots/")), "has an empty part"),
    # What is no file.
    "a link out": Attack(good(member("x", kind=b"2", link="/etc")), "'x' is a link"),
    "a link, then a file through it": Attack(
        good(member("x", kind=b"2", link="/tmp"), member("x/evil.py")), "'x' is a link"
    ),
    "a link within": Attack(good(member("x.py", kind=b"2", link="bot.py")), "is a link"),
    "a hard link": Attack(good(member("x", kind=b"1", link="/etc/passwd")), "is a hard link"),
    "a hard link within": Attack(good(member("x", kind=b"1", link="bot.py")), "is a hard link"),
    "a character device": Attack(good(member("zero", kind=b"3")), "is a device"),
    "a block device": Attack(good(member("sda", kind=b"4")), "is a device"),
    "a pipe": Attack(good(member("pipe", kind=b"6")), "is a pipe"),
    "a folder": Attack(good(member("bots/", kind=b"5")), "is a folder of its own"),
    "bot.toml is a folder": Attack(packed(member("bot.toml", kind=b"5")), "is a folder of its own"),
    "a sparse file": Attack(
        good(member("big", kind=b"S", magic=tarfile.GNU_MAGIC)), "is a sparse file"
    ),
    "a contiguous file": Attack(good(member("x", kind=b"7")), "of the unknown kind b'7'"),
    "an unknown kind": Attack(good(member("x", kind=b"\xff")), "of the unknown kind"),
    "a file of before ustar": Attack(good(member("x", kind=b"\0")), "of the unknown kind"),
    # Headers about headers.
    "a pax header": Attack(good(pax(b"21 path=../../evil.py\n")), "is an extended header"),
    "a global pax header": Attack(
        good(pax(b"21 path=../../evil.py\n", b"g")), "is an extended header"
    ),
    "a pax header of a negative size": Attack(
        good(pax(b"12 size=-512\n"), member("x")), "is an extended header"
    ),
    "a pax header bomb": Attack(packed(pax(b"1 " * (1 << 22))), "is an extended header"),
    "a pax header without end": Attack(
        packed(member("PaxHeader", kind=b"x", size=b"77777777777\0")), "is an extended header"
    ),
    "GNU's long name": Attack(
        good(member("././@LongLink", b"../evil.py\0", b"L"), member("x")),
        "is GNU's header of a long name",
    ),
    "a thousand long names, one for the other": Attack(
        packed(*[member("././@LongLink", b"x", b"L")] * 1200), "is GNU's header of a long name"
    ),
    "GNU's form": Attack(by_tarfile(["bot.py"], tarfile.GNU_FORMAT), "another form of tar"),
    "a name too long for ustar": Attack(
        by_tarfile(["x" * 300], tarfile.PAX_FORMAT), "is an extended header"
    ),
    # Sizes.
    "a negative size": Attack(good(member("x", size=b"\xff" * 12)), "goes beyond 67,108,864"),
    "a size of 8 GiB": Attack(good(member("x", size=b"77777777777\0")), "goes beyond 67,108,864"),
    "a size of many digits": Attack(
        good(member("x", size=b"\x80" + b"\xff" * 11)), "goes beyond 67,108,864"
    ),
    "a size that is no number": Attack(good(member("x", size=b"12x4567890a\0")), "or damaged"),
    "a size beyond the end": Attack(good(member("x", size=b"00000100000\0")), "ends too early"),
    # Bombs.
    "a bomb": Attack(
        huge([member("zeros", size=b"%011o\0" % (64 << 20)), *[MIB] * 64]), "come out of an archive"
    ),
    "a bomb of many files": Attack(
        huge(member(f"{n}.py", MIB) for n in range(60)), "come out of an archive"
    ),
    "padding without end": Attack(
        huge([member("bot.py"), *[MIB] * 8]), "more behind the end of the archive"
    ),
    "ten thousand files": Attack(
        huge(member(f"{n}.py") for n in range(10_000)), "more than 1,000 files"
    ),
    "a file too many": Attack(
        huge([*(member(f"{n}.py") for n in range(1001)), bytes(1024)]), "more than 1,000 files"
    ),
    "the same file ten thousand times": Attack(huge([member("bot.py")] * 10_000), "is there twice"),
    "too deep": Attack(good(member("a/" * 16 + "b.py")), "lies too deep"),
    # Names that are the same somewhere.
    "twice": Attack(good(member("bot.py")), "'bot.py' is there twice"),
    "differs in case": Attack(good(member("Bot.py")), "'Bot.py' and 'bot.py' differ in case"),
    "folders differ in case": Attack(
        good(member("a/x.py"), member("A/y.py")), "'A' and 'a' differ in case"
    ),
    "differs in case, in Greek": Attack(
        good(member("στίς.py"), member("στίσ.py")), "differ in case"
    ),
    "differs in the form of a letter": Attack(
        good(member("ﬁle.py"), member("file.py")), "in the form of a letter"
    ),
    "is not normal": Attack(good(member("e\u0301.py")), "is not in Unicode's form NFC"),
    "a file, then a folder": Attack(
        good(member("x"), member("x/y.py")), "'x' is both a file and a folder"
    ),
    "a folder, then a file": Attack(
        good(member("x/y.py"), member("x")), "'x' is both a file and a folder"
    ),
    "below the manifest": Attack(good(member("bot.toml/x")), "'bot.toml' is both"),
    # Names that order a terminal about, or that some systems change.
    "a line break": Attack(good(member("x\n.py")), "'x\\n.py' holds a character"),
    "an escape": Attack(good(member("\x1b[2J.py")), "'\\x1b[2J.py' holds a character"),
    "backwards": Attack(good(member("x\u202eyp.py")), "'x\\u202eyp.py' holds a character"),
    "no letters": Attack(good(member(b"\xff\xfe.py")), "'\\udcff\\udcfe.py' holds a character"),
    "half a surrogate": Attack(good(member(b"\xed\xa0\x80.py")), "holds a character"),
    "a dot at the end": Attack(good(member("bot.py.")), "which some systems drop"),
    "a space at the end": Attack(good(member("a /bot.py")), "which some systems drop"),
    # What is not what it says.
    "nothing": Attack(b"", "ends too early"),
    "an empty tar": Attack(packed(), "holds no files"),
    "a tar that is not packed": Attack(member("bot.py") + bytes(1024), "not packed with gzip"),
    "a zip": Attack(zipped(), "not packed with gzip"),
    "no tar": Attack(gzip.compress(b"print('hello')\n" * 100), "is no tar, or damaged"),
    "a short tar": Attack(gzip.compress(b"print"), "ends too early"),
    "a checksum that is wrong": Attack(
        packed(member("bot.py").replace(b"bot.py", b"bat.py")), "is no tar, or damaged"
    ),
    "without an end": Attack(packed(member("bot.py"), end=b""), "ends too early"),
    "cut short": Attack(WHOLE[:-9], "ends too early"),
    "a byte flipped": Attack(WHOLE[:-6] + bytes([WHOLE[-6] ^ 1]) + WHOLE[-5:], "or damaged"),
    "a second archive": Attack(WHOLE + WHOLE, "more behind the end"),
    "something behind it": Attack(WHOLE + b"x", "more behind the end"),
    "a second tar": Attack(packed(member("a"), bytes(1024), member("b")), "more behind the end"),
    "too many bytes": Attack(bytes((8 << 20) + 1), "at most 8,388,608 are taken"),
}
