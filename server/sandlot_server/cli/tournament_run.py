"""``sandlot tournament run``."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

import click

from sandlot.errors import LeagueError
from sandlot_server.cli import complete
from sandlot_server.cli.counting import Count
from sandlot_server.cli.database import database_option
from sandlot_server.cli.output import console, print_json
from sandlot_server.cli.stopping import stoppable
from sandlot_server.store.place import Place

TABLES: Final = 16
"""Matches under way at once, where ``--tables`` is absent: enough to keep a bot and the arbiter
busy, and few enough that a bot which thinks for a while is not asked more than it can bear."""


@click.command()
@click.argument(
    "file",
    type=click.Path(path_type=Path),
    shell_complete=complete.files_ending(".toml"),
)
@database_option("The database, a file or postgresql://USER@HOST/NAME; made if it is not there.")
@click.option(
    "--workers",
    type=Count(1, 64),
    default=1,
    show_default=True,
    help="Arbiter processes, each with bots of its own.",
)
@click.option(
    "--tables",
    type=Count(1, 1024),
    default=TABLES,
    show_default=True,
    help="Matches under way at once, over all workers.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the standings as JSON, for scripts.")
def run(file: Path, db: Place, workers: int, tables: int, as_json: bool) -> None:
    """Play what is not yet played, then print the standings.

    Every bot runs in a process of its own and plays over gRPC. Results and records go into the
    database, a match at a time: stop whenever you like, and the same command goes on where it was.
    What a bot prints, its tracebacks and an account of each of its faults are in its log, beside
    the database, or here if that is on a server. The bots of a league file run as you, unless it
    says sandbox = true: play only files that you trust.

    \b
    Examples:
      sandlot tournament run league.toml
      sandlot tournament run league.toml --db friday.db --tables 64
      sandlot tournament run league.toml --workers 2
      sandlot tournament run league.toml --db postgresql://me@db.example/sandlot
    """
    with stoppable():
        from sandlot_server.cli.mistaken import told_apart
        from sandlot_server.cli.running import run_league
        from sandlot_server.tournament.league import read_league

        with told_apart(str(file), LeagueError):
            league = read_league(file)
        run_league(league, db, workers=workers, tables=tables)
    from sandlot_server.store import Store
    from sandlot_server.tournament.table import table_of

    with Store(db) as store:
        table = table_of(store, league.name)
    if as_json:
        print_json(table.to_json())
        return
    from sandlot_server.cli.standings_page import print_standings

    print_standings(console(), table)
    _print_next(db, league.name)


def _print_next(db: Place, tournament: str) -> None:
    """Print the commands that a newcomer may want next."""
    where = "" if str(db) == complete.DATABASE else f" --db {shlex.quote(str(db))}"
    which = f"{where} --tournament {shlex.quote(tournament)}"
    click.echo(
        "\nNext, for example:\n"
        f"  sandlot export{which} --format jsonl {tournament}.jsonl\n"
        f"  sandlot replay {tournament}.jsonl\n"
        f"  sandlot verify {tournament}.jsonl\n"
        f"  sandlot standings{which} --json"
    )
