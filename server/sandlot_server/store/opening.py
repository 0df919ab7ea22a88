"""Open a database, or make it, or refuse it and leave it as it was.

All that is peculiar to SQLite is in this module (and its error codes in ``failures``).
"""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, create_engine, event, insert, inspect, select
from sqlalchemy.pool import NullPool, QueuePool

from sandlot.errors import StoreError
from sandlot_server.store.failures import explain, in_one_line
from sandlot_server.store.schema import SCHEMA_VERSION, metadata, schema

WRITES: Final = "sandlot_writes"
"""The execution option of a connection whose transactions write."""

_WAIT: Final = 30.0
"""Seconds to wait for another process that writes."""

_PAGE: Final = 1024
"""Bytes of a page, in databases that are made from now on; 4096 were SQLite's own choice.

A record goes over several pages, and what is left of its last one is lost: less where pages are
small. So are an empty database and the log beside it, which is copied back after 1000 pages.
"""

_HEADER: Final = b"SQLite format 3\0"


def open_database(path: Path, *, create: bool) -> Engine:
    """Return an engine for the database at ``path``.

    Args:
        path: the file.
        create: make the database if there is none yet.

    Raises:
        StoreError: no database there, not one of ours, of a later version, or the disk does not
            allow it. Nothing is changed then.
    """
    made = is_made(path)
    if not made and not create:
        raise StoreError(
            "there is none yet: `sandlot tournament run FILE` makes it, or name another with --db"
        )
    engine = _engine(path, "rwc" if create else "rw")
    try:
        if not made:
            _make(engine)
    except BaseException:
        engine.dispose()
        raise
    return engine


def is_made(path: Path) -> bool:
    """Tell whether there is a database of ours at ``path``; if not, one can be made there.

    Raises:
        StoreError: it is not one of ours or of a later version, or there is no such directory.
    """
    if path.is_dir():
        raise StoreError("it is a directory: name a file in it with --db")
    if not path.parent.is_dir():
        raise StoreError(
            f"there is no directory {path.parent}: make it, or name another file with --db"
        )
    version = _version(path)
    if version is not None:
        _check(version)
    return version is not None


def _version(path: Path) -> int | None:
    """Return the version of the tables, None if the file is missing or has no tables yet."""
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
            return _version_in(connection)
    finally:
        peek.dispose()


def _version_in(connection: Connection) -> int | None:
    names = inspect(connection).get_table_names()
    if not names:
        return None  # a run was killed while it made the database
    if schema.name not in names:
        raise StoreError(
            "it is a database of another program: choose another file with --db; it was not changed"
        )
    version: int = connection.execute(select(schema.c.version)).scalar_one()
    return version  # written in the transaction that made the tables


def _check(version: int) -> None:
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"it was written by a later Sandlot (version {version} of the tables, this one knows "
            f"{SCHEMA_VERSION}): `pip install --upgrade sandlot`, or choose another file with "
            "--db; it was not changed"
        )


def _engine(path: Path, mode: str) -> Engine:
    """Return an engine for one file; ``mode`` is SQLite's: ``ro``, ``rw``, or ``rwc`` to create."""
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    log = path.with_name(f"{path.name}-wal")
    looked_at = mode == "ro" or not os.access(path.parent, os.W_OK)
    if looked_at and path.exists() and not log.exists():
        # Nobody writes it. Say so: SQLite would else make files beside it, even to read.
        uri += "&immutable=1"

    def connect() -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(
                uri, uri=True, timeout=_WAIT, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise in_one_line(error) or error from error
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
        writes = connection.get_execution_options().get(WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    explain(engine)
    return engine


def _make(engine: Engine) -> None:
    with engine.connect() as connection:
        raw = connection.connection.driver_connection
        assert isinstance(raw, sqlite3.Connection)
        raw.execute(f"PRAGMA page_size = {_PAGE}")  # in force only while the file is empty
        _set_write_ahead(raw)
    with engine.execution_options(**{WRITES: True}).begin() as connection:
        version = _version_in(connection)  # another run may have been quicker
        if version is not None:
            return _check(version)
        metadata.create_all(connection, checkfirst=False)
        connection.execute(insert(schema).values(version=SCHEMA_VERSION))
    return None


def _set_write_ahead(connection: sqlite3.Connection) -> None:
    """Have readers and one writer not wait for each other; it is kept in the file."""
    until = time.monotonic() + _WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.Error as error:
            # For this statement SQLite itself does not wait while another run does the same.
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > until:
                raise in_one_line(error) or error from error
            time.sleep(0.01)
        else:
            return
