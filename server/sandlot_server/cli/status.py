"""``sandlot status``: the bots of an owner, and how they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from rich.text import Text

from sandlot.errors import CallError
from sandlot_server.cli.calling import server_option

if TYPE_CHECKING:
    from rich.console import Console

    from sandlot_server.cli.calling import League
    from sandlot_server.store.registered import OwnedBot
    from sandlot_server.tournament.standings import Row


@click.command()
@click.argument("bot", metavar="[BOT]", required=False)
@click.option("--all", "of_all", is_flag=True, help="The bots of all owners.")
@server_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
def status(bot: str | None, of_all: bool, server: str | None, as_json: bool) -> None:
    """Show how your bots stand.

    Of each bot the version that plays is shown, and those that have come after it, with rank and
    net in the season. With BOT all of its versions are, and why the last one was refused. Who may
    only read sees the bots of all.

    \b
    Examples:
      sandlot status
      sandlot status river-rat
    """
    from sandlot_server.cli import output
    from sandlot_server.cli.calling import League, login_for
    from sandlot_server.cli.versions_page import bot_json, bots_table

    if bot is not None and of_all:
        raise click.UsageError("--all is for the list of bots: leave out BOT, or --all.")
    with League(login_for(server)) as league:
        if bot is not None:
            found = _one(league, bot)
            rows = _rows(league)
            if as_json:
                output.print_json(bot_json(found, rows))
            else:
                _print_bot(found, rows, output.console())
            return
        owner = "" if of_all else _mine(league)
        bots = _bots(league, owner)
        rows = _rows(league) if bots else {}
    if as_json:
        output.print_json([bot_json(each, rows) for each in bots])
    elif not bots:
        click.echo("There is no bot yet; sandlot submit DIR hands one in.")
    else:
        output.print_table(output.console(), bots_table(bots, rows, owners=not owner))


def _mine(league: League) -> str:
    """Return the owner whose bots are to be shown; empty for the bots of all."""
    from sandlot.v1 import league_pb2 as pb

    owner = league.ask(pb.WhoAmIRequest(), pb.WhoAmIResponse).owner
    return "" if owner.role == "reader" else owner.name


def _bots(league: League, owner: str) -> list[OwnedBot]:
    from sandlot.v1 import league_pb2 as pb
    from sandlot_server.service.values import read_bot

    bots: list[OwnedBot] = []
    page = ""
    while True:
        request = pb.ListRequest(owner=owner, page_token=page)
        answer = league.ask(request, pb.ListResponse)
        bots += map(read_bot, answer.bots)
        page = answer.next_page_token
        if not page:
            return bots


def _one(league: League, name: str) -> OwnedBot:
    """Return a bot; of somebody else's what is public."""
    from sandlot.v1 import league_pb2 as pb
    from sandlot_server.service.values import read_bot

    try:
        return read_bot(league.ask(pb.StatusRequest(bot=name), pb.StatusResponse).bot)
    except CallError as error:
        if error.status != "PERMISSION_DENIED":
            raise
        for bot in _bots(league, ""):
            if bot.name == name:
                return bot
        raise


def _rows(league: League) -> dict[str, Row]:
    """Return the standings of the season by entrant; nothing where there is no season."""
    from sandlot.v1 import league_pb2 as pb
    from sandlot_server.service.tables import read_table

    try:
        answer = league.ask(pb.StandingsRequest(), pb.StandingsResponse)
    except CallError as error:
        if error.status != "NOT_FOUND":
            raise
        return {}
    return {row.bot: row for row in read_table(answer).standings.rows}


def _print_bot(bot: OwnedBot, rows: dict[str, Row], out: Console) -> None:
    from sandlot_server.cli.output import print_table
    from sandlot_server.cli.versions_page import history_table

    out.print(Text(f"{bot.name}, of {bot.owner}", "bold"))
    if bot.disqualified is not None:
        out.print(f"disqualified: {bot.disqualified}", soft_wrap=True)
    print_table(out, history_table(bot, rows))
    for version in bot.versions[-1:]:
        if version.reason:
            out.print(f"\n{version.entrant} is {version.status}: {version.reason}", soft_wrap=True)
        for line in version.account.splitlines():
            out.print(f"    {line}", soft_wrap=True)
