"""The archive of a submission: regular files in tar's plainest form, ustar, packed with gzip.

Why not zip: it says what it holds twice, at each file and in a list at the end, and the two can
disagree, overlap and point anywhere; and each file may be packed or encrypted in a way of its own.
A tar is read once, from its beginning to its end, and so can be stopped.

Of the headers that a tar may have one kind is taken, that of a regular file, in ustar. Everything
else (links, devices, sparse files, folders, and the long names and extended headers of GNU and pax)
is refused by its name, so nothing here follows what such a header says. A header is parsed by
``TarInfo.frombuf``, which looks at 512 bytes and nothing more; ``TarFile``, which follows them, is
not used.
"""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Final

from sandlot.errors import SubmissionError
from sandlot_server.submissions.limits import Limits
from sandlot_server.submissions.names import Names, shown

BLOCK: Final = 512
PADDING: Final = 20 * BLOCK
"""Zeros that may follow on the last file: as many as tar itself writes at most."""
PIECE: Final = 1 << 16
"""Bytes that are read at a time."""

_GZIP: Final = 16 + zlib.MAX_WBITS

_KINDS: Final = {
    tarfile.LNKTYPE: "a hard link",
    tarfile.SYMTYPE: "a link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.DIRTYPE: "a folder of its own, which its files bring along",
    tarfile.FIFOTYPE: "a pipe",
    tarfile.GNUTYPE_SPARSE: "a sparse file",
    tarfile.GNUTYPE_LONGNAME: "GNU's header of a long name",
    tarfile.GNUTYPE_LONGLINK: "GNU's header of a long name",
    tarfile.XHDTYPE: "an extended header",
    tarfile.XGLTYPE: "an extended header",
}


def write_archive(files: Mapping[str, bytes]) -> bytes:
    """Return the archive of files, by their names: the same bytes for the same files.

    Sorted by name, without times, owners and modes. Another version of zlib may pack otherwise.
    Names are taken as they are: `members` refuses what should not be.
    """
    packed = zlib.compressobj(9, zlib.DEFLATED, _GZIP)
    pieces: list[bytes] = []
    for name in sorted(files):
        content = files[name]
        header = tarfile.TarInfo(name)
        header.size = len(content)
        pieces.append(packed.compress(header.tobuf(tarfile.USTAR_FORMAT, "utf-8")))
        pieces.append(packed.compress(content))
        pieces.append(packed.compress(bytes(-len(content) % BLOCK)))
    pieces.append(packed.compress(bytes(2 * BLOCK)))
    return b"".join([*pieces, packed.flush()])


def members(archive: bytes, limits: Limits) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield the name and the content, in pieces, of each file of an archive.

    Each name has been checked, alone and against those before it, and no limit is passed by what
    was yielded. That the rest is as good is known at the end only: whoever wants all or nothing
    goes through twice. Memory does not grow with what comes out.

    Raises:
        SubmissionError: the archive, or a file in it, is refused; names the file.
    """
    if len(archive) > limits.archive:
        raise SubmissionError(
            f"the archive has {len(archive):,} bytes; at most {limits.archive:,} are taken"
        )
    stream = _Inflating(archive, limits)
    names = Names(limits)
    left = limits.unpacked
    while (header := _header(stream)) is not None:
        name, size = header.name, header.size
        names.add(name)
        if not 0 <= size <= left:
            raise SubmissionError(
                f"{shown(name)} goes beyond {limits.unpacked:,} bytes, the most that all files may "
                "have together"
            )
        left -= size
        content = stream.pieces(size)
        yield name, content
        for _ in content:  # what was not taken
            pass
        stream.exactly(-size % BLOCK)
    if not names:
        raise SubmissionError("the archive holds no files")


def _header(stream: _Inflating) -> tarfile.TarInfo | None:
    """Return the next file's header; None at the end."""
    block = stream.exactly(BLOCK)
    if not any(block):
        stream.end()
        return None
    try:
        # Bytes that are no UTF-8 become surrogates, which no name may hold.
        header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError) as error:
        raise SubmissionError(
            f"the archive is no tar, or damaged ({error}); pack it anew"
        ) from None
    if header.type != tarfile.REGTYPE:
        kind = _KINDS.get(header.type, f"of the unknown kind {shown(header.type)}")
        raise SubmissionError(f"{shown(header.name)} is {kind}; only regular files are taken")
    if block[257:265] != tarfile.POSIX_MAGIC:
        raise SubmissionError(
            f"{shown(header.name)} is packed in another form of tar than ustar; pack it anew"
        )
    return header


class _Inflating:
    """What comes out of an archive, a little at a time, and never more than the ratio allows."""

    def __init__(self, archive: bytes, limits: Limits) -> None:
        self._limits = limits
        self._packed = memoryview(archive)
        self._most = max(limits.unrated, limits.ratio * len(archive))
        self._came = 0
        self._taken = 0
        self._waiting = b""
        self._inflate = zlib.decompressobj(_GZIP)

    def pieces(self, size: int) -> Iterator[bytes]:
        """Yield the next so many bytes."""
        while size > 0:
            piece = self.exactly(min(size, PIECE))
            size -= len(piece)
            yield piece

    def exactly(self, size: int) -> bytes:
        """Return the next so many bytes, which are to be few."""
        found = b""
        while len(found) < size:
            piece = self._some(size - len(found))
            if not piece:
                raise SubmissionError("the archive ends too early; send all of it")
            found += piece
        return found

    def end(self) -> None:
        """See that nothing but a little padding follows, and no second archive."""
        padding = 0
        while piece := self._some(PIECE):
            padding += len(piece)
            if any(piece) or padding > PADDING:
                raise SubmissionError("there is more behind the end of the archive; pack it anew")
        if self._inflate.unused_data or self._taken < len(self._packed):
            raise SubmissionError("there is more behind the end of the archive; pack it anew")

    def _some(self, most: int) -> bytes:
        """Return at least one byte and at most so many; none at the end."""
        found = b""
        while not found and not self._inflate.eof:
            try:
                # Also when nothing waits: zlib may still hold what it had no room for.
                found = self._inflate.decompress(self._waiting, most)
            except zlib.error as error:
                raise SubmissionError(
                    f"the archive is not packed with gzip, or damaged ({error}); pack it anew"
                ) from None
            self._waiting = self._inflate.unconsumed_tail
            if not found and not self._waiting and not self._inflate.eof:
                if self._taken == len(self._packed):
                    raise SubmissionError("the archive ends too early; send all of it")
                self._waiting = bytes(self._packed[self._taken : self._taken + PIECE])
                self._taken += len(self._waiting)
        self._came += len(found)
        if self._came > self._most:
            raise SubmissionError(
                f"more than {self._most:,} bytes come out of an archive of {len(self._packed):,}; "
                f"at most {self._limits.ratio} are taken for each"
            )
        return found
