"""The audit log: written in the transaction of what it tells, and never changed."""

from __future__ import annotations

from sqlalchemy import Connection, func, insert, select

from sandlot_server.store.registered import AuditLine
from sandlot_server.store.schema import audit
from sandlot_server.store.values import now, storable


def note(connection: Connection, who: str, did: str, subject: str, detail: str = "") -> None:
    """Write down that ``who`` did something, in the words of the command, to ``subject``."""
    line = {"who": who, "did": did, "subject": subject, "detail": detail}
    values = {column: storable(text) for column, text in line.items()}
    connection.execute(insert(audit).values(at=now(), **values))


def latest(connection: Connection) -> int:
    """Return the number of the latest line, 0 if there is none: it grows with every change."""
    return connection.scalar(select(func.max(audit.c.id))) or 0


def lines(connection: Connection, most: int, before: int | None) -> list[AuditLine]:
    """Return at most so many lines, the latest first; those below the number ``before``."""
    query = select(audit).order_by(audit.c.id.desc()).limit(most)
    if before is not None:
        query = query.where(audit.c.id < before)
    return [AuditLine(*row) for row in connection.execute(query)]
