"""``sandlot export``: records out of the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click

from sandlot.errors import StoreError
from sandlot_server.cli import complete
from sandlot_server.cli.counting import many
from sandlot_server.cli.database import database_option
from sandlot_server.cli.outfile import out_given, write_out
from sandlot_server.cli.printable import printable
from sandlot_server.store.place import Place


@click.command()
@click.argument("out", metavar="OUT")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "phh"]),
    required=True,
    help="The record as it is, or hands for other poker programs.",
)
@database_option("The database: a file, or postgresql://USER@HOST/NAME.")
@click.option(
    "--tournament",
    metavar="NAME",
    shell_complete=complete.tournaments,
    help="The tournament; needed if there are several.",
)
@click.option("--match", metavar="ID", help="This match only, as in 3-12-1.")
@click.option("--force", is_flag=True, help="Overwrite OUT.")
def export(
    out: str, form: str, db: Place, tournament: str | None, match: str | None, force: bool
) -> None:
    """Write records out of the store.

    OUT is a file, or - for standard output. jsonl is the record itself, the same bytes as it was
    stored: replay and verify read it. phh is the Poker Hand History format, all hands in one file
    whose name ends in .phhs by custom; what it has no field for stands in fields that begin with _.

    \b
    Examples:
      sandlot export --format jsonl friday.jsonl
      sandlot export --format jsonl --match 3-12-1 - | sandlot replay -
      sandlot export --format phh --tournament friday friday.phhs
    """
    path = out_given(out, force=force)

    from sandlot_server.store import Store

    with Store(db) as store:
        name = store.tournament(tournament).name
        matches = Matches(name, (text for _, text in store.records(name, match)))
        texts = _phh(matches) if form == "phh" else matches
        write_out(path, texts)
    if path is None:
        return
    hint = f"; sandlot verify {out} checks them" if form == "jsonl" else ""
    matched = many(matches.number, "match", "matches")
    click.echo(printable(f"{matched} of {name} in {out}{hint}"))


class Matches:
    """The records of a tournament, counted as they pass.

    Raises:
        StoreError: there is none.
    """

    def __init__(self, tournament: str, texts: Iterable[str]) -> None:
        self.number = 0
        self._tournament = tournament
        self._texts = texts

    def __iter__(self) -> Iterator[str]:
        for text in self._texts:
            self.number += 1
            yield text
        if not self.number:
            raise StoreError(
                f"tournament {self._tournament!r} has no result yet, so there is nothing to export"
            )


def _phh(texts: Iterable[str]) -> Iterator[str]:
    from sandlot import phh
    from sandlot.records import read

    return phh.tables(record for text in texts for record in read(text))
