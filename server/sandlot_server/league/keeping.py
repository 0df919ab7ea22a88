"""What a submission leaves on the disk: written whole, found again, and taken away."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sandlot.errors import StoreError
from sandlot_server.league.places import DataFolder, VersionFolder
from sandlot_server.store.registered import PENDING, Version
from sandlot_server.store.registry import Registry


def write_aside(folder: DataFolder, archive: bytes) -> Path:
    """Write an archive, to the disk itself, under a name that nobody takes for a version's.

    Raises:
        OSError: the disk does not take it; nothing is left of it.
    """
    aside = folder.submissions / f".{secrets.token_hex(8)}"
    file = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(file, "wb") as out:
            out.write(archive)
            out.flush()
            os.fsync(out.fileno())
    except OSError:
        aside.unlink()
        raise
    return aside


def keep(aside: Path, version: VersionFolder) -> None:
    """Make of what was written aside the archive of a version; then that too is on the disk.

    Raises:
        OSError: the disk does not take it.
    """
    version.root.mkdir(parents=True, exist_ok=True)
    aside.replace(version.archive)
    for folder in (version.root, version.root.parent, version.root.parent.parent):
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def clear(version: VersionFolder) -> None:
    """Take away what is made from a version's archive, so that it can be made anew."""
    for folder in (version.files, version.environment):
        if folder.exists():
            shutil.rmtree(folder)
    version.trial_log.unlink(missing_ok=True)


def drop_environment(version: VersionFolder) -> None:
    """Take away the environment of a version that plays no more."""
    with suppress(FileNotFoundError):
        shutil.rmtree(version.environment)


def environments(folder: DataFolder) -> Iterator[tuple[str, int, VersionFolder]]:
    """Yield the bot, the number and the folder of each version that has an environment."""
    for path in sorted(folder.submissions.glob("*/*/environment")):
        bot, number = path.parts[-3:-1]
        if number.isdecimal():
            yield bot, int(number), folder.version(bot, int(number))


def tidy(folder: DataFolder, registry: Registry, age: timedelta) -> None:
    """Take away environments of versions that have played no more for so long."""
    for bot, number, kept in environments(folder):
        with suppress(StoreError):
            versions = {one.number: one for one in registry.bot(bot).versions}
            version = versions.get(number)
            if version is not None and _is_over(version, age):
                drop_environment(kept)


def _is_over(version: Version, age: timedelta) -> bool:
    if version.status in (*PENDING, "active") or version.settled is None:
        return False
    return datetime.now(UTC) - datetime.fromisoformat(version.settled) >= age


def sweep(folder: DataFolder) -> list[Path]:
    """Take away what a server that was killed has left half-made; return what that was.

    All that is made bears a name that begins with a dot until it is whole.
    """
    swept: list[Path] = []
    for pattern in (".*", "*/.*", "*/*/.*"):
        for path in sorted(folder.submissions.glob(pattern)):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
            swept.append(path)
    return swept
