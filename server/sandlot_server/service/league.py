"""What all calls are answered from."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sandlot_server.service.limits import Limits
from sandlot_server.service.refusals import Reason, RefusedError

if TYPE_CHECKING:
    from sandlot_server.service.needs import Hall, Reception
    from sandlot_server.store.registered import Season
    from sandlot_server.store.registry import Registry
    from sandlot_server.store.store import Store


@dataclass(frozen=True, slots=True)
class League:
    """A league, as its service sees it."""

    store: Store
    registry: Registry
    reception: Reception
    hall: Hall
    limits: Limits = field(default_factory=Limits)
    clock: Callable[[], float] = time.monotonic
    """Gives seconds that only grow."""
    draining: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server is about to stop: nothing is begun any more."""

    async def season(self, name: str) -> Season | None:
        """Return a season; without a name the one under way or else the last, None if none.

        Raises:
            RefusedError: there is none of that name.
        """
        seasons = await asyncio.to_thread(self.registry.seasons)
        if not name:
            under_way = [season for season in seasons if season.status != "closed"]
            return next(iter(under_way or seasons[-1:]), None)
        found = next((season for season in seasons if season.name == name), None)
        if found is None:
            known = ", ".join(season.name for season in seasons) or "none yet"
            raise RefusedError(
                Reason.NO_SEASON, f"there is no season {name!r}; there is: {known}", season=name
            )
        return found

    async def some_season(self, name: str) -> Season:
        """Return a season as ``season`` does, where there has to be one.

        Raises:
            RefusedError: there is none.
        """
        season = await self.season(name)
        if season is None:
            raise RefusedError(
                Reason.NO_SEASON, "there is no season yet: the operator starts the first one"
            )
        return season
