"""The standings as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from sandlot_server.cli.counting import many
from sandlot_server.cli.output import new_table, print_table
from sandlot_server.store.registered import as_withdrawn
from sandlot_server.tournament.rating import Rating
from sandlot_server.tournament.standings import Mean, Meeting, Row, Standings
from sandlot_server.tournament.table import TournamentTable

if TYPE_CHECKING:
    from sandlot_server.store import StoredTournament

MOST_IN_GRID = 16
"""The most bots for which the grid still fits a wide terminal; --json has it for any number."""

MOST_TOLD: Final = 10
"""The most entrants of a season that are told, a line each, to play no more: the latest."""

SPARE: Final = ("hands", "places")
"""Columns that are left out, the first first, where the table is wider than the terminal."""

ALIKE: Final = "~"
AHEAD: Final = "^"
_MEANINGS: Final = {
    ALIKE: "not to be told apart from the bot above by the matches they shared",
    AHEAD: "ahead of the bot above in the matches they shared",
}


def standings_table(
    standings: Standings,
    without: tuple[str, ...] = (),
    over: Mapping[str, str] = MappingProxyType({}),
) -> Table:
    """Return the table: rank, bot, net a hand, share of first places, rating, places, faults.

    Args:
        standings: what it shows.
        without: columns to leave out.
        over: how bots stand that play no more, by name.
    """
    by_net = standings.rank_by == "net"
    net, first = ("net a hand *", "first") if by_net else ("net a hand", "first *")
    seats = max((place for row in standings.rows for place in row.places), default=0)
    grouped = _groups(standings) > 1
    marks = _marks(standings)

    def cells(row: Row) -> dict[str, str | Text]:
        return {
            "rank": ("-" if row.rank is None else str(row.rank)) + marks[row.bot],
            "bot": _bot_text(row.bot, over),
            net: net_text(row.net),
            first: share_text(row.first_places),
            "rating": rating_text(row.rating, grouped=grouped),
            "matches": f"{row.matches:,}",
            "hands": f"{row.hands:,}",
            "places": "-".join(str(row.places.get(place, 0)) for place in range(1, seats + 1)),
            "faults": faults_text(row.faults),
        }

    columns = ("rank", "bot", net, first, "rating", "matches", "hands", "places", "faults")
    shown = [column for column in columns if column not in without]
    left = ("bot", "places", "faults")
    table = new_table(*shown, right=[column for column in shown if column not in left])
    for row in standings.rows:
        of = cells(row)
        table.add_row(*(of[column] for column in shown))
    return table


def _bot_text(bot: str, over: Mapping[str, str]) -> Text:
    if bot not in over:
        return Text(bot, style="bold")
    return Text(f"{bot} ({over[bot]})", style="dim")


def _marks(standings: Standings) -> dict[str, str]:
    """Return by bot what stands behind its rank, a blank where the matches bear it out."""
    return {
        row.bot: " " if row.rank is None or number == 0 else _mark(row.above)
        for number, row in enumerate(standings.rows)
    }


def _mark(above: Meeting | None) -> str:
    if above is None or not above.told_apart:  # those that never met are not told apart either
        return ALIKE
    return AHEAD if above.difference.value > 0 else " "


def _groups(standings: Standings) -> int:
    return max((row.rating.group for row in standings.rows if row.rating), default=0)


def _notes(standings: Standings, without: tuple[str, ...]) -> Iterator[str]:
    """Yield what a reader has to know of the table, a line each."""
    ranked = "net units a hand" if standings.rank_by == "net" else "share of first places"
    yield f"* ranked by mean {ranked}; ± is the 95 % interval over matches"
    marks = set(_marks(standings).values())
    yield from (f"{mark} {meaning}" for mark, meaning in _MEANINGS.items() if mark in marks)
    if _groups(standings):
        yield "rating: by places taken; 1500 is the mean, 400 more are odds of ten to one"
    if _groups(standings) > 1:
        yield "(1), (2): no matches join these groups, so their ratings cannot be compared"
    if without:
        yield f"no room here for {' and '.join(without)}: a wider terminal or --json shows all"


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
            cells.append(Text("") if meeting is None else _difference(meeting))
        table.add_row(number, Text(bot, style="bold"), *cells)
    return table


def _difference(meeting: Meeting) -> Text:
    value, clear = meeting.difference.value, meeting.told_apart
    style = ("green" if value > 0 else "red") if clear else ""
    return Text(f"{float(value):+.2f}{'*' if clear else ' '}", style)


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


def rating_text(rating: Rating | None, *, grouped: bool = False) -> str:
    """Return a rating with half the width of its interval, and its group; a dash for none.

    >>> rating = Rating(1523.4, 20.0, group=2)
    >>> rating_text(rating), rating_text(rating, grouped=True)
    ('1523 ±39', '1523 ±39 (2)')
    """
    if rating is None:
        return "-"
    low, high = rating.interval
    return f"{rating.value:.0f} ±{(high - low) / 2:.0f}" + (f" ({rating.group})" if grouped else "")


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


def over_in(tournament: StoredTournament) -> dict[str, str]:
    """Return by name how the entrants of a season stand that play no more; nothing of a league."""
    if tournament.season is None:
        return {}
    return {
        bot.name: as_withdrawn(bot.withdrawn)[0]
        for bot in tournament.bots
        if bot.withdrawn is not None
    }


def _extent(table: TournamentTable) -> str:
    """Return how much has been played of what there is to play."""
    matches = many(table.matches, "match", "matches")
    if table.tournament.season is not None:
        return f"{matches}, round {table.tournament.rounds:,}, {table.tournament.season}"
    if table.matches == table.scheduled:
        return matches
    return f"{table.matches:,} of {table.scheduled:,} matches"


def _withdrawn(tournament: StoredTournament) -> Iterator[str]:
    """Yield who plays no more, and why, a line each; of versions that were replaced, how many."""
    ended = [(bot.name, bot.withdrawn) for bot in tournament.bots if bot.withdrawn is not None]
    if tournament.season is None:
        yield from (f"{name} is withdrawn: {reason}" for name, reason in ended)
        return
    told = [(name, *as_withdrawn(" ".join(reason.split()))) for name, reason in ended]
    others = [each for each in told if each[1] != "replaced"]
    for name, status, reason in others[-MOST_TOLD:]:
        yield f"{name} is {status}: {reason}" if reason else f"{name} is {status}"
    if len(others) > MOST_TOLD:
        yield f"{len(others) - MOST_TOLD:,} more play no more; --json has them"
    if replaced := len(told) - len(others):
        yield f"{many(replaced, 'version')} replaced by later ones; --json has them"


def print_standings(out: Console, table: TournamentTable) -> None:
    """Print the table, the grid, and what else is worth knowing."""
    out.print(Text(f"{table.tournament.name}: {_extent(table)}", style="bold"))
    over = over_in(table.tournament)
    all_rows = table.standings.rows
    shown = [row for row in all_rows if row.matches or row.bot not in over]
    standings = replace(table.standings, rows=tuple(shown))
    without: tuple[str, ...] = ()
    while len(without) < len(SPARE):
        page = standings_table(standings, without, over)
        if Measurement.get(out, out.options.update(max_width=10_000), page).maximum <= out.width:
            break
        without = SPARE[: len(without) + 1]
    print_table(out, standings_table(standings, without, over))
    for line in _notes(standings, without):
        out.print(line, style="dim")
    still = replace(standings, rows=tuple([row for row in shown if row.bot not in over]))
    if standings.meetings and 1 < len(still.rows) <= MOST_IN_GRID:
        out.print()
        out.print(Text("head to head, row against column", style="bold"))
        print_table(out, head_to_head_table(still))
        out.print("mean net difference a match; * where the interval excludes 0", style="dim")
    for line in _withdrawn(table.tournament):
        out.print(line, soft_wrap=True)
    if table.voids:
        out.print(f"void attempts: {len(table.voids)}, with their reasons in --json")
