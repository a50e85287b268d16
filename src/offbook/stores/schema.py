"""The one schema, for SQLite and PostgreSQL alike.

Takes: nothing.  Gives: ``metadata`` and its tables.  All that belongs to a character hangs on
``character_id``, with keys that are natural and per character: so a character can be exported
exactly, deleted in one statement, and the database can be sharded by character.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from offbook.stores import card_tables as card_tables  # noqa: PLC0414  (one schema)
from offbook.stores import evaluation_tables as evaluation_tables  # noqa: PLC0414  (one schema)
from offbook.stores import server_tables as server_tables  # noqa: PLC0414  (one schema)
from offbook.stores import summary_tables
from offbook.stores.columns import (
    Key,
    belongs_to,
    integer,
    key,
    of_character,
    through_character,
    words,
)
from offbook.stores.metadata import metadata as metadata  # noqa: PLC0414  (read from here)
from offbook.stores.vector_type import Vector

characters: Final = Table(
    "characters",
    metadata,
    key("id", primary=True),
    words("name"),
    words("created"),
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
    of_character(),
    key("id", primary=True),
    key("name"),
    words("text"),
    integer("chars"),
    key("digest"),
    integer("ordinal"),
    integer("version"),
    words("status"),
    words("added"),
    UniqueConstraint("character_id", "name"),
    Index(None, "character_id", "digest"),
)

chunkings: Final = Table(
    "chunkings",
    metadata,
    through_character(),
    key("document_id", primary=True),
    key("name", primary=True),
    Column("parameters", JSON, nullable=False),
    belongs_to("documents", "document_id"),
)

chunks: Final = Table(
    "chunks",
    metadata,
    through_character(),
    key("id", primary=True),
    key("document_id"),
    key("chunking"),
    integer("ordinal"),
    integer("start"),
    integer("end"),
    Column("headings", JSON, nullable=False),
    words("text"),
    Column("terms", LargeBinary),
    Column("analyzer", Text),
    belongs_to("chunkings", "document_id", "chunking", key=("document_id", "name")),
    Index(None, "character_id", "document_id", "chunking", "ordinal"),
)

chunk_attributes: Final = Table(
    "chunk_attributes",
    metadata,
    through_character(),
    key("chunk_id", primary=True),
    Column("reveals", Boolean, nullable=False),
    Column("attributes", JSON, nullable=False),
    belongs_to("chunks", "chunk_id"),
)

vector_sets: Final = Table(
    "vector_sets",
    metadata,
    of_character(),
    key("id", primary=True),
    words("embedder"),
    integer("dimension"),
    words("status"),
    Column("active", Boolean, nullable=False),
    Index("ux_vector_sets_active", "character_id", unique=True, sqlite_where=text("active")),
)

raw_entities: Final = Table(
    "raw_entities",
    metadata,
    through_character(),
    key("id", primary=True),
    key("chunk_id"),
    integer("ordinal"),
    words("name"),
    words("type"),
    words("description"),
    Column("start", Integer),
    Column("end", Integer),
    belongs_to("chunks", "chunk_id"),
    Index(None, "character_id", "chunk_id"),
)

entity_groups: Final = Table(
    "entity_groups",
    metadata,
    of_character(),
    key("id", primary=True),
    words("name"),
    words("type"),
    words("description"),
)

entity_members: Final = Table(
    "entity_members",
    metadata,
    through_character(),
    # A raw entity is in exactly one group: hence it alone is the key.
    key("raw_entity_id", primary=True),
    key("group_id"),
    belongs_to("raw_entities", "raw_entity_id"),
    belongs_to("entity_groups", "group_id"),
    Index(None, "character_id", "group_id"),
)

decisions: Final = Table(
    "decisions",
    metadata,
    of_character(),
    key("id", primary=True),
    key("a"),
    key("b"),
    Column("same", Boolean, nullable=False),
    words("by"),
    words("reason"),
    Column("evidence", JSON, nullable=False),
    words("created"),
)

relations: Final = Table(
    "relations",
    metadata,
    through_character(),
    key("id", primary=True),
    key("chunk_id"),
    integer("ordinal"),
    words("source"),
    words("target"),
    words("description"),
    Column("strength", Double, nullable=False),
    belongs_to("chunks", "chunk_id"),
    Index(None, "character_id", "chunk_id"),
)

graph_answers: Final = Table(
    "graph_answers",
    metadata,
    of_character(),
    # What was asked: ``split`` (is a linked group one?) or ``merge`` (several descriptions, one).
    key("kind", primary=True),
    key("key", primary=True),
    Column("answer", JSON, nullable=False),
    # The chunks whose text the answer holds: it goes with the first of them.
    Column("chunks", JSON, nullable=False),
)

principals: Final = Table(
    "principals",
    metadata,
    key("id", primary=True),
    words("label"),
    Column("key_hash", Key, unique=True),
    Column("characters", JSON(none_as_null=True)),
    words("created"),
    Column("revoked", Text),
)

conversations: Final = Table(
    "conversations",
    metadata,
    of_character(),
    key("id", primary=True),
    Column("principal_id", Key, ForeignKey("principals.id", ondelete="CASCADE"), nullable=False),
    Column("head", Key),
    words("created"),
    words("updated"),
    Index(None, "principal_id"),
)

turns: Final = Table(
    "turns",
    metadata,
    through_character(),
    key("conversation_id", primary=True),
    key("id", primary=True),
    key("parent", nullable=True),
    integer("ordinal"),
    words("said"),
    words("answered"),
    Column("recall", JSON(none_as_null=True)),
    words("at"),
    belongs_to("conversations", "conversation_id"),
    belongs_to("turns", "conversation_id", "parent", key=("conversation_id", "id")),
    Index(None, "character_id", "conversation_id", "parent"),
    Index(None, "character_id", "conversation_id", "ordinal"),
    Index(None, "character_id", "id"),
)

turn_documents: Final = Table(
    "turn_documents",
    metadata,
    through_character(),
    key("conversation_id", primary=True),
    key("turn_id", primary=True),
    key("document_id", primary=True),
    belongs_to("turns", "conversation_id", "turn_id", key=("conversation_id", "id")),
    Index(None, "character_id", "document_id"),
)

conversation_states: Final = Table(
    "conversation_states",
    metadata,
    through_character(),
    key("conversation_id", primary=True),
    Column("mood", JSON(none_as_null=True)),
    Column("summary", Text),
    # The last turn that the summary covers.
    key("summarized", nullable=True),
    belongs_to("conversations", "conversation_id"),
)

memory_fragments: Final = Table(
    "memory_fragments",
    metadata,
    of_character(),
    key("id", primary=True),
    integer("ordinal"),
    words("said"),
    words("answered"),
    Column("emotion", JSON(none_as_null=True)),
    Column("at", Text),
    # Both null for an authored memory; what a conversation taught goes when its turn goes.
    key("conversation_id", nullable=True),
    key("turn_id", nullable=True),
    Column("principal_id", Key, ForeignKey("principals.id", ondelete="CASCADE")),
    belongs_to("turns", "conversation_id", "turn_id", key=("conversation_id", "id")),
    Index(None, "character_id", "conversation_id", "turn_id"),
    Index(None, "character_id", "ordinal"),
    Index(None, "principal_id"),
)

memory_banks: Final = Table(
    "memory_banks",
    metadata,
    of_character(),
    # Grows with every change of the memories, apart from the character's own revision: a finished
    # turn must not make the indexes of its documents stale.
    Column("revision", BigInteger, nullable=False),
    # The revision at which a memory that was complete last changed or went.
    Column("cleared", BigInteger, nullable=False),
)

jobs: Final = Table(
    "jobs",
    metadata,
    of_character(),
    key("kind", primary=True),
    key("subject", primary=True),
    key("document_id", nullable=True),
    words("status"),
    integer("attempts"),
    words("error"),
    words("updated"),
    belongs_to("documents", "document_id"),
    Index(None, "character_id", "document_id"),
)

leases: Final = Table(
    "leases",
    metadata,
    of_character(),
    words("owner"),
    words("host"),
    integer("pid"),
    Column("heartbeat", Double, nullable=False),
)

call_cache: Final = Table(
    "call_cache",
    metadata,
    key("key", primary=True),
    words("prompt"),
    words("text"),
    integer("prompt_tokens"),
    integer("completion_tokens"),
    words("created"),
)

call_cache_documents: Final = Table(
    "call_cache_documents",
    metadata,
    Column("key", Key, ForeignKey("call_cache.key", ondelete="CASCADE"), primary_key=True),
    # No foreign key to the document: it may be a memory, and the answer has to go with it.
    key("character_id", primary=True),
    key("document_id", primary=True),
    Index(None, "character_id", "document_id"),
)

endpoints: Final = Table(
    "endpoints",
    metadata,
    key("base_url", primary=True),
    key("model", primary=True),
    words("rung"),
)


def _vectors_of(kind: str, table: str) -> Table:
    """One table for the vectors of each kind of subject, so that none outlives its subject."""
    return Table(
        f"{kind}_vectors",
        metadata,
        through_character(),
        key("subject_id", primary=True),
        key("set_id", primary=True),
        Column("vector", Vector, nullable=False),
        belongs_to(table, "subject_id"),
        belongs_to("vector_sets", "set_id"),
    )


vectors: Final = {
    "chunk": _vectors_of("chunk", "chunks"),
    "raw_entity": _vectors_of("raw_entity", "raw_entities"),
    "entity": _vectors_of("entity", "entity_groups"),
    "memory": _vectors_of("memory", "memory_fragments"),
    "relation": _vectors_of("relation", "relations"),
    "summary": _vectors_of("summary", "summaries"),
}
"""Kind of subject -> the table of its vectors."""

subjects: Final = {
    "chunk": chunks,
    "raw_entity": raw_entities,
    "entity": entity_groups,
    "memory": memory_fragments,
    "relation": relations,
    "summary": summary_tables.summaries,
}
"""Kind of subject -> the table that the vectors are of."""
