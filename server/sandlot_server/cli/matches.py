"""``sandlot matches``."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import click
from rich.text import Text

from sandlot_server.cli.counting import Count
from sandlot_server.cli.output import console, new_table, print_json, print_json_line, print_table
from sandlot_server.cli.sources import MatchPage, Source, name_option, opened, source_options
from sandlot_server.store.place import Place

if TYPE_CHECKING:
    from rich.table import Table

    from sandlot_server.store.registered import StoredMatch, StoredSeat

MOST: Final = 1000
"""Matches on a page, at most."""

EVERY: Final = 1.0
"""Seconds between two looks with ``--next``."""

LOOKED_AT: Final = 100
"""Matches on a page of such a look."""


@click.command()
@source_options
@name_option
@click.option("--bot", metavar="NAME", help="Only the matches of this bot; in a season also BOT@N.")
@click.option(
    "--most", type=Count(1, MOST), default=20, show_default=True, help="How many on a page."
)
@click.option("--page", metavar="PAGE", help="Another page: what the page before has named.")
@click.option(
    "--next",
    "coming",
    metavar="N",
    type=Count(),
    help="Wait for the next N, and print each when it is over.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
def matches(
    db: Place,
    server: str | None,
    name: str | None,
    bot: str | None,
    most: int,
    page: str | None,
    coming: int | None,
    as_json: bool,
) -> None:
    """List the matches that have been played.

    The one that was begun last comes first; of each seat place, bot, net and faults are shown.
    `sandlot record MATCH` fetches what was played, card by card.

    \b
    Examples:
      sandlot matches
      sandlot matches --bot river-rat --server
      sandlot matches --bot river-rat --server --next 20
    """
    if coming is not None:
        if page is not None:
            raise click.UsageError("--page is of matches that are over: leave it out, or --next.")
        with opened(db, server) as source:
            for each in islice(later(source, name, bot), coming):
                _print_line(each, as_json)
        return
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


def later(source: Source, name: str | None, bot: str | None) -> Iterator[StoredMatch]:
    """Yield the matches that end from now on, as they end, for ever.

    Args:
        source: where they are looked for, every `EVERY` seconds.
        name: of which tournament; None for the one that the source takes at first.
        bot: only those that it sits in; None for all.

    """
    first = source.matches(name, bot=bot, most=LOOKED_AT, page=None)
    known = {_key(match) for match in first.matches}
    since = max((match.ended for match in first.matches), default="")
    while True:
        found = list(_unknown(source, first.tournament, bot, known, since))
        known.update(map(_key, found))
        yield from sorted(found, key=lambda match: match.ended)
        time.sleep(EVERY)


def _unknown(
    source: Source, name: str, bot: str | None, known: set[tuple[str, int]], since: str
) -> Iterator[StoredMatch]:
    """Yield those that are not known and ended since then, from the pages that have any."""
    page = None
    while True:
        found = source.matches(name, bot=bot, most=LOOKED_AT, page=page)
        new = [match for match in found.matches if _key(match) not in known]
        new = [match for match in new if match.ended >= since]
        yield from new
        page = found.following
        if not new or page is None:
            return


def _key(match: StoredMatch) -> tuple[str, int]:
    return match.match, match.attempt


def _print_line(match: StoredMatch, as_json: bool) -> None:
    if as_json:
        print_json_line(match_json(match))
    else:
        line = Text(f"{match.match}: ")
        line.append_text(Text(", ").join(map(_seat_text, match.seats)))
        console().print(line, soft_wrap=True)
    sys.stdout.flush()


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
