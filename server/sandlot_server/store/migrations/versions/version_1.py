"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def text() -> sa.Text:
    """Return text that is compared byte by byte, as SQLite does."""
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "sandlot_schema",
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
    )
    op.create_table(
        "tournaments",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", text(), nullable=False, unique=True),
        sa.Column("configuration", text(), nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("seed", text(), nullable=False),
        sa.Column("commitment", text(), nullable=False),
        sa.Column("created", text(), nullable=False),
    )
    op.create_table(
        "bots",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("tournament", sa.Integer, sa.ForeignKey("tournaments.id"), nullable=False),
        sa.Column("name", text(), nullable=False),
        sa.Column("version", text(), nullable=False),
        sa.Column("withdrawn", text()),
        sa.UniqueConstraint("tournament", "name"),
    )
    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("tournament", sa.Integer, sa.ForeignKey("tournaments.id"), nullable=False),
        sa.Column("match", text(), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("status", text(), nullable=False),
        sa.Column("reason", text()),
        sa.Column("started", text(), nullable=False),
        sa.Column("ended", text()),
        sa.CheckConstraint("status IN ('running', 'done', 'void')"),
        sa.UniqueConstraint("tournament", "match", "number"),
    )
    op.create_table(
        "results",
        sa.Column("attempt", sa.Integer, sa.ForeignKey("attempts.id"), primary_key=True),
        sa.Column("tournament", sa.Integer, sa.ForeignKey("tournaments.id"), nullable=False),
        sa.Column("match", text(), nullable=False),
        sa.Column("digest", text(), nullable=False),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("tournament", "match"),
    )
    op.create_table(
        "places",
        sa.Column("tournament", sa.Integer, sa.ForeignKey("tournaments.id"), primary_key=True),
        sa.Column("attempt", sa.Integer, sa.ForeignKey("attempts.id"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("bot", sa.Integer, sa.ForeignKey("bots.id"), nullable=False),
        sa.Column("hands", sa.Integer, nullable=False),
        sa.Column("net", sa.BigInteger, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("first_share", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "faults",
        sa.Column("tournament", sa.Integer, sa.ForeignKey("tournaments.id"), primary_key=True),
        sa.Column("attempt", sa.Integer, sa.ForeignKey("attempts.id"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("cause", text(), primary_key=True),
        sa.Column("bot", sa.Integer, sa.ForeignKey("bots.id"), nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
