"""What holds for every test: the same on a slow machine as on a fast one."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.postgresql import PostgresServer

    from sandlot_server.store import Server

# As Sandlot's own modules say where they import gRPC; some tests import it before they do.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

# Tests interrupt processes that they start, or hang up on them. Where the suite itself runs in the
# background SIGINT is ignored, under nohup SIGHUP, and they would inherit that; a handler they do
# not.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)

if find_spec("hypothesis") is not None:  # the check of the SDK alone does without it
    from hypothesis import settings

    # No deadline: how long an example takes says more about the machine than about the code. In CI
    # the examples are always the same, so that a red run can be looked at again.
    settings.register_profile("sandlot", deadline=None, derandomize="CI" in os.environ)
    settings.load_profile("sandlot")


@pytest.fixture(autouse=True)
def bots_of_other_tests_are_forgotten(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Loading a bot puts its folder on ``sys.path``: another test would find its modules there."""
    path = sys.path[:]
    yield
    sys.path[:] = path
    folder = str(tmp_path_factory.getbasetemp())
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(folder):
            del sys.modules[name]


@pytest.fixture(autouse=True)
def how_other_tests_log_is_forgotten() -> Iterator[None]:
    """A command that is run in this process settles what is logged, and for good."""
    yield
    if "structlog" in sys.modules:
        sys.modules["structlog"].reset_defaults()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresServer]:
    """A PostgreSQL server for all tests, which do not stop it."""
    from support.postgresql import PostgresServer, obstacle

    if why := obstacle():
        pytest.skip(why)
    with PostgresServer() as server:
        yield server


@pytest.fixture(scope="module")
def stoppable() -> Iterator[PostgresServer]:
    """A PostgreSQL server that the tests of a module may stop."""
    from support.postgresql import PostgresServer, obstacle

    if why := obstacle():
        pytest.skip(why)
    with PostgresServer() as server:
        yield server


@pytest.fixture
def postgresql_place(postgresql: PostgresServer) -> Server:
    """The place of an empty database of this test's own, on a PostgreSQL server."""
    return postgresql.new()
