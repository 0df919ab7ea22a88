"""What cannot be opened is refused in one line, and left as it was."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event
from support.stored import BOTS, CONFIGURATION, open_friday, play

from sandlot.errors import StoreError
from sandlot_server.store import Store
from sandlot_server.store.schema import SCHEMA_VERSION


def contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def refused(attempt: Callable[[], object], directory: Path) -> str:
    """Return the line with which something is refused that changes no file in the directory."""
    before = contents(directory)
    with pytest.raises(StoreError) as caught:
        attempt()
    assert contents(directory) == before
    said = str(caught.value)
    assert "\n" not in said
    assert str(directory / "a.db") in said
    return said


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database with one tournament, closed."""
    path = tmp_path / "a.db"
    with Store(path, create=True) as store:
        open_friday(store, seed=bytes(16))
        play(store, "1-1-1", {"ann": 1, "bob": -1})
        store.begin_attempts("friday", ["1-1-2"])
    return path


@pytest.mark.parametrize("create", [True, False])
def test_a_database_of_a_later_version(create: bool, database: Path) -> None:
    with sqlite3.connect(database) as raw:
        raw.execute("UPDATE sandlot_schema SET version = ?", (SCHEMA_VERSION + 1,))
    raw.close()
    said = refused(lambda: Store(database, create=create), database.parent)
    assert f"version {SCHEMA_VERSION + 1}" in said
    assert "pip install --upgrade sandlot" in said


@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize(
    "content", [b"[tournament]\nname = 'friday'\n", b"SQLite", b"SQLite format 3\0" + bytes(4000)]
)
def test_a_file_that_is_no_database(content: bytes, create: bool, tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(content)
    said = refused(lambda: Store(tmp_path / "a.db", create=create), tmp_path)
    assert "not a Sandlot database: choose another file with --db" in said


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_a_database_of_another_program(mode: str, tmp_path: Path) -> None:
    raw = sqlite3.connect(tmp_path / "a.db")
    raw.execute(f"PRAGMA journal_mode = {mode}")
    raw.execute("CREATE TABLE tournaments (name)")
    raw.commit()
    raw.close()
    said = refused(lambda: Store(tmp_path / "a.db", create=True), tmp_path)
    assert "a database of another program" in said


def test_no_database(tmp_path: Path) -> None:
    said = refused(lambda: Store(tmp_path / "a.db"), tmp_path)
    assert "`sandlot tournament run FILE` makes it" in said


def test_a_directory_and_a_directory_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "x" / "a.db").mkdir(parents=True)
    with pytest.raises(StoreError, match="it is a directory"):
        Store(tmp_path / "x" / "a.db", create=True)
    with pytest.raises(StoreError, match=f"there is no directory {tmp_path / 'y'}"):
        Store(tmp_path / "y" / "a.db", create=True)
    assert not (tmp_path / "y").exists()


def test_an_empty_file_and_one_without_tables_become_databases(tmp_path: Path) -> None:
    """A run that is killed while it makes a database leaves such files."""
    (tmp_path / "a.db").touch()
    raw = sqlite3.connect(tmp_path / "b.db")
    raw.execute("PRAGMA journal_mode = WAL")
    raw.close()
    assert (tmp_path / "b.db").stat().st_size > 0
    for name in ("a.db", "b.db"):
        with pytest.raises(StoreError, match="there is none yet"):
            Store(tmp_path / name)
        with Store(tmp_path / name, create=True) as store:
            open_friday(store)


def reopened(path: Path, **changes: Any) -> None:
    with Store(path) as store:
        open_friday(store, **changes)


def test_an_edited_configuration_is_refused_with_the_difference(database: Path) -> None:
    edited = CONFIGURATION | {"clock": {"decision": "2s"}}
    told: list[tuple[Any, Any]] = []

    def words(old: Any, new: Any) -> str:
        told.append((old, new))
        return "clock.decision was '1s' and is '2s'"

    said = refused(
        lambda: reopened(database, configuration=edited, rounds=9, difference=words),
        database.parent,
    )
    assert told == [(CONFIGURATION, edited)]
    assert "clock.decision was '1s' and is '2s'" in said
    assert "play under another name" in said
    with Store(database) as store:
        assert store.tournament().rounds == 3
        assert store.voids("friday") == []  # not even that was changed
    reopened(database)


def test_a_run_that_was_refused_does_not_hold_the_tournament(database: Path) -> None:
    with Store(database) as store, Store(database) as other:
        with pytest.raises(StoreError, match="begun otherwise"):
            open_friday(store, rounds=1)
        open_friday(other)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"rounds": 2}, "rounds 3 -> 2, and they may only grow"),
        ({"seed": bytes(15) + b"\1"}, "the seed with commitment 374708ff"),
        ({"bots": BOTS | {"bob": "b2"}}, "the files of bot 'bob', version b1 -> b2"),
        ({"bots": BOTS | {"bob": "2" * 64}}, f"version b1 -> {'2' * 12}. Put that back"),
    ],
)
def test_what_would_mix_results_is_refused(
    changes: dict[str, Any], why: str, database: Path
) -> None:
    assert why in refused(lambda: reopened(database, **changes), database.parent)
    reopened(database, seed=bytes(16))


@pytest.fixture
def crippled() -> Iterator[Callable[[str], None]]:
    """Have every connection of this test run a statement when it is made."""
    listeners: list[Callable[..., None]] = []

    def cripple(statement: str) -> None:
        def connected(connection: sqlite3.Connection, _record: object) -> None:
            connection.execute(statement)

        listeners.append(connected)
        event.listen(Engine, "connect", connected)

    yield cripple
    for listener in listeners:
        event.remove(Engine, "connect", listener)


def test_a_full_disk(database: Path, crippled: Callable[[str], None]) -> None:
    crippled("PRAGMA max_page_count = 1")  # SQLite raises it to the pages there are
    many = [f"2-{table}-1" for table in range(1, 10_000)]
    with Store(database) as store:
        with pytest.raises(StoreError) as caught:
            store.begin_attempts("friday", many)
        assert "the disk is full: free some space and run again" in str(caught.value)
        assert str(database) in str(caught.value)
        assert store.done("friday") == {"1-1-1"}
    with sqlite3.connect(database) as raw:
        assert raw.execute("SELECT count(*) FROM attempts").fetchone() == (2,)
    raw.close()


def test_a_read_only_database(database: Path, crippled: Callable[[str], None]) -> None:
    crippled("PRAGMA query_only = ON")
    with Store(database) as store:
        with pytest.raises(StoreError, match="it is read-only"):
            open_friday(store)
        assert store.done("friday") == {"1-1-1"}
        assert store.tournament().name == "friday"


def test_a_damaged_database(database: Path) -> None:
    whole = database.read_bytes()
    database.write_bytes(whole[:1024] + bytes(len(whole) - 1024))  # its first page is right

    def read() -> None:
        with Store(database) as store:
            store.tournament()

    assert "the file is damaged: put back a copy" in refused(read, database.parent)


def test_standings_are_read_from_a_directory_that_cannot_be_written(
    database: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As from a CD: SQLite itself would want to make files beside it."""
    shelf = tmp_path_factory.mktemp("shelf")
    shutil.copy(database, shelf / "a.db")
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != shelf)
    with Store(shelf / "a.db") as store:
        assert store.done("friday") == {"1-1-1"}
        assert [path.name for path in shelf.iterdir()] == ["a.db"]
        with pytest.raises(StoreError, match="it is read-only"):
            store.withdraw("friday", "ann", "")
