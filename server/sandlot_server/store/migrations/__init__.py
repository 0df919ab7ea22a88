"""The tables from version to version: one file in ``versions`` for each, in alembic's own form.

Imported only where there is something to make or to change: alembic takes its time. What version a
database has stands in ``sandlot_schema``; docs/decisions/0019 says why not in alembic's own table,
and CONTRIBUTING.md how a version is added.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from alembic.migration import MigrationContext
from alembic.operations import Operations
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, delete, insert

from sandlot_server.store.schema import schema

SCRIPTS: Final = Path(__file__).parent
"""The folder that ``versions`` is in."""


def upgrade(connection: Connection, version: int | None, to: int) -> None:
    """Bring the tables from one version to a later one, within the transaction of the connection.

    Args:
        connection: in a transaction that nobody else writes beside.
        version: what the tables are now; None if there are none.
        to: what they are to be.
    """
    directory = ScriptDirectory(str(SCRIPTS))
    lower = "base" if version is None else str(version)
    steps = list(directory.iterate_revisions(str(to), lower))
    with Operations.context(MigrationContext.configure(connection)):
        for step in reversed(steps):  # they come from the last to the first
            step.module.upgrade()
    connection.execute(delete(schema))
    connection.execute(insert(schema).values(version=to))
