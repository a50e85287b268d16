"""Runs Alembic's migrations on a connection that is open already; the caller commits."""

from __future__ import annotations

from alembic import context

from offbook.stores.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=False,  # the caller's transaction is the only one
)
context.run_migrations()
