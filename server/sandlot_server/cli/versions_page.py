"""Bots of a league and their versions, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.text import Text

from sandlot_server.cli.output import new_table
from sandlot_server.cli.standings_page import net_text

if TYPE_CHECKING:
    from rich.table import Table

    from sandlot_server.store.registered import OwnedBot, Version
    from sandlot_server.tournament.standings import Row


def version_json(version: Version) -> dict[str, Any]:
    """Return a version as plain values, for ``--json``."""
    return {
        "bot": version.bot,
        "number": version.number,
        "owner": version.owner,
        "kind": version.kind,
        "version": version.hash,
        "status": version.status,
        "reason": version.reason,
        "account": version.account,
        "received": version.received,
        "settled": version.settled,
    }


def bot_json(bot: OwnedBot, rows: Mapping[str, Row]) -> dict[str, Any]:
    """Return a bot as plain values; ``rows`` are the standings by entrant."""
    return {
        "bot": bot.name,
        "owner": bot.owner,
        "created": bot.created,
        "disqualified": bot.disqualified,
        "versions": [
            version_json(version) | {"standing": row and row.to_json()}
            for version in bot.versions
            for row in [rows.get(version.entrant)]
        ],
    }


def bots_table(bots: Iterable[OwnedBot], rows: Mapping[str, Row], *, owners: bool) -> Table:
    """Return a table of bots: of each the version that plays, and what has come after it.

    Args:
        bots: the bots.
        rows: the standings by entrant.
        owners: whether it says whose they are.

    """
    return _table([version for bot in bots for version in _latest(bot)], rows, owners=owners)


def history_table(bot: OwnedBot, rows: Mapping[str, Row]) -> Table:
    """Return a table of all versions of a bot, the first one first."""
    return _table(bot.versions, rows, owners=False)


def _latest(bot: OwnedBot) -> Iterator[Version]:
    """Yield the versions from the active one on; the last one where none is active."""
    versions = list(bot.versions)
    active = [at for at, version in enumerate(versions) if version.status == "active"]
    yield from versions[active[-1] if active else -1 :]


def _table(versions: Iterable[Version], rows: Mapping[str, Row], *, owners: bool) -> Table:
    owner = ("owner",) if owners else ()
    table = new_table(
        "bot",
        *owner,
        "plays",
        "status",
        "since",
        "rank",
        "net a hand",
        "matches",
        right=("rank", "net a hand", "matches"),
    )
    for version in versions:
        row = rows.get(version.entrant)
        table.add_row(
            Text(version.entrant, "bold"),
            *([version.owner] if owners else []),
            _PLAYS.get(version.kind, version.kind),
            Text(version.status, _STYLES.get(version.status, "")),
            moment_text(version.settled or version.received),
            "-" if row is None or row.rank is None else str(row.rank),
            net_text(None if row is None else row.net),
            "-" if row is None else f"{row.matches:,}",
        )
    return table


_PLAYS = {"submitted": "on server", "remote": "from home", "house": "house"}
_STYLES = {"active": "green", "refused": "red", "failed": "red", "disqualified": "red"}


def moment_text(time: str) -> str:
    """Return a time as a table shows it, in UTC and to the minute.

    >>> moment_text("2026-12-01T13:55:42Z")
    '2026-12-01 13:55'
    """
    return time[:16].replace("T", " ")
