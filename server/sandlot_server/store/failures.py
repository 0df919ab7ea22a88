"""What the database could not do, said in one line that tells what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlalchemy import event
from sqlalchemy.engine import Engine, ExceptionContext

from sandlot.errors import StoreError

KEPT: Final = "what was stored before is kept"

FULL: Final = f"the disk is full: free some space and run again; {KEPT}"
LOCKED: Final = "another program keeps it locked: end that program, then run again"


def explain(engine: Engine, said: Callable[[ExceptionContext], StoreError | None]) -> None:
    """Make every failure of the medium that this engine meets a ``StoreError``.

    Args:
        engine: whose failures.
        said: gives the line, or None where the failure is a defect of ours.
    """

    def failed(context: ExceptionContext) -> None:
        error = said(context)
        if error is not None:
            raise error from context.original_exception

    event.listen(engine, "handle_error", failed)
