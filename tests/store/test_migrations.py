"""The tables are made and changed by migrations, and come to what ``schema`` says they are."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, inspect, make_url, text
from support.registered import active, open_season
from support.stored import BOTS, open_friday, option, play

from sandlot.errors import StoreError
from sandlot_server.store import Place, Registry, Store, migrations, opening
from sandlot_server.store.schema import SCHEMA_VERSION, metadata

CASES = Path(__file__).parents[1] / "cases"


@pytest.fixture
def version_1(place: Place) -> Place:
    """A database as version 1 made it, filled and written out then."""
    if isinstance(place, Path):
        raw = sqlite3.connect(place)
        raw.executescript((CASES / "store-1-sqlite.sql").read_text("utf-8"))
        raw.close()
    else:
        import psycopg

        with psycopg.connect(place.url) as connection:
            connection.execute((CASES / "store-1-postgresql.sql").read_bytes())
    return place


@contextmanager
def connected(place: Place) -> Iterator[Connection]:
    """A connection that is not the store's own."""
    if isinstance(place, Path):
        engine = create_engine(f"sqlite:///{place}")
    else:
        engine = create_engine(make_url(place.url).set(drivername="postgresql+psycopg"))
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def form(connection: Connection) -> dict[str, Any]:
    """Return all that can be read of the form of the tables, alembic's comparison being coarser."""
    inspector = inspect(connection)
    without_rowid = []
    if connection.dialect.name == "sqlite":
        query = "SELECT name FROM sqlite_master WHERE sql LIKE '%WITHOUT ROWID%'"
        without_rowid = [*connection.scalars(text(query))]
        assert without_rowid

    def plain(of: Any) -> Any:
        return sorted((str(sorted(each.items(), key=str)) for each in of), key=str)

    return {
        table: {
            "columns": [
                (
                    column["name"],
                    column["type"].compile(connection.dialect),
                    column["nullable"],
                    column["default"],
                )
                for column in inspector.get_columns(table)
            ],
            "key": inspector.get_pk_constraint(table)["constrained_columns"],
            "unique": plain(inspector.get_unique_constraints(table)),
            "foreign": plain(inspector.get_foreign_keys(table)),
            "checks": plain(inspector.get_check_constraints(table)),
            "indexes": plain(inspector.get_indexes(table)),
            "without rowid": table in without_rowid,
        }
        for table in inspector.get_table_names()
    }


def the_form_of_metadata(place: Place, fresh: Place) -> dict[str, Any]:
    with connected(fresh) as connection:
        metadata.create_all(connection)
        return form(connection)


@pytest.fixture
def fresh(place: Place, request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """One more place of the same kind, where there is nothing."""
    if isinstance(place, Path):
        return tmp_path / "fresh.db"
    new: Place = request.getfixturevalue("postgresql").new()
    return new


def check_form(place: Place, fresh: Place) -> None:
    with connected(place) as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []  # what it says is what a migration lacks
        found = form(connection)
    assert found == the_form_of_metadata(place, fresh)


def test_what_is_made_has_the_form_of_the_metadata(place: Place, fresh: Place) -> None:
    Store(place, create=True).close()
    check_form(place, fresh)


def test_version_1_is_brought_to_the_form_of_the_metadata(version_1: Place, fresh: Place) -> None:
    Store(version_1).close()
    check_form(version_1, fresh)


def test_a_difference_of_form_would_be_seen(place: Place, fresh: Place) -> None:
    Store(place, create=True).close()
    with connected(place) as connection:
        connection.execute(text("ALTER TABLE bots ADD COLUMN motto TEXT"))
    with pytest.raises(AssertionError):
        check_form(place, fresh)


def test_what_version_1_stored_is_read_and_gone_on_with(version_1: Place) -> None:
    with Store(version_1) as store:
        tournament = open_friday(store)
        assert tournament.seed == bytes(range(16))
        assert [bot.withdrawn for bot in tournament.bots] == [
            None,
            None,
            "failed to start 3 times: exited with status 1",
        ]
        assert dict(store.records("friday")) == {
            "1-1-1": "record of 1-1-1/1\n",
            "1-2-1": "record of 1-2-1/2\n",
        }
        assert [(void.match, void.attempt) for void in store.voids("friday")] == [
            ("1-2-1", 1),
            ("1-3-1", 1),
        ]
        bots = store.sums("friday").bots
        assert [(bot.bot, bot.net_sum) for bot in bots] == [
            ("ann", 840),
            ("bob", 2100),
            ("cid", -2940),
        ]
        assert bots[1].faults == {"timeout": 2}
        assert store.begin_attempts("friday", ["1-3-1", "1-4-1"]) == {"1-3-1": 2, "1-4-1": 1}


def test_a_league_is_begun_in_what_version_1_made(version_1: Place) -> None:
    with Store(version_1) as store:
        registry = Registry(store)
        version = active(registry, "ann", "rat")
        open_season(registry)
        registry.enter("spring", [version])
        assert [(each.name, each.season) for each in store.tournaments()] == [
            ("friday", None),
            ("spring", "open"),
        ]


def test_the_versions_are_one_line_that_ends_at_the_present() -> None:
    directory = ScriptDirectory(str(migrations.SCRIPTS))
    revisions = [script.revision for script in directory.walk_revisions()]
    assert revisions == [str(version) for version in range(SCHEMA_VERSION, 0, -1)]


NEXT = """
import sqlalchemy as sa
from alembic import op

revision = "{version}"
down_revision = "{before}"

def upgrade():
    op.create_table("mottos", sa.Column("bot", sa.Integer, sa.ForeignKey("bots.id")))
    with op.batch_alter_table("bots") as table:
        table.add_column(sa.Column("motto", sa.Text, nullable=False, server_default="none"))
        table.alter_column("version", nullable=True)
    {last}
"""


@pytest.fixture
def a_later_sandlot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have one version more, which changes a table and adds another; return its file."""
    scripts = tmp_path / "scripts"
    shutil.copytree(migrations.SCRIPTS / "versions", scripts / "versions")
    later = scripts / "versions" / "later.py"
    later.write_text(NEXT.format(version=SCHEMA_VERSION + 1, before=SCHEMA_VERSION, last=""))
    monkeypatch.setattr(migrations, "SCRIPTS", scripts)
    monkeypatch.setattr(opening, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    return later


def stored_in(place: Place) -> tuple[object, list[str]]:
    with connected(place) as connection:
        version = connection.execute(text("SELECT version FROM sandlot_schema")).scalar_one()
        return version, [column["name"] for column in inspect(connection).get_columns("bots")]


OLD = ["id", "tournament", "name", "version", "withdrawn"]


def test_an_older_database_is_changed_and_keeps_what_it_holds(
    place: Place, a_later_sandlot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(opening, "SCHEMA_VERSION", SCHEMA_VERSION)
        with Store(place, create=True) as store:
            open_friday(store)
            play(store, "1-1-1", {"ann": 1, "bob": -1})
    assert stored_in(place) == (SCHEMA_VERSION, OLD)

    start = threading.Barrier(6)

    def open_at_once() -> int:
        start.wait()
        with Store(place) as store:
            return len(store.done("friday"))

    with ThreadPoolExecutor(6) as pool:
        assert [each.result() for each in [pool.submit(open_at_once) for _ in range(6)]] == [1] * 6
    assert stored_in(place) == (SCHEMA_VERSION + 1, [*OLD, "motto"])
    with Store(place, create=True) as store:
        assert [bot.name for bot in open_friday(store).bots] == [*BOTS]
        play(store, "1-1-2", {"ann": 1, "bob": -1})
        assert store.sums("friday")[0][0].matches == 2
    monkeypatch.undo()
    with pytest.raises(StoreError, match=f"later Sandlot .version {SCHEMA_VERSION + 1} of"):
        Store(place, create=True)


def test_who_only_looks_changes_no_older_database(place: Place, a_later_sandlot: Path) -> None:
    with pytest.MonkeyPatch.context() as earlier:
        earlier.setattr(opening, "SCHEMA_VERSION", SCHEMA_VERSION)
        Store(place, create=True).close()
    with pytest.raises(StoreError, match="its tables are of an earlier Sandlot"):
        Store(place, migrate=False)
    assert stored_in(place) == (SCHEMA_VERSION, OLD)


def test_a_change_that_fails_leaves_the_database_as_it_was(
    place: Place, a_later_sandlot: Path
) -> None:
    with pytest.MonkeyPatch.context() as earlier:
        earlier.setattr(opening, "SCHEMA_VERSION", SCHEMA_VERSION)
        with Store(place, create=True) as store:
            open_friday(store)
    a_later_sandlot.write_text(
        NEXT.format(version=SCHEMA_VERSION + 1, before=SCHEMA_VERSION, last="raise MemoryError")
    )
    with pytest.raises(MemoryError):
        Store(place)
    assert stored_in(place) == (SCHEMA_VERSION, OLD)
    with connected(place) as connection:
        assert not inspect(connection).has_table("mottos")
    with pytest.MonkeyPatch.context() as earlier:
        earlier.setattr(opening, "SCHEMA_VERSION", SCHEMA_VERSION)
        with Store(place) as store:
            assert store.tournament().name == "friday"


def test_a_database_of_a_later_version_is_refused_and_left_alone(place: Place) -> None:
    with Store(place, create=True) as store:
        open_friday(store)
    with connected(place) as connection:
        connection.execute(text(f"UPDATE sandlot_schema SET version = {SCHEMA_VERSION + 1}"))
    for create in (True, False):
        with pytest.raises(StoreError, match="pip install --upgrade sandlot"):
            Store(place, create=create)
    assert stored_in(place) == (SCHEMA_VERSION + 1, OLD)


def test_a_database_as_it_should_be_is_opened_without_alembic(place: Place) -> None:
    with Store(place, create=True) as store:
        open_friday(store)
    code = (
        "import sys; from sandlot_server.store import Store, place_of\n"
        "with Store(place_of(sys.argv[1])) as store:\n"
        "    assert [len(sums) for sums in store.sums('friday')] == [3, 0, 0]\n"
        "assert 'alembic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, option(place)], check=True)
