"""A database on a PostgreSQL server, by psycopg: all that is peculiar to it.

How the promises of ``database`` are kept here:

- All transactions that write take one advisory lock first, and wait for it: one writes at a time,
  as with SQLite. Its statements are READ COMMITTED, so each sees what the last writer has written.
  Nothing can fail for being beside another, so nothing is ever tried again.
- Transactions that read are REPEATABLE READ: all their statements see the same moment.
- A run holds its tournament by an advisory lock of a connection, and it is through this connection
  that it writes. If the connection is lost the lock is, the transaction that was under way is
  undone, and the run can write no more: whoever takes the tournament up finds all that the run
  wrote, and nothing comes after that.
"""

from __future__ import annotations

import hashlib
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from sqlalchemy import BigInteger, Connection, Engine, bindparam, create_engine, event, text
from sqlalchemy.engine import ExceptionContext, make_url

from sandlot.errors import StoreError
from sandlot_server.store.database import WAIT, version_in
from sandlot_server.store.failures import FULL, KEPT, LOCKED, explain
from sandlot_server.store.place import Server
from sandlot_server.store.values import LostError

_DEFAULTS: Final = {
    "connect_timeout": "10",
    # A server that has vanished without a word is noticed within a minute.
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
"""What libpq is told where the URL says nothing else."""

_SETTINGS: Final = f"""
    SET lock_timeout = '{WAIT:.0f}s';
    SET idle_in_transaction_session_timeout = '60s';
    SET tcp_keepalives_idle = 30;
    SET tcp_keepalives_interval = 10;
    SET tcp_keepalives_count = 3;
    SET default_transaction_isolation = 'read committed';
    SELECT set_config('synchronous_commit', 'on', false)
        WHERE current_setting('synchronous_commit') = 'off'
"""
"""Of every connection, whatever the database has: whoever writes and has vanished is noticed, a
writer sees what the one before it has written, and a commit is on the disk."""

_NAME: Final = "sandlot "
"""Begins the name that our connections have in the lists of the server."""

_GO_ON: Final = f"see that it is up, then run the same command again to go on; {KEPT}"

_HANDOVER: Final = "1s"
"""For a server to notice that the holder of a lock is gone, which a killed one does not say."""

_KEY: Final = bindparam("key", type_=BigInteger)
_TAKE_TURN: Final = text("SELECT pg_advisory_xact_lock(:key)").bindparams(_KEY)
_HOLD: Final = text("SELECT pg_advisory_lock(:key)").bindparams(_KEY)
_RELEASE: Final = text("SELECT pg_advisory_unlock(:key)").bindparams(_KEY)
_HOLDER: Final = text("""
    SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND objsubid = 1
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (classid::bigint << 32 | objid::bigint) = :key
""").bindparams(_KEY)
_SIZE: Final = text("SELECT pg_database_size(current_database())")
_OF_ONE_MOMENT: Final = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"

_LOCKED: Final = "55P03"
"""The SQLSTATE of a lock that did not come in time."""

_GONE: Final = ("57P01", "57P02", "57P03", "25P03", "08")
"""How the SQLSTATE begins with which a server takes leave, before it closes the connection."""

_SAID: Final = {
    "53100": FULL,
    "53200": f"its server is out of memory: look after it and run again; {KEPT}",
    "53300": "its server has too many connections: end some, then run again",
    _LOCKED: LOCKED,
    "25006": "it is read-only, perhaps a standby: name the server that may be written",
    "42501": "no permission: let this user make tables in it, and read and write them",
    "57014": "its server has cancelled a statement: look at its limits, then run again",
    "58030": f"the disk failed: look after it and run again; {KEPT}",
    "XX001": "it is damaged: go back to a dump of it",
    "XX002": "it is damaged: go back to a dump of it",
}
"""By SQLSTATE."""

_NOT_CONNECTED: Final = {
    "password": "give the password in ~/.pgpass or in PGPASSWORD",
    "does not exist": "make it (createuser, createdb), or name another with --db",
    "too many": "end some of its connections, then run again",
    "remaining connection slots": "end some of its connections, then run again",
    "starting up": "wait until it is, then run again",
    "shutting down": "start it again, then run again",
    "recovery": "wait until it is done, then run again",
    "": "see that the server is up, and that the address is right",
}
"""By what the server, or libpq, says of it: there is no SQLSTATE of a connection not made."""


class Postgresql:
    """The database of a server."""

    other = "another database"

    def __init__(self, server: Server) -> None:
        self._engine = _engine(server)
        self._held: HeldTournament | None = None

    def version(self) -> int | None:
        """See ``Database``."""
        with self.reading() as connection:
            return version_in(connection, self.other)

    def open(self, *, create: bool) -> None:
        """See ``Database``."""

    @contextmanager
    def changing_tables(self) -> Iterator[Connection]:
        """See ``Database``."""
        with self._engine.connect() as connection, _writing(connection):
            encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
            if encoding != "UTF8":
                raise StoreError(
                    f"its encoding is {encoding}, which cannot hold all text: make one by "
                    "`createdb -T template0 -E UTF8 NAME`"
                )
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """See ``Database``."""
        with self._engine.connect() as connection:
            connection.exec_driver_sql(_OF_ONE_MOMENT)
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """See ``Database``."""
        if self._held is not None and not self._held.released:
            with self._held.writing() as connection:
                yield connection
        else:
            with self._engine.connect() as connection, _writing(connection):
                yield connection

    def hold(self, tournament: str) -> HeldTournament:
        """See ``Database``."""
        self._held = HeldTournament(self._engine, tournament)
        return self._held

    def size(self) -> int:
        """See ``Database``."""
        with self.reading() as connection:
            return int(connection.execute(_SIZE).scalar_one())

    def close(self) -> None:
        """See ``Database``."""
        self._engine.dispose()


class HeldTournament:
    """The right to run a tournament: an advisory lock of a connection, and that connection.

    Raises:
        StoreError: another connection has the lock; the message says whose it is.
    """

    def __init__(self, engine: Engine, tournament: str) -> None:
        self._key = _key(f"run {tournament}")
        self._turn = threading.Lock()
        self._connection = engine.connect()
        # SQLAlchemy forgets one that it takes to be lost, and who forgets it does not close it.
        self._raw: Any = self._connection.connection.driver_connection
        try:
            self._connection.detach()  # from the pool, which would give it to others
            self._hold(tournament)
        except BaseException:
            self._close()
            raise

    def _hold(self, tournament: str) -> None:
        try:
            self._connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{_HANDOVER}'")
            self._connection.execute(_HOLD, {"key": self._key})
            self._connection.rollback()  # of the setting; the lock is the connection's and stays
        except StoreError as error:
            if getattr(error.__cause__, "sqlstate", None) != _LOCKED:
                raise
            self._connection.rollback()
            name = self._connection.scalar(_HOLDER, {"key": self._key})
            who = (name or "another process").removeprefix(_NAME)
            raise StoreError(
                f"tournament {tournament!r} is being played by {who}: "
                "wait until it is done, or end it"
            ) from None

    @property
    def released(self) -> bool:
        """Whether it has been given back."""
        return self._connection.closed

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Return a transaction that writes, in the name of the run.

        Raises:
            LostError: the connection is lost, and with it the right.
        """
        with self._turn:
            # Never made anew, as SQLAlchemy would: a new one does not have the lock.
            if self._connection.invalidated:
                raise LostError(f"the connection to its server was lost before: {_GO_ON}")
            with _writing(self._connection):
                yield self._connection

    def release(self) -> None:
        """Give it back."""
        with self._turn, suppress(StoreError):
            if not self._connection.invalidated:
                # The server notices the end of a connection in its own time, but obeys at once.
                self._connection.execute(_RELEASE, {"key": self._key})
        self._close()

    def _close(self) -> None:
        self._connection.close()
        self._raw.close()


@contextmanager
def _writing(connection: Connection) -> Iterator[None]:
    with connection.begin():
        connection.execute(_TAKE_TURN, {"key": _key("write")})
        yield


def _key(what: str) -> int:
    """Return the number that stands for something in this database's advisory locks."""
    return int.from_bytes(hashlib.sha256(f"sandlot: {what}".encode()).digest()[:8]) >> 1


def _engine(server: Server) -> Engine:
    url = make_url(server.url).set(drivername="postgresql+psycopg")
    name = f"{_NAME}process {os.getpid()} on {socket.gethostname()}"
    defaults = _DEFAULTS | {"application_name": name[:63]}
    try:
        engine = create_engine(
            url,
            connect_args={key: value for key, value in defaults.items() if key not in url.query},
            pool_pre_ping=True,  # who reads notices no restart of the server between two times
        )
    except ImportError as error:
        raise StoreError(
            "it needs psycopg, which is not installed: pip install 'sandlot[postgresql]'"
        ) from error

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: object) -> None:
        connection.autocommit = True  # what is set in a transaction is undone with it
        connection.execute(_SETTINGS)
        connection.autocommit = False

    explain(engine, _said)
    return engine


def _said(context: ExceptionContext) -> StoreError | None:
    error = context.original_exception
    if context.is_pre_ping:
        return None  # the pool makes a new connection
    words = " ".join(str(error).split())
    state = getattr(error, "sqlstate", None) or ""
    if context.connection is None:
        advice = next(advice for said, advice in _NOT_CONNECTED.items() if said in words)
        return StoreError(f"cannot connect ({words}): {advice}")
    if context.is_disconnect or state.startswith(_GONE):
        context.is_disconnect = True  # for SQLAlchemy: the connection is not used any more
        return LostError(f"the connection to its server was lost ({words}): {_GO_ON}")
    said = _SAID.get(state)
    return StoreError(f"{said} ({words})") if said else None
