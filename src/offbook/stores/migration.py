"""Brings a database to this version's schema, or says why it cannot; two may do so at once."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, text

from offbook.errors import ConfigurationError
from offbook.stores.schema import metadata, vector_sets

# The files in ``migrations/versions``, oldest first: so that a database that is up to date is
# recognized without importing Alembic. A test compares them.
REVISIONS: Final = ("0001",)
HEAD: Final = REVISIONS[-1]

# Alembic's own table, as Alembic makes it.
_VERSION: Final = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)

SCRIPTS: Final = Path(__file__).parent / "migrations"

# Any number, as long as all processes of ours take the same lock.
_ADVISORY_LOCK: Final = 0x0FFB00C


def bring_up_to_date(connection: Connection, where: str) -> None:
    """Create the schema in an empty database, migrate an older one, accept a current one.

    Raises:
        ConfigurationError: a newer version of offbook has written it.
    """
    if stored_revision(connection) == HEAD:
        return
    with connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
            connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
        revision = _revision(connection)  # another process may have been quicker
        if revision is None:
            _complete_for_postgres()
            metadata.create_all(connection, checkfirst=False)
            _VERSION.create(connection)
            connection.execute(_VERSION.insert(), {"version_num": HEAD})
        elif revision not in REVISIONS:
            raise ConfigurationError(
                f"The database at {where!r} has schema {revision!r}; this offbook knows up to"
                f" {HEAD!r}.",
                "it was written by a newer offbook: install that, or name another home: --home DIR",
            )
        elif revision != HEAD:
            upgrade(connection)


def stored_revision(connection: Connection) -> str | None:
    """The schema's revision, or None where the database is empty."""
    with connection.begin():
        return _revision(connection)


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Run Alembic's migrations on ``connection``, inside its transaction."""
    from alembic import command
    from alembic.config import Config

    if connection.dialect.name == "postgresql":
        _complete_for_postgres()
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _complete_for_postgres() -> None:
    """Tell the schema what only PostgreSQL is told: there, it would load that dialect always."""
    for index in vector_sets.indexes:
        if index.name == "ux_vector_sets_active":
            index.dialect_options["postgresql"]["where"] = text("active")


def _revision(connection: Connection) -> str | None:
    if not connection.dialect.has_table(connection, _VERSION.name):
        return None
    row = connection.execute(_VERSION.select()).one_or_none()
    return None if row is None else str(row.version_num)
