"""From an author's file or folder to the archive that is submitted; what is wrong is said first.

Left out, wherever it lies:

- what is hidden, as ``.git``, ``.venv``, ``.DS_Store`` and a ``.env`` with somebody's secrets: all
  that begins with a dot
- what Python makes itself: ``__pycache__``, ``*.pyc``, and folders that are environments, which
  have a ``pyvenv.cfg``
- what ``sandlot`` makes itself: ``sandlot.db`` and what belongs to it, ``sandlot-logs``

There is no list of an author's own: what else a bot does not need belongs beside its folder.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from sandlot.errors import SubmissionError
from sandlot.loading import is_file
from sandlot_server.submissions.archive import write_archive
from sandlot_server.submissions.limits import Limits
from sandlot_server.submissions.manifest import MANIFEST, Manifest, manifest_of
from sandlot_server.submissions.names import Names, shown
from sandlot_server.submissions.unpacking import Contents, examine

LEFT_OUT: Final = (".*", "__pycache__", "*.pyc", "sandlot.db*", "sandlot-logs")
"""Names of files and folders, with ``*`` for anything."""

ENVIRONMENT: Final = "pyvenv.cfg"
"""The file that makes a folder an environment of Python, which is left out."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A submission, ready to be sent."""

    manifest: Manifest
    contents: Contents
    archive: bytes

    @property
    def sha256(self) -> str:
        """The SHA-256 of the archive in hex: whether it arrived as it was sent.

        What was submitted is told by ``contents.version`` alone.
        """
        return hashlib.sha256(self.archive).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Return what is submitted, for scripts."""
        return {
            "name": self.manifest.name,
            "version": self.contents.version,
            "files": list(self.contents.files),
            "size": self.contents.size,
        }


def pack(path: Path, name: str | None = None, limits: Limits | None = None) -> Packed:
    """Return the submission of a folder, or of one Python file.

    Nothing is run, and the archive has been read as the server will read it: what is refused there
    is refused here, in the same words.

    Args:
        path: the folder or the file.
        name: what the bot of one file is called; the name of the file if absent.
        limits: those of the server.

    Raises:
        SubmissionError: says what to mend.
        OSError: a file cannot be read.
    """
    limits = limits or Limits()
    found = gather(path, limits)
    text = _read(found[MANIFEST]) if MANIFEST in found else None
    manifest = manifest_of(found, text, name)
    archive = write_archive({each: _read(file) for each, file in found.items()})
    return Packed(manifest, examine(archive, limits), archive)


def gather(path: Path, limits: Limits) -> dict[str, Path]:
    """Return the files of a submission by their names in it, sorted.

    Raises:
        SubmissionError: there is none, or one that cannot be submitted.
        OSError: a folder cannot be read.
    """
    if not path.exists():
        raise SubmissionError(f"{path}: there is no such file or folder")
    if path.is_dir():
        files = _files_below(path, limits)
    else:
        if not is_file(path.name):
            raise SubmissionError(
                f"{path}: one file is submitted if it is Python; name the folder, with a {MANIFEST}"
            )
        files = iter([(path.name, path)])
    names = Names(limits)
    left = limits.unpacked
    found: dict[str, Path] = {}
    for name, file in files:
        names.add(name)
        left -= _size(name, file)
        if left < 0:
            raise SubmissionError(
                f"{shown(name)} goes beyond {limits.unpacked:,} bytes, the most that all files may "
                "have together"
            )
        found[name] = file
    return dict(sorted(found.items()))


def _files_below(folder: Path, limits: Limits) -> Iterator[tuple[str, Path]]:
    """Yield the files in a folder, and in those within, but for what is left out."""
    waiting = [("", folder)]
    folders = 0
    while waiting:
        above, place = waiting.pop()
        folders += 1
        if folders > limits.files:  # else one could wait long for the first file to be counted
            raise SubmissionError(f"{folder} has more than {limits.files:,} folders; name another")
        for entry in sorted(place.iterdir()):
            if any(fnmatchcase(entry.name, pattern) for pattern in LEFT_OUT):
                continue
            name = above + entry.name
            if entry.is_symlink() or not entry.is_dir():
                yield name, entry
            elif not (entry / ENVIRONMENT).exists():
                waiting.append((f"{name}/", entry))


def _size(name: str, file: Path) -> int:
    status = file.lstat()
    if stat.S_ISLNK(status.st_mode):
        raise SubmissionError(f"{shown(name)} is a link; put the file itself in its place")
    if not stat.S_ISREG(status.st_mode):
        raise SubmissionError(f"{shown(name)} is no regular file; take it out of the folder")
    return status.st_size


def _read(file: Path) -> bytes:
    # A link or a pipe that has just come there is not followed, nor waited for.
    with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as opened:
        return opened.read()
