"""Evaluations that go on behind requests.

Takes: revision 0008.  Gives: revision 0009. Frozen: a change of the schema is a new revision.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def key(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    """Text that identifies, compared by code point."""
    kind = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    return sa.Column(name, kind, nullable=nullable)


def words(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    """Text."""
    return sa.Column(name, sa.Text, nullable=nullable)


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "evaluation_jobs",
        key("id"),
        words("kind"),
        words("status"),
        key("run_id", nullable=True),
        sa.Column("request", sa.JSON),
        sa.Column("progress", sa.JSON, nullable=False),
        sa.Column("report", sa.JSON),
        sa.Column("error", sa.JSON),
        sa.Column("cancelled", sa.Boolean, nullable=False),
        words("created"),
        words("updated"),
        key("owner", nullable=True),
        words("host", nullable=True),
        sa.Column("pid", sa.Integer),
        sa.Column("heartbeat", sa.Double),
        sa.PrimaryKeyConstraint("id", name="pk_evaluation_jobs"),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["evaluation_runs.id"],
            name="fk_evaluation_jobs_run_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_evaluation_jobs_status", "evaluation_jobs", ["status"])
    op.create_index("ix_evaluation_jobs_run_id", "evaluation_jobs", ["run_id"])


def downgrade() -> None:
    """Drop the table; the runs stay."""
    op.drop_table("evaluation_jobs")
