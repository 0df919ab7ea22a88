"""What is PostgreSQL's own: how it fails, and what holds when it does."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Connection, text
from support.postgresql import PostgresServer
from support.registered import BY, open_season
from support.stored import ended, open_friday, play

from sandlot.errors import StoreError
from sandlot_server.store import LostError, Registry, Server, Store, place_of
from sandlot_server.store import postgresql as ours
from sandlot_server.store.attempts import RUN_ENDED


@pytest.fixture(scope="module")
def filled(postgresql: PostgresServer) -> Server:
    """A database with one tournament, to be copied."""
    place = postgresql.new()
    with Store(place, create=True) as store:
        open_friday(store)
        play(store, "1-1-1", {"ann": 1, "bob": -1})
    return place


@pytest.fixture
def place(postgresql: PostgresServer, filled: Server) -> Server:
    """A database with one tournament, closed."""
    return postgresql.new(f"TEMPLATE {filled.name}")


def refused(place: Server, *, create: bool = False) -> str:
    """Return the line with which it is refused to open a database."""
    with pytest.raises(StoreError) as caught:
        Store(place, create=create)
    said = str(caught.value)
    assert said.startswith(f"database {place}: ")
    assert "\n" not in said
    return said.removeprefix(f"database {place}: ")


@pytest.fixture
def watched(postgresql: PostgresServer) -> Iterator[None]:
    """A user who needs a password, which is ``secret``, and owns nothing."""
    postgresql.execute("CREATE ROLE watched LOGIN PASSWORD 'secret'")
    yield
    postgresql.execute("DROP ROLE watched")


def as_watched(place: Server, password: str) -> Server:
    changed = place_of(place.url.replace("sandlot@", f"watched:{password}@"))
    assert isinstance(changed, Server)
    return changed


def test_a_wrong_password_is_told_and_not_shown(place: Server, watched: None) -> None:
    wrong = as_watched(place, "opensesame")
    said = refused(wrong)
    assert said.startswith("cannot connect (")
    assert 'password authentication failed for user "watched"' in said
    assert said.endswith("): give the password in ~/.pgpass or in PGPASSWORD")
    assert "opensesame" not in said + str(wrong) + repr(wrong)


def test_a_user_without_rights(postgresql: PostgresServer, place: Server, watched: None) -> None:
    said = refused(as_watched(place, "secret"))
    assert said.startswith("no permission: let this user make tables in it, and read and write")
    empty = as_watched(postgresql.new(), "secret")
    assert refused(empty, create=True).startswith("no permission: ")


def test_no_such_database(postgresql: PostgresServer) -> None:
    said = refused(postgresql.place("nowhere"), create=True)
    assert 'database "nowhere" does not exist' in said
    assert said.endswith("make it (createuser, createdb), or name another with --db")


def test_a_database_without_tables_is_none_yet(postgresql_place: Server) -> None:
    assert not Store.is_made(postgresql_place)
    assert "`sandlot tournament run FILE` makes it" in refused(postgresql_place)


def test_no_server() -> None:
    nowhere = place_of("postgresql:///sandlot?host=/nowhere")
    assert isinstance(nowhere, Server)
    said = refused(nowhere)
    assert said.endswith("see that the server is up, and that the address is right")


def test_too_many_connections(postgresql: PostgresServer, place: Server, watched: None) -> None:
    postgresql.execute(f"ALTER DATABASE {place.name} CONNECTION LIMIT 0")
    said = refused(as_watched(place, "secret"))
    assert "too many connections for database" in said
    assert said.endswith("end some of its connections, then run again")


def test_a_database_of_another_program(
    postgresql: PostgresServer, postgresql_place: Server
) -> None:
    postgresql.execute("CREATE TABLE tournaments (name text)", postgresql_place.name)
    said = refused(postgresql_place, create=True)
    assert said == (
        "it is a database of another program: choose another database with --db; it was not changed"
    )


def test_an_encoding_that_cannot_hold_all_text(postgresql: PostgresServer) -> None:
    latin = postgresql.new("TEMPLATE template0 ENCODING LATIN1 LOCALE 'C'")
    assert "its encoding is LATIN1" in refused(latin, create=True)
    assert not Store.is_made(latin)


def test_a_standby_or_a_database_that_is_read_only(
    postgresql: PostgresServer, place: Server
) -> None:
    postgresql.execute(f"ALTER DATABASE {place.name} SET default_transaction_read_only = on")
    with Store(place) as store:
        assert store.done("friday") == {"1-1-1"}
        with pytest.raises(StoreError, match="it is read-only, perhaps a standby"):
            store.begin_attempts("friday", ["1-1-2"])


def test_a_missing_driver_is_told_with_what_to_install(
    place: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    assert refused(place) == (
        "it needs psycopg, which is not installed: pip install 'sandlot[postgresql]'"
    )


def change_and(store: Store, then: Callable[[Connection], object]) -> None:
    """Change something, and do something that fails before it is committed."""
    with store.writing() as connection:
        connection.execute(text("UPDATE tournaments SET rounds = 99"))
        then(connection)


def failing(state: str) -> Callable[[Connection], object]:
    """Return what has the server fail with an SQLSTATE."""
    statement = f"DO $$ BEGIN RAISE EXCEPTION 'alas' USING ERRCODE = '{state}'; END $$"
    return lambda connection: connection.exec_driver_sql(statement)


SAID = {
    "53100": "the disk is full: free some space and run again",
    "53300": "its server has too many connections",
    "58030": "the disk failed: look after it and run again",
    "XX001": "it is damaged: go back to a dump of it",
}


def test_what_fails_is_told_in_one_line_and_nothing_of_it_is_kept(place: Server) -> None:
    with Store(place) as store:
        for state, said in SAID.items():
            with pytest.raises(StoreError, match=said):
                change_and(store, failing(state))
        assert store.tournament().rounds == 3


def test_who_waits_too_long_for_another_writer_is_told(
    place: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ours, "_SETTINGS", ours._SETTINGS.replace("'30s'", "'20ms'"))
    with Store(place) as one, Store(place) as other, one.writing():
        with pytest.raises(StoreError, match="another program keeps it locked"):
            other.begin_attempts("friday", ["1-1-2"])
        assert other.done("friday") == {"1-1-1"}  # who reads does not wait


def test_a_writer_waits_for_its_turn_and_sees_what_was_written_before_it(
    postgresql: PostgresServer, place: Server
) -> None:
    # Of its own accord it would look at the moment before it had to wait.
    isolation = "default_transaction_isolation = 'repeatable read'"
    postgresql.execute(f"ALTER DATABASE {place.name} SET {isolation}")
    numbers: dict[str, int] = {}
    with Store(place) as one, Store(place) as other:
        with one.writing() as connection:
            begin = threading.Thread(
                target=lambda: numbers.update(other.begin_attempts("friday", ["1-1-2"]))
            )
            begin.start()
            waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            while not connection.scalar(text(waiting)):
                assert begin.is_alive()
            connection.execute(
                text(
                    "INSERT INTO attempts (tournament, match, number, status, started) "
                    "VALUES (1, '1-1-2', 1, 'void', '')"
                )
            )
        begin.join()
    assert numbers == {"1-1-2": 2}


def test_a_commit_is_on_the_disk_whatever_the_database_says(
    postgresql: PostgresServer, place: Server
) -> None:
    postgresql.execute(f"ALTER DATABASE {place.name} SET synchronous_commit = off")
    with Store(place) as store, store.writing() as connection:
        assert connection.scalar(text("SHOW synchronous_commit")) == "on"


def end_connections(postgresql: PostgresServer, place: Server) -> None:
    postgresql.execute(
        "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
        f"WHERE datname = '{place.name}'"
    )


def test_a_run_whose_connection_is_lost_stores_nothing_any_more(
    postgresql: PostgresServer, place: Server
) -> None:
    """Another run may have the tournament by then."""
    with Store(place) as first, Store(place) as second:
        open_friday(first)
        first.begin_attempts("friday", ["1-1-2", "1-1-3"])
        end_connections(postgresql, place)
        open_friday(second)  # the lock has gone with the connection
        assert second.begin_attempts("friday", ["1-1-2"]) == {"1-1-2": 2}
        result = ended("1-1-2", 1, {"ann": 1, "bob": -1})
        with pytest.raises(LostError, match=r"was lost .*run the same command again to go on"):
            first.finish("friday", [result])
        for write in (
            lambda: first.begin_attempts("friday", ["1-1-4"]),
            lambda: first.void_running("friday", "stopped"),
            lambda: first.withdraw("friday", "ann", "lost"),
        ):
            with pytest.raises(LostError, match="was lost before"):
                write()
        assert first.done("friday") == {"1-1-1"}  # to read is another matter
        second.finish("friday", [ended("1-1-2", 2, {"ann": 1, "bob": -1})])
        assert second.done("friday") == {"1-1-1", "1-1-2"}


def test_a_connection_that_is_lost_in_a_transaction_leaves_nothing_of_it(
    postgresql: PostgresServer, place: Server
) -> None:
    with Store(place) as store:
        open_friday(store)
        with pytest.raises(LostError):
            change_and(store, lambda connection: end_connections(postgresql, place))
        with pytest.raises(LostError):
            store.begin_attempts("friday", ["1-1-2"])
        assert store.tournament().rounds == 3


def test_a_server_that_takes_leave_is_lost_before_it_is_gone(place: Server) -> None:
    with Store(place) as store:
        open_friday(store)
        with pytest.raises(LostError):
            change_and(store, failing("57P01"))
        with pytest.raises(LostError, match="was lost before"):
            store.begin_attempts("friday", ["1-1-2"])
        assert store.tournament().rounds == 3
        assert not store.voids("friday")


def test_a_tournament_is_given_back_though_its_connection_is_lost(
    postgresql: PostgresServer, place: Server
) -> None:
    with Store(place) as store:
        open_friday(store)
        end_connections(postgresql, place)
    with Store(place) as store:
        open_friday(store)


def test_a_season_is_taken_up_again_by_the_server_whose_connection_was_lost(
    postgresql: PostgresServer, place: Server
) -> None:
    with Store(place) as store:
        registry = Registry(store)
        open_season(registry)
        store.take_up("spring")
        store.begin_attempts("spring", ["1-1-1"])
        end_connections(postgresql, place)
        with pytest.raises(LostError):
            store.begin_attempts("spring", ["1-1-2"])
        with pytest.raises(LostError, match="was lost before"):
            registry.pause_season("spring", BY)  # not beside the right that is lost
        generation = registry.generation()
        store.let_go()
        registry.pause_season("spring", BY)
        assert registry.generation() > generation
        store.take_up("spring")
        assert [void.reason for void in store.voids("spring")] == [RUN_ENDED]
        assert store.begin_attempts("spring", ["1-1-1"]) == {"1-1-1": 2}


def test_names_are_in_the_order_of_their_bytes_whatever_the_language(
    postgresql: PostgresServer,
) -> None:
    has_icu = "SELECT 1 FROM pg_collation WHERE collname = 'en-x-icu'"
    has_providers = "SELECT 1 WHERE current_setting('server_version_num') >= '15'"
    if not postgresql.execute(has_icu) or not postgresql.execute(has_providers):
        pytest.skip("a database of this PostgreSQL has no order but the system's")
    english = postgresql.new("TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en'")
    with Store(english, create=True) as store:
        open_friday(store)
        play(store, "1-1-1", {"ann": 1, "bob": -1}, faults={"ann": {"b": 1, "B": 1, "a": 1}})
        assert list(store.sums("friday")[0][0].faults) == ["B", "a", "b"]
