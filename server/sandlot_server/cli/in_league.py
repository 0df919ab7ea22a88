"""``--data`` and ``--database``: the league that a command is about, and what it holds by name."""

from __future__ import annotations

import functools
import os
import pwd
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

import click

from sandlot.errors import SandlotError, StoreError
from sandlot_server.store.place import Server, place_of

if TYPE_CHECKING:
    from sandlot_server.store import Registry

P = ParamSpec("P")
C = TypeVar("C", bound=Callable[..., Any])

DATA: Final = "sandlot-data"
"""The folder of a league whose command is given no ``--data``."""


def place_options(command: C) -> C:
    """Give a command the options ``--data`` and ``--database``: a folder, and a server or None."""
    in_folder = click.option(
        "--data",
        metavar="DIR",
        type=click.Path(path_type=Path),
        envvar="SANDLOT_DATA",
        show_envvar=True,
        default=DATA,
        show_default=True,
        help="The folder of the league.",
    )
    on_server = click.option(
        "--database",
        metavar="URL",
        type=_server,
        envvar="SANDLOT_DATABASE",
        show_envvar=True,
        help="Its store, if that is on PostgreSQL: postgresql://USER@HOST/NAME.",
    )
    return in_folder(on_server(command))


def in_league(
    *, make: bool = False
) -> Callable[[Callable[Concatenate[Registry, P], None]], Callable[..., None]]:
    """Give a command the options that say which league it is about, and its registry.

    Args:
        make: whether the command makes a league where there is none yet.
    """

    def decorate(command: Callable[Concatenate[Registry, P], None]) -> Callable[..., None]:
        @place_options
        @functools.wraps(command)
        def with_registry(
            data: Path, database: Server | None, *args: P.args, **rest: P.kwargs
        ) -> None:
            with _opened(data, database, make=make) as registry:
                command(registry, *args, **rest)

        return with_registry

    return decorate


def operator() -> str:
    """Return who is at work here, as the audit log has it: by the system's name for the user."""
    number = os.getuid()
    try:
        return f"operator {pwd.getpwuid(number).pw_name}"
    except KeyError:  # as in a container
        return f"operator {number}"


def why(context: click.Context, parameter: click.Parameter, text: str) -> str:
    """Return a reason in one line; for ``callback`` of an option."""
    reason = " ".join(text.split())
    if not reason:
        raise click.BadParameter("say it in a few words: it is published")
    return reason


def owners(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Offer the names of the owners."""
    return _offered(
        context, incomplete, lambda registry: [owner.name for owner in registry.owners()]
    )


def bots(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Offer the names of the bots."""
    return _offered(context, incomplete, lambda registry: [bot.name for bot in registry.bots()])


def seasons(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Offer the names of the seasons."""
    return _offered(
        context, incomplete, lambda registry: [season.name for season in registry.seasons()]
    )


def _offered(
    context: click.Context, incomplete: str, names: Callable[[Registry], Iterable[str]]
) -> list[str]:
    """Return the names that begin so; none where the league cannot be read."""
    data, database = context.params.get("data"), context.params.get("database")
    try:
        # An older database is left as it is: nobody asked for more than names.
        with _opened(data or Path(DATA), database, migrate=False) as registry:
            return [name for name in names(registry) if name.startswith(incomplete)]
    except (ImportError, SandlotError):
        return []


@contextmanager
def _opened(
    data: Path, database: Server | None, *, make: bool = False, migrate: bool = True
) -> Iterator[Registry]:
    """Open the registry of a league.

    Raises:
        StoreError: there is none, and none is to be made.
    """
    from sandlot_server.league.places import DataFolder
    from sandlot_server.store import Registry, Store

    folder = DataFolder(data)
    place = folder.database if database is None else database
    made = (database is not None or folder.database.exists()) and Store.is_made(place)
    if not made and not make:
        where, option = (data, "--data") if database is None else (database, "--database")
        raise StoreError(
            f"there is no league in {where} yet: `sandlot admin owner add NAME` makes one, or name "
            f"another with {option}"
        )
    if not made and database is None:
        folder.make()
    with Store(place, create=make, migrate=migrate) as store:
        yield Registry(store)


def _server(text: Any) -> Server:
    place = text if isinstance(text, Server) else place_of(text)
    if isinstance(place, Path):
        raise StoreError(
            f"--database {text} is a file: give its folder with --data, or name "
            "postgresql://USER@HOST/NAME"
        )
    return place
