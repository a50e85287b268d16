"""The one schema, for SQLite and PostgreSQL alike.

Takes: nothing.  Gives: ``metadata`` and its tables.  All that belongs to a character hangs on
``character_id``, with keys that are natural and per character: so a character can be exported
exactly, deleted in one statement, and the database can be sharded by character.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from offbook.stores.vector_type import Vector

Key: Final = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that identifies: compared and ordered by code point on both engines."""

metadata: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)


def _of_character() -> Column[Any]:
    """The first half of a key, of a row that hangs on its character directly."""
    link = ForeignKey("characters.id", ondelete="CASCADE")
    return Column("character_id", Key, link, primary_key=True)


def _character() -> Column[Any]:
    """The first half of a key, of a row that hangs on its character through another row."""
    return Column("character_id", Key, primary_key=True)


def _belongs_to(table: str, *columns: str, key: tuple[str, ...] = ("id",)) -> ForeignKeyConstraint:
    """A row lives as long as the row of ``table`` that ``columns`` name, of the same character."""
    return ForeignKeyConstraint(
        ["character_id", *columns],
        [f"{table}.character_id", *(f"{table}.{name}" for name in key)],
        ondelete="CASCADE",
    )


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


def _key(name: str, *, primary: bool = False, nullable: bool = False) -> Column[str]:
    return Column(name, Key, primary_key=primary, nullable=nullable)


def _integer(name: str) -> Column[int]:
    return Column(name, Integer, nullable=False)


characters: Final = Table(
    "characters",
    metadata,
    _key("id", primary=True),
    _text("name"),
    _text("created"),
    Column("revision", BigInteger, nullable=False),
    Column("embedder", Text),
    Column("dimension", Integer),
    Column("profile", Text),
    # The documents that profile and voice were made from: forgetting one clears both.
    Column("profile_documents", JSON, nullable=False),
    Column("voice", JSON, nullable=False),
    Column("settings", JSON, nullable=False),
)

documents: Final = Table(
    "documents",
    metadata,
    _of_character(),
    _key("id", primary=True),
    _key("name"),
    _text("text"),
    _integer("chars"),
    _key("digest"),
    _integer("ordinal"),
    _integer("version"),
    _text("status"),
    _text("added"),
    UniqueConstraint("character_id", "name"),
    Index(None, "character_id", "digest"),
)

chunkings: Final = Table(
    "chunkings",
    metadata,
    _character(),
    _key("document_id", primary=True),
    _key("name", primary=True),
    Column("parameters", JSON, nullable=False),
    _belongs_to("documents", "document_id"),
)

chunks: Final = Table(
    "chunks",
    metadata,
    _character(),
    _key("id", primary=True),
    _key("document_id"),
    _key("chunking"),
    _integer("ordinal"),
    _integer("start"),
    _integer("end"),
    Column("headings", JSON, nullable=False),
    _text("text"),
    Column("terms", LargeBinary),
    Column("analyzer", Text),
    _belongs_to("chunkings", "document_id", "chunking", key=("document_id", "name")),
    Index(None, "character_id", "document_id", "chunking", "ordinal"),
)

chunk_attributes: Final = Table(
    "chunk_attributes",
    metadata,
    _character(),
    _key("chunk_id", primary=True),
    Column("reveals", Boolean, nullable=False),
    Column("attributes", JSON, nullable=False),
    _belongs_to("chunks", "chunk_id"),
)

vector_sets: Final = Table(
    "vector_sets",
    metadata,
    _of_character(),
    _key("id", primary=True),
    _text("embedder"),
    _integer("dimension"),
    _text("status"),
    Column("active", Boolean, nullable=False),
    Index("ux_vector_sets_active", "character_id", unique=True, sqlite_where=text("active")),
)

raw_entities: Final = Table(
    "raw_entities",
    metadata,
    _character(),
    _key("id", primary=True),
    _key("chunk_id"),
    _integer("ordinal"),
    _text("name"),
    _text("type"),
    _text("description"),
    Column("start", Integer),
    Column("end", Integer),
    _belongs_to("chunks", "chunk_id"),
    Index(None, "character_id", "chunk_id"),
)

entity_groups: Final = Table(
    "entity_groups",
    metadata,
    _of_character(),
    _key("id", primary=True),
    _text("name"),
    _text("type"),
    _text("description"),
)

entity_members: Final = Table(
    "entity_members",
    metadata,
    _character(),
    # A raw entity is in exactly one group: hence it alone is the key.
    _key("raw_entity_id", primary=True),
    _key("group_id"),
    _belongs_to("raw_entities", "raw_entity_id"),
    _belongs_to("entity_groups", "group_id"),
    Index(None, "character_id", "group_id"),
)

decisions: Final = Table(
    "decisions",
    metadata,
    _of_character(),
    _key("id", primary=True),
    _key("a"),
    _key("b"),
    Column("same", Boolean, nullable=False),
    _text("by"),
    _text("reason"),
    Column("evidence", JSON, nullable=False),
    _text("created"),
)

relations: Final = Table(
    "relations",
    metadata,
    _character(),
    _key("id", primary=True),
    _key("chunk_id"),
    _integer("ordinal"),
    _text("source"),
    _text("target"),
    _text("description"),
    Column("strength", Double, nullable=False),
    _belongs_to("chunks", "chunk_id"),
    Index(None, "character_id", "chunk_id"),
)

graph_answers: Final = Table(
    "graph_answers",
    metadata,
    _of_character(),
    # What was asked: ``split`` (is a linked group one?) or ``merge`` (several descriptions, one).
    _key("kind", primary=True),
    _key("key", primary=True),
    Column("answer", JSON, nullable=False),
    # The chunks whose text the answer holds: it goes with the first of them.
    Column("chunks", JSON, nullable=False),
)

principals: Final = Table(
    "principals",
    metadata,
    _key("id", primary=True),
    _text("label"),
    Column("key_hash", Key, unique=True),
    Column("characters", JSON(none_as_null=True)),
    _text("created"),
    Column("revoked", Text),
)

conversations: Final = Table(
    "conversations",
    metadata,
    _of_character(),
    _key("id", primary=True),
    Column("principal_id", Key, ForeignKey("principals.id", ondelete="CASCADE"), nullable=False),
    Column("head", Key),
    _text("created"),
    _text("updated"),
    Index(None, "principal_id"),
)

turns: Final = Table(
    "turns",
    metadata,
    _character(),
    _key("conversation_id", primary=True),
    _key("id", primary=True),
    _key("parent", nullable=True),
    _integer("ordinal"),
    _text("said"),
    _text("answered"),
    Column("recall", JSON(none_as_null=True)),
    _text("at"),
    _belongs_to("conversations", "conversation_id"),
    _belongs_to("turns", "conversation_id", "parent", key=("conversation_id", "id")),
    Index(None, "character_id", "conversation_id", "parent"),
    Index(None, "character_id", "id"),
)

turn_documents: Final = Table(
    "turn_documents",
    metadata,
    _character(),
    _key("conversation_id", primary=True),
    _key("turn_id", primary=True),
    _key("document_id", primary=True),
    _belongs_to("turns", "conversation_id", "turn_id", key=("conversation_id", "id")),
    Index(None, "character_id", "document_id"),
)

memory_fragments: Final = Table(
    "memory_fragments",
    metadata,
    _of_character(),
    _key("id", primary=True),
    _integer("ordinal"),
    _text("said"),
    _text("answered"),
    Column("emotion", JSON(none_as_null=True)),
    Column("at", Text),
    # Both null for an authored memory; what a conversation taught goes when its turn goes.
    _key("conversation_id", nullable=True),
    _key("turn_id", nullable=True),
    Column("principal_id", Key, ForeignKey("principals.id", ondelete="CASCADE")),
    _belongs_to("turns", "conversation_id", "turn_id", key=("conversation_id", "id")),
    Index(None, "character_id", "conversation_id", "turn_id"),
    Index(None, "principal_id"),
)

jobs: Final = Table(
    "jobs",
    metadata,
    _of_character(),
    _key("kind", primary=True),
    _key("subject", primary=True),
    _key("document_id", nullable=True),
    _text("status"),
    _integer("attempts"),
    _text("error"),
    _text("updated"),
    _belongs_to("documents", "document_id"),
    Index(None, "character_id", "document_id"),
)

leases: Final = Table(
    "leases",
    metadata,
    _of_character(),
    _text("owner"),
    _text("host"),
    _integer("pid"),
    Column("heartbeat", Double, nullable=False),
)

call_cache: Final = Table(
    "call_cache",
    metadata,
    _key("key", primary=True),
    _text("prompt"),
    _text("text"),
    _integer("prompt_tokens"),
    _integer("completion_tokens"),
    _text("created"),
)

call_cache_documents: Final = Table(
    "call_cache_documents",
    metadata,
    Column("key", Key, ForeignKey("call_cache.key", ondelete="CASCADE"), primary_key=True),
    # No foreign key to the document: a call may be cached before its document is stored.
    _key("character_id", primary=True),
    _key("document_id", primary=True),
    Index(None, "character_id", "document_id"),
)

endpoints: Final = Table(
    "endpoints",
    metadata,
    _key("base_url", primary=True),
    _key("model", primary=True),
    _text("rung"),
)


def _vectors_of(kind: str, table: str) -> Table:
    """One table for the vectors of each kind of subject, so that none outlives its subject."""
    return Table(
        f"{kind}_vectors",
        metadata,
        _character(),
        _key("subject_id", primary=True),
        _key("set_id", primary=True),
        Column("vector", Vector, nullable=False),
        _belongs_to(table, "subject_id"),
        _belongs_to("vector_sets", "set_id"),
    )


vectors: Final = {
    "chunk": _vectors_of("chunk", "chunks"),
    "raw_entity": _vectors_of("raw_entity", "raw_entities"),
    "entity": _vectors_of("entity", "entity_groups"),
    "memory": _vectors_of("memory", "memory_fragments"),
}
"""Kind of subject -> the table of its vectors."""

subjects: Final = {
    "chunk": chunks,
    "raw_entity": raw_entities,
    "entity": entity_groups,
    "memory": memory_fragments,
}
"""Kind of subject -> the table that the vectors are of."""
