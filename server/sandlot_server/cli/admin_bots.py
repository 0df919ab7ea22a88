"""``sandlot admin disqualify`` and ``void``: what an operator takes out of a league, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sandlot.errors import StoreError
from sandlot_server.cli.in_league import bots, in_league, operator, seasons, why

if TYPE_CHECKING:
    from sandlot_server.store import Registry


@click.command()
@click.argument("bot", shell_complete=bots)
@click.option("--reason", required=True, callback=why, help="Why; everybody can read it.")
@in_league()
def disqualify(registry: Registry, bot: str, reason: str) -> None:
    """Let a bot play no more, in no version to come.

    What it has played stays in the standings, where it is marked. `sandlot admin void` takes a
    match out.

    \b
    Examples:
      sandlot admin disqualify river-rat --reason "plays into fox's hands"
    """
    registry.disqualify(bot, reason, operator())
    click.echo(f"{bot} is disqualified: {reason}")


@click.command()
@click.argument("match")
@click.option("--reason", required=True, callback=why, help="Why; everybody can read it.")
@click.option(
    "--season",
    metavar="NAME",
    shell_complete=seasons,
    help="Its season; the one that is not closed if absent.",
)
@in_league()
def void(registry: Registry, match: str, reason: str, season: str | None) -> None:
    """Take the result of a match out of a season.

    It counts nowhere any more; its record is kept in the store. While its round is under way, the
    match is played again, with other cards.

    \b
    Examples:
      sandlot admin void 12-3-1 --reason "the server's clock stood still"
      sandlot admin void 12-3-1 --season spring --reason "collusion"
    """
    found = registry.season(season)
    if found is None:
        raise StoreError("no season is under way: name the match's with --season NAME")
    registry.void_match(found.name, match, reason, operator())
    click.echo(f"match {match} of {found.name} is void: {reason}")
