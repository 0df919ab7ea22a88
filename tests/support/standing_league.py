"""What a league server tells of a small season, "autumn", as messages."""

from __future__ import annotations

from fractions import Fraction

from sandlot.v1 import league_pb2
from sandlot_server.service.tables import write_table
from sandlot_server.service.values import write_bot, write_match
from sandlot_server.store.registered import (
    OwnedBot,
    Status,
    StoredMatch,
    StoredSeat,
    Version,
)
from sandlot_server.store.values import StoredBot, StoredTournament
from sandlot_server.tournament.standings import BotSums, standings
from sandlot_server.tournament.table import TournamentTable

CONFIGURATION = {"variant": "baseball", "seats": 2, "schedule": "season/1", "rank_by": "net"}

ENTRANTS = ("river-rat@1", "river-rat@2", "tight@1")


def version(
    number: int, status: Status, *, bot: str = "river-rat", reason: str = "", account: str = ""
) -> Version:
    """Return a version of a bot of ann's."""
    return Version(
        id=number,
        bot=bot,
        owner="ann",
        number=number,
        kind="submitted",
        hash="ab" * 32,
        manifest={},
        status=status,
        reason=reason,
        account=account,
        received=f"2026-12-0{number}T12:00:00Z",
        settled=None if status == "trying" else f"2026-12-0{number}T12:01:30Z",
    )


def owned(*versions: Version, disqualified: str | None = None) -> OwnedBot:
    """Return a bot with these versions."""
    bot = versions[0].bot
    return OwnedBot(bot, "ann", "2026-12-01T12:00:00Z", disqualified, versions)


def bots_message(*bots: OwnedBot, following: str = "") -> league_pb2.ListResponse:
    """Return a page of bots."""
    return league_pb2.ListResponse(bots=map(write_bot, bots), next_page_token=following)


def season_table() -> TournamentTable:
    """Return the table of the season: three entrants, the last of which has not played."""
    sums = [
        BotSums("river-rat@1", 4, 32, -840 * 16, 840**2 * 80, 840, 840**2, {1: 1, 2: 3}),
        BotSums("river-rat@2", 4, 32, 840 * 16, 840**2 * 80, 840 * 3, 840**2 * 3, {1: 3, 2: 1}),
        BotSums("tight@1", 0, 0, 0, 0, 0, 0),
    ]
    bots = tuple([StoredBot(name, "ab" * 32, None) for name in ENTRANTS])
    tournament = StoredTournament(
        "autumn", dict(CONFIGURATION), 7, b"", "cd" * 32, "2026-12-01T12:00:00Z", bots, "open"
    )
    return TournamentTable(tournament, standings(sums), ())


def season_message() -> league_pb2.StandingsResponse:
    """Return that table as a server sends it."""
    return write_table(season_table())


def stored_match(match: str, position: int) -> StoredMatch:
    """Return a match that river-rat@2 has won."""
    return StoredMatch(
        match=match,
        attempt=1,
        started="2026-12-01T12:00:00Z",
        ended="2026-12-01T12:00:07Z",
        digest="ef" * 32,
        hands=8,
        seats=(
            StoredSeat("river-rat@2", Fraction(7, 2), 1, {}),
            StoredSeat("tight@1", Fraction(-7, 2), 2, {"timeout": 2}),
        ),
        position=position,
    )


def matches_message(*matches: StoredMatch, following: str = "") -> league_pb2.MatchesResponse:
    """Return a page of matches of the season."""
    return league_pb2.MatchesResponse(
        season="autumn", matches=map(write_match, matches), next_page_token=following
    )
