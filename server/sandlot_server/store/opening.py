"""Open a database, or make it, or bring it up to date, or refuse it and leave it as it was."""

from __future__ import annotations

from pathlib import Path

from sandlot.errors import StoreError
from sandlot_server.store.database import Database, version_in
from sandlot_server.store.place import Place
from sandlot_server.store.schema import SCHEMA_VERSION


def open_database(place: Place, *, create: bool, migrate: bool) -> Database:
    """Return the database at a place, opened, its tables being those of this version.

    Args:
        place: where it is.
        create: make the tables if there are none yet.
        migrate: bring the tables up to date if they are of an earlier version.

    Raises:
        StoreError: no database there, not one of ours, of a later version, or the medium does not
            allow it. Nothing is changed then.
    """
    database = _at(place)
    try:
        version = _version(database)
        if version is None and not create:
            raise StoreError(
                "there is none yet: `sandlot tournament run FILE` makes it, or name another with "
                "--db"
            )
        if version not in (None, SCHEMA_VERSION) and not migrate:
            raise StoreError(
                f"its tables are of an earlier Sandlot (version {version}, now {SCHEMA_VERSION}): "
                "`sandlot standings` brings it up to date"
            )
        database.open(create=create)
        if version != SCHEMA_VERSION:
            _bring_up_to_date(database)
    except BaseException:
        database.close()
        raise
    return database


def is_made(place: Place) -> bool:
    """Tell whether there is a database of ours at a place; if not, one can be made there.

    Raises:
        StoreError: it is not one of ours or of a later version, or there is no such directory, no
            such server.
    """
    database = _at(place)
    try:
        return _version(database) is not None
    finally:
        database.close()


def _at(place: Place) -> Database:
    if isinstance(place, Path):
        from sandlot_server.store.sqlite import Sqlite

        return Sqlite(place)
    from sandlot_server.store.postgresql import Postgresql

    return Postgresql(place)


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


def _bring_up_to_date(database: Database) -> None:
    """Make the tables, or change them to what this version knows, in one transaction."""
    from sandlot_server.store.migrations import upgrade  # before anybody has to wait for us

    with database.changing_tables() as connection:
        version = version_in(connection, database.other)  # another process may have been quicker
        if version is not None:
            _check(version, database.other)
        if version != SCHEMA_VERSION:
            upgrade(connection, version, SCHEMA_VERSION)
