"""One run at a time on one tournament: a lock that dies with its holder."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from pathlib import Path

from sandlot.errors import StoreError


class RunLock:
    """The right to run a tournament, held until ``release`` or until the process is gone.

    It is an ``flock`` on a file beside the database, so the system takes it back whatever becomes
    of the holder. The file tells who holds it. Worker processes that inherit its descriptor
    (``fileno``) hold it too: then a next run starts only when the last of them is gone.

    Raises:
        StoreError: another process holds it; the message says which.
    """

    def __init__(self, database: Path, tournament: str) -> None:
        digest = hashlib.sha256(tournament.encode()).hexdigest()[:12]  # a name may hold a slash
        self.path = database.with_name(f"{database.name}-run-{digest}.lock")
        while True:
            try:
                file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            except OSError as error:
                raise StoreError(
                    f"its lock {self.path.name} cannot be written, {error.strerror}: "
                    "make the directory writable for this user"
                ) from error
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(file, 32, 0).decode(errors="replace").strip()
                os.close(file)
                who = f"process {holder}" if holder else "another process"
                raise StoreError(
                    f"tournament {tournament!r} is being played by {who}: "
                    "wait until it is done, or end it"
                ) from None
            if self._is_still(file):
                break
            os.close(file)  # its holder removed it while we opened it: take the new one
        self._file = file
        with contextlib.suppress(OSError):  # a full disk: the lock holds without a name in it
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()}\n".encode(), 0)

    def _is_still(self, file: int) -> bool:
        try:
            return os.path.samestat(os.fstat(file), os.stat(self.path))
        except FileNotFoundError:
            return False

    def fileno(self) -> int:
        """Return the descriptor that holds the lock, to be handed to worker processes."""
        return self._file

    def release(self) -> None:
        """Give the lock back and remove its file."""
        # Removed while it is held, so that nobody can hold a file that is no longer there.
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()
        os.close(self._file)
