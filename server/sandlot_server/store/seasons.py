"""Seasons: tournaments whose entrants come and go, and whose rounds are drawn one by one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from sandlot.errors import StoreError
from sandlot.seeds import commitment, new_seed
from sandlot_server.names import NAME_WORDS, is_name
from sandlot_server.store import entries, versions
from sandlot_server.store.registered import (
    LIVE,
    Round,
    Season,
    SeasonStatus,
    Version,
    withdrawal,
)
from sandlot_server.store.schema import (
    DONE,
    VOID,
    attempts,
    bots,
    entrants,
    faults,
    places,
    results,
    rounds,
    seasons,
    struck,
    tournaments,
)
from sandlot_server.store.values import MissingError, now, storable

_SEASONS: Final = (
    select(
        tournaments.c.name,
        seasons.c.status,
        tournaments.c.configuration,
        tournaments.c.seed,
        tournaments.c.commitment,
        tournaments.c.created,
        seasons.c.closed,
        tournaments.c.rounds,
    )
    .join(seasons, seasons.c.tournament == tournaments.c.id)
    .order_by(tournaments.c.id)
)


def _season(row: Row[*tuple[Any, ...]]) -> Season:
    values = row._asdict()
    return Season(
        **values | {"configuration": json.loads(row.configuration), "seed": bytes.fromhex(row.seed)}
    )


def all_seasons(connection: Connection) -> list[Season]:
    """Return the seasons, the first one first."""
    return [_season(row) for row in connection.execute(_SEASONS)]


def under_way(connection: Connection) -> Season | None:
    """Return the season that is not closed, if there is one."""
    row = connection.execute(_SEASONS.where(seasons.c.status != "closed")).one_or_none()
    return None if row is None else _season(row)


def by_name(connection: Connection, name: str) -> Season:
    """Return a season.

    Raises:
        MissingError: there is none of that name.
    """
    row = connection.execute(_SEASONS.where(tournaments.c.name == storable(name))).one_or_none()
    if row is None:
        known = ", ".join(one.name for one in all_seasons(connection)) or "none yet"
        raise MissingError(f"there is no season {name!r}; there is: {known}")
    return _season(row)


def start(
    connection: Connection, name: str, configuration: Mapping[str, Any], seed: bytes | None
) -> Season:
    """Write a new season, open.

    Raises:
        StoreError: it cannot be called that, another one is not closed, or there is a tournament of
            that name.
    """
    if not is_name(name):
        raise StoreError(f"{name!r} cannot be a season's name; {NAME_WORDS}")
    other = under_way(connection)
    if other is not None:
        raise StoreError(
            f"season {other.name!r} is {other.status}: close it first, with "
            f"`sandlot admin season close {other.name}`"
        )
    if name in entries.names(connection):
        raise StoreError(f"there is a tournament {name!r} already: take another name")
    seed = seed or new_seed()
    tournament = connection.execute(
        insert(tournaments)
        .values(
            name=name,
            configuration=json.dumps(configuration),
            rounds=0,
            seed=seed.hex(),
            commitment=commitment(seed),
            created=now(),
        )
        .returning(tournaments.c.id)
    ).scalar_one()
    connection.execute(insert(seasons).values(tournament=tournament, status="open", closed=None))
    return by_name(connection, name)


def set_status(connection: Connection, name: str, status: SeasonStatus) -> None:
    """Pause a season, open it again, or close it for good.

    Raises:
        StoreError: there is none of that name, or it is closed.
    """
    if by_name(connection, name).status == "closed":
        raise StoreError(f"season {name!r} is closed, and stays so: start another one")
    closed = now() if status == "closed" else None
    of = entries.id_of(connection, name)
    connection.execute(
        update(seasons).where(seasons.c.tournament == of).values(status=status, closed=closed)
    )


def enter(connection: Connection, name: str, entering: Iterable[Version]) -> None:
    """Make versions entrants of a season that are none yet."""
    of = entries.id_of(connection, name)
    known = entries.bot_ids(connection, of)
    for each in entering:
        if each.entrant in known:
            continue
        version = versions.by_id(connection, each.id)  # it may have been replaced meanwhile
        over = version.status not in LIVE
        bot = connection.execute(
            insert(bots)
            .values(
                tournament=of,
                name=version.entrant,
                version=version.hash,
                withdrawn=withdrawal(version.status, version.reason) if over else None,
            )
            .returning(bots.c.id)
        ).scalar_one()
        connection.execute(insert(entrants).values(bot=bot, version=version.id))


def draw(connection: Connection, name: str, drawn: Round) -> None:
    """Write a round that has been drawn.

    Raises:
        StoreError: it is not the next one.
    """
    of = entries.id_of(connection, name)
    before = by_name(connection, name).rounds
    if drawn.number != before + 1:
        raise StoreError(f"round {drawn.number} of season {name!r} cannot follow round {before}")
    connection.execute(
        insert(rounds).values(
            tournament=of, number=drawn.number, plan=drawn.plan(), drawn=now(), completed=None
        )
    )
    connection.execute(
        update(tournaments).where(tournaments.c.id == of).values(rounds=drawn.number)
    )


def complete(connection: Connection, name: str, number: int) -> None:
    """Write that nothing more of a round is to be played."""
    of = entries.id_of(connection, name)
    one = (rounds.c.tournament == of, rounds.c.number == number)
    connection.execute(update(rounds).where(*one).values(completed=now()))


def latest_rounds(connection: Connection, name: str, most: int) -> list[Round]:
    """Return at most so many of the rounds that were drawn last, in their order."""
    of = entries.id_of(connection, name)
    found = connection.execute(
        select(rounds.c.number, rounds.c.plan, rounds.c.completed)
        .where(rounds.c.tournament == of)
        .order_by(rounds.c.number.desc())
        .limit(most)
    ).all()
    return [Round.of(row.number, row.plan, row.completed is not None) for row in reversed(found)]


def void_match(connection: Connection, name: str, match: str, reason: str) -> None:
    """Take a result out of a season; its record is kept beside, and the attempt is void.

    Raises:
        StoreError: the match has no result.
    """
    of = entries.id_of(connection, name)
    row = connection.execute(
        select(results.c.attempt, results.c.digest, results.c.record).where(
            results.c.tournament == of, results.c.match == storable(match)
        )
    ).one_or_none()
    if row is None:
        raise StoreError(
            f"match {match!r} of season {name!r} has no result: `sandlot matches` lists those that "
            "have"
        )
    connection.execute(
        insert(struck).values(attempt=row.attempt, digest=row.digest, record=row.record)
    )
    for table in (faults, places, results):
        connection.execute(delete(table).where(table.c.attempt == row.attempt))
    connection.execute(
        update(attempts)
        .where(attempts.c.id == row.attempt, attempts.c.status == DONE)
        .values(status=VOID, reason=storable(reason))
    )


def matches_played(connection: Connection, name: str) -> dict[str, int]:
    """Return how many matches with a result each entrant has that has one."""
    of = entries.id_of(connection, name)
    query = (
        select(bots.c.name, func.count().label("matches"))
        .join(places, places.c.bot == bots.c.id)
        .where(places.c.tournament == of)
        .group_by(bots.c.name)
    )
    return {row.name: row.matches for row in connection.execute(query)}
