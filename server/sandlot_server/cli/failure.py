"""How the command says that something went wrong: in one line, and with the right exit status."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, TextIO

import click

from sandlot.errors import SandlotError
from sandlot_server.cli.printable import printable, printable_lines

INSTALL: Final = "pip install 'sandlot[server]'"

EXTRA: Final = (
    "alembic",
    "grpc_health",
    "grpc_reflection",
    "numpy",
    "prometheus_client",
    "scipy",
    "sqlalchemy",
    "structlog",
)
"""The modules that come with the extra ``server``."""

UNWRITABLE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""Why a standard stream takes no more; an error of any other file names the file."""


def report(error: BaseException) -> int:
    """Tell a person on standard error what went wrong, and return the exit status.

    An error that is our own fault, and nobody's input, is raised again: its traceback is what
    somebody needs to mend it.
    """
    leaves = list(_leaves(error))
    if any(isinstance(leaf, KeyboardInterrupt) for leaf in leaves):
        return 130
    lost = _lost(sys.stdout)
    if all(isinstance(leaf, BrokenPipeError) for leaf in leaves):
        return 1
    told = [_told(leaf) for leaf in leaves]
    if None in told:
        raise error
    told += [_told(lost)] if lost is not None else []
    for each in dict.fromkeys(filter(None, told)):
        _say(each)
    return max(map(_status, leaves))


def _lost(stream: TextIO) -> OSError | None:
    """Return why what was printed cannot be written, as on a full disk, or None if it can.

    The stream leads nowhere then: what is still buffered would fail again when the interpreter
    closes it.
    """
    try:
        stream.flush()
    except OSError as error:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return error
    return None


def _say(text: str) -> None:
    with suppress(OSError):  # nobody can be told that standard error is full; the status says no
        click.echo(text, err=True)
    _lost(sys.stderr)


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
        return _line(f"{message}{stop}{where}")
    if isinstance(error, click.ClickException):
        return _line(error.format_message())
    if isinstance(error, click.Abort):
        return "Error: stopped; nothing more was done."
    if isinstance(error, SandlotError):
        account = getattr(error, "account", "").rstrip("\n")  # a bot's own words come first
        notes = getattr(error, "__notes__", [])  # and details, such as a difference, last
        before, after = ([printable_lines(text) for text in texts] for texts in ([account], notes))
        return "\n".join([*filter(None, before), _line(str(error)), *after])
    if isinstance(error, ImportError) and (error.name or "").split(".")[0] in EXTRA:
        return f"Error: this needs {error.name}, which is not installed: {INSTALL}"
    if isinstance(error, OSError) and error.filename is not None:
        return _line(f"{error.filename}: {error.strerror}")
    if isinstance(error, OSError) and error.errno in UNWRITABLE:
        return _line(f"{error.strerror}: not all of the output could be written")
    return None


def _line(text: str) -> str:
    """Return one line, whatever was in the file that it is about."""
    return f"Error: {printable(' '.join(text.splitlines()))}"
