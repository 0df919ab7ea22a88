"""What is stored of a tournament: which matches, their records, and the attempts that are void."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, select

from sandlot.errors import StoreError
from sandlot_server.store.schema import VOID, attempts, results
from sandlot_server.store.values import VoidAttempt, match_order, unpack


def done(connection: Connection, tournament: int) -> frozenset[str]:
    """Return the ids of the matches that have a result."""
    query = select(results.c.match).where(results.c.tournament == tournament)
    return frozenset(connection.scalars(query))


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
        query = query.where(results.c.match == match)
    found = [(one, attempt) for one, attempt in connection.execute(query)]
    if match is not None and not found:
        raise StoreError(
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
