"""What a season is played with, the same from one season to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sandlot.played import PlayedMatch
from sandlot_server.arbiter import Arbiter
from sandlot_server.launch.bots import LaunchedBot
from sandlot_server.launch.confining import Confinement
from sandlot_server.launch.processes import Launcher
from sandlot_server.league.guests import Guests
from sandlot_server.league.places import DataFolder
from sandlot_server.store.registered import Version
from sandlot_server.store.registry import Registry
from sandlot_server.store.store import Store


@dataclass(frozen=True, slots=True)
class Means:
    """What a season is played with.

    Attributes:
        store, registry, folder: where all is kept.
        arbiter: plays the matches.
        guests: the bots that play from their owners' machines.
        launcher: starts the others.
        address: where the arbiter awaits these.
        launched: gives how a version is started.
        confinement: how it is confined.
        tables: how many matches are played at once.
        patience: seconds from a bot's start to its hello.
        period: seconds after which it is looked whether another process has changed something.
        on_finished: called with each match that has been stored.
        on_void: called with the reason of each attempt that has come to nothing.

    """

    store: Store
    registry: Registry
    folder: DataFolder
    arbiter: Arbiter
    guests: Guests
    launcher: Launcher
    address: str
    launched: Callable[[Version], LaunchedBot]
    confinement: Confinement
    tables: int
    patience: float
    period: float
    on_finished: Callable[[PlayedMatch], None]
    on_void: Callable[[str], None]
