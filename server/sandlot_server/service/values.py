"""Between what the registry and the store keep and the messages of ``league.proto``, both ways.

Each value has a function ``write_...`` and one ``read_...``; what was written is read as it was.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

from sandlot.errors import WireError
from sandlot.v1 import league_pb2
from sandlot.wire.table import read_fraction
from sandlot_server.store.registered import (
    Kind,
    OwnedBot,
    Owner,
    Role,
    Status,
    StoredMatch,
    StoredSeat,
    Version,
)


def write_owner(owner: Owner) -> league_pb2.Owner:
    """Return the message of an owner."""
    return league_pb2.Owner(
        name=owner.name, role=owner.role, created=owner.created, tokens=owner.tokens
    )


def read_owner(message: league_pb2.Owner) -> Owner:
    """Return the owner of a message.

    >>> ann = Owner("ann", "reader", "2026-12-01T12:00:00Z", 1)
    >>> read_owner(write_owner(ann)) == ann
    True
    """
    return Owner(message.name, cast(Role, message.role), message.created, message.tokens)


def public(version: Version) -> Version:
    """Return what everybody may know of a version."""
    return replace(version, manifest={}, reason="", account="")


def brief(version: Version) -> Version:
    """Return a version without its account, which may be long."""
    return replace(version, account="")


def write_version(version: Version) -> league_pb2.Version:
    """Return the message of a version."""
    return league_pb2.Version(
        id=version.id,
        bot=version.bot,
        owner=version.owner,
        number=version.number,
        kind=version.kind,
        hash=version.hash,
        manifest=json.dumps(version.manifest) if version.manifest else "",
        status=version.status,
        reason=version.reason,
        account=version.account,
        received=version.received,
        settled=version.settled,
    )


def read_version(message: league_pb2.Version) -> Version:
    """Return the version of a message.

    Raises:
        WireError: the manifest is no JSON.
    """
    return Version(
        id=message.id,
        bot=message.bot,
        owner=message.owner,
        number=message.number,
        kind=cast(Kind, message.kind),
        hash=message.hash,
        manifest=read_object(message.manifest) if message.manifest else {},
        status=cast(Status, message.status),
        reason=message.reason,
        account=message.account,
        received=message.received,
        settled=message.settled if message.HasField("settled") else None,
    )


def write_bot(bot: OwnedBot) -> league_pb2.Bot:
    """Return the message of a bot, with its versions."""
    return league_pb2.Bot(
        name=bot.name,
        owner=bot.owner,
        created=bot.created,
        disqualified=bot.disqualified,
        versions=map(write_version, bot.versions),
    )


def read_bot(message: league_pb2.Bot) -> OwnedBot:
    """Return the bot of a message.

    Raises:
        WireError: the manifest of a version is no JSON.
    """
    return OwnedBot(
        name=message.name,
        owner=message.owner,
        created=message.created,
        disqualified=message.disqualified if message.HasField("disqualified") else None,
        versions=tuple(map(read_version, message.versions)),
    )


def read_object(text: str) -> dict[str, Any]:
    """Return the values of a JSON object.

    Raises:
        WireError: it is none.
    """
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise WireError("the server sent what is no JSON object: it may be of another version")
    return values


def write_match(match: StoredMatch) -> league_pb2.FinishedMatch:
    """Return the message of a match that has a result."""
    seats = [
        league_pb2.FinishedSeat(
            bot=seat.bot, net=str(seat.net), place=seat.place, faults=dict(seat.faults)
        )
        for seat in match.seats
    ]
    return league_pb2.FinishedMatch(
        match=match.match,
        attempt=match.attempt,
        started=match.started,
        ended=match.ended,
        digest=match.digest,
        hands=match.hands,
        seats=seats,
        position=match.position,
    )


def read_match(message: league_pb2.FinishedMatch) -> StoredMatch:
    """Return the match of a message.

    Raises:
        WireError: a net is no number.
    """
    seats = [
        StoredSeat(seat.bot, read_fraction(seat.net), seat.place, dict(seat.faults))
        for seat in message.seats
    ]
    return StoredMatch(
        match=message.match,
        attempt=message.attempt,
        started=message.started,
        ended=message.ended,
        digest=message.digest,
        hands=message.hands,
        seats=tuple(seats),
        position=message.position,
    )
