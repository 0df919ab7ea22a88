"""A group of commands that imports each of them only when it is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem


class Entry(NamedTuple):
    """A line of a group's help: a command's name, its module in this package, what it does."""

    name: str
    module: str
    short: str


class LazyGroup(click.Group):
    """A click group that knows its commands by one line each until one of them is wanted.

    Args:
        name: the group's name.
        sections: the commands under their headings, in the order of the help. The module
            ``sandlot_server.cli.MODULE`` holds a click command under the command's name.
        groups: groups within this one; they have a line in the sections too.
    """

    def __init__(
        self,
        name: str,
        sections: Mapping[str, Iterable[Entry]],
        groups: Iterable[click.Group] = (),
        **settings: Any,
    ) -> None:
        super().__init__(name, **settings)
        self.sections = {heading: tuple(entries) for heading, entries in sections.items()}
        self._entries = {
            entry.name: entry for entries in self.sections.values() for entry in entries
        }
        for group in groups:
            self.add_command(group)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the help."""
        return list(self._entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, importing its module, or None if there is none of that name."""
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        entry = self._entries.get(cmd_name)
        if entry is None:
            return None
        command = getattr(import_module(f"sandlot_server.cli.{entry.module}"), cmd_name)
        assert isinstance(command, click.Command)
        self.add_command(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a command line; an unknown one is told the nearest name."""
        name = args[0]
        if name not in self._entries and not name.startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            near = get_close_matches(name, self._entries, n=1)
            raise click.exceptions.NoSuchCommand(name, possibilities=near, ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, importing none of them."""
        width = max(map(len, self._entries))
        for heading, entries in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(entry.name.ljust(width), entry.short) for entry in entries])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command or an option, importing no command."""
        found = [
            CompletionItem(entry.name, help=entry.short)
            for entry in self._entries.values()
            if entry.name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)
