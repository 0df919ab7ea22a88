"""Open a database, or make it, or refuse it and leave it as it was."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import insert

from sandlot.errors import StoreError
from sandlot_server.store.database import Database, version_in
from sandlot_server.store.schema import SCHEMA_VERSION, metadata, schema
from sandlot_server.store.sqlite import Sqlite


def open_database(path: Path, *, create: bool) -> Database:
    """Return the database at ``path``, opened.

    Args:
        path: the file.
        create: make the database if there is none yet.

    Raises:
        StoreError: no database there, not one of ours, of a later version, or the disk does not
            allow it. Nothing is changed then.
    """
    database = Sqlite(path)
    try:
        version = _version(database)
        if version is None and not create:
            raise StoreError(
                "there is none yet: `sandlot tournament run FILE` makes it, or name another with "
                "--db"
            )
        database.open(create=create)
        if version is None:
            _make(database)
    except BaseException:
        database.close()
        raise
    return database


def is_made(path: Path) -> bool:
    """Tell whether there is a database of ours at ``path``; if not, one can be made there.

    Raises:
        StoreError: it is not one of ours or of a later version, or there is no such directory.
    """
    return _version(Sqlite(path)) is not None


def _version(database: Database) -> int | None:
    version = database.version()
    if version is not None:
        _check(version, database.other)
    return version


def _check(version: int, other: str) -> None:
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"it was written by a later Sandlot (version {version} of the tables, this one knows "
            f"{SCHEMA_VERSION}): `pip install --upgrade sandlot`, or choose {other} with "
            "--db; it was not changed"
        )


def _make(database: Database) -> None:
    with database.changing_tables() as connection:
        version = version_in(connection, database.other)  # another run may have been quicker
        if version is not None:
            return _check(version, database.other)
        metadata.create_all(connection, checkfirst=False)
        connection.execute(insert(schema).values(version=SCHEMA_VERSION))
    return None
