"""How much one owner may hand in, so that nobody takes the server's time and disk from the rest."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from sandlot.errors import SubmissionError
from sandlot_server.launch.limits import format_size
from sandlot_server.league.places import DataFolder
from sandlot_server.store.registered import OwnedBot

DAY: Final = timedelta(days=1)


class QuotaError(SubmissionError):
    """A submission that is more than its owner may hand in."""


@dataclass(frozen=True, slots=True)
class Quotas:
    """What one owner may have, bots that it submits and bots that it connects taken together."""

    waiting: int = 5
    """Versions that wait to be built and tried; they are tried one at a time."""
    bots: int = 20
    """Bots by name; one that is retired counts, for its results stay."""
    daily: int = 50
    """Versions within 24 hours, those that were refused with them."""
    kept: int = 2 << 30
    """Bytes on the disk of all versions ever: archives, files, environments, and logs."""

    def check(self, bot: str, bots: Collection[OwnedBot], kept: int) -> None:
        """Refuse one more version of a bot.

        Args:
            bot: its name.
            bots: those of its owner by now.
            kept: bytes that the owner has on the disk, with what is to come.

        Raises:
            QuotaError: says which quota is used up, and what to do.
        """
        if len(bots) >= self.bots and all(one.name != bot for one in bots):
            raise QuotaError(
                f"you have {len(bots)} bots, and {self.bots} are allowed; give this one the name "
                "of one that you have"
            )
        since = datetime.now(UTC) - DAY
        received = [datetime.fromisoformat(one.received) for each in bots for one in each.versions]
        latest = [time for time in received if time > since]
        if len(latest) >= self.daily:
            again = min(latest) + DAY
            raise QuotaError(
                f"you have sent {len(latest)} versions within 24 hours, and {self.daily} are "
                f"allowed; send the next one after {again:%H:%M} UTC"
            )
        if kept > self.kept:
            raise QuotaError(
                f"this would bring what you have on the server's disk over {format_size(self.kept)}"
                "; leave out what the bot does not need, or ask the operator to make room"
            )


def kept_of(bots: Iterable[OwnedBot], folder: DataFolder) -> int:
    """Return the bytes that are kept of bots: what was submitted, and what they wrote."""
    seasons = [season.name for season in folder.logs.iterdir()]
    kept = 0
    for bot in bots:
        kept += size_of(folder.submissions / bot.name)
        for version in bot.versions:
            for season in seasons:
                with suppress(FileNotFoundError):
                    kept += folder.log(season, version.entrant).stat().st_size
    return kept


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder and in those within; 0 if it is not there."""
    size = 0
    for above, _, names in os.walk(folder):
        for name in names:
            try:
                size += os.lstat(os.path.join(above, name)).st_size
            except FileNotFoundError:
                continue  # it is being removed
    return size
