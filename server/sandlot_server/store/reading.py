"""What is stored of a tournament: which matches, their records, and the attempts that are void."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from sqlalchemy import Connection, select

from sandlot_server.store.registered import StoredMatch, StoredSeat
from sandlot_server.store.schema import VOID, attempts, bots, faults, places, results
from sandlot_server.store.values import (
    MissingError,
    VoidAttempt,
    chunks,
    match_order,
    storable,
    unpack,
)
from sandlot_server.tournament.standings import PARTS


def done(
    connection: Connection, tournament: int, among: Iterable[str] | None = None
) -> frozenset[str]:
    """Return the ids of the matches that have a result, all or those among these."""
    query = select(results.c.match).where(results.c.tournament == tournament)
    if among is None:
        return frozenset(connection.scalars(query))
    found: set[str] = set()
    for some in chunks(among):
        found.update(connection.scalars(query.where(results.c.match.in_(some))))
    return frozenset(found)


def digests(connection: Connection, tournament: int) -> dict[str, str]:
    """Return the digest of each match, in the order of the numbers in their ids."""
    query = select(results.c.match, results.c.digest).where(results.c.tournament == tournament)
    found = {row.match: row.digest for row in connection.execute(query)}
    return {match: found[match] for match in sorted(found, key=match_order)}


def where_stored(
    connection: Connection, tournament: int, match: str | None
) -> list[tuple[str, int]]:
    """Return match id and attempt's id of one stored match or of all, in the order of the ids."""
    query = select(results.c.match, results.c.attempt).where(results.c.tournament == tournament)
    if match is not None:
        query = query.where(results.c.match == storable(match))
    found = [(one, attempt) for one, attempt in connection.execute(query)]
    if match is not None and not found:
        raise MissingError(
            f"match {match!r} is not stored: a match is called ROUND-TABLE-ROTATION, as in 1-1-1"
        )
    return sorted(found, key=lambda one: match_order(one[0]))


def records(connection: Connection, ids: Iterable[int]) -> dict[int, str]:
    """Return the text of records by the ids of their attempts."""
    query = select(results.c.attempt, results.c.record).where(results.c.attempt.in_(list(ids)))
    return {attempt: unpack(record) for attempt, record in connection.execute(query)}


def voids(connection: Connection, tournament: int) -> list[VoidAttempt]:
    """Return the void attempts, by match and number."""
    query = select(
        attempts.c.match,
        attempts.c.number,
        attempts.c.reason,
        attempts.c.started,
        attempts.c.ended,
    ).where(attempts.c.tournament == tournament, attempts.c.status == VOID)
    found = [VoidAttempt(*row) for row in connection.execute(query)]
    return sorted(found, key=lambda one: (match_order(one.match), one.attempt))


def matches(
    connection: Connection, tournament: int, bot: str | None, most: int, before: int | None
) -> list[StoredMatch]:
    """Return matches with a result, the latest first; see ``Store.matches``."""
    query = (
        select(
            results.c.attempt,
            results.c.match,
            results.c.digest,
            attempts.c.number,
            attempts.c.started,
            attempts.c.ended,
        )
        .join(attempts, attempts.c.id == results.c.attempt)
        .where(results.c.tournament == tournament)
        .order_by(results.c.attempt.desc())
        .limit(most)
    )
    if before is not None:
        query = query.where(results.c.attempt < before)
    if bot is not None:
        ids = [
            row.id
            for row in connection.execute(
                select(bots.c.id, bots.c.name).where(bots.c.tournament == tournament)
            )
            if row.name == bot or row.name.startswith(f"{bot}@")
        ]
        if not ids:
            raise MissingError(f"there is no bot {bot!r} in it: `sandlot standings` lists them")
        of_bot = select(places.c.attempt).where(
            places.c.tournament == tournament, places.c.bot.in_(ids)
        )
        query = query.where(results.c.attempt.in_(of_bot))
    found = connection.execute(query).all()
    seats = _seats(connection, tournament, [row.attempt for row in found])
    return [
        StoredMatch(
            match=row.match,
            attempt=row.number,
            started=row.started,
            ended=row.ended,
            digest=row.digest,
            hands=seats[row.attempt][0],
            seats=tuple(seats[row.attempt][1]),
            position=row.attempt,
        )
        for row in found
    ]


def _seats(
    connection: Connection, tournament: int, ids: list[int]
) -> dict[int, tuple[int, list[StoredSeat]]]:
    """Return the number of hands and the seats of matches, by the ids of their attempts."""
    caused: dict[tuple[int, int], dict[str, int]] = {}
    at_fault = select(faults.c.attempt, faults.c.seat, faults.c.cause, faults.c["count"]).where(
        faults.c.tournament == tournament, faults.c.attempt.in_(ids)
    )
    for attempt, seat, cause, count in connection.execute(at_fault):
        caused.setdefault((attempt, seat), {})[cause] = count
    seated = (
        select(
            places.c.attempt,
            places.c.seat,
            places.c.hands,
            bots.c.name,
            places.c.net,
            places.c.place,
        )
        .join(bots, bots.c.id == places.c.bot)
        .where(places.c.tournament == tournament, places.c.attempt.in_(ids))
        .order_by(places.c.attempt, places.c.seat)
    )
    of: dict[int, tuple[int, list[StoredSeat]]] = {}
    for attempt, seat, hands, name, net, place in connection.execute(seated):
        sitting = StoredSeat(name, Fraction(net, PARTS), place, caused.get((attempt, seat), {}))
        of.setdefault(attempt, (hands, []))[1].append(sitting)
    return of
