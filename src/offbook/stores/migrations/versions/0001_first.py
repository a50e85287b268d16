"""The first schema: characters, their knowledge, graph, conversations and the work on them.

Takes: an empty database.  Gives: revision 0001. Frozen: a change of the schema is a new revision.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from offbook.stores.vector_type import Vector

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def key(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    """Text that identifies, compared by code point."""
    kind = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
    return sa.Column(name, kind, nullable=nullable)


def text(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    """Any text."""
    return sa.Column(name, sa.Text, nullable=nullable)


def integer(name: str) -> sa.Column[Any]:
    """A whole number."""
    return sa.Column(name, sa.Integer, nullable=False)


def json(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    """A JSON value."""
    return sa.Column(name, sa.JSON, nullable=nullable)


def primary(table: str, *columns: str) -> sa.PrimaryKeyConstraint:
    """The primary key."""
    return sa.PrimaryKeyConstraint(*columns, name=f"pk_{table}")


def foreign(
    table: str, columns: tuple[str, ...], other: str, keys: tuple[str, ...] = ()
) -> sa.ForeignKeyConstraint:
    """A row lives as long as the one that it names, by default by its id."""
    keys = keys or ("character_id", "id")[-len(columns) :]
    return sa.ForeignKeyConstraint(
        columns,
        [f"{other}.{name}" for name in keys],
        name=f"fk_{table}_{'_'.join(columns)}",
        ondelete="CASCADE",
    )


def index(table: str, *columns: str) -> None:
    """An index that is not unique."""
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))


def upgrade() -> None:
    """Create all tables, parents first."""
    _characters()
    _documents()
    _graph()
    _conversations()
    _memories()
    _work()
    _vectors("chunk", "chunks")
    _vectors("raw_entity", "raw_entities")
    _vectors("entity", "entity_groups")
    _vectors("memory", "memory_fragments")


def downgrade() -> None:
    """There is nothing before the first."""
    raise NotImplementedError("there is no schema before 0001")


def _characters() -> None:
    """Characters and the sets of their vectors."""
    op.create_table(
        "characters",
        key("id"),
        text("name"),
        text("created"),
        sa.Column("revision", sa.BigInteger, nullable=False),
        text("embedder", nullable=True),
        sa.Column("dimension", sa.Integer, nullable=True),
        text("profile", nullable=True),
        json("profile_documents"),
        json("voice"),
        json("settings"),
        primary("characters", "id"),
    )
    op.create_table(
        "vector_sets",
        key("character_id"),
        key("id"),
        text("embedder"),
        integer("dimension"),
        text("status"),
        sa.Column("active", sa.Boolean, nullable=False),
        primary("vector_sets", "character_id", "id"),
        foreign("vector_sets", ("character_id",), "characters"),
    )
    op.create_index(
        "ux_vector_sets_active",
        "vector_sets",
        ["character_id"],
        unique=True,
        sqlite_where=sa.text("active"),
        postgresql_where=sa.text("active"),
    )


def _documents() -> None:
    """Documents, chunkings and chunks."""
    op.create_table(
        "documents",
        key("character_id"),
        key("id"),
        key("name"),
        text("text"),
        integer("chars"),
        key("digest"),
        integer("ordinal"),
        integer("version"),
        text("status"),
        text("added"),
        primary("documents", "character_id", "id"),
        foreign("documents", ("character_id",), "characters"),
        sa.UniqueConstraint("character_id", "name", name="uq_documents_character_id_name"),
    )
    index("documents", "character_id", "digest")
    op.create_table(
        "chunkings",
        key("character_id"),
        key("document_id"),
        key("name"),
        json("parameters"),
        primary("chunkings", "character_id", "document_id", "name"),
        foreign("chunkings", ("character_id", "document_id"), "documents"),
    )
    op.create_table(
        "chunks",
        key("character_id"),
        key("id"),
        key("document_id"),
        key("chunking"),
        integer("ordinal"),
        integer("start"),
        integer("end"),
        json("headings"),
        text("text"),
        sa.Column("terms", sa.LargeBinary, nullable=True),
        text("analyzer", nullable=True),
        primary("chunks", "character_id", "id"),
        foreign(
            "chunks",
            ("character_id", "document_id", "chunking"),
            "chunkings",
            ("character_id", "document_id", "name"),
        ),
    )
    index("chunks", "character_id", "document_id", "chunking", "ordinal")


def _graph() -> None:
    """What chunks mention, which mentions are one, how they relate."""
    op.create_table(
        "raw_entities",
        key("character_id"),
        key("id"),
        key("chunk_id"),
        integer("ordinal"),
        text("name"),
        text("type"),
        text("description"),
        sa.Column("start", sa.Integer, nullable=True),
        sa.Column("end", sa.Integer, nullable=True),
        primary("raw_entities", "character_id", "id"),
        foreign("raw_entities", ("character_id", "chunk_id"), "chunks"),
    )
    index("raw_entities", "character_id", "chunk_id")
    op.create_table(
        "entity_groups",
        key("character_id"),
        key("id"),
        text("name"),
        text("type"),
        text("description"),
        primary("entity_groups", "character_id", "id"),
        foreign("entity_groups", ("character_id",), "characters"),
    )
    op.create_table(
        "entity_members",
        key("character_id"),
        key("raw_entity_id"),
        key("group_id"),
        primary("entity_members", "character_id", "raw_entity_id"),
        foreign("entity_members", ("character_id", "group_id"), "entity_groups"),
        foreign("entity_members", ("character_id", "raw_entity_id"), "raw_entities"),
    )
    index("entity_members", "character_id", "group_id")
    op.create_table(
        "decisions",
        key("character_id"),
        key("id"),
        key("a"),
        key("b"),
        sa.Column("same", sa.Boolean, nullable=False),
        text("by"),
        text("reason"),
        json("evidence"),
        text("created"),
        primary("decisions", "character_id", "id"),
        foreign("decisions", ("character_id",), "characters"),
    )
    op.create_table(
        "relations",
        key("character_id"),
        key("id"),
        key("chunk_id"),
        integer("ordinal"),
        text("source"),
        text("target"),
        text("description"),
        sa.Column("strength", sa.Double, nullable=False),
        primary("relations", "character_id", "id"),
        foreign("relations", ("character_id", "chunk_id"), "chunks"),
    )
    index("relations", "character_id", "chunk_id")


def _conversations() -> None:
    """Who talks, and what was said."""
    op.create_table(
        "principals",
        key("id"),
        text("label"),
        key("key_hash", nullable=True),
        json("characters", nullable=True),
        text("created"),
        text("revoked", nullable=True),
        primary("principals", "id"),
        sa.UniqueConstraint("key_hash", name="uq_principals_key_hash"),
    )
    op.create_table(
        "conversations",
        key("character_id"),
        key("id"),
        key("principal_id"),
        key("head", nullable=True),
        text("created"),
        text("updated"),
        primary("conversations", "character_id", "id"),
        foreign("conversations", ("character_id",), "characters"),
        foreign("conversations", ("principal_id",), "principals"),
    )
    index("conversations", "principal_id")
    op.create_table(
        "turns",
        key("character_id"),
        key("conversation_id"),
        key("id"),
        key("parent", nullable=True),
        integer("ordinal"),
        text("said"),
        text("answered"),
        json("recall", nullable=True),
        text("at"),
        primary("turns", "character_id", "conversation_id", "id"),
        foreign("turns", ("character_id", "conversation_id"), "conversations"),
        foreign(
            "turns",
            ("character_id", "conversation_id", "parent"),
            "turns",
            ("character_id", "conversation_id", "id"),
        ),
    )
    index("turns", "character_id", "conversation_id", "parent")
    index("turns", "character_id", "id")
    op.create_table(
        "turn_documents",
        key("character_id"),
        key("conversation_id"),
        key("turn_id"),
        key("document_id"),
        primary("turn_documents", "character_id", "conversation_id", "turn_id", "document_id"),
        foreign(
            "turn_documents",
            ("character_id", "conversation_id", "turn_id"),
            "turns",
            ("character_id", "conversation_id", "id"),
        ),
    )
    index("turn_documents", "character_id", "document_id")


def _memories() -> None:
    """Memory fragments."""
    op.create_table(
        "memory_fragments",
        key("character_id"),
        key("id"),
        integer("ordinal"),
        text("said"),
        text("answered"),
        json("emotion", nullable=True),
        text("at", nullable=True),
        key("conversation_id", nullable=True),
        key("turn_id", nullable=True),
        key("principal_id", nullable=True),
        primary("memory_fragments", "character_id", "id"),
        foreign("memory_fragments", ("character_id",), "characters"),
        foreign(
            "memory_fragments",
            ("character_id", "conversation_id", "turn_id"),
            "turns",
            ("character_id", "conversation_id", "id"),
        ),
        foreign("memory_fragments", ("principal_id",), "principals"),
    )
    index("memory_fragments", "character_id", "conversation_id", "turn_id")
    index("memory_fragments", "principal_id")


def _work() -> None:
    """Jobs, leases, cached calls, endpoints."""
    op.create_table(
        "jobs",
        key("character_id"),
        key("kind"),
        key("subject"),
        key("document_id", nullable=True),
        text("status"),
        integer("attempts"),
        text("error"),
        text("updated"),
        primary("jobs", "character_id", "kind", "subject"),
        foreign("jobs", ("character_id",), "characters"),
        foreign("jobs", ("character_id", "document_id"), "documents"),
    )
    index("jobs", "character_id", "document_id")
    op.create_table(
        "leases",
        key("character_id"),
        text("owner"),
        text("host"),
        integer("pid"),
        sa.Column("heartbeat", sa.Double, nullable=False),
        primary("leases", "character_id"),
        foreign("leases", ("character_id",), "characters"),
    )
    op.create_table(
        "call_cache",
        key("key"),
        text("prompt"),
        text("text"),
        integer("prompt_tokens"),
        integer("completion_tokens"),
        text("created"),
        primary("call_cache", "key"),
    )
    op.create_table(
        "call_cache_documents",
        key("key"),
        key("character_id"),
        key("document_id"),
        primary("call_cache_documents", "key", "character_id", "document_id"),
        foreign("call_cache_documents", ("key",), "call_cache", ("key",)),
    )
    index("call_cache_documents", "character_id", "document_id")
    op.create_table(
        "endpoints",
        key("base_url"),
        key("model"),
        text("rung"),
        primary("endpoints", "base_url", "model"),
    )


def _vectors(kind: str, subjects: str) -> None:
    """The vectors of one kind of subject."""
    table = f"{kind}_vectors"
    op.create_table(
        table,
        key("character_id"),
        key("subject_id"),
        key("set_id"),
        sa.Column("vector", Vector, nullable=False),
        primary(table, "character_id", "subject_id", "set_id"),
        foreign(table, ("character_id", "set_id"), "vector_sets"),
        foreign(table, ("character_id", "subject_id"), subjects),
    )
