"""The standings as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sandlot_server.cli.output import new_table
from sandlot_server.tournament.standings import Mean, Standings
from sandlot_server.tournament.table import TournamentTable

MOST_IN_GRID = 16
"""The most bots for which the grid still fits a wide terminal; --json has it for any number."""


def standings_table(standings: Standings, title: str) -> Table:
    """Return the table: rank, bot, mean net a hand, share of first places, places, faults."""
    by_net = standings.rank_by == "net"
    columns = [
        "rank",
        "bot",
        f"net a hand{' *' if by_net else ''}",
        "95 % interval",
        f"first places{'' if by_net else ' *'}",
        "95 % interval ",
        "matches",
        "hands",
        "places 1st 2nd ...",
        "faults",
    ]
    right = [column for column in columns if column not in ("bot", "faults", "places 1st 2nd ...")]
    table = new_table(*columns, right=right, title=title)
    seats = max((place for row in standings.rows for place in row.places), default=0)
    for row in standings.rows:
        table.add_row(
            "-" if row.rank is None else str(row.rank),
            Text(row.bot, style="bold"),
            signed(row.net),
            interval(row.net),
            "-" if row.first_places is None else f"{float(row.first_places.value):.1%}",
            share_interval(row.first_places),
            f"{row.matches:,}",
            f"{row.hands:,}",
            " ".join(str(row.places.get(place, 0)) for place in range(1, seats + 1)),
            faults_text(row.faults),
        )
    return table


def head_to_head_table(standings: Standings) -> Table:
    """Return the grid: mean of own net less the other's a match; * where 0 is not within it."""
    names = [row.bot for row in standings.rows]
    met = {(each.bot, each.other): each for each in standings.meetings}
    title = "Head to head, row against column: net difference a match (* its interval excludes 0)"
    table = new_table("", *names, right=names, title=title)
    for bot in names:
        cells = []
        for other in names:
            meeting = met.get((bot, other))
            cells.append(Text("") if meeting is None else _difference(meeting.difference))
        table.add_row(Text(bot, style="bold"), *cells)
    return table


def _difference(mean: Mean) -> Text:
    clear = mean.interval is not None and not mean.interval[0] <= 0 <= mean.interval[1]
    style = ("green" if mean.value > 0 else "red") if clear else ""
    return Text(f"{float(mean.value):+.2f}{'*' if clear else ' '}", style)


def signed(mean: Mean | None) -> str:
    """Return a mean with its sign, or a dash where there is none.

    >>> signed(Mean(Fraction(1, 2), None)), signed(None)
    ('+0.500', '-')
    """
    return "-" if mean is None else f"{float(mean.value):+.3f}"


def interval(mean: Mean | None) -> str:
    """Return an interval as ``-0.120 .. +0.310``, or a dash where there is none."""
    if mean is None or mean.interval is None:
        return "-"
    low, high = mean.interval
    return f"{low:+.3f} .. {high:+.3f}"


def share_interval(mean: Mean | None) -> str:
    """Return the interval of a share as percentages, within 0 and 100."""
    if mean is None or mean.interval is None:
        return "-"
    low, high = mean.interval
    return f"{max(0.0, low):.1%} .. {min(1.0, high):.1%}"


def faults_text(faults: Mapping[str, int]) -> str:
    """Return faults by cause as text.

    >>> faults_text({"timeout": 3, "illegal": 1})
    'timeout 3, illegal 1'
    """
    return ", ".join(_faults(faults)) or "-"


def _faults(faults: Mapping[str, int]) -> Iterator[str]:
    for cause, count in sorted(faults.items(), key=lambda item: (-item[1], item[0])):
        yield f"{cause} {count}"


def print_standings(out: Console, table: TournamentTable) -> None:
    """Print the table, the grid, and what else is worth knowing."""
    tournament = table.tournament
    matches = f"{table.matches:,} match{'es' if table.matches != 1 else ''}"
    out.print(standings_table(table.standings, f"{tournament.name}: {matches}"))
    ranked = "mean net units a hand" if table.standings.rank_by == "net" else "first places"
    out.print(Text(f"* ranked by {ranked}; equal bots share a rank", style="dim"))
    if table.standings.meetings and len(table.standings.rows) <= MOST_IN_GRID:
        out.print()
        out.print(head_to_head_table(table.standings))
    for bot in tournament.bots:
        if bot.withdrawn is not None:
            out.print(f"{bot.name} is withdrawn: {bot.withdrawn}")
    if table.voids:
        out.print(f"void attempts: {len(table.voids)} (with their reasons: --json)")
