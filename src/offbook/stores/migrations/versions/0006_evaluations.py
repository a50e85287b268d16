"""Evaluations: runs, cells and ratings.

Takes: revision 0005.  Gives: revision 0006. Frozen: a change of the schema is a new revision.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def key(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    """Text that identifies, compared by code point."""
    kind = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    return sa.Column(name, kind, nullable=nullable)


def words(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    """Text."""
    return sa.Column(name, sa.Text, nullable=nullable)


def number(name: str) -> sa.Column[Any]:
    """A whole number."""
    return sa.Column(name, sa.Integer, nullable=False)


def foreign(table: str, column: str, to: str) -> sa.ForeignKeyConstraint:
    """A row lives as long as the row of ``to``."""
    return sa.ForeignKeyConstraint(
        [column], [f"{to}.id"], name=f"fk_{table}_{column}", ondelete="CASCADE"
    )


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "evaluation_runs",
        key("id"),
        words("benchmark"),
        words("created"),
        words("status"),
        number("format"),
        sa.Column("record", sa.JSON, nullable=False),
        sa.Column("judges", sa.JSON, nullable=False),
        sa.Column("usage", sa.JSON, nullable=False),
        key("owner", nullable=True),
        words("host", nullable=True),
        sa.Column("pid", sa.Integer),
        sa.Column("heartbeat", sa.Double),
        sa.PrimaryKeyConstraint("id", name="pk_evaluation_runs"),
    )
    _cells()
    _ratings()
    for table in ("evaluation_cells", "evaluation_ratings"):
        op.create_index(f"ix_{table}_character_id", table, ["character_id"])


def _cells() -> None:
    keys = ("run_id", "subject", "question", "variant", "repeat")
    op.create_table(
        "evaluation_cells",
        *(number(name) if name == "repeat" else key(name) for name in keys),
        key("character_id"),
        words("reply", nullable=True),
        words("error", nullable=True),
        words("verdict", nullable=True),
        sa.Column("fallback", sa.Boolean),
        number("forgotten"),
        words("finished"),
        sa.Column("usage", sa.JSON, nullable=False),
        sa.Column("documents", sa.JSON, nullable=False),
        sa.Column("context", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint(*keys, name="pk_evaluation_cells"),
        foreign("evaluation_cells", "run_id", "evaluation_runs"),
        foreign("evaluation_cells", "character_id", "characters"),
    )


def _ratings() -> None:
    keys = ("run_id", "subject", "variant", "repeat", "metric", "unit", "judge", "sample")
    op.create_table(
        "evaluation_ratings",
        *(number(name) if name in ("repeat", "sample") else key(name) for name in keys),
        key("character_id"),
        sa.Column("value", sa.Double),
        words("missing", nullable=True),
        sa.Column("person", sa.Double),
        words("person_name"),
        words("person_note"),
        sa.Column("documents", sa.JSON, nullable=False),
        words("analysis"),
        sa.PrimaryKeyConstraint(*keys, name="pk_evaluation_ratings"),
        foreign("evaluation_ratings", "run_id", "evaluation_runs"),
        foreign("evaluation_ratings", "character_id", "characters"),
    )


def downgrade() -> None:
    """Drop the tables; replies and ratings are lost."""
    for table in ("evaluation_ratings", "evaluation_cells", "evaluation_runs"):
        op.drop_table(table)
