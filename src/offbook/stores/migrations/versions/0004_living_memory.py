"""Memories that grow with every turn, and what a conversation has come to.

Takes: revision 0003.  Gives: revision 0004. Frozen: a change of the schema is a new revision.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def key(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    """Text that identifies, compared by code point."""
    kind = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    return sa.Column(name, kind, nullable=nullable)


def upgrade() -> None:
    """Add the tables, and the index by which new memories are found."""
    op.create_table(
        "memory_banks",
        key("character_id"),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("cleared", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("character_id", name="pk_memory_banks"),
        sa.ForeignKeyConstraint(
            ["character_id"],
            ["characters.id"],
            name="fk_memory_banks_character_id",
            ondelete="CASCADE",
        ),
    )
    op.create_table(
        "conversation_states",
        key("character_id"),
        key("conversation_id"),
        sa.Column("mood", sa.JSON),
        sa.Column("summary", sa.Text),
        key("summarized", nullable=True),
        sa.PrimaryKeyConstraint("character_id", "conversation_id", name="pk_conversation_states"),
        sa.ForeignKeyConstraint(
            ["character_id", "conversation_id"],
            ["conversations.character_id", "conversations.id"],
            name="fk_conversation_states_character_id_conversation_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index(
        "ix_memory_fragments_character_id_ordinal",
        "memory_fragments",
        ["character_id", "ordinal"],
    )
    op.create_index(
        "ix_turns_character_id_conversation_id_ordinal",
        "turns",
        ["character_id", "conversation_id", "ordinal"],
    )


def downgrade() -> None:
    """Drop what was added; moods and summaries are lost."""
    op.drop_index("ix_turns_character_id_conversation_id_ordinal", table_name="turns")
    op.drop_index("ix_memory_fragments_character_id_ordinal", table_name="memory_fragments")
    op.drop_table("conversation_states")
    op.drop_table("memory_banks")
