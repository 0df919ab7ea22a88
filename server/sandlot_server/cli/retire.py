"""``sandlot retire``: a bot taken out of the league by its owner."""

from __future__ import annotations

import sys

import click

from sandlot_server.cli.calling import server_option
from sandlot_server.cli.printable import printable


@click.command()
@click.argument("bot")
@click.option("--yes", is_flag=True, help="Do not ask.")
@server_option
def retire(bot: str, yes: bool, server: str | None) -> None:
    """Take a bot out of the league.

    It plays no more, and what it has played stays in the standings. Submit its next version to have
    it play again.

    \b
    Examples:
      sandlot retire river-rat
    """
    from sandlot.v1 import league_pb2 as pb
    from sandlot_server.cli.calling import League, login_for

    login = login_for(server)
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError("Nobody is there to be asked: add --yes.")
        click.confirm(printable(f"Take {bot} out of the league?"), abort=True, err=True)
    with League(login) as league:
        stopped = league.ask(pb.RetireRequest(bot=bot), pb.RetireResponse).stopped
    if not stopped:
        click.echo(printable(f"{bot} did not play; nothing has changed."))
    for version in stopped:
        click.echo(printable(f"{version.bot}@{version.number} is {version.status}."))
