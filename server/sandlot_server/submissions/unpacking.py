"""From the bytes that a stranger sent to a folder that holds a submission, or nothing."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sandlot_server.submissions.archive import members
from sandlot_server.submissions.folders import whole_folder
from sandlot_server.submissions.limits import Limits
from sandlot_server.submissions.versions import version_of


@dataclass(frozen=True, slots=True)
class Contents:
    """What an archive holds."""

    version: str
    """Of the submission: see ``versions``."""
    files: tuple[str, ...]
    """Their names, sorted."""
    size: int
    """Bytes of all of them together."""


def examine(archive: bytes, limits: Limits | None = None) -> Contents:
    """Return what an archive holds once all of it has been read and found good.

    Raises:
        SubmissionError: it is refused; names the file, and says what to mend.
    """
    digests: dict[str, str] = {}
    size = 0
    for name, content in members(archive, limits or Limits()):
        digest = hashlib.sha256()
        for piece in content:
            digest.update(piece)
            size += len(piece)
        digests[name] = digest.hexdigest()
    return Contents(version_of(digests), tuple(sorted(digests)), size)


def content(archive: bytes, name: str, most: int, limits: Limits | None = None) -> bytes | None:
    """Return the beginning, at most so many bytes, of a file of an archive; None without such one.

    Raises:
        SubmissionError: the archive is refused, before that file or at it.
    """
    for found, pieces in members(archive, limits or Limits()):
        if found == name:
            taken = b""
            for piece in pieces:
                taken += piece
                if len(taken) >= most:
                    break
            return taken[:most]
    return None


def unpack(archive: bytes, target: Path, limits: Limits | None = None) -> Contents:
    """Unpack an archive into the new folder ``target``, all of it or nothing.

    Nothing is written before the whole archive has been examined. Files and folders belong to this
    process, modes are 0644 and 0755 and times are 0, whatever the archive says.

    Raises:
        SubmissionError: it is refused; names the file, and says what to mend.
        OSError: there is something at ``target``, or the disk does not take it.
    """
    limits = limits or Limits()
    contents = examine(archive, limits)
    with whole_folder(target) as folder:
        for name, content in members(archive, limits):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, content)
        for place, _, files in os.walk(folder, topdown=False):  # a folder after what it holds
            for file in files:
                _settle(Path(place, file), 0o644)
            _settle(Path(place), 0o755)
    return contents


def _write(path: Path, content: Iterable[bytes]) -> None:
    # The folder is new and nobody else's; were something there after all, it is not written to.
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with open(file, "wb") as out:
        out.writelines(content)


def _settle(path: Path, mode: int) -> None:
    path.chmod(mode)  # whatever the umask
    os.utime(path, (0, 0))
