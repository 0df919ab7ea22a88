"""Owners and their tokens: given once, kept as a hash, worthless when they are revoked."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select
from support.registered import BY

from sandlot.errors import StoreError
from sandlot_server.store import Place, Registry, Store
from sandlot_server.store.registered import ROLES
from sandlot_server.store.schema import metadata


def test_a_token_tells_whose_it_is(registry: Registry) -> None:
    tokens = {f"ann-{role}": registry.add_owner(f"ann-{role}", role, BY) for role in ROLES}
    assert len(set(tokens.values())) == 3
    for (name, token), role in zip(tokens.items(), ROLES, strict=True):
        owner = registry.owner_of(token)
        assert owner is not None
        assert (owner.name, owner.role, owner.tokens) == (name, role, 1)
        assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", owner.created)


@pytest.mark.parametrize(
    "token", ["", "sandlot_", "a\0b", "\udcff", "%", "' OR 1=1 --", "x" * 9999]
)
def test_what_is_no_token_is_nobodys(registry: Registry, token: str) -> None:
    registry.add_owner("ann", "owner", BY)
    assert registry.owner_of(token) is None


def test_no_token_stands_in_any_table(registry: Registry, store: Store) -> None:
    tokens = [registry.add_owner("ann", "owner", BY), registry.renew_token("ann", BY)]
    with store.reading() as connection:
        rows = [
            str(row)
            for table in metadata.sorted_tables
            for row in connection.execute(select(table))
        ]
    assert any("ann" in row for row in rows)
    assert [row for row in rows for token in tokens if token.removeprefix("sandlot_") in row] == []


def test_a_new_token_makes_the_old_one_worthless(registry: Registry) -> None:
    old = registry.add_owner("ann", "owner", BY)
    new = registry.renew_token("ann", BY)
    assert registry.owner_of(old) is None
    assert registry.owner_of(new) == registry.owners()[0]
    assert registry.owners()[0].tokens == 1


def test_a_revoked_owner_is_let_in_no_more_until_there_is_a_new_token(registry: Registry) -> None:
    token = registry.add_owner("ann", "owner", BY)
    other = registry.add_owner("bob", "owner", BY)
    registry.revoke_tokens("ann", BY)
    assert registry.owner_of(token) is None
    assert [(owner.name, owner.tokens) for owner in registry.owners()] == [("ann", 0), ("bob", 1)]
    assert registry.owner_of(other) is not None
    assert registry.owner_of(registry.renew_token("ann", BY)) is not None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ann", "there is an owner 'ann' already: `sandlot admin owner token ann` gives"),
        ("house", "'house' owns the bots that come with Sandlot, and has no token: take another"),
        ("Ann", "'Ann' cannot be an owner's name; write 1 to 32 of a-z 0-9 . _ -"),
        ("../ann", "'../ann' cannot be an owner's name"),
        ("a" * 33, "cannot be an owner's name"),
        ("a\0b", r"'a\x00b' cannot be an owner's name"),
    ],
)
def test_who_cannot_be_added_leaves_nothing_behind(
    registry: Registry, name: str, said: str
) -> None:
    registry.add_owner("ann", "owner", BY)
    before = registry.generation()
    with pytest.raises(StoreError, match=re.escape(said)):
        registry.add_owner(name, "owner", BY)
    assert [owner.name for owner in registry.owners()] == ["ann"]
    assert registry.generation() == before


@pytest.mark.parametrize("call", ["renew_token", "revoke_tokens", "bots"])
def test_an_unknown_owner_is_told_the_nearest(registry: Registry, call: str) -> None:
    registry.add_owner("ann", "owner", BY)
    asked: Callable[..., object] = getattr(registry, call)
    rest = () if call == "bots" else (BY,)
    with pytest.raises(StoreError, match="there is no owner 'anne'; did you mean 'ann'"):
        asked("anne", *rest)
    with pytest.raises(StoreError, match="there is no owner"):
        asked("\0\udcff", *rest)


def test_the_house_has_no_token(registry: Registry) -> None:
    registry.house({})
    with pytest.raises(StoreError, match="'house' owns the bots that come with Sandlot"):
        registry.renew_token("house", BY)
    assert registry.owners()[0].tokens == 0


def test_of_many_who_add_the_same_owner_at_once_one_succeeds(place: Place) -> None:
    Store(place, create=True).close()
    start = threading.Barrier(4)

    def add() -> str | None:
        with Store(place) as store:
            start.wait()
            try:
                return Registry(store).add_owner("ann", "owner", BY)
            except StoreError:
                return None

    with ThreadPoolExecutor(4) as pool:
        given = [each.result() for each in [pool.submit(add) for _ in range(4)]]
    (token,) = filter(None, given)
    with Store(place) as store:
        registry = Registry(store)
        assert [owner.tokens for owner in registry.owners()] == [1]
        assert registry.owner_of(token) is not None
        assert [line.did for line in registry.audit()] == ["owner add"]


def test_every_change_has_its_line_and_a_page_goes_on_where_the_last_ended(
    registry: Registry,
) -> None:
    assert registry.generation() == 0
    registry.add_owner("ann", "admin", BY)
    registry.renew_token("ann", BY)
    registry.revoke_tokens("ann", "operator \udcff\0")
    lines = registry.audit()
    assert [(line.who, line.did, line.subject, line.detail) for line in lines] == [
        ("operator \\udcff\\x00", "owner revoke", "ann", "1 revoked"),
        (BY, "owner token", "ann", "1 revoked"),
        (BY, "owner add", "ann", "role admin"),
    ]
    assert registry.generation() == lines[0].id > lines[1].id > lines[2].id
    assert registry.audit(most=1) == lines[:1]
    assert registry.audit(most=5, before=lines[0].id) == lines[1:]


def test_another_process_sees_the_generation_grow(place: Place) -> None:
    with Store(place, create=True) as one, Store(place) as other:
        before = Registry(other).generation()
        Registry(one).add_owner("ann", "owner", BY)
        assert Registry(other).generation() > before
