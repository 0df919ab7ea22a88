"""What the database could not do, said in one line that tells what to do about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from sqlalchemy import event
from sqlalchemy.engine import Engine, ExceptionContext

from sandlot.errors import StoreError

_KEPT = "what was stored before is kept"

_SAID: dict[int, str] = {
    sqlite3.SQLITE_FULL: f"the disk is full: free some space and run again; {_KEPT}",
    sqlite3.SQLITE_READONLY: "it is read-only: make it and its directory writable for this user",
    sqlite3.SQLITE_PERM: "no permission: make it and its directory accessible for this user",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: look at its directory and the permissions",
    sqlite3.SQLITE_BUSY: "another program keeps it locked: end that program, then run again",
    sqlite3.SQLITE_LOCKED: "another program keeps it locked: end that program, then run again",
    sqlite3.SQLITE_IOERR: f"the disk failed or is full: look after it and run again; {_KEPT}",
    sqlite3.SQLITE_CORRUPT: "the file is damaged: put back a copy, or choose another with --db",
    sqlite3.SQLITE_NOTADB: "it is not a Sandlot database: choose another file with --db",
}


def in_one_line(error: BaseException | None) -> StoreError | None:
    """Return the line for a failure of the medium, or None: then it is a defect of ours."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return None
    said = _SAID.get(code & 0xFF)  # the rest of an extended code says in which system call
    return StoreError(f"{said} ({error})") if said else None


def explain(engine: Engine) -> None:
    """Make every failure of the medium that this engine meets a ``StoreError``."""

    def said(context: ExceptionContext) -> None:
        error = in_one_line(context.original_exception)
        if error is not None:
            raise error from context.original_exception

    listener: Callable[[ExceptionContext], None] = said
    event.listen(engine, "handle_error", listener)
