"""``sandlot admin season``: what is played in a league, from when, and to what end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sandlot.game import VARIANTS
from sandlot.seeds import parse_seed
from sandlot_server.cli.counting import Count
from sandlot_server.cli.durations import Duration
from sandlot_server.cli.in_league import in_league, operator, seasons
from sandlot_server.cli.output import Plain, console, new_table, print_json, print_table
from sandlot_server.store.registered import Season

if TYPE_CHECKING:
    from sandlot_server.store import Registry
    from sandlot_server.tournament.standings import RankBy


@click.command()
@click.argument("name")
@click.option(
    "--variant",
    type=click.Choice([*VARIANTS]),
    default="baseball",
    show_default=True,
    help="The game.",
)
@click.option("--seats", type=Count(2), default=2, show_default=True, help="Seats a table.")
@click.option("--hands", type=Count(), default=8, show_default=True, help="Hands a match.")
@click.option(
    "--decision", type=Duration(), default="1s", show_default=True, help="For each decision."
)
@click.option(
    "--bank", type=Duration(), default="10s", show_default=True, help="For a match, beyond that."
)
@click.option(
    "--strikes",
    type=Count(),
    default=3,
    show_default=True,
    help="Faults that put a seat out of a match.",
)
@click.option(
    "--rank-by",
    type=click.Choice(["net", "places"]),
    default="net",
    show_default=True,
    help="Mean net a hand, or share of first places.",
)
@click.option("--anonymous", is_flag=True, help="Tell bots seats instead of names.")
@click.option("--no-house", is_flag=True, help="Leave out the bots that come with Sandlot.")
@click.option(
    "--no-apart", is_flag=True, help="Let bots of one owner share tables of three and more."
)
@click.option(
    "--every",
    type=Duration(),
    default="10s",
    show_default=True,
    help="The least time from one round to the next.",
)
@click.option("--seed", metavar="HEX", help="Where all chance comes from; drawn if absent.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
@in_league(make=True)
def start(
    registry: Registry,
    name: str,
    variant: str,
    seats: int,
    hands: int,
    decision: float,
    bank: float,
    strikes: int,
    rank_by: RankBy,
    anonymous: bool,
    no_house: bool,
    no_apart: bool,
    every: float,
    seed: str | None,
    as_json: bool,
) -> None:
    """Start a season.

    All bots that are active play in it, and those to come. There is one season at a time: close
    the last one first. What is said here holds to its end. Publish the commitment that is printed:
    the seed, which `sandlot standings --seed` tells when the season is closed, must fit it.

    The league is made if there is none yet.

    \b
    Examples:
      sandlot admin season start spring
      sandlot admin season start summer --seats 4 --decision 250ms --every 1m
    """
    from sandlot.clock import Clock
    from sandlot_server.league.settings import SeasonSettings

    settings = SeasonSettings(
        variant=variant,
        seats=seats,
        hands=hands,
        clock=Clock(decision, bank),
        strikes=strikes,
        rank_by=rank_by,
        anonymous=anonymous,
        house=not no_house,
        apart=not no_apart,
        every=every,
    )
    raw = None if seed is None else parse_seed(seed)
    season = registry.start_season(name, settings.configuration(), operator(), raw)
    if as_json:
        print_json(_plain(season))
    else:
        click.echo(f"season {name} is open; commitment {season.commitment}")


@click.command()
@click.argument("name", shell_complete=seasons)
@in_league()
def pause(registry: Registry, name: str) -> None:
    """Let no match of a season begin until it is resumed.

    Matches under way go on to their end.

    \b
    Examples:
      sandlot admin season pause spring
    """
    registry.pause_season(name, operator())
    click.echo(f"season {name} is paused; `sandlot admin season resume {name}` lets it go on")


@click.command()
@click.argument("name", shell_complete=seasons)
@in_league()
def resume(registry: Registry, name: str) -> None:
    """Let a paused season go on.

    \b
    Examples:
      sandlot admin season resume spring
    """
    registry.resume_season(name, operator())
    click.echo(f"season {name} is open")


@click.command()
@click.argument("name", shell_complete=seasons)
@in_league()
def close(registry: Registry, name: str) -> None:
    """End a season for good.

    Matches under way still count. From then on `sandlot standings --seed` tells the seed, and
    another season can be started.

    \b
    Examples:
      sandlot admin season close spring
    """
    registry.close_season(name, operator())
    click.echo(f"season {name} is closed; `sandlot admin season start NAME` starts another")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
@in_league()
def list(registry: Registry, as_json: bool) -> None:  # noqa: A001 - the command's name
    """Print the seasons.

    \b
    Examples:
      sandlot admin season list
    """
    found = registry.seasons()
    if as_json:
        print_json(_plain(season) for season in found)
        return
    columns = ("season", "status", "variant", "seats", "hands", "rounds", "started", "closed")
    table = new_table(*columns, right=["seats", "hands", "rounds"])
    for season in found:
        said = season.configuration
        table.add_row(
            season.name,
            season.status,
            said["variant"],
            str(said["seats"]),
            str(said["hands"]),
            f"{season.rounds:,}",
            season.created,
            season.closed or "-",
        )
    print_table(console(), table)


def _plain(season: Season) -> dict[str, Plain]:
    """Return a season as plain values; not its seed, which tells all cards to come."""
    return {
        "name": season.name,
        "status": season.status,
        "rounds": season.rounds,
        "commitment": season.commitment,
        "created": season.created,
        "closed": season.closed,
        "configuration": season.configuration,
    }
