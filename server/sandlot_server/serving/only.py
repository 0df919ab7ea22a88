"""One server at a time on one folder: a lock that dies with its holder."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sandlot.errors import ServerError

NAME: Final = "server.lock"


@contextmanager
def only_server(folder: Path) -> Iterator[None]:
    """Be the only server on a folder within the context. The file tells which process is.

    Raises:
        ServerError: another server runs on it, or nothing can be written there.
    """
    path = folder / NAME
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ServerError(f"cannot write {path}: {error.strerror}") from None
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(file, 32, 0).decode(errors="replace").strip()
            raise ServerError(
                f"a server runs on {folder} already, process {holder}: end it, or name another "
                "folder with --data"
            ) from None
        with contextlib.suppress(OSError):  # a full disk: the lock holds without a name in it
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(file)
