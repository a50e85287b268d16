"""Ingestions that can be cancelled, and that know what they did before a server was stopped.

Takes: revision 0009.  Gives: revision 0010. Frozen: a change of the schema is a new revision.
"""

from __future__ import annotations

from typing import Any, Literal

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def changed() -> Any:
    """The table to change; SQLite writes it anew, as a database of today has it."""
    anew: Literal["always", "auto"] = "auto"
    if op.get_bind().dialect.name == "sqlite":
        anew = "always"
    return op.batch_alter_table("ingestions", recreate=anew)


def upgrade() -> None:
    """Add the columns; what is queued is as nobody wants it to end, and is begun anew."""
    with changed() as table:
        table.add_column(sa.Column("cancelled", sa.Boolean))
        table.add_column(sa.Column("known", sa.JSON))
        table.add_column(sa.Column("usage", sa.JSON))


def downgrade() -> None:
    """Drop the columns; one that somebody wanted to end goes on."""
    with changed() as table:
        for column in ("usage", "known", "cancelled"):
            table.drop_column(column)
