"""One database is the truth: tournaments, their attempts, results, records and sums.

The values can be had without SQLAlchemy: arbiters pass them on and open no database. ``Store`` and
``Registry`` are imported when they are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandlot_server.store.place import Place, Server, beside, place_of
from sandlot_server.store.values import (
    FinishedMatch,
    LostError,
    SeatResult,
    StoredBot,
    StoredTournament,
    VoidAttempt,
    match_order,
    pack,
    unpack,
)

if TYPE_CHECKING:
    from sandlot_server.store.registry import Registry
    from sandlot_server.store.store import Store

__all__ = [
    "FinishedMatch",
    "LostError",
    "Place",
    "Registry",
    "SeatResult",
    "Server",
    "Store",
    "StoredBot",
    "StoredTournament",
    "VoidAttempt",
    "beside",
    "match_order",
    "pack",
    "place_of",
    "unpack",
]


def __getattr__(name: str) -> object:
    if name == "Store":
        from sandlot_server.store.store import Store

        return Store
    if name == "Registry":
        from sandlot_server.store.registry import Registry

        return Registry
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
