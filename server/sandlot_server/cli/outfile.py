"""``OUT``: the file that a command writes records to, or standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

import click


def out_given(out: str, *, force: bool) -> Path | None:
    """Return the file that an argument names; None is standard output, written ``-``.

    Raises:
        UsageError: nothing can be written there, or it is there already and ``force`` is not given.
    """
    if out == "-":
        return None
    path = Path(out)
    if path.is_dir():
        raise click.UsageError(f"{out} is a directory: name a file in it.")
    if not path.parent.is_dir():
        raise click.UsageError(f"There is no directory {path.parent} to write {out} in.")
    if path.exists() and not force:
        raise click.UsageError(f"{out} is there already: choose another file, or add --force.")
    return path


def write_out(path: Path | None, texts: Iterable[str]) -> None:
    """Write a file whole or not at all; what is no plain file, as a pipe, is written into."""
    from sandlot_server.cli.output import writing_to

    if path is None:
        sys.stdout.buffer.writelines(text.encode() for text in texts)
        return
    if path.exists() and not path.is_file():
        with writing_to(path), path.open("wb") as file:
            file.writelines(text.encode() for text in texts)
        return
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with writing_to(path), part.open("xb") as file:
            file.writelines(text.encode() for text in texts)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
