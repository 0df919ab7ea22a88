"""``sandlot matches``."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final

import click
from rich.text import Text

from sandlot_server.cli.counting import Count
from sandlot_server.cli.output import console, new_table, print_json, print_table
from sandlot_server.cli.sources import MatchPage, name_option, opened, source_options
from sandlot_server.store.place import Place

if TYPE_CHECKING:
    from rich.table import Table

    from sandlot_server.store.registered import StoredMatch, StoredSeat

MOST: Final = 1000
"""Matches on a page, at most."""


@click.command()
@source_options
@name_option
@click.option("--bot", metavar="NAME", help="Only the matches of this bot; in a season also BOT@N.")
@click.option(
    "--most", type=Count(1, MOST), default=20, show_default=True, help="How many on a page."
)
@click.option("--page", metavar="PAGE", help="Another page: what the page before has named.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
def matches(
    db: Place,
    server: str | None,
    name: str | None,
    bot: str | None,
    most: int,
    page: str | None,
    as_json: bool,
) -> None:
    """List the matches that have been played.

    The one that was begun last comes first; of each seat place, bot, net and faults are shown.
    `sandlot record MATCH` fetches what was played, card by card.

    \b
    Examples:
      sandlot matches
      sandlot matches --bot river-rat --server
    """
    with opened(db, server) as source:
        found = source.matches(name, bot=bot, most=most, page=page)
    if as_json:
        print_json(
            {
                "tournament": found.tournament,
                "matches": [match_json(each) for each in found.matches],
                "next_page": found.following,
            }
        )
    elif not found.matches:
        which = "no match has been played yet" if page is None else "there are no more"
        click.echo(f"{found.tournament}: {which}")
    else:
        print_table(console(), matches_table(found))
        if found.following is not None:
            click.echo(f"\nThere are more: --page {shlex.quote(found.following)}")


def matches_table(page: MatchPage) -> Table:
    """Return a table of matches, with a column a seat."""
    seats = max(len(match.seats) for match in page.matches)
    table = new_table("match", "ended (UTC)", *[f"seat {seat}" for seat in range(seats)])
    for match in page.matches:
        ended = match.ended[:16].replace("T", " ")
        table.add_row(Text(match.match, "bold"), ended, *map(_seat_text, match.seats))
    return table


def _seat_text(seat: StoredSeat) -> Text:
    from sandlot_server.cli.standings_page import faults_text
    from sandlot_server.cli.table_view import signed

    style = "green" if seat.place == 1 else ""
    text = Text(f"{seat.place}. {seat.bot} {signed(seat.net)}", style)
    if seat.faults:
        text.append(f" ({faults_text(seat.faults)})", "red")
    return text


def match_json(match: StoredMatch) -> dict[str, Any]:
    """Return a match as plain values, for ``--json``."""
    return {
        "match": match.match,
        "attempt": match.attempt,
        "started": match.started,
        "ended": match.ended,
        "hands": match.hands,
        "digest": match.digest,
        "seats": [
            {
                "seat": number,
                "bot": seat.bot,
                "net": seat.net,
                "place": seat.place,
                "faults": dict(seat.faults),
            }
            for number, seat in enumerate(match.seats)
        ],
    }
