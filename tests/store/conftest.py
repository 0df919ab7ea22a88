"""Where the stores of these tests are: each test that asks for ``place`` runs on both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandlot_server.store import Place, Registry, Store


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A place where there is nothing yet."""
    if request.param == "sqlite":
        return tmp_path / "a.db"
    place: Place = request.getfixturevalue("postgresql_place")
    return place


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    """A store without a tournament."""
    with Store(place, create=True) as store:
        yield store


@pytest.fixture
def registry(store: Store) -> Registry:
    """The registry of that store, in which nobody is known."""
    return Registry(store)
