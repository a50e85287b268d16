"""Character cards and lorebooks, as they came in.

Takes: revision 0007.  Gives: revision 0008. Frozen: a change of the schema is a new revision.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def key(name: str) -> sa.Column[Any]:
    """Text that identifies, compared by code point."""
    kind = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    return sa.Column(name, kind, nullable=False)


def words(name: str) -> sa.Column[Any]:
    """Text."""
    return sa.Column(name, sa.Text, nullable=False)


def belongs_to(table: str, to: str, column: str) -> sa.ForeignKeyConstraint:
    """A row lives as long as the row of ``to``."""
    return sa.ForeignKeyConstraint(
        ["character_id", "document_id"],
        [f"{to}.character_id", f"{to}.{column}"],
        name=f"fk_{table}_character_id_document_id",
        ondelete="CASCADE",
    )


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "card_files",
        key("character_id"),
        key("document_id"),
        words("kind"),
        words("name"),
        words("format"),
        words("raw"),
        sa.PrimaryKeyConstraint("character_id", "document_id", name="pk_card_files"),
        belongs_to("card_files", "documents", "id"),
    )
    op.create_table(
        "card_assets",
        key("character_id"),
        key("document_id"),
        key("place"),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("character_id", "document_id", "place", name="pk_card_assets"),
        belongs_to("card_assets", "card_files", "document_id"),
    )


def downgrade() -> None:
    """Drop the tables; the documents that were made from cards stay."""
    for table in ("card_assets", "card_files"):
        op.drop_table(table)
