"""``sandlot tournament plan``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sandlot_server.cli import complete
from sandlot_server.cli.output import console, new_table, print_json, print_table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from sandlot_server.tournament.balance import Audit
    from sandlot_server.tournament.schedule import Schedule


@click.command()
@click.argument(
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    shell_complete=complete.files_ending(".toml"),
)
@click.option("--all", "show_all", is_flag=True, help="Print every match, not only the first 20.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
def plan(file: Path, show_all: bool, as_json: bool) -> None:
    """Print the schedule and its audit; nothing is played.

    The audit counts for each bot: its matches, how often it sits in each seat, how many hands it
    deals, how many it plays at each distance from the dealer, whom it has on its left, and whom it
    meets. A spread of 0 says that all counts of a kind are equal. Where the file gives no seed, the
    orders of the tables are those of a seed of zeros: who meets whom is the same with any.

    \b
    Examples:
      sandlot tournament plan league.toml
      sandlot tournament plan league.toml --json
    """
    from sandlot_server.tournament.balance import audit
    from sandlot_server.tournament.league import read_league

    league = read_league(file)
    schedule = league.plan(league.seed or bytes(32))
    balance = audit(schedule.bots, schedule, league.hands)
    if as_json:
        print_json(
            {
                "tournament": league.name,
                "matches": [
                    {"match": each.match, "bots": each.bots, "first_dealer": each.first_dealer}
                    for each in schedule
                ],
                "audit": balance.to_json(),
            }
        )
        return
    out = console()
    _print_matches(out, schedule, show_all)
    out.print("\nThe audit, per bot", style="bold")
    print_table(out, _audit_table(balance))
    out.print("\nSpread: the most less the least, over all bots; 0 is even", style="bold")
    print_table(out, _spreads_table(balance))
    if league.seed is None:
        out.print("The file gives no seed: one is drawn when the tournament is run first.")


def _print_matches(out: Console, schedule: Schedule, show_all: bool) -> None:
    matches = list(schedule)
    shown = matches if show_all else matches[:20]
    seats = [f"seat {seat}" for seat in range(schedule.seats)]
    title = f"{len(matches):,} matches, {schedule.matches_a_round:,} a round"
    if len(shown) < len(matches):
        title += f"; the first {len(shown)} (all: --all)"
    table = new_table("match", *seats, "first dealer")
    for match in shown:
        table.add_row(match.match, *match.bots, f"seat {match.first_dealer}")
    out.print(title, style="bold")
    print_table(out, table)


def _audit_table(balance: Audit) -> Table:
    columns = ("bot", "matches", "in seat 0 1 ...", "deals", "places from the dealer 0 1 ...")
    rest = ("on its left", "met")
    table = new_table(*columns, *rest, right=("matches", "deals"))
    for bot in balance.bots:
        table.add_row(
            bot.bot,
            f"{bot.matches:,}",
            " ".join(map(str, bot.seats)),
            f"{bot.deals:,}",
            " ".join(map(str, bot.distances)),
            _range(bot.left),
            _range(bot.met),
        )
    return table


def _range(counts: dict[str, int]) -> str:
    """Return the least and the most of counts, or the one that all are."""
    if not counts:
        return "-"
    least, most = min(counts.values()), max(counts.values())
    return f"each {least:,}" if least == most else f"{least:,} to {most:,}"


def _spreads_table(balance: Audit) -> Table:
    spreads = balance.spreads
    table = new_table("matches", "seats", "deals", "distances", "left", "met")
    values = (
        spreads.matches,
        spreads.seats,
        spreads.deals,
        spreads.distances,
        spreads.left,
        spreads.met,
    )
    table.add_row(*map(str, values))
    return table
