"""What the shell offers when a value is completed: bots, files of a kind, tournaments.

Each is a ``shell_complete`` for a click option or argument::

    @click.argument("bots", nargs=-1, shell_complete=complete.bots)

They run while a person waits for the Tab key, so they read names and import no bot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from pkgutil import iter_modules
from typing import Final, TypeAlias

import click

import sandlot_bots
from sandlot.errors import SandlotError

DATABASE: Final = "sandlot.db"
"""The database of a command that is given no ``--db``: in the folder one is in."""

Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[str]]


def house_bots() -> list[str]:
    """Return the names of the house bots."""
    found = iter_modules(sandlot_bots.__path__)
    return [module.name for module in found if not module.name.startswith("_")]


def bots(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Offer the house bots and the Python files here."""
    house = [name for name in house_bots() if name.startswith(incomplete)]
    return house + list(_files(incomplete, (".py",)))


def bots_or_folders(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """Offer the house bots, the Python files here, and the folders with a ``bot.toml``."""
    places = [file.rpartition("/") for file in _files(incomplete, (".toml",))]
    folders = [folder for folder, _, file in places if file == "bot.toml"]
    found = [folder for folder in folders if folder and folder.startswith(incomplete)]
    return bots(context, parameter, incomplete) + found


def files_ending(*suffixes: str) -> Completer:
    """Return a completer of files that end so, as in ``files_ending(".jsonl")``."""

    def offer(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        return list(_files(incomplete, suffixes))

    return offer


def tournaments(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Offer the tournaments in the database that ``--db`` names; none if it cannot be read."""
    try:
        from sandlot_server.store import Store  # the one completion that needs the server extra

        # An older database is left as it is: nobody asked for more than names.
        with Store(context.params.get("db") or Path(DATABASE), migrate=False) as store:
            names = [tournament.name for tournament in store.tournaments()]
    except (ImportError, SandlotError):
        return []
    return [name for name in names if name.startswith(incomplete) and name.isprintable()]


def _files(incomplete: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    """Yield the files that begin so, and those one folder further down.

    A folder itself is not offered: the shell would put a space behind it and take it as done.
    """
    folder, _, begun = incomplete.rpartition("/")
    prefix = incomplete[: len(incomplete) - len(begun)]
    here = Path(folder or ("/" if prefix else "."))
    for path in _entries(here):
        if not path.name.startswith(begun):
            continue
        if path.is_dir():
            for inner in _entries(path):
                if inner.suffix in suffixes and inner.is_file():
                    yield f"{prefix}{path.name}/{inner.name}"
        elif path.suffix in suffixes:
            yield prefix + path.name


def _entries(folder: Path) -> list[Path]:
    """Return what lies in a folder in order, but nothing hidden; nothing if it cannot be read.

    Nor what a terminal would obey, in place of showing it.
    """
    try:
        names = [path for path in folder.iterdir() if path.name.isprintable()]
    except OSError:
        return []
    return sorted(path for path in names if not path.name.startswith((".", "__")))
