"""Summaries of clusters of chunks, and vectors of relations.

Takes: revision 0004.  Gives: revision 0005. Frozen: a change of the schema is a new revision.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from offbook.stores.vector_type import Vector

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def key(name: str) -> sa.Column[Any]:
    """Text that identifies, compared by code point."""
    kind = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    return sa.Column(name, kind, nullable=False)


def foreign(table: str, column: str, to: str) -> sa.ForeignKeyConstraint:
    """A row lives as long as the row of ``to`` of the same character."""
    return sa.ForeignKeyConstraint(
        ["character_id", column],
        [f"{to}.character_id", f"{to}.id"],
        name=f"fk_{table}_character_id_{column}",
        ondelete="CASCADE",
    )


def of_character(table: str) -> sa.ForeignKeyConstraint:
    """A row lives as long as its character."""
    return sa.ForeignKeyConstraint(
        ["character_id"],
        ["characters.id"],
        name=f"fk_{table}_character_id",
        ondelete="CASCADE",
    )


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "summaries",
        key("character_id"),
        key("id"),
        sa.Column("level", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("members", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("character_id", "id", name="pk_summaries"),
        of_character("summaries"),
    )
    op.create_table(
        "summary_chunks",
        key("character_id"),
        key("summary_id"),
        key("chunk_id"),
        sa.PrimaryKeyConstraint("character_id", "summary_id", "chunk_id", name="pk_summary_chunks"),
        foreign("summary_chunks", "summary_id", "summaries"),
        foreign("summary_chunks", "chunk_id", "chunks"),
    )
    op.create_index(
        "ix_summary_chunks_character_id_chunk_id",
        "summary_chunks",
        ["character_id", "chunk_id"],
    )
    op.create_table(
        "summary_trees",
        key("character_id"),
        key("built_from"),
        sa.PrimaryKeyConstraint("character_id", name="pk_summary_trees"),
        of_character("summary_trees"),
    )
    _vectors("relation", "relations")
    _vectors("summary", "summaries")


def _vectors(kind: str, subjects: str) -> None:
    table = f"{kind}_vectors"
    op.create_table(
        table,
        key("character_id"),
        key("subject_id"),
        key("set_id"),
        sa.Column("vector", Vector, nullable=False),
        sa.PrimaryKeyConstraint("character_id", "subject_id", "set_id", name=f"pk_{table}"),
        foreign(table, "subject_id", subjects),
        foreign(table, "set_id", "vector_sets"),
    )


def downgrade() -> None:
    """Drop the tables; what was summarized would be asked for again."""
    for table in (
        "summary_vectors",
        "relation_vectors",
        "summary_trees",
        "summary_chunks",
        "summaries",
    ):
        op.drop_table(table)
