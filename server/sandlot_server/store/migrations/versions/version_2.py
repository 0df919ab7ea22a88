"""The tables of the standing league."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def text() -> sa.Text:
    """Return text that is compared byte by byte, as SQLite does."""
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "owners",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", text(), nullable=False, unique=True),
        sa.Column("role", text(), nullable=False),
        sa.Column("created", text(), nullable=False),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("owner", sa.Integer, sa.ForeignKey("owners.id"), nullable=False),
        sa.Column("hash", text(), nullable=False, unique=True),
        sa.Column("created", text(), nullable=False),
        sa.Column("revoked", text()),
    )
    op.create_table(
        "owned_bots",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("owner", sa.Integer, sa.ForeignKey("owners.id"), nullable=False),
        sa.Column("name", text(), nullable=False, unique=True),
        sa.Column("created", text(), nullable=False),
        sa.Column("disqualified", text()),
    )
    op.create_table(
        "versions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("bot", sa.Integer, sa.ForeignKey("owned_bots.id"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("kind", text(), nullable=False),
        sa.Column("hash", text(), nullable=False),
        sa.Column("manifest", text(), nullable=False),
        sa.Column("status", text(), nullable=False),
        sa.Column("reason", text(), nullable=False),
        sa.Column("account", text(), nullable=False),
        sa.Column("received", text(), nullable=False),
        sa.Column("settled", text()),
        sa.UniqueConstraint("bot", "number"),
    )
    op.create_table(
        "seasons",
        sa.Column("tournament", sa.Integer, sa.ForeignKey("tournaments.id"), primary_key=True),
        sa.Column("status", text(), nullable=False),
        sa.Column("closed", text()),
    )
    op.create_table(
        "rounds",
        sa.Column("tournament", sa.Integer, sa.ForeignKey("tournaments.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("plan", text(), nullable=False),
        sa.Column("drawn", text(), nullable=False),
        sa.Column("completed", text()),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "entrants",
        sa.Column("bot", sa.Integer, sa.ForeignKey("bots.id"), primary_key=True),
        sa.Column("version", sa.Integer, sa.ForeignKey("versions.id"), nullable=False),
    )
    op.create_table(
        "struck",
        sa.Column("attempt", sa.Integer, sa.ForeignKey("attempts.id"), primary_key=True),
        sa.Column("digest", text(), nullable=False),
        sa.Column("record", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", text(), nullable=False),
        sa.Column("who", text(), nullable=False),
        sa.Column("did", text(), nullable=False),
        sa.Column("subject", text(), nullable=False),
        sa.Column("detail", text(), nullable=False),
    )
