"""Where a database is said to be; a password is shown nowhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sandlot.errors import StoreError
from sandlot_server.store import Server, beside, place_of


@pytest.mark.parametrize("text", ["sandlot.db", "/a/b.db", "a b.db", "C:/a.db", "postgresql:/a"])
def test_a_path_is_a_path(text: str) -> None:
    assert place_of(text) == Path(text)
    assert beside(place_of(text)) == Path(text)


@pytest.mark.parametrize(
    ("url", "shown", "name"),
    [
        ("postgresql://h/n", "postgresql://h/n", "n"),
        ("postgres://u@h:5433/n", "postgresql://u@h:5433/n", "n"),
        ("PostgreSQL://u:p%40x@[::1]/n", "postgresql://u:***@[::1]/n", "n"),
        ("postgresql:///n?host=/run/pg", "postgresql:///n?host=/run/pg", "n"),
        (
            "postgresql://u@/n?password=secret&host=/run&sslpassword=secret",
            "postgresql://u@/n?password=***&host=/run&sslpassword=***",
            "n",
        ),
        ("postgresql://u:@h/a%20b", "postgresql://u:***@h/a%20b", "a b"),
    ],
)
def test_a_url_is_a_server_shown_without_its_password(url: str, shown: str, name: str) -> None:
    place = place_of(url)
    assert isinstance(place, Server)
    assert str(place) == shown
    assert repr(place) == f"Server({shown!r})"
    assert place.name == name


@pytest.mark.parametrize(
    "rest",
    [
        "u:se@cret@h/n",
        "u:se:cret@h/n",
        "u:se/cret@h/n",
        "u:se?cret@h/n",
        "u:se#cret@h/n",
        "u:1/cret@h/n",
        "u:secret@h",
        "u:secret@h/",
        "u:secret@h/a/b",
        "u:secret@h:port/n",
        "u:secret@h:0/n",
        "u:secret@[h/n",
    ],
)
def test_a_url_that_may_be_read_in_two_ways_is_refused_and_not_shown(rest: str) -> None:
    with pytest.raises(StoreError) as caught:
        place_of(f"postgresql://{rest}")
    assert "write postgresql://USER@HOST/NAME" in str(caught.value)
    assert "cret" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["sqlite", "mysql", "http", "postgresql+psycopg"])
def test_a_url_of_another_kind_is_refused(scheme: str) -> None:
    with pytest.raises(StoreError, match=r"a database is a file or on PostgreSQL, not ") as caught:
        place_of(f"{scheme}://u:secret@h/n")
    assert "secret" not in str(caught.value)


def test_logs_are_put_here_under_the_name_of_a_database_on_a_server() -> None:
    assert beside(place_of("postgresql://h/league-1")) == Path("league-1")
    assert beside(place_of("postgresql://h/..%2Fa.b")) == Path("___a_b")


def test_to_read_a_place_takes_no_library() -> None:
    code = (
        "import sys; from sandlot_server.store import place_of; str(place_of('postgres://h/n'))\n"
        "assert not {'sqlalchemy', 'psycopg'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
