"""The tables, and the version of their form.

::

    tournaments 1--n bots
                1--n attempts 1--1 results          an attempt that was finished
                              1--n places 1--n faults    one a seat of it
                              1--1 struck           a result that an operator has made void

    tournaments 1--1 seasons 1--n rounds            a tournament of the standing league
    owners 1--n tokens
           1--n owned_bots 1--n versions 1--n entrants    a version in a season, as a row of bots
    audit                                           what was done by whom

SQLite and PostgreSQL hold them alike: no function or constraint here is one's own, and text is
compared byte by byte in both. Times are text, ISO 8601 in UTC. Money and first places are stored in
parts, whole 840ths (``standings.PARTS``): every share of a split pot is whole then.

These are the tables as they are now. They are made, and older ones are changed to them, by the
files in ``migrations/versions``; a test tells where the two differ.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
)
from sqlalchemy import Text as AnyText

SCHEMA_VERSION: Final = 2
"""Raised by one with every change of the tables; stored in ``sandlot_schema``."""

MOST_NET: Final = 2**40
"""A net is smaller than this, in parts, so that its sums stay exact: see ``sums``."""

RUNNING: Final = "running"
DONE: Final = "done"
VOID: Final = "void"

Text: Final = AnyText().with_variant(AnyText(collation="C"), "postgresql")
"""Text in the order of its bytes, as SQLite has it, whatever the order of a PostgreSQL database."""

metadata = MetaData()

schema = Table(
    "sandlot_schema",
    metadata,
    Column("version", Integer, primary_key=True, autoincrement=False),
)

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("configuration", Text, nullable=False),  # JSON, without rounds and seed
    Column("rounds", Integer, nullable=False),
    Column("seed", Text, nullable=False),  # hex
    Column("commitment", Text, nullable=False),
    Column("created", Text, nullable=False),
)

bots = Table(
    "bots",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("tournament", ForeignKey("tournaments.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("withdrawn", Text),  # the reason
    UniqueConstraint("tournament", "name"),
)

attempts = Table(
    "attempts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("tournament", ForeignKey("tournaments.id"), nullable=False),
    Column("match", Text, nullable=False),
    Column("number", Integer, nullable=False),  # 1, 2, ... within the match, never used again
    Column("status", Text, nullable=False),
    Column("reason", Text),  # why it is void
    Column("started", Text, nullable=False),
    Column("ended", Text),
    CheckConstraint(f"status IN ('{RUNNING}', '{DONE}', '{VOID}')"),
    UniqueConstraint("tournament", "match", "number"),
)

# One match has one result: the database itself refuses a second.
results = Table(
    "results",
    metadata,
    Column("attempt", ForeignKey("attempts.id"), primary_key=True),
    Column("tournament", ForeignKey("tournaments.id"), nullable=False),
    Column("match", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("record", LargeBinary, nullable=False),  # packed: see values.pack
    UniqueConstraint("tournament", "match"),
)

# The standings read these two from end to end, so their rows lie together by tournament.
places = Table(
    "places",
    metadata,
    Column("tournament", ForeignKey("tournaments.id"), primary_key=True),
    Column("attempt", ForeignKey("attempts.id"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("bot", ForeignKey("bots.id"), nullable=False),
    Column("hands", Integer, nullable=False),
    Column("net", BigInteger, nullable=False),  # in 840ths of a unit
    Column("place", Integer, nullable=False),
    Column("first_share", Integer, nullable=False),  # of the first place, in 840ths
    sqlite_with_rowid=False,
)

faults = Table(
    "faults",
    metadata,
    Column("tournament", ForeignKey("tournaments.id"), primary_key=True),
    Column("attempt", ForeignKey("attempts.id"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("cause", Text, primary_key=True),
    Column("bot", ForeignKey("bots.id"), nullable=False),
    Column("count", Integer, nullable=False),
    sqlite_with_rowid=False,
)

# The standing league.

owners = Table(
    "owners",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),
    Column("created", Text, nullable=False),
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("owner", ForeignKey("owners.id"), nullable=False),
    Column("hash", Text, nullable=False, unique=True),  # SHA-256 of the token, in hex
    Column("created", Text, nullable=False),
    Column("revoked", Text),
)

owned_bots = Table(
    "owned_bots",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("owner", ForeignKey("owners.id"), nullable=False),
    Column("name", Text, nullable=False, unique=True),
    Column("created", Text, nullable=False),
    Column("disqualified", Text),  # the reason
)

versions = Table(
    "versions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("bot", ForeignKey("owned_bots.id"), nullable=False),
    Column("number", Integer, nullable=False),  # 1, 2, ... of the bot
    Column("kind", Text, nullable=False),
    Column("hash", Text, nullable=False),  # of its files, in hex; "remote" where nobody has them
    Column("manifest", Text, nullable=False),  # JSON: what its bot.toml says
    Column("status", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("received", Text, nullable=False),
    Column("settled", Text),  # since when it has stood so; NULL while it waits to be tried
    UniqueConstraint("bot", "number"),
)

seasons = Table(
    "seasons",
    metadata,
    Column("tournament", ForeignKey("tournaments.id"), primary_key=True),
    Column("status", Text, nullable=False),
    Column("closed", Text),
)

rounds = Table(
    "rounds",
    metadata,
    Column("tournament", ForeignKey("tournaments.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("plan", Text, nullable=False),  # JSON: see registered.Round
    Column("drawn", Text, nullable=False),
    Column("completed", Text),
    sqlite_with_rowid=False,
)

entrants = Table(
    "entrants",
    metadata,
    Column("bot", ForeignKey("bots.id"), primary_key=True),
    Column("version", ForeignKey("versions.id"), nullable=False),
)

struck = Table(
    "struck",
    metadata,
    Column("attempt", ForeignKey("attempts.id"), primary_key=True),
    Column("digest", Text, nullable=False),
    Column("record", LargeBinary, nullable=False),
)

audit = Table(
    "audit",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Text, nullable=False),
    Column("who", Text, nullable=False),
    Column("did", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("detail", Text, nullable=False),
)
