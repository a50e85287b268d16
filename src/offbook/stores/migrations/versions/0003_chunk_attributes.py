"""What chunks reveal of the character, judged once at ingestion.

Takes: revision 0002.  Gives: revision 0003. Frozen: a change of the schema is a new revision.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def key(name: str) -> sa.Column[Any]:
    """Text that identifies, compared by code point."""
    kind = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    return sa.Column(name, kind, nullable=False)


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "chunk_attributes",
        key("character_id"),
        key("chunk_id"),
        sa.Column("reveals", sa.Boolean, nullable=False),
        sa.Column("attributes", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("character_id", "chunk_id", name="pk_chunk_attributes"),
        sa.ForeignKeyConstraint(
            ["character_id", "chunk_id"],
            ["chunks.character_id", "chunks.id"],
            name="fk_chunk_attributes_character_id_chunk_id",
            ondelete="CASCADE",
        ),
    )


def downgrade() -> None:
    """Drop the table; the chunks would be judged again."""
    op.drop_table("chunk_attributes")
