"""Where a database is: in a file, or on a PostgreSQL server. Here alone that is decided.

Nothing of SQLAlchemy is imported: the command reads its options with this.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import unquote, urlsplit

from sandlot.errors import StoreError

_URL: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://")
_SECRET: Final = re.compile(r"(?<=[?&])((?:ssl)?password)=[^&]*", re.IGNORECASE)
_FORM: Final = "postgresql://USER@HOST/NAME"


@dataclass(frozen=True, slots=True)
class Server:
    """A database on a PostgreSQL server; printed without its password.

    >>> place_of("postgres://ann:secret@db.example/sandlot")
    Server('postgresql://ann:***@db.example/sandlot')
    """

    url: str = field(repr=False)
    """As SQLAlchemy and libpq read it, with the password if it has one."""

    @property
    def name(self) -> str:
        """The name of the database on its server."""
        return unquote(urlsplit(self.url).path[1:])

    def __str__(self) -> str:
        scheme, _, rest = self.url.partition("://")
        head, slash, tail = rest.partition("/")
        who, at, where = head.rpartition("@")
        user, colon, _ = who.partition(":")
        hidden = ":***" if colon else ""
        return f"{scheme}://{user}{hidden}{at}{where}{slash}" + _SECRET.sub(r"\1=***", tail)

    def __repr__(self) -> str:
        return f"Server({str(self)!r})"


Place: TypeAlias = Path | Server


def place_of(text: str) -> Place:
    """Return the place that a person means: a path, or ``postgresql://USER@HOST/NAME``.

    Raises:
        StoreError: a URL of another kind, or one that cannot be read. What it says shows no part of
            the URL but its scheme: a password may stand anywhere in one that is written wrongly.

    >>> place_of("sandlot.db")
    PosixPath('sandlot.db')
    """
    found = _URL.match(text)
    if found is None:
        return Path(text)
    scheme = found["scheme"].lower()
    if scheme not in ("postgresql", "postgres"):
        raise StoreError(
            f"a database is a file or on PostgreSQL, not {scheme}://: name a path, or {_FORM}"
        )
    rest = text[found.end() :]
    if not _is_sound(rest):
        raise StoreError(
            f"the {scheme}:// URL of the database cannot be read: write {_FORM}, in it %40 for @, "
            "%3A for :, %2F for /, %3F for ? and %23 for #"
        )
    return Server(f"postgresql://{rest}")


def beside(place: Place) -> Path:
    """Return the path that what belongs to a database is put beside, such as the bots' logs.

    Of one on a server that is a file of its name in the current folder, which need not exist.

    >>> beside(place_of("postgresql://db.example/league"))
    PosixPath('league')
    """
    if isinstance(place, Path):
        return place
    return Path(re.sub(r"[^A-Za-z0-9_-]", "_", place.name))


def _is_sound(rest: str) -> bool:
    """Tell whether what follows ``://`` can be read in one way only, and names a database."""
    try:
        parts = urlsplit(f"postgresql://{rest}")
        port = parts.port
    except ValueError:
        return False
    sound = "#" not in rest and "@" not in parts.path and parts.netloc.count("@") <= 1
    sound = sound and parts.netloc.rpartition("@")[0].count(":") <= 1
    return sound and port != 0 and parts.path.count("/") == 1 and len(parts.path) > 1
