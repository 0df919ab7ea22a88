"""A database in a file, by SQLite: all that is peculiar to it, but for the lock of a run."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.pool import NullPool, QueuePool

from sandlot.errors import StoreError
from sandlot_server.store.database import WAIT, version_in
from sandlot_server.store.failures import FULL, KEPT, LOCKED, explain
from sandlot_server.store.lock import RunLock

_WRITES: Final = "sandlot_writes"
"""The execution option of a connection whose transactions write."""

_PAGE: Final = 1024
"""Bytes of a page, in databases that are made from now on; 4096 were SQLite's own choice.

A record goes over several pages, and what is left of its last one is lost: less where pages are
small. So are an empty database and the log beside it, which is copied back after 1000 pages.
"""

_HEADER: Final = b"SQLite format 3\0"

_SAID: Final[dict[int, str]] = {
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: "it is read-only: make it and its directory writable for this user",
    sqlite3.SQLITE_PERM: "no permission: make it and its directory accessible for this user",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: look at its directory and the permissions",
    sqlite3.SQLITE_BUSY: LOCKED,
    sqlite3.SQLITE_LOCKED: LOCKED,
    sqlite3.SQLITE_IOERR: f"the disk failed or is full: look after it and run again; {KEPT}",
    sqlite3.SQLITE_CORRUPT: "the file is damaged: put back a copy, or choose another with --db",
    sqlite3.SQLITE_NOTADB: "it is not a Sandlot database: choose another file with --db",
}


class Sqlite:
    """The database in the file at ``path``."""

    other = "another file"

    def __init__(self, path: Path) -> None:
        self._path = path
        self._engine: Engine | None = None

    def version(self) -> int | None:
        """See ``Database``."""
        path = self._path
        if path.is_dir():
            raise StoreError("it is a directory: name a file in it with --db")
        if not path.parent.is_dir():
            raise StoreError(
                f"there is no directory {path.parent}: make it, or name another file with --db"
            )
        if path.exists() and not path.is_file():  # to open a pipe would wait for its other end
            raise StoreError("it is no file but a pipe or a device: choose another file with --db")
        try:
            with path.open("rb") as file:
                start = file.read(len(_HEADER))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"it cannot be read: {error.strerror}") from error
        if not start:
            return None
        if start != _HEADER:
            raise StoreError(
                "it is not a Sandlot database: choose another file with --db; it was not changed"
            )
        peek = _engine(path, "ro")
        try:
            with peek.connect() as connection:
                return version_in(connection, self.other)
        finally:
            peek.dispose()

    def open(self, *, create: bool) -> None:
        """See ``Database``."""
        self._engine = _engine(self._path, "rwc" if create else "rw")

    @contextmanager
    def changing_tables(self) -> Iterator[Connection]:
        """See ``Database``."""
        with self._opened.connect() as connection:
            raw = connection.connection.driver_connection
            assert isinstance(raw, sqlite3.Connection)
            raw.execute(f"PRAGMA page_size = {_PAGE}")  # in force only while the file is empty
            _set_write_ahead(raw)
            # SQLite changes a table by copying it. To drop the old one would else be to delete
            # what refers to it. It cannot be switched within a transaction.
            raw.execute("PRAGMA foreign_keys = OFF")
            try:
                connection = connection.execution_options(**{_WRITES: True})
                with connection.begin():
                    yield connection
                    dangling = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
                    assert not dangling, f"rows that refer to none: {dangling}"
            finally:
                raw.execute("PRAGMA foreign_keys = ON")

    def reading(self) -> AbstractContextManager[Connection]:
        """See ``Database``."""
        return self._opened.begin()

    def writing(self) -> AbstractContextManager[Connection]:
        """See ``Database``."""
        return self._opened.execution_options(**{_WRITES: True}).begin()

    def hold(self, tournament: str) -> RunLock:
        """See ``Database``."""
        return RunLock(self._path, tournament)

    def size(self) -> int:
        """See ``Database``."""
        log = _log_of(self._path)
        return self._path.stat().st_size + (log.stat().st_size if log.exists() else 0)

    def close(self) -> None:
        """See ``Database``."""
        if self._engine is not None:
            self._engine.dispose()

    @property
    def _opened(self) -> Engine:
        assert self._engine is not None
        return self._engine


def _log_of(path: Path) -> Path:
    """Return where SQLite keeps what is not in the file itself yet."""
    return path.with_name(f"{path.name}-wal")


def _engine(path: Path, mode: str) -> Engine:
    """Return an engine for one file; ``mode`` is SQLite's: ``ro``, ``rw``, or ``rwc`` to create."""
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    log = _log_of(path)
    looked_at = mode == "ro" or not os.access(path.parent, os.W_OK)
    if looked_at and path.exists() and not log.exists():
        # Nobody writes it. Say so: SQLite would else make files beside it, even to read.
        uri += "&immutable=1"

    def connect() -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(
                uri, uri=True, timeout=WAIT, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise _in_one_line(error) or error from error
        connection.execute("PRAGMA foreign_keys = ON")
        # FULL, not NORMAL: after a power cut NORMAL may forget the latest commits. A forgotten
        # attempt would be dealt again with the same cards, which its bots have already seen. The
        # price is one flush a commit, and commits are grouped.
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    # The engine's own pool takes care that no two threads use one connection at a time.
    pool = NullPool if mode == "ro" else QueuePool
    engine = create_engine("sqlite://", creator=connect, poolclass=pool)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # The lock to write is taken at the start: a reader that turns writer in the middle would
        # be refused at once if another wrote in between, without waiting for its turn.
        writes = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    explain(engine, _said)
    return engine


def _said(context: ExceptionContext) -> StoreError | None:
    return _in_one_line(context.original_exception)


def _in_one_line(error: BaseException) -> StoreError | None:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return None
    said = _SAID.get(code & 0xFF)  # the rest of an extended code says in which system call
    return StoreError(f"{said} ({error})") if said else None


def _set_write_ahead(connection: sqlite3.Connection) -> None:
    """Have readers and one writer not wait for each other; it is kept in the file."""
    until = time.monotonic() + WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.Error as error:
            # For this statement SQLite itself does not wait while another run does the same.
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > until:
                raise _in_one_line(error) or error from error
            time.sleep(0.01)
        else:
            return
