"""Each page of help as a newcomer sees it.

The pages lie in ``pages/``. When one is meant to change, renew them and read the difference::

    SANDLOT_RENEW_PAGES=1 python -m pytest tests/cli/test_help.py; git diff tests/cli/pages
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from support.command import Command, run_python

from sandlot_server.cli.commands import sandlot as root
from sandlot_server.cli.lazy import LazyGroup

PAGES = Path(__file__).parent / "pages"
RENEW = "SANDLOT_RENEW_PAGES" in os.environ


def commands(group: LazyGroup, *above: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of every command, those of groups before what is in them."""
    for entries in group.sections.values():
        for entry in entries:
            yield (*above, entry.name)
            inner = group.commands.get(entry.name)
            if isinstance(inner, LazyGroup):
                yield from commands(inner, *above, entry.name)


def group_of(path: tuple[str, ...]) -> LazyGroup:
    """Return the group that a command is in."""
    group = root
    for name in path[:-1]:
        inner = group.commands[name]
        assert isinstance(inner, LazyGroup)
        group = inner
    return group


NAMED = [*commands(root)]
EVERY = [(), *NAMED]
GROUPS = [path for path in NAMED if any(path == other[:-1] for other in NAMED)]
LEAVES = [path for path in NAMED if path not in GROUPS]

every = pytest.mark.parametrize("path", EVERY, ids=lambda path: "-".join(path) or "sandlot")
named = pytest.mark.parametrize("path", NAMED, ids="-".join)
leaves = pytest.mark.parametrize("path", LEAVES, ids="-".join)


@every
def test_the_help_of_a_command_is_the_page_we_mean(path: tuple[str, ...], sandlot: Command) -> None:
    ran = sandlot(*path, "--help")
    page = PAGES / f"{'-'.join(path) or 'sandlot'}.txt"
    if RENEW:
        page.write_text(ran.out, "utf-8")
    assert ran == (0, page.read_text("utf-8"), "")


def test_there_is_no_page_without_a_command() -> None:
    known = {f"{'-'.join(path) or 'sandlot'}.txt" for path in EVERY}
    assert {page.name for page in PAGES.iterdir()} == known


@every
def test_a_page_fits_80_columns_and_h_is_short_for_help(
    path: tuple[str, ...], sandlot: Command
) -> None:
    ran = sandlot(*path, "-h")
    assert ran == sandlot(*path, "--help")
    assert [line for line in ran.out.splitlines() if len(line) > 80] == []


@named
def test_the_line_in_the_list_is_the_first_line_of_the_page(path: tuple[str, ...]) -> None:
    group = group_of(path)
    context = click.Context(group)
    command = group.get_command(context, path[-1])
    entry = next(
        entry for entries in group.sections.values() for entry in entries if entry.name == path[-1]
    )
    assert command is not None
    assert command.name == path[-1]
    assert command.get_short_help_str(limit=200) == entry.short


HEAVY = ("grpc", "google.protobuf", "sqlalchemy", "scipy", "numpy", "structlog")
NOT_FOR_A_LIST = (*HEAVY, "rich", "msgspec", "asyncio", "sandlot", "importlib.metadata")


@pytest.mark.parametrize("arguments", [["-h"], *([*path, "--help"] for path in [(), *GROUPS])])
def test_the_list_of_commands_comes_up_at_once(arguments: list[str]) -> None:
    assert imported_by(arguments, NOT_FOR_A_LIST) == ""


@leaves
def test_no_help_page_waits_for_a_heavy_import(path: tuple[str, ...]) -> None:
    assert imported_by([*path, "--help"], HEAVY) == ""


def imported_by(arguments: list[str], modules: tuple[str, ...]) -> str:
    """Return which of the modules are there after the command has run in a fresh process."""
    ran = run_python(
        "-c",
        "import sys\n"
        "from sandlot_server.cli import main\n"
        f"status = main({arguments!r})\n"
        f"print(*sorted(sys.modules.keys() & set({modules!r})), file=sys.stderr, end='')\n"
        "sys.exit(status)\n",
    )
    assert ran.status == 0
    return ran.err
