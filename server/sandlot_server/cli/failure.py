"""How the command says that something went wrong: in one line, and with the right exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Final

import click

from sandlot.errors import SandlotError

INSTALL: Final = "pip install 'sandlot[server]'"

EXTRA: Final = ("sqlalchemy", "structlog", "scipy", "numpy")
"""The modules that come with the extra ``server``."""


def report(error: BaseException) -> int:
    """Tell a person on standard error what went wrong, and return the exit status.

    An error that is our own fault, and nobody's input, is raised again: its traceback is what
    somebody needs to mend it.
    """
    leaves = list(_leaves(error))
    if any(isinstance(leaf, KeyboardInterrupt) for leaf in leaves):
        return 130
    if all(isinstance(leaf, BrokenPipeError) for leaf in leaves):
        # What is still buffered would fail again when the interpreter closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    told = [_told(leaf) for leaf in leaves]
    for each in told:
        if each is None:
            raise error
    for each in filter(None, told):
        click.echo(each, err=True)
    return max(map(_status, leaves))


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the errors themselves out of the groups that task groups wrap them in."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _status(error: BaseException) -> int:
    return error.exit_code if isinstance(error, click.ClickException) else 1


def _told(error: BaseException) -> str | None:
    """Return what is to be printed of an error, or None if it is none that we know."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return error.message  # the whole help: nothing was asked for
    if isinstance(error, click.UsageError):
        message = " ".join(error.format_message().split())  # choices are told in lines of their own
        stop = "" if message.endswith((".", "?", "?)")) else "."
        where = f" See: {error.ctx.command_path} --help" if error.ctx else ""
        return f"Error: {message}{stop}{where}"
    if isinstance(error, click.ClickException):
        return f"Error: {error.format_message()}"
    if isinstance(error, click.Abort):
        return "Error: stopped; nothing more was done."
    if isinstance(error, SandlotError):
        account = getattr(error, "account", "").rstrip("\n")  # a bot's own words come first
        notes = getattr(error, "__notes__", [])  # and details, such as a difference, last
        return "\n".join([*filter(None, [account]), f"Error: {error}", *notes])
    if isinstance(error, ImportError) and (error.name or "").split(".")[0] in EXTRA:
        return f"Error: this needs {error.name}, which is not installed: {INSTALL}"
    if isinstance(error, OSError) and error.filename is not None:
        return f"Error: {error.filename}: {error.strerror}"
    return None
