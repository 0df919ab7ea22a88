"""Owners and their tokens. Of a token only the hash is kept."""

from __future__ import annotations

import hashlib
import secrets
from difflib import get_close_matches
from typing import Final

from sqlalchemy import Connection, func, insert, select, update

from sandlot.errors import StoreError
from sandlot_server.names import NAME_WORDS, is_name
from sandlot_server.store.registered import HOUSE_OWNER, Owner, Role
from sandlot_server.store.schema import owners, tokens
from sandlot_server.store.values import MissingError, now, storable

PREFIX: Final = "sandlot_"
"""How a token begins, so that whoever finds one knows what it is."""

_TOKENS: Final = (
    select(func.count()).select_from(tokens).where(tokens.c.owner == owners.c.id).correlate(owners)
)
_OWNER: Final = select(
    owners.c.name,
    owners.c.role,
    owners.c.created,
    _TOKENS.where(tokens.c.revoked.is_(None)).scalar_subquery(),
    _TOKENS.where(tokens.c.revoked.is_not(None)).scalar_subquery(),
)


def hash_of(token: str) -> str:
    """Return what is kept of a token. It is long and drawn by lot: nothing slower is needed.

    Nor need it be compared in constant time: what the time of a search tells is of the hash, and
    that leads to no token.
    """
    return hashlib.sha256(storable(token).encode()).hexdigest()


def all_owners(connection: Connection) -> list[Owner]:
    """Return the owners by name."""
    return [Owner(*row) for row in connection.execute(_OWNER.order_by(owners.c.name))]


def by_token(connection: Connection, token: str) -> Owner | None:
    """Return whose token it is, None if nobody's or revoked."""
    of_token = select(tokens.c.owner).where(
        tokens.c.hash == hash_of(token), tokens.c.revoked.is_(None)
    )
    query = _OWNER.where(owners.c.id.in_(of_token))
    row = connection.execute(query).one_or_none()
    return None if row is None else Owner(*row)


def id_of(connection: Connection, name: str) -> int:
    """Return the number of an owner in the tables.

    Raises:
        MissingError: there is none of that name.
    """
    found = _find(connection, name)
    if found is None:
        names = list(connection.scalars(select(owners.c.name)))
        close = get_close_matches(name, names, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise MissingError(f"there is no owner {name!r}{hint}")
    return found


def add(connection: Connection, name: str, role: Role) -> int:
    """Write a new owner; return its number.

    Raises:
        StoreError: there is one of that name, or it is none that can be.
    """
    if not is_name(name):
        raise StoreError(f"{name!r} cannot be an owner's name; {NAME_WORDS}")
    if _find(connection, name) is not None:
        raise StoreError(
            f"there is an owner {name!r} already: `sandlot admin owner token {name}` gives a new "
            "token"
        )
    values = {"name": name, "role": role, "created": now()}
    added: int = connection.execute(
        insert(owners).values(**values).returning(owners.c.id)
    ).scalar_one()
    return added


def house(connection: Connection) -> int:
    """Return the number of the house, which owns the bots that come with Sandlot."""
    found = _find(connection, HOUSE_OWNER)
    return add(connection, HOUSE_OWNER, "reader") if found is None else found


def _find(connection: Connection, name: str) -> int | None:
    found: int | None = connection.scalar(
        select(owners.c.id).where(owners.c.name == storable(name))
    )
    return found


def give_token(connection: Connection, owner: int) -> str:
    """Return a new token of an owner: the one time at which it is seen."""
    token = PREFIX + secrets.token_urlsafe(32)
    connection.execute(insert(tokens).values(owner=owner, hash=hash_of(token), created=now()))
    return token


def revoke(connection: Connection, owner: int) -> int:
    """Make all tokens of an owner worthless; return how many were good."""
    good = (tokens.c.owner == owner, tokens.c.revoked.is_(None))
    return connection.execute(update(tokens).where(*good).values(revoked=now())).rowcount
