"""A small tournament, "friday", in a database of its own."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sandlot_server.store import (
    FinishedMatch,
    Place,
    SeatResult,
    Server,
    Store,
    StoredTournament,
    pack,
)

BOTS = {"ann": "a1", "bob": "b1", "cid": "c1"}
CONFIGURATION = {"tournament": {"name": "friday", "seats": 2}, "clock": {"decision": "1s"}}


def option(place: Place) -> str:
    """Return what ``--db`` and ``place_of`` take for a place."""
    return place.url if isinstance(place, Server) else str(place)


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Say in words how two configurations differ."""
    return f"it was {dict(old)} and is {dict(new)}"


def open_friday(store: Store, **changes: Any) -> StoredTournament:
    """Open the tournament to play it, with changes to what is asked for."""
    asked: dict[str, Any] = {"rounds": 3, "bots": BOTS, "difference": difference} | changes
    configuration = asked.pop("configuration", CONFIGURATION)
    return store.open_tournament(asked.pop("name", "friday"), configuration, **asked)


def ended(
    match: str,
    attempt: int,
    nets: Mapping[str, Fraction | int],
    faults: Mapping[str, Mapping[str, int]] | None = None,
    hands: int = 8,
) -> FinishedMatch:
    """Return a finished match; its record is a line that names the attempt."""
    seats = tuple(
        SeatResult(
            bot=bot,
            net=Fraction(net),
            place=1 + sum(other > net for other in nets.values()),
            faults=(faults or {}).get(bot, {}),
        )
        for bot, net in nets.items()
    )
    record = pack(f"record of {match}/{attempt}\n")
    return FinishedMatch(match, attempt, hands, f"digest of {match}", record, seats)


def play(
    store: Store,
    match: str,
    nets: Mapping[str, Fraction | int],
    *,
    tournament: str = "friday",
    faults: Mapping[str, Mapping[str, int]] | None = None,
    hands: int = 8,
) -> None:
    """Begin and finish one match."""
    attempt = store.begin_attempts(tournament, [match])[match]
    store.finish(tournament, [ended(match, attempt, nets, faults, hands)])
