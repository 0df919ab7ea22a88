"""Attempts at matches: begun before the first card, then done with a result, or void.

A run does this at every match, so the statements are made once: to make one takes longer than to
execute it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection, Insert, bindparam, insert, select, update

from sandlot.errors import StoreError
from sandlot_server.store.entries import bot_ids
from sandlot_server.store.schema import (
    DONE,
    MOST_NET,
    RUNNING,
    VOID,
    attempts,
    faults,
    places,
    results,
)
from sandlot_server.store.values import FinishedMatch, SeatResult, chunks, now, storable
from sandlot_server.tournament.standings import PARTS

RUN_ENDED: Final = "the run that played it ended before the match did"
"""Why an attempt is void that a dead run has left behind."""

OnVoid: TypeAlias = Callable[[str, int], None]
"""Is told of a match and the number of its attempt that this becomes void, before it does."""

_KNOWN: Final = select(attempts.c.id, attempts.c.match, attempts.c.number, attempts.c.status).where(
    attempts.c.tournament == bindparam("tournament"),
    attempts.c.match.in_(bindparam("matches", expanding=True)),
)
_RUNNING: Final = select(attempts.c.id, attempts.c.match, attempts.c.number).where(
    attempts.c.tournament == bindparam("tournament"), attempts.c.status == RUNNING
)
_BEGIN: Final = insert(attempts)
_END: Final = update(attempts).where(attempts.c.id == bindparam("attempt"))
_RESULT: Final = insert(results)
_PLACE: Final = insert(places)
_FAULT: Final = insert(faults)


def begin(connection: Connection, tournament: int, matches: Iterable[str]) -> dict[str, int]:
    """Write a running attempt at each match; return its number by match."""
    numbers = dict.fromkeys(matches, 1)
    for _, match, number, status in _known(connection, tournament, numbers):
        if status != VOID:
            raise StoreError(f"match {match} is {status} in attempt {number}: it cannot begin")
        numbers[match] = max(numbers[match], number + 1)
    started = now()
    rows = [
        {
            "tournament": tournament,
            "match": match,
            "number": number,
            "status": RUNNING,
            "started": started,
        }
        for match, number in numbers.items()
    ]
    _insert(connection, _BEGIN, rows)
    return numbers


def finish(connection: Connection, tournament: int, finished: Sequence[FinishedMatch]) -> None:
    """Write the results and records of running attempts."""
    numbers = {match.match: match.attempt for match in finished}
    running = _running(connection, tournament, numbers)
    known_bots = bot_ids(connection, tournament)
    _end(connection, running.values(), DONE, None)
    of_results, of_places, of_faults = [], [], []
    for match in finished:
        key = {"tournament": tournament, "attempt": running[match.match]}
        result = {"match": match.match, "digest": match.digest, "record": match.record}
        of_results.append(key | result)
        for seat, row in enumerate(_seat_rows(match, known_bots)):
            of_places.append(key | {"seat": seat} | row)
            of_faults += [
                key | {"seat": seat, "bot": row["bot"], "cause": cause, "count": count}
                for cause, count in match.seats[seat].faults.items()
                if count
            ]
    _insert(connection, _RESULT, of_results)
    _insert(connection, _PLACE, of_places)
    _insert(connection, _FAULT, of_faults)


def void(connection: Connection, tournament: int, numbers: Mapping[str, int], reason: str) -> None:
    """Make running attempts, numbers by match, void."""
    _end(connection, _running(connection, tournament, numbers).values(), VOID, reason)


def void_all(
    connection: Connection,
    tournament: int,
    reason: str,
    on_void: OnVoid = lambda match, attempt: None,
) -> None:
    """Make every running attempt of a tournament void."""
    running = connection.execute(_RUNNING, {"tournament": tournament}).all()
    for _, match, number in running:
        on_void(match, number)
    _end(connection, [row.id for row in running], VOID, reason)


def parts(value: Fraction) -> int:
    """Return a value as a whole number of 840ths.

    Raises:
        ValueError: it is none, or too big for exact sums; no pot can be split like that (R7.2).
    """
    whole = value * PARTS
    if whole.denominator != 1 or abs(whole) >= MOST_NET:
        raise ValueError(f"{value} is not a whole number of 1/{PARTS}, or is too big")
    return whole.numerator


def _seat_rows(match: FinishedMatch, known_bots: Mapping[str, int]) -> list[dict[str, int]]:
    if sum(seat.net for seat in match.seats) != 0:
        raise ValueError(f"the nets of match {match.match} do not sum to 0 (R8.2)")
    firsts = sum(seat.place == 1 for seat in match.seats)

    def row(seat: SeatResult) -> dict[str, int]:
        if seat.bot not in known_bots:
            raise StoreError(f"match {match.match}: the tournament has no bot {seat.bot!r}")
        return {
            "bot": known_bots[seat.bot],
            "hands": match.hands,
            "net": parts(seat.net),
            "place": seat.place,
            "first_share": parts(Fraction(1, firsts)) if seat.place == 1 else 0,
        }

    return [row(seat) for seat in match.seats]


def _known(
    connection: Connection, tournament: int, matches: Iterable[str]
) -> Iterator[tuple[int, str, int, str]]:
    """Yield id, match, number and status of all attempts at these matches."""
    for some in chunks(matches):
        for row in connection.execute(_KNOWN, {"tournament": tournament, "matches": some}):
            yield row.id, row.match, row.number, row.status


def _running(connection: Connection, tournament: int, numbers: Mapping[str, int]) -> dict[str, int]:
    """Return the ids by match of attempts, numbers by match, that must be running."""
    found = {
        match: (id_, status)
        for id_, match, number, status in _known(connection, tournament, numbers)
        if numbers[match] == number
    }
    for match, number in numbers.items():
        _, status = found.get(match, (0, "not begun"))
        if status != RUNNING:
            raise StoreError(
                f"attempt {number} of match {match} is {status}, not {RUNNING}: "
                "nothing is stored for it"
            )
    return {match: found[match][0] for match in numbers}


def _end(connection: Connection, ids: Iterable[int], status: str, reason: str | None) -> None:
    said = None if reason is None else storable(reason)
    how = {"status": status, "reason": said, "ended": now()}
    if rows := [how | {"attempt": id_} for id_ in ids]:
        connection.execute(_END, rows)


def _insert(connection: Connection, into: Insert, rows: list[dict[str, Any]]) -> None:
    if rows:  # without rows SQLAlchemy would insert one of defaults
        connection.execute(into, rows)
