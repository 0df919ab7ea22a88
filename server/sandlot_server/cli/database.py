"""``--db``: the database that a command reads or writes, in a file or on a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from sandlot_server.cli import complete
from sandlot_server.store.place import place_of

C = TypeVar("C", bound=Callable[..., Any])


def database_option(what: str, *, default: str | None = complete.DATABASE) -> Callable[[C], C]:
    """Return the option ``--db``, with its line of help; its value is a ``Place``."""
    return click.option(
        "--db",
        metavar="PATH|URL",
        type=place_of,
        default=default,
        show_default=default is not None,
        shell_complete=complete.files_ending(".db"),
        help=what,
    )
