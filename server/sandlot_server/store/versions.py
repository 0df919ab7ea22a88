"""Bots and their versions: what they are, and how each version stands."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, func, insert, select, update

from sandlot_server.names import NAME_WORDS, is_name
from sandlot_server.store.registered import (
    LIVE,
    PENDING,
    Kind,
    OwnedBot,
    Status,
    Version,
    withdrawal,
)
from sandlot_server.store.schema import bots, entrants, owned_bots, owners, seasons, versions
from sandlot_server.store.values import ConflictError, MissingError, now, storable

_VERSIONS: Final = (
    select(
        versions.c.id,
        owned_bots.c.name.label("bot"),
        owners.c.name.label("owner"),
        versions.c.number,
        versions.c.kind,
        versions.c.hash,
        versions.c.manifest,
        versions.c.status,
        versions.c.reason,
        versions.c.account,
        versions.c.received,
        versions.c.settled,
    )
    .join(owned_bots, owned_bots.c.id == versions.c.bot)
    .join(owners, owners.c.id == owned_bots.c.owner)
    .order_by(owned_bots.c.name, versions.c.number)
)

_BOTS: Final = (
    select(
        owned_bots.c.name,
        owners.c.name.label("owner"),
        owned_bots.c.created,
        owned_bots.c.disqualified,
    )
    .join(owners, owners.c.id == owned_bots.c.owner)
    .order_by(owned_bots.c.name)
)


def _read(connection: Connection, query: Select[*tuple[Any, ...]]) -> list[Version]:
    return [_version(row) for row in connection.execute(query)]


def _version(row: Row[*tuple[Any, ...]]) -> Version:
    values = row._asdict()
    return Version(**values | {"manifest": json.loads(values["manifest"])})


def by_id(connection: Connection, version: int) -> Version:
    """Return a version by its number in the tables."""
    return _version(connection.execute(_VERSIONS.where(versions.c.id == version)).one())


def with_status(connection: Connection, statuses: Collection[Status]) -> list[Version]:
    """Return the versions that stand so, by bot and number."""
    return _read(connection, _VERSIONS.where(versions.c.status.in_(statuses)))


def pending_of(connection: Connection, owner: int) -> int:
    """Return how many versions of an owner are not settled yet."""
    query = (
        select(func.count())
        .select_from(versions.join(owned_bots, owned_bots.c.id == versions.c.bot))
        .where(owned_bots.c.owner == owner, versions.c.status.in_(PENDING))
    )
    return connection.scalar(query) or 0


def all_bots(connection: Connection, owner: int | None = None) -> list[OwnedBot]:
    """Return the bots of an owner, or of all, by name, with their versions."""
    query, of_versions = _BOTS, _VERSIONS
    if owner is not None:
        query = query.where(owned_bots.c.owner == owner)
        of_versions = of_versions.where(owned_bots.c.owner == owner)
    by_bot: dict[str, list[Version]] = {}
    for version in _read(connection, of_versions):
        by_bot.setdefault(version.bot, []).append(version)
    return [
        OwnedBot(*row, versions=tuple(by_bot.get(row.name, ())))
        for row in connection.execute(query)
    ]


def bot(connection: Connection, name: str) -> OwnedBot:
    """Return a bot.

    Raises:
        MissingError: there is none of that name.
    """
    row = connection.execute(_BOTS.where(owned_bots.c.name == storable(name))).one_or_none()
    if row is None:
        names = list(connection.scalars(select(owned_bots.c.name)))
        close = get_close_matches(name, names, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise MissingError(f"there is no bot {name!r} in the league{hint}")
    of_bot = _read(connection, _VERSIONS.where(owned_bots.c.name == name))
    return OwnedBot(*row, versions=tuple(of_bot))


def add(
    connection: Connection,
    owner: int,
    name: str,
    *,
    kind: Kind,
    hash: str,  # noqa: A002
    manifest: Mapping[str, Any],
    status: Status,
) -> Version:
    """Write the next version of a bot, and the bot if it is new.

    Raises:
        ConflictError: it cannot be called that, is somebody else's, or disqualified.
    """
    if not is_name(name):
        raise ConflictError(f"{name!r} cannot be the name of a bot; {NAME_WORDS}")
    found = connection.execute(select(owned_bots).where(owned_bots.c.name == name)).one_or_none()
    if found is None:
        added: int = connection.execute(
            insert(owned_bots)
            .values(owner=owner, name=name, created=now())
            .returning(owned_bots.c.id)
        ).scalar_one()
    elif found.owner != owner:
        raise ConflictError(f"the name {name!r} is taken: give the bot another one")
    elif found.disqualified is not None:
        raise ConflictError(f"bot {name!r} is disqualified: {found.disqualified}")
    else:
        added = found.id
    highest = connection.scalar(select(func.max(versions.c.number)).where(versions.c.bot == added))
    version: int = connection.execute(
        insert(versions)
        .values(
            bot=added,
            number=(highest or 0) + 1,
            kind=kind,
            hash=hash,
            manifest=json.dumps(manifest),
            status=status,
            reason="",
            account="",
            received=now(),
            settled=None,
        )
        .returning(versions.c.id)
    ).scalar_one()
    return by_id(connection, version)


def set_status(
    connection: Connection, version: int, status: Status, reason: str = "", account: str = ""
) -> None:
    """Write how a version stands now; what plays no more is withdrawn from open seasons."""
    values = {
        "status": status,
        "reason": storable(reason),
        "account": storable(account),
        "settled": None if status in PENDING else now(),
    }
    connection.execute(update(versions).where(versions.c.id == version).values(**values))
    if status not in LIVE:
        of_open = select(seasons.c.tournament).where(seasons.c.status != "closed")
        of_version = select(entrants.c.bot).where(entrants.c.version == version)
        connection.execute(
            update(bots)
            .where(
                bots.c.id.in_(of_version),
                bots.c.tournament.in_(of_open),
                bots.c.withdrawn.is_(None),
            )
            .values(withdrawn=storable(withdrawal(status, reason)))
        )


def activate(connection: Connection, version: Version, reason: str = "", account: str = "") -> None:
    """Let a version play in place of the one of its bot that has played until now.

    Where a later one plays already, as from its owner's machine, it comes too late and is replaced.
    """
    active = [one for one in _active_of(connection, version.bot) if one.id != version.id]
    later = max((one.number for one in active), default=0)
    if later > version.number:
        set_status(connection, version.id, "replaced", f"by version {later}", account)
        return
    for other in active:
        set_status(connection, other.id, "replaced", f"by version {version.number}")
    set_status(connection, version.id, "active", reason, account)


def stop(connection: Connection, name: str, status: Status, reason: str) -> list[Version]:
    """Let no version of a bot play any more, nor those that wait for it; return them."""
    stopped = [one for one in bot(connection, name).versions if one.status in LIVE]
    for version in stopped:
        set_status(connection, version.id, status, reason)
    return stopped


def disqualify(connection: Connection, name: str, reason: str) -> None:
    """Let a bot play no more, in no version to come either."""
    stop(connection, name, "disqualified", reason)
    connection.execute(
        update(owned_bots).where(owned_bots.c.name == name).values(disqualified=storable(reason))
    )


def _active_of(connection: Connection, name: str) -> Iterable[Version]:
    query = _VERSIONS.where(owned_bots.c.name == name, versions.c.status == "active")
    return _read(connection, query)
