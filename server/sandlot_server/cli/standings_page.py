"""The standings as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sandlot_server.cli.output import new_table, print_table
from sandlot_server.tournament.standings import Mean, Standings
from sandlot_server.tournament.table import TournamentTable

MOST_IN_GRID = 16
"""The most bots for which the grid still fits a wide terminal; --json has it for any number."""


def standings_table(standings: Standings) -> Table:
    """Return the table: rank, bot, mean net a hand, share of first places, places, faults."""
    by_net = standings.rank_by == "net"
    net, first = ("net a hand *", "first") if by_net else ("net a hand", "first *")
    right = ("rank", net, first, "matches", "hands")
    table = new_table(
        "rank", "bot", net, first, "matches", "hands", "places", "faults", right=right
    )
    seats = max((place for row in standings.rows for place in row.places), default=0)
    for row in standings.rows:
        table.add_row(
            "-" if row.rank is None else str(row.rank),
            Text(row.bot, style="bold"),
            net_text(row.net),
            share_text(row.first_places),
            f"{row.matches:,}",
            f"{row.hands:,}",
            "-".join(str(row.places.get(place, 0)) for place in range(1, seats + 1)),
            faults_text(row.faults),
        )
    return table


def head_to_head_table(standings: Standings) -> Table:
    """Return the grid: mean of own net less the other's a match; * where 0 is not within it."""
    names = [row.bot for row in standings.rows]
    met = {(each.bot, each.other): each for each in standings.meetings}
    columns = [str(number) for number in range(1, len(names) + 1)]
    table = new_table("", "bot", *columns, right=["", *columns])
    for number, bot in zip(columns, names, strict=True):
        cells = []
        for other in names:
            meeting = met.get((bot, other))
            cells.append(Text("") if meeting is None else _difference(meeting.difference))
        table.add_row(number, Text(bot, style="bold"), *cells)
    return table


def _difference(mean: Mean) -> Text:
    low, high = mean.interval or (0.0, 0.0)
    clear = low < high and not low <= 0 <= high  # matches that all ended alike prove nothing yet
    style = ("green" if mean.value > 0 else "red") if clear else ""
    return Text(f"{float(mean.value):+.2f}{'*' if clear else ' '}", style)


def net_text(mean: Mean | None) -> str:
    """Return a mean with its sign and half the width of its interval; a dash for none.

    >>> from fractions import Fraction
    >>> net_text(Mean(Fraction(1, 2), (0.25, 0.75))), net_text(None)
    ('+0.500 ±0.250', '-')
    """
    if mean is None:
        return "-"
    return f"{float(mean.value):+.3f}{_half(mean, 1, '.3f')}"


def share_text(mean: Mean | None) -> str:
    """Return a share in percent with half the width of its interval; a dash for none.

    >>> from fractions import Fraction
    >>> share_text(Mean(Fraction(1, 2), (0.25, 0.75)))
    '50.0 ±25.0 %'
    """
    if mean is None:
        return "-"
    return f"{100 * float(mean.value):.1f}{_half(mean, 100, '.1f')} %"


def _half(mean: Mean, scale: int, form: str) -> str:
    low, high = mean.interval or (0.0, 0.0)
    if low == high:  # one match, or all alike
        return ""
    return f" ±{scale * (high - low) / 2:{form}}"


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
    matches = f"{table.matches:,} of {table.scheduled:,} matches"
    if table.matches == table.scheduled:
        matches = f"{table.matches:,} match{'es' if table.matches != 1 else ''}"
    out.print(Text(f"{tournament.name}: {matches}", style="bold"))
    print_table(out, standings_table(table.standings))
    ranked = "net units a hand" if table.standings.rank_by == "net" else "share of first places"
    out.print(f"* ranked by mean {ranked}; ± is the 95 % interval over matches", style="dim")
    if table.standings.meetings and len(table.standings.rows) <= MOST_IN_GRID:
        out.print()
        out.print(Text("head to head, row against column", style="bold"))
        print_table(out, head_to_head_table(table.standings))
        out.print("mean net difference a match; * where the interval excludes 0", style="dim")
    for bot in tournament.bots:
        if bot.withdrawn is not None:
            out.print(f"{bot.name} is withdrawn: {bot.withdrawn}", soft_wrap=True)
    if table.voids:
        out.print(f"void attempts: {len(table.voids)}, with their reasons in --json")
