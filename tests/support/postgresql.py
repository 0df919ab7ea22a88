"""A PostgreSQL server for tests: in a folder of its own, on a socket in it, gone with the tests.

It is what Debian's package ``postgresql`` installs. The server refuses to run as root, so root
starts it as the user ``postgres``, whom the same package makes.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from urllib.parse import quote

from sandlot_server.store import Server, place_of

SUPERUSER: Final = "sandlot"

RULES: Final = """
local all watched scram-sha-256
local all all trust
"""
"""Who may connect: everybody, but the user ``watched`` with a password."""

SETTINGS: Final = {
    "listen_addresses": "",
    "fsync": "off",  # a test's machine does not lose power
    "lc_messages": "C",
    "max_connections": "60",
    "log_min_messages": "warning",
}

OLDEST: Final = 14
"""The tests wait for the end of a connection, which earlier servers do not tell."""

READY: Final = "database system is ready to accept connections"


def binaries() -> Path | None:
    """Return where the newest server on this machine lies, None if there is none."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    debian = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(debian, key=lambda path: int(path.parent.name), default=None)


def obstacle() -> str | None:
    """Return why no server can be started here, None if nothing speaks against it."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed: pip install 'sandlot[postgresql]'"
    found = binaries()
    if found is None:
        return "there is no PostgreSQL server on this machine: apt-get install postgresql"
    told = subprocess.run([found / "initdb", "--version"], capture_output=True, text=True).stdout
    number = re.search(r"\d+", told)
    if number is None or int(number[0]) < OLDEST:
        return f"PostgreSQL is older than {OLDEST}: {told.strip()}"
    if os.getuid() == 0 and shutil.which("setpriv") is None:
        return "PostgreSQL refuses to run as root, and there is no setpriv to be another user"
    return None


class PostgresServer:
    """A server that runs while it is entered; ``stop`` and ``start`` it in between."""

    def __init__(self, settings: Mapping[str, str] = SETTINGS) -> None:
        found = binaries()
        assert found is not None, obstacle()
        self._binaries = found
        self._settings = settings
        # Not in pytest's own folder: others may not enter that, and names of sockets are short.
        self.folder = Path(tempfile.mkdtemp(prefix="sandlot-pg-"))
        self._numbers = count(1)
        self._process: subprocess.Popen[str] | None = None
        self.log: list[str] = []

    def __enter__(self) -> Self:
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        self.folder.chmod(0o755)
        data = self.folder / "data"
        subprocess.run(
            [
                *self._as_its_user(),
                str(self._binaries / "initdb"),
                *("--pgdata", str(data), "--username", SUPERUSER, "--auth", "trust"),
                *("--encoding", "UTF8", "--locale", "C", "--no-sync"),
            ],
            cwd=self.folder,
            check=True,
            capture_output=True,
            timeout=120,
        )
        (data / "pg_hba.conf").write_text(RULES)
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def start(self) -> None:
        """Start it, and return when it can be connected to."""
        settings = {"unix_socket_directories": str(self.folder)} | dict(self._settings)
        process = subprocess.Popen(
            [
                *self._as_its_user(),
                str(self._binaries / "postgres"),
                *("-D", str(self.folder / "data")),
                *(word for pair in settings.items() for word in ("-c", "=".join(pair))),
            ],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for the tests
        )
        self._process = process
        assert process.stderr is not None
        for line in process.stderr:
            self.log.append(line)
            if READY in line:
                break
        else:
            raise AssertionError("".join(["PostgreSQL did not start:\n", *self.log]))
        # It would stand still if nobody read what it says.
        self._reader = threading.Thread(target=self.log.extend, args=[process.stderr], daemon=True)
        self._reader.start()

    def stop(self) -> None:
        """Stop it as a lost machine does: nobody is told, and nothing is written any more."""
        self._end(signal.SIGQUIT)

    def kill(self) -> None:
        """``kill -9``; return when its processes have noticed and are gone, too."""
        self._end(signal.SIGKILL)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._reader.join(60)
            self._process.communicate(timeout=60)
            self._process = None

    def place(self, database: str, user: str = SUPERUSER) -> Server:
        """Return the place of a database of it."""
        place = place_of(f"postgresql://{user}@/{database}?host={quote(str(self.folder))}")
        assert isinstance(place, Server)
        return place

    def new(self, options: str = "") -> Server:
        """Make an empty database; return its place."""
        name = f"test{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} {options}")
        return self.place(name)

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Execute SQL as the superuser; return the rows if there are any."""
        import psycopg

        with psycopg.connect(self.place(database).url, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def _as_its_user(self) -> list[str]:
        """Return the words before a command that is not to run as root, nor to outlive us."""
        if sys.platform != "linux" or shutil.which("setpriv") is None:
            return []
        user = ["--reuid=postgres", "--regid=postgres", "--clear-groups"]
        return ["setpriv", "--pdeathsig=QUIT", *(user if os.getuid() == 0 else []), "--"]
