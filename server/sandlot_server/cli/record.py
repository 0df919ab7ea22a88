"""``sandlot record``."""

from __future__ import annotations

import click

from sandlot_server.cli.outfile import out_given, write_out
from sandlot_server.cli.printable import printable
from sandlot_server.cli.sources import name_option, opened, source_options
from sandlot_server.store.place import Place


@click.command()
@click.argument("match", metavar="MATCH")
@click.argument("out", metavar="[OUT]", default="-")
@source_options
@name_option
@click.option("--force", is_flag=True, help="Overwrite OUT.")
def record(
    match: str, out: str, db: Place, server: str | None, name: str | None, force: bool
) -> None:
    """Fetch the record of a match.

    MATCH is called as `sandlot matches` lists it, as in 3-12-1; OUT is a file, or standard output
    if absent. Once a match is over anybody may see all of its cards, and check by `sandlot verify`
    that each came from what was committed to before the first.

    \b
    Examples:
      sandlot record 3-12-1 match.jsonl
      sandlot record 3-12-1 --server | sandlot replay -
    """
    path = out_given(out, force=force)
    with opened(db, server) as source:
        text = source.record(name, match)
    write_out(path, [text])
    if path is not None:
        click.echo(printable(f"{match} in {out}; sandlot replay {out} shows it"))
