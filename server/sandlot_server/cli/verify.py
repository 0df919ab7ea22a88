"""``sandlot verify``: records checked against their seeds and the rules."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO, Final

import click

from sandlot.errors import RecordError, SandlotError
from sandlot.seeds import parse_seed
from sandlot_server.cli import complete
from sandlot_server.cli.counting import many
from sandlot_server.cli.printable import printable

LONG: Final = 1_000_000
"""Bytes of a file from which on a bar shows how far it is."""


@click.command()
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="FILE...",
    shell_complete=complete.files_ending(".jsonl"),
)
@click.option(
    "--tournament",
    "seed",
    metavar="SEED",
    help="The tournament's seed in hex: check that all comes from it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
def verify(files: tuple[str, ...], seed: str | None, as_json: bool) -> None:
    """Check records against their seeds and the rules.

    Each match is played again with the answers in the record: decks, events, money, places, faults
    and hashes must come out the same. The first difference in a FILE is named, and nothing is
    mended. With - for FILE, standard input is read.

    The exit status is 0 only if every file holds.

    \b
    Examples:
      sandlot verify friday.jsonl
      sandlot verify friday.jsonl --tournament 00112233445566778899aabbccddeeff
    """
    from sandlot_server.cli.mistaken import told_apart

    tournament_seed = None if seed is None else parse_seed(seed)
    found: list[dict[str, Any]] = []
    errors: list[SandlotError | OSError] = []
    for file in files:
        counted: dict[str, Any] = {
            "file": file,
            "ok": True,
            "matches": 0,
            "hands": 0,
            "decisions": 0,
        }
        try:
            with told_apart(file, RecordError):
                _verify_file(file, tournament_seed, counted)
        except (RecordError, OSError) as error:
            errors.append(error)
            counted |= {
                "ok": False,
                "error": str(error),
                "line": getattr(error, "line", None),
                "path": getattr(error, "path", ""),
            }
        found.append(counted)
        if not as_json and counted["ok"]:
            click.echo(
                f"{printable(file)}: ok: {many(counted['matches'], 'match', 'matches')}, "
                f"{many(counted['hands'], 'hand')}, {many(counted['decisions'], 'decision')}"
            )
    if as_json:
        from sandlot_server.cli import output

        output.print_json(found)
    if errors:
        raise errors[0] if len(errors) == 1 else ExceptionGroup("records that do not hold", errors)


def _verify_file(file: str, tournament_seed: bytes | None, counted: dict[str, Any]) -> None:
    """Verify one file and count what holds, as far as it does."""
    from sandlot import records

    with nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb") as source:
        size = 0 if file == "-" else Path(file).stat().st_size
        with _Bar(file, size) as advance:
            for match in records.verify(source, tournament_seed):
                counted["matches"] += 1
                counted["hands"] += match.hands
                counted["decisions"] += match.decisions
                advance(source)


class _Bar:
    """A bar on standard error for a long file, if a person is looking."""

    def __init__(self, file: str, size: int) -> None:
        self._progress = None
        if size >= LONG and sys.stderr.isatty():
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            from sandlot_server.cli import output

            self._progress = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f}%"),
                TimeRemainingColumn(),
                console=output.console(stderr=True),
                transient=True,
            )
            self._task = self._progress.add_task(file, total=size)

    def __enter__(self) -> Callable[[BinaryIO], None]:
        if self._progress is None:
            return lambda source: None
        self._progress.start()
        return self._advance

    def _advance(self, source: BinaryIO) -> None:
        assert self._progress is not None
        self._progress.update(self._task, completed=source.tell())

    def __exit__(self, *exception: object) -> None:
        if self._progress is not None:
            self._progress.stop()
