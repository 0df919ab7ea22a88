"""``sandlot tournament plan``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click

from sandlot.errors import LeagueError
from sandlot_server.cli import complete
from sandlot_server.cli.database import database_option
from sandlot_server.cli.output import console, new_table, print_json, print_table
from sandlot_server.store.place import Place

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from sandlot_server.store import StoredTournament
    from sandlot_server.tournament.balance import Audit
    from sandlot_server.tournament.league import League
    from sandlot_server.tournament.schedule import Schedule

EXAMPLE: Final = bytes(32)
"""The seed that orders the tables of a plan where none is drawn yet."""


@click.command()
@click.argument(
    "file",
    type=click.Path(path_type=Path),
    shell_complete=complete.files_ending(".toml"),
)
@database_option(
    "The database of a tournament under way: a file, or postgresql://USER@HOST/NAME.  "
    f"[default: {complete.DATABASE}, if it is there]",
    default=None,
)
@click.option("--all", "show_all", is_flag=True, help="Print every match, not only the first 20.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for scripts.")
def plan(file: Path, db: Place | None, show_all: bool, as_json: bool) -> None:
    """Print the schedule and its audit; nothing is played.

    The audit counts for each bot: its matches, how often it sits in each seat, how many hands it
    deals, how many it plays at each distance from the dealer, whom it has on its left, and whom it
    meets. A spread of 0 says that all counts of a kind are equal.

    Of a tournament under way the plan is what was begun, with the seed in the database. Where the
    seed is not yet drawn, the orders of the tables are those of an example: who meets whom is the
    same with any.

    \b
    Examples:
      sandlot tournament plan league.toml
      sandlot tournament plan league.toml --db friday.db --json
    """
    from sandlot_server.cli.mistaken import told_apart
    from sandlot_server.tournament.balance import audit
    from sandlot_server.tournament.league import read_league

    with told_apart(str(file), LeagueError):
        league = read_league(file)
    planned = _planned(league, db)
    schedule = planned.schedule
    balance = audit(schedule.bots, schedule, planned.hands)
    if as_json:
        print_json(
            {
                "tournament": planned.tournament,
                "seed": planned.seed,
                "differences": planned.differences,
                "matches": [
                    {"match": each.match, "bots": each.bots, "first_dealer": each.first_dealer}
                    for each in schedule
                ],
                "audit": balance.to_json(),
            }
        )
        return
    out = console()
    _print_matches(out, planned, show_all)
    out.print("\nThe audit, per bot", style="bold")
    print_table(out, _audit_table(balance))
    out.print("\nSpread: the most less the least, over all bots; 0 is even", style="bold")
    print_table(out, _spreads_table(balance))


@dataclass(frozen=True)
class _Planned:
    """What is to be played, and where its seed comes from."""

    tournament: str
    schedule: Schedule
    hands: int
    seed: Literal["file", "stored", "example"]
    db: Place | None = None
    differences: tuple[str, ...] = ()
    """How the league file differs from what was begun."""

    def notes(self) -> Iterator[str]:
        """Yield what a person must know before the schedule."""
        if self.seed == "example":
            yield "The seed is not yet drawn: the order shown is that of an example seed."
        if self.seed == "stored":
            yield f"{self.tournament} is under way: this is the plan kept in {self.db}."
        if self.differences:
            changes = "; ".join(self.differences)
            yield f"The league file differs, and run will refuse it: {changes}."


def _planned(league: League, db: Place | None) -> _Planned:
    """Return the plan of the tournament as it was begun, or as it would be."""
    place = db or Path(complete.DATABASE)
    stored = _stored(league.name, db)
    if stored is None:
        schedule = league.plan(league.seed or EXAMPLE)
        seed: Literal["file", "example"] = "file" if league.seed else "example"
        return _Planned(league.name, schedule, league.hands, seed)
    from sandlot_server.tournament.schedule import Schedule

    begun = stored.configuration
    schedule = Schedule(
        tuple([bot.name for bot in stored.bots]),
        begun["seats"],
        max(stored.rounds, league.rounds),
        stored.seed,
        begun["schedule"].partition("/")[0],
    )
    differences = tuple(_differences(league, stored))
    return _Planned(league.name, schedule, begun["hands"], "stored", place, differences)


def _stored(tournament: str, db: Place | None) -> StoredTournament | None:
    """Return a tournament as it was begun; None if no database is named and it is not here."""
    here = Path(complete.DATABASE)
    if db is None and not here.is_file():
        return None
    from sandlot_server.store import Store

    if db is None and not Store.is_made(here):
        return None
    with Store(db or here) as store:
        if db is None and all(each.name != tournament for each in store.tournaments()):
            return None
        store.check_no_season(tournament)
        return store.tournament(tournament)


def _differences(league: League, stored: StoredTournament) -> Iterator[str]:
    """Yield in words what of a league file is not as it was begun."""
    from sandlot_server.tournament.league import difference

    yield from difference(stored.configuration, league.configuration())
    if league.rounds < stored.rounds:
        yield f"rounds {stored.rounds} -> {league.rounds}"
    if league.seed not in (None, stored.seed):
        yield "another seed"


def _print_matches(out: Console, planned: _Planned, show_all: bool) -> None:
    schedule = planned.schedule
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
    for note in planned.notes():
        out.print(note, soft_wrap=True)
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
