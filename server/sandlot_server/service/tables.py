"""Between the table of a season and ``StandingsResponse``, both ways.

What was written is read as it was, but for the season's seed: that never travels.
"""

from __future__ import annotations

import json
from typing import cast

from sandlot.v1 import league_pb2
from sandlot.wire.table import read_fraction
from sandlot_server.service.values import read_object
from sandlot_server.store.registered import SeasonStatus
from sandlot_server.store.values import StoredBot, StoredTournament, VoidAttempt
from sandlot_server.tournament.rating import Rating
from sandlot_server.tournament.standings import Mean, Meeting, RankBy, Row, Standings
from sandlot_server.tournament.table import TournamentTable


def write_table(table: TournamentTable) -> league_pb2.StandingsResponse:
    """Return the message of the table of a season."""
    tournament, standings = table.tournament, table.standings
    return league_pb2.StandingsResponse(
        season=tournament.name,
        status=tournament.season or "",
        created=tournament.created,
        configuration=json.dumps(tournament.configuration),
        commitment=tournament.commitment,
        rounds=tournament.rounds,
        rank_by=standings.rank_by,
        rows=map(_write_row, standings.rows),
        meetings=map(_write_meeting, standings.meetings),
        entrants=[
            league_pb2.Entrant(name=bot.name, version=bot.version, withdrawn=bot.withdrawn)
            for bot in tournament.bots
        ],
        voids=[
            league_pb2.VoidAttempt(
                match=void.match,
                attempt=void.attempt,
                reason=void.reason,
                started=void.started,
                ended=void.ended,
            )
            for void in table.voids
        ],
    )


def read_table(message: league_pb2.StandingsResponse) -> TournamentTable:
    """Return the table of a message; the seed in it is empty.

    Raises:
        WireError: a mean is no number, or the configuration no JSON.
    """
    return TournamentTable(
        StoredTournament(
            name=message.season,
            configuration=read_object(message.configuration),
            rounds=message.rounds,
            seed=b"",
            commitment=message.commitment,
            created=message.created,
            season=cast(SeasonStatus, message.status) if message.status else None,
            bots=tuple(
                [
                    StoredBot(
                        bot.name, bot.version, bot.withdrawn if bot.HasField("withdrawn") else None
                    )
                    for bot in message.entrants
                ]
            ),
        ),
        Standings(
            cast(RankBy, message.rank_by),
            tuple(map(_read_row, message.rows)),
            tuple(map(_read_meeting, message.meetings)),
        ),
        tuple(
            [
                VoidAttempt(void.match, void.attempt, void.reason, void.started, void.ended)
                for void in message.voids
            ]
        ),
    )


def _write_row(row: Row) -> league_pb2.StandingsRow:
    return league_pb2.StandingsRow(
        rank=row.rank,
        bot=row.bot,
        matches=row.matches,
        hands=row.hands,
        net=_write_mean(row.net) if row.net else None,
        first_places=_write_mean(row.first_places) if row.first_places else None,
        places=row.places,
        faults=row.faults,
        rating=_write_rating(row.rating) if row.rating else None,
        above=_write_meeting(row.above) if row.above else None,
    )


def _read_row(message: league_pb2.StandingsRow) -> Row:
    return Row(
        rank=message.rank if message.HasField("rank") else None,
        bot=message.bot,
        matches=message.matches,
        hands=message.hands,
        net=_read_mean(message.net) if message.HasField("net") else None,
        first_places=_read_mean(message.first_places) if message.HasField("first_places") else None,
        places=dict(sorted(message.places.items())),
        faults=dict(sorted(message.faults.items())),
        rating=_read_rating(message.rating) if message.HasField("rating") else None,
        above=_read_meeting(message.above) if message.HasField("above") else None,
    )


def _write_rating(rating: Rating) -> league_pb2.Rating:
    return league_pb2.Rating(
        value=rating.value, standard_error=rating.standard_error, group=rating.group
    )


def _read_rating(message: league_pb2.Rating) -> Rating:
    return Rating(message.value, message.standard_error, message.group)


def _write_meeting(meeting: Meeting) -> league_pb2.Meeting:
    return league_pb2.Meeting(
        bot=meeting.bot,
        other=meeting.other,
        matches=meeting.matches,
        difference=_write_mean(meeting.difference),
    )


def _read_meeting(message: league_pb2.Meeting) -> Meeting:
    return Meeting(message.bot, message.other, message.matches, _read_mean(message.difference))


def _write_mean(mean: Mean) -> league_pb2.Mean:
    if mean.interval is None:
        return league_pb2.Mean(value=str(mean.value))
    low, high = mean.interval
    return league_pb2.Mean(value=str(mean.value), interval=league_pb2.Interval(low=low, high=high))


def _read_mean(message: league_pb2.Mean) -> Mean:
    interval = message.interval
    return Mean(
        read_fraction(message.value),
        (interval.low, interval.high) if message.HasField("interval") else None,
    )
