"""``sandlot standings``."""

from __future__ import annotations

import click

from sandlot.errors import StoreError
from sandlot_server.cli.output import console, print_json
from sandlot_server.cli.sources import name_option, opened, source_options
from sandlot_server.store.place import Place


@click.command()
@source_options
@name_option
@click.option(
    "--seed", "with_seed", is_flag=True, help="Print the seed, too: it tells all cards to come."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
def standings(
    db: Place, server: str | None, name: str | None, with_seed: bool, as_json: bool
) -> None:
    """Print the table of a tournament.

    Bots are ranked by mean net units a hand, or by their share of first places if the league file
    says so; both are shown with their 95 % intervals (Student's t, the match being the unit). Equal
    bots share a rank. A ~ behind the rank marks a bot that is not to be told apart from the one
    above it: the 95 % interval of their difference in net, over the matches they shared, holds 0.
    A ^ marks one that is ahead of the one above it in those matches.

    The rating tells by the places taken how often a bot ends above others, from all matches at
    once: 1500 is the mean of the bots, and 400 points between two are odds of ten to one.

    \b
      rank  bot     net a hand *         first    rating  matches  ...
        1   odds  +1.352 ±0.310  61.3 ±6.2 %  1555 ±29      240
        2~  tight +1.288 ±0.295  58.8 ±6.3 %  1541 ±29      240
        3   loose -2.640 ±0.402  29.9 ±5.8 %  1404 ±30      240

    Here loose is behind, and it is open which of odds and tight is better. Of many pairs of bots
    that are alike, about 5 in 100 are told apart by chance.

    Publish the seed when no more rounds are to be played: with it anybody can check by `sandlot
    verify --tournament SEED` that every card came from what was committed to before play. That of
    a season is not told before it is closed.

    \b
    Examples:
      sandlot standings
      sandlot standings --tournament friday --json
      sandlot standings --server
    """
    if with_seed and server is not None:
        raise click.UsageError("--seed is in a database here; a server tells it to nobody.")
    with opened(db, server) as source:
        table = source.table(name)
    season = table.tournament.season
    if with_seed and season not in (None, "closed"):
        name = table.tournament.name
        raise StoreError(
            f"season {name!r} is {season}, and its seed tells all cards to come: close it first, "
            f"with `sandlot admin season close {name}`"
        )
    if as_json:
        seed = {"seed": table.tournament.seed.hex()} if with_seed else {}
        print_json(table.to_json() | seed)
    else:
        from sandlot_server.cli.standings_page import print_standings

        print_standings(console(), table)
        if with_seed:
            click.echo(f"seed {table.tournament.seed.hex()}")
