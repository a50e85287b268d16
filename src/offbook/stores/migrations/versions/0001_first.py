"""The first schema: what ``stores.schema`` holds.

With the first release its tables are written out here, and frozen: from then on a change of the
schema is a new revision.
"""

from __future__ import annotations

from alembic import op

from offbook.stores.schema import metadata

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create all tables."""
    metadata.create_all(op.get_bind(), checkfirst=False)
