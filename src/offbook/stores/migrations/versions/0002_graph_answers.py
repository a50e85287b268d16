"""Answers about whole groups and merged descriptions, kept so that none is asked for twice.

Takes: revision 0001.  Gives: revision 0002. Frozen: a change of the schema is a new revision.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def key(name: str) -> sa.Column[Any]:
    """Text that identifies, compared by code point."""
    kind = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    return sa.Column(name, kind, nullable=False)


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "graph_answers",
        key("character_id"),
        key("kind"),
        key("key"),
        sa.Column("answer", sa.JSON, nullable=False),
        sa.Column("chunks", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("character_id", "kind", "key", name="pk_graph_answers"),
        sa.ForeignKeyConstraint(
            ["character_id"],
            ["characters.id"],
            name="fk_graph_answers_character_id",
            ondelete="CASCADE",
        ),
    )


def downgrade() -> None:
    """Drop the table; the answers would be asked for again."""
    op.drop_table("graph_answers")
