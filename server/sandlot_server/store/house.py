"""The bots that come with Sandlot, as bots of the house."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlalchemy import Connection

from sandlot_server.store import owners, versions
from sandlot_server.store.registered import HOUSE_OWNER, Version

NO_MORE = "it comes with Sandlot no more"


def renew(connection: Connection, hashes: Mapping[str, str]) -> Iterator[Version]:
    """Bring the house's bots to the versions that they have now; yield those that have changed.

    One that is disqualified stays so, one whose name somebody has taken is left out, and what came
    with an earlier Sandlot only is retired.

    Args:
        connection: in a transaction that writes.
        hashes: of the bots' files, by their names.
    """
    of = owners.house(connection)
    known = {bot.name: bot for bot in versions.all_bots(connection)}
    for name, bot in known.items():
        if bot.owner == HOUSE_OWNER and bot.active and name not in hashes:
            versions.stop(connection, name, "retired", NO_MORE)
            yield versions.by_id(connection, bot.active.id)
    for name, hash_ in hashes.items():
        there = known.get(name)
        if there and (there.owner != HOUSE_OWNER or there.disqualified is not None):
            continue
        if there is None or there.active is None or there.active.hash != hash_:
            version = versions.add(
                connection, of, name, kind="house", hash=hash_, manifest={}, status="received"
            )
            versions.activate(connection, version)
            yield versions.by_id(connection, version.id)
