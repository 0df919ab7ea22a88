"""Tournaments and their bots: begun once, taken up again only as they were begun."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection, bindparam, insert, select, update

from sandlot.errors import StoreError
from sandlot.seeds import commitment, new_seed
from sandlot_server.store.schema import bots, seasons, tournaments
from sandlot_server.store.values import MissingError, StoredBot, StoredTournament, now, storable

SHOWN: Final = 12
"""Digits of a version that are enough to tell two apart."""

# Asked for at every commit of a run: made once.
_ID: Final = select(tournaments.c.id).where(tournaments.c.name == bindparam("name"))
_BOT_IDS: Final = (
    select(bots.c.name, bots.c.id)
    .where(bots.c.tournament == bindparam("tournament"))
    .order_by(bots.c.id)
)

Configuration: TypeAlias = Mapping[str, Any]
Difference: TypeAlias = Callable[[Configuration, Configuration], str]


@dataclass(frozen=True, slots=True)
class Entry:
    """A tournament as it is asked for: see ``Store.open_tournament``."""

    name: str
    configuration: Configuration
    rounds: int
    bots: Mapping[str, str]
    seed: bytes | None = field(repr=False)


def names(connection: Connection) -> list[str]:
    """Return the names of all tournaments, in the order in which they were begun."""
    return list(connection.scalars(select(tournaments.c.name).order_by(tournaments.c.id)))


def id_of(connection: Connection, name: str) -> int:
    """Return the number of a tournament in the tables."""
    found: int | None = connection.scalar(_ID, {"name": storable(name)})
    if found is None:
        close = get_close_matches(name, names(connection), n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise MissingError(f"there is no tournament {name!r} in it{hint}")
    return found


def bot_ids(connection: Connection, tournament: int) -> dict[str, int]:
    """Return the numbers of a tournament's bots in the tables, by name, as the league has them."""
    rows = connection.execute(_BOT_IDS, {"tournament": tournament})
    return {row.name: row.id for row in rows}


def stored(connection: Connection, name: str) -> StoredTournament:
    """Return a tournament as it is stored."""
    tournament = id_of(connection, name)
    row = connection.execute(
        select(tournaments, seasons.c.status.label("season"))
        .outerjoin(seasons, seasons.c.tournament == tournaments.c.id)
        .where(tournaments.c.id == tournament)
    ).one()
    of_bots = connection.execute(
        select(bots.c.name, bots.c.version, bots.c.withdrawn)
        .where(bots.c.tournament == tournament)
        .order_by(bots.c.id)
    )
    return StoredTournament(
        name=row.name,
        configuration=json.loads(row.configuration),
        rounds=row.rounds,
        seed=bytes.fromhex(row.seed),
        commitment=row.commitment,
        created=row.created,
        bots=tuple(StoredBot(*bot) for bot in of_bots),
        season=row.season,
    )


def check_no_season(connection: Connection, name: str) -> None:
    """Keep the name of a season from the tournaments of league files.

    Raises:
        StoreError: there is a season of that name.
    """
    of_seasons = select(tournaments.c.name).join(seasons, seasons.c.tournament == tournaments.c.id)
    if name in list(connection.scalars(of_seasons)):
        raise StoreError(
            f"{name!r} is a season, which the league server plays: give the tournament another name"
        )


def begin(connection: Connection, entry: Entry) -> None:
    """Write a new tournament, with a seed of its own if it brings none."""
    seed = entry.seed or new_seed()
    tournament = connection.execute(
        insert(tournaments)
        .values(
            name=entry.name,
            configuration=json.dumps(entry.configuration),
            rounds=entry.rounds,
            seed=seed.hex(),
            commitment=commitment(seed),
            created=now(),
        )
        .returning(tournaments.c.id)
    ).scalar_one()
    connection.execute(
        insert(bots),
        [
            {"tournament": tournament, "name": name, "version": version}
            for name, version in entry.bots.items()
        ],
    )


def take_up(connection: Connection, entry: Entry, difference: Difference) -> None:
    """Accept a tournament that is there already, with as many rounds or more.

    Raises:
        StoreError: anything else has changed that would mix results which cannot be compared.
    """
    before = stored(connection, entry.name)
    changes = []
    configuration = json.loads(json.dumps(entry.configuration))  # as it would be read back
    if configuration != before.configuration:
        changes.append(difference(before.configuration, configuration))
    if entry.rounds < before.rounds:
        changes.append(f"rounds {before.rounds} -> {entry.rounds}, and they may only grow")
    if entry.seed is not None and entry.seed != before.seed:
        changes.append(f"the seed with commitment {before.commitment} -> {commitment(entry.seed)}")
    if not changes:  # else the bots may be others altogether
        changes += [
            f"the files of bot {bot.name!r}, version {bot.version[:SHOWN]} -> "
            f"{entry.bots.get(bot.name, '')[:SHOWN]}"
            for bot in before.bots
            if entry.bots.get(bot.name) != bot.version
        ]
    if changes:
        raise StoreError(
            f"tournament {entry.name!r} was begun otherwise: {'; '.join(changes)}. "
            "Put that back, or play under another name"
        )
    connection.execute(
        update(tournaments).where(tournaments.c.name == entry.name).values(rounds=entry.rounds)
    )


def withdraw(connection: Connection, tournament: int, bot: str, reason: str) -> None:
    """Note why a bot plays no more."""
    changed = connection.execute(
        update(bots)
        .where(bots.c.tournament == tournament, bots.c.name == bot)
        .values(withdrawn=storable(reason))
    )
    if changed.rowcount != 1:
        raise StoreError(f"there is no bot {bot!r} in the tournament")
