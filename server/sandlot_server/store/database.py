"""What the store needs of a database, whichever it is: ``sqlite`` and ``postgresql`` give it.

Both keep the same promises. A transaction that writes is the only one of its kind: it sees all that
was written before it, and nothing is written beside it. One that reads sees one moment. What was
committed is on the disk.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Final, Protocol

from sqlalchemy import Connection, inspect, select

from sandlot.errors import StoreError
from sandlot_server.store.schema import schema

WAIT: Final = 30.0
"""Seconds to wait for another process that writes."""


class Held(Protocol):
    """The right to run a tournament, this process's alone, until ``release`` or its end."""

    def release(self) -> None:
        """Give it back."""


class Database(Protocol):
    """A database that may be there, and may be ours.

    Every method raises ``StoreError`` for what the medium does not allow.

    Attributes:
        other: what a person might choose in its stead.

    """

    other: str

    def version(self) -> int | None:
        """Return the version of the tables, None if there are none; change nothing.

        Raises:
            StoreError: it is a database of another program, or there is nowhere to make one.
        """

    def open(self, *, create: bool) -> None:
        """Be ready for what follows; with ``create``, also if there is nothing yet."""

    def changing_tables(self) -> AbstractContextManager[Connection]:
        """Return a transaction that may make and change tables, and is the only one to write."""

    def reading(self) -> AbstractContextManager[Connection]:
        """Return a transaction that reads."""

    def writing(self) -> AbstractContextManager[Connection]:
        """Return a transaction that writes; in the name of a run if it holds a tournament."""

    def hold(self, tournament: str) -> Held:
        """Take the right to run a tournament.

        Raises:
            StoreError: another process has it; the message says which.
        """

    def size(self) -> int:
        """Return how many bytes it has on the disk."""

    def close(self) -> None:
        """Let go of all connections but that of a tournament that is held."""


def version_in(connection: Connection, other: str) -> int | None:
    """Return the version of the tables, None if there are none.

    Raises:
        StoreError: there are tables, but not ours.
    """
    names = inspect(connection).get_table_names()
    if not names:
        return None  # a run was killed while it made the database
    if schema.name not in names:
        raise StoreError(
            f"it is a database of another program: choose {other} with --db; it was not changed"
        )
    version: int = connection.execute(select(schema.c.version)).scalar_one()
    return version  # written in the transaction that made the tables
