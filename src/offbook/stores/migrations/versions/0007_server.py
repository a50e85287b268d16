"""The server: what keys may do, and ingestions that go on behind requests.

Takes: revision 0006.  Gives: revision 0007. Frozen: a change of the schema is a new revision.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def key(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    """Text that identifies, compared by code point."""
    kind = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    return sa.Column(name, kind, nullable=nullable)


def words(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    """Text."""
    return sa.Column(name, sa.Text, nullable=nullable)


def foreign(table: str, column: str, to: str) -> sa.ForeignKeyConstraint:
    """A row lives as long as the row of ``to``."""
    return sa.ForeignKeyConstraint(
        [column], [f"{to}.id"], name=f"fk_{table}_{column}", ondelete="CASCADE"
    )


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "api_keys",
        key("principal_id"),
        sa.Column("rights", sa.JSON, nullable=False),
        words("expires", nullable=True),
        sa.Column("rpm", sa.Integer),
        sa.PrimaryKeyConstraint("principal_id", name="pk_api_keys"),
        foreign("api_keys", "principal_id", "principals"),
    )
    op.create_table(
        "ingestions",
        key("character_id"),
        key("id"),
        words("status"),
        sa.Column("request", sa.JSON),
        sa.Column("progress", sa.JSON, nullable=False),
        sa.Column("report", sa.JSON),
        sa.Column("error", sa.JSON),
        words("created"),
        words("updated"),
        key("owner", nullable=True),
        words("host", nullable=True),
        sa.Column("pid", sa.Integer),
        sa.Column("heartbeat", sa.Double),
        sa.PrimaryKeyConstraint("character_id", "id", name="pk_ingestions"),
        foreign("ingestions", "character_id", "characters"),
    )
    op.create_index("ix_ingestions_status", "ingestions", ["status"])


def downgrade() -> None:
    """Drop the tables; keys open nothing any more."""
    for table in ("ingestions", "api_keys"):
        op.drop_table(table)
