"""A small league in a registry: its owners, its bots, and a season."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandlot_server.league.settings import SeasonSettings
from sandlot_server.store import Registry
from sandlot_server.store.registered import Drawn, Round, Season, Version

BY = "operator tess"
RUN = {"run": "bot.py"}


def active(
    registry: Registry, owner: str, bot: str, manifest: Mapping[str, Any] | None = None
) -> Version:
    """Submit a bot that becomes active; its hash tells its version apart."""
    if owner not in {one.name for one in registry.owners()}:
        registry.add_owner(owner, "owner", BY)
    waiting = received(registry, owner, bot, manifest)
    return registry.set_status(waiting, "active")


def received(
    registry: Registry, owner: str, bot: str, manifest: Mapping[str, Any] | None = None
) -> Version:
    """Submit a bot."""
    number = sum(len(known.versions) for known in registry.bots() if known.name == bot)
    return registry.receive(owner, bot, f"{number:064x}", RUN if manifest is None else manifest, 9)


def open_season(registry: Registry, name: str = "spring", **settings: Any) -> Season:
    """Start a season."""
    return registry.start_season(name, SeasonSettings(**settings).configuration(), BY)


def drawn(number: int, *tables: tuple[Version, ...]) -> Round:
    """Return a round with one match a table."""
    return Round(
        number,
        tuple(
            [
                Drawn(f"{number}-{table}-1", tuple([one.entrant for one in seats]), 0)
                for table, seats in enumerate(tables, start=1)
            ]
        ),
    )
