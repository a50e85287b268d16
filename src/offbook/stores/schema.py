"""The one schema, for SQLite and PostgreSQL alike.

What was read (documents, chunks, graph, decisions, vectors) hangs on ``source_id``, and a viewpoint
on it (memories, conversations, what chunks reveal) on ``character_id``. Keys are natural and per
owner: so a character can be exported exactly, and a source or character deleted in one statement.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Constraint,
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

from offbook.stores.columns import (
    Key,
    Vector,
    belongs_to,
    integer,
    key,
    of_character,
    of_source,
    rests_on,
    through_character,
    through_source,
    words,
)
from offbook.stores.columns import metadata as metadata  # noqa: PLC0414  (one schema)


def _table(name: str, *parts: Column[Any] | Constraint | Index) -> Table:
    return Table(name, metadata, *parts)


card_files: Final = _table(
    "card_files",
    of_character(),
    through_source(primary=False),
    key("document_id", primary=True),
    # ``card``, ``card_lorebook`` (the card's own) or ``lorebook``.
    words("kind"),
    # The name of the file, and the format that it was in.
    words("name"),
    words("format"),
    # The JSON object, unknown fields included; of a card without its own lorebook, where that has
    # a row by itself, so that one can be forgotten without the other.
    words("raw"),
    rests_on("documents", "document_id"),
)

card_assets: Final = _table(
    "card_assets",
    through_character(),
    key("document_id", primary=True),
    # Its place in the card's file; empty: the picture that the card came in.
    key("place", primary=True),
    Column("data", LargeBinary, nullable=False),
    belongs_to("card_files", "document_id", key=("document_id",)),
)


def _worked_on() -> tuple[Column[Any], ...]:
    """The process that works on it, if one does."""
    return (
        Column("owner", Key),
        Column("host", Text),
        Column("pid", Integer),
        Column("heartbeat", Double),
    )


api_keys: Final = _table(
    "api_keys",
    Column("principal_id", Key, ForeignKey("principals.id", ondelete="CASCADE"), primary_key=True),
    Column("rights", JSON, nullable=False),
    Column("expires", Text),
    # Requests a minute; null: what the server's settings say.
    Column("rpm", Integer),
    # Whether what is said with it is kept, and whether tools that come with it are passed on.
    Column("remember", Boolean, nullable=False),
    Column("tools", Boolean, nullable=False),
)

tasks: Final = _table(
    "tasks",
    key("id", primary=True),
    # ``ingestion``, or the kind of a job of an evaluation.
    words("kind"),
    # Of an ingestion.
    Column("character_id", Key, ForeignKey("characters.id", ondelete="CASCADE")),
    # Of an evaluation; null until the run is begun, and where what is done is no run.
    Column("run_id", Key, ForeignKey("evaluation_runs.id", ondelete="CASCADE")),
    words("status"),
    # What was asked for, texts included; null as soon as the task has ended.
    Column("request", JSON(none_as_null=True)),
    Column("progress", JSON, nullable=False),
    Column("report", JSON(none_as_null=True)),
    Column("error", JSON(none_as_null=True)),
    # The digests of its documents' texts before it began; null until it has.
    Column("known", JSON(none_as_null=True)),
    # What its earlier stretches asked of models: a server that stops leaves the rest to the next.
    Column("usage", JSON(none_as_null=True)),
    # Whether somebody wants it to end before its time.
    Column("cancelled", Boolean, nullable=False),
    words("created"),
    words("updated"),
    *_worked_on(),
    Index(None, "status"),
    Index(None, "character_id"),
    Index(None, "run_id"),
)

characters: Final = _table(
    "characters",
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

sources: Final = _table("sources", key("id", primary=True), words("created"))

character_sources: Final = _table(
    "character_sources",
    of_character(),
    of_source(),
    # Which it looks at first; for now a character has one source, whose ordinal is 0.
    integer("ordinal"),
    Index(None, "source_id"),
)

documents: Final = _table(
    "documents",
    of_source(),
    key("id", primary=True),
    key("name"),
    words("text"),
    integer("chars"),
    key("digest"),
    integer("ordinal"),
    integer("version"),
    words("status"),
    words("added"),
    # The map from the text back to the file that it was read from.
    Column("places", JSON, nullable=False),
    UniqueConstraint("source_id", "name"),
    Index(None, "source_id", "digest"),
)

chunkings: Final = _table(
    "chunkings",
    through_source(),
    key("document_id", primary=True),
    key("name", primary=True),
    Column("parameters", JSON, nullable=False),
    rests_on("documents", "document_id"),
)

chunks: Final = _table(
    "chunks",
    through_source(),
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
    rests_on("chunkings", "document_id", "chunking", key=("document_id", "name")),
    Index(None, "source_id", "document_id", "chunking", "ordinal"),
)

casts: Final = _table(
    "casts",
    of_source(),
    # Names the texts, the persons' words on names, and the version that it was read by.
    key("built_from"),
    Column("cast", JSON, nullable=False),
)

stories: Final = _table(
    "stories",
    of_source(),
    # That of the cast whose members the story counts.
    key("built_from"),
    Column("story", JSON, nullable=False),
)

story_answers: Final = _table(
    "story_answers",
    through_source(),
    # Names the text that a model was shown.
    key("key", primary=True),
    key("document_id"),
    # Where that text stands in the document, with what stood before it as context.
    integer("start"),
    integer("end"),
    Column("answer", JSON, nullable=False),
    rests_on("documents", "document_id"),
    Index(None, "source_id", "document_id"),
)

story_corrections: Final = _table(
    "story_corrections",
    through_source(),
    # That of the scene's text.
    key("digest", primary=True),
    # Who, by a name that they bear in the story.
    key("name", primary=True),
    key("document_id"),
    words("how"),
    rests_on("documents", "document_id"),
    Index(None, "source_id", "document_id"),
)

chunk_attributes: Final = _table(
    "chunk_attributes",
    of_character(),
    through_source(primary=False),
    key("chunk_id", primary=True),
    Column("reveals", Boolean, nullable=False),
    Column("attributes", JSON, nullable=False),
    rests_on("chunks", "chunk_id"),
)

vector_sets: Final = _table(
    "vector_sets",
    of_source(),
    key("id", primary=True),
    words("embedder"),
    integer("dimension"),
    words("status"),
    Column("active", Boolean, nullable=False),
    Index("ux_vector_sets_active", "source_id", unique=True, sqlite_where=text("active")),
)

raw_entities: Final = _table(
    "raw_entities",
    through_source(),
    key("id", primary=True),
    key("chunk_id"),
    integer("ordinal"),
    words("name"),
    words("type"),
    words("description"),
    Column("start", Integer),
    Column("end", Integer),
    Column("aliases", JSON, nullable=False),
    rests_on("chunks", "chunk_id"),
    Index(None, "source_id", "chunk_id"),
)

entity_groups: Final = _table(
    "entity_groups",
    of_source(),
    key("id", primary=True),
    words("name"),
    words("type"),
    words("description"),
)

entity_members: Final = _table(
    "entity_members",
    through_source(),
    # A raw entity is in exactly one group: hence it alone is the key.
    key("raw_entity_id", primary=True),
    key("group_id"),
    rests_on("raw_entities", "raw_entity_id"),
    rests_on("entity_groups", "group_id"),
    Index(None, "source_id", "group_id"),
)

decisions: Final = _table(
    "decisions",
    of_source(),
    key("id", primary=True),
    key("a"),
    key("b"),
    Column("same", Boolean, nullable=False),
    words("by"),
    words("reason"),
    Column("evidence", JSON, nullable=False),
    words("created"),
)

relations: Final = _table(
    "relations",
    through_source(),
    key("id", primary=True),
    key("chunk_id"),
    integer("ordinal"),
    words("source"),
    words("target"),
    words("description"),
    Column("strength", Double, nullable=False),
    Column("keywords", JSON, nullable=False),
    rests_on("chunks", "chunk_id"),
    Index(None, "source_id", "chunk_id"),
)

graph_answers: Final = _table(
    "graph_answers",
    of_source(),
    # What was asked: ``split`` (is a linked group one?), ``merge`` (several descriptions, one) or
    # ``who_is_who`` (all names at once).
    key("kind", primary=True),
    key("key", primary=True),
    Column("answer", JSON, nullable=False),
    # The chunks whose text the answer holds: it goes with the first of them.
    Column("chunks", JSON, nullable=False),
)

summaries: Final = _table(
    "summaries",
    of_source(),
    key("id", primary=True),
    # 1 where its members are chunks; one more than the highest of its members.
    integer("level"),
    words("text"),
    # Ids of the chunks and summaries that it is made from, in the order in which they were read.
    Column("members", JSON, nullable=False),
)

summary_chunks: Final = _table(
    "summary_chunks",
    through_source(),
    key("summary_id", primary=True),
    # Every chunk beneath it, on whatever level: what it rests on.
    key("chunk_id", primary=True),
    rests_on("summaries", "summary_id"),
    rests_on("chunks", "chunk_id"),
    Index(None, "source_id", "chunk_id"),
)

summary_trees: Final = _table(
    "summary_trees",
    of_source(),
    # Names the chunks and settings that the last finished tree was built from.
    key("built_from"),
)

principals: Final = _table(
    "principals",
    key("id", primary=True),
    words("label"),
    Column("key_hash", Key, unique=True),
    Column("characters", JSON(none_as_null=True)),
    words("created"),
    Column("revoked", Text),
)

conversations: Final = _table(
    "conversations",
    of_character(),
    key("id", primary=True),
    Column("principal_id", Key, ForeignKey("principals.id", ondelete="CASCADE"), nullable=False),
    Column("head", Key),
    words("created"),
    words("updated"),
    Index(None, "principal_id"),
)

turns: Final = _table(
    "turns",
    through_character(),
    key("conversation_id", primary=True),
    key("id", primary=True),
    key("parent", nullable=True),
    integer("ordinal"),
    words("said"),
    # Empty: the character only heard it, or the words are forgotten.
    words("answered"),
    Column("recall", JSON(none_as_null=True)),
    words("at"),
    # Who said it; empty: the person whose conversation it is.
    words("speaker"),
    belongs_to("conversations", "conversation_id"),
    belongs_to("turns", "conversation_id", "parent", key=("conversation_id", "id")),
    Index(None, "character_id", "conversation_id", "parent"),
    Index(None, "character_id", "conversation_id", "ordinal"),
    Index(None, "character_id", "id"),
)

responses: Final = _table(
    "responses",
    # By which a client goes on from a reply; what was said stands with the turn.
    key("id", primary=True),
    key("character_id"),
    key("conversation_id"),
    key("turn_id"),
    belongs_to("turns", "conversation_id", "turn_id", key=("conversation_id", "id")),
    Index(None, "character_id", "conversation_id", "turn_id"),
)

turn_documents: Final = _table(
    "turn_documents",
    through_character(),
    key("conversation_id", primary=True),
    key("turn_id", primary=True),
    key("document_id", primary=True),
    belongs_to("turns", "conversation_id", "turn_id", key=("conversation_id", "id")),
    Index(None, "character_id", "document_id"),
)

former_passages: Final = _table(
    "former_passages",
    of_character(),
    key("document_id", primary=True),
    # Of the text that the document had.
    key("digest", primary=True),
    integer("start", primary=True),
    integer("end", primary=True),
    words("text"),
)

conversation_states: Final = _table(
    "conversation_states",
    through_character(),
    key("conversation_id", primary=True),
    Column("mood", JSON(none_as_null=True)),
    Column("summary", Text),
    # The last turn that the summary covers.
    key("summarized", nullable=True),
    belongs_to("conversations", "conversation_id"),
)

memory_fragments: Final = _table(
    "memory_fragments",
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
    # Of a statement that was distilled from turns; null for a turn, and for an authored memory.
    Column("kind", Text),
    # The later statement that says otherwise.
    key("superseded_by", nullable=True),
    # The bank's revision at which a turn was distilled, or a statement superseded.
    Column("retired", BigInteger),
    # Who said it; empty: the person of the conversation, or whoever an authored one is of.
    words("speaker"),
    Column("terms", LargeBinary),
    belongs_to("turns", "conversation_id", "turn_id", key=("conversation_id", "id")),
    Index(None, "character_id", "conversation_id", "turn_id"),
    Index(None, "character_id", "retired"),
    Index(None, "character_id", "ordinal"),
    Index(None, "principal_id"),
)

memory_evidence: Final = _table(
    "memory_evidence",
    through_character(),
    key("memory_id", primary=True),
    # A turn that a statement was told in.
    key("conversation_id", primary=True),
    key("turn_id", primary=True),
    belongs_to("memory_fragments", "memory_id"),
    belongs_to("turns", "conversation_id", "turn_id", key=("conversation_id", "id")),
    Index(None, "character_id", "conversation_id", "turn_id"),
)

memory_banks: Final = _table(
    "memory_banks",
    of_character(),
    # Grows with every change of the memories, apart from the character's own revision: a finished
    # turn must not make the indexes of its documents stale.
    Column("revision", BigInteger, nullable=False),
    # The revision at which a memory that was complete last changed or went.
    Column("cleared", BigInteger, nullable=False),
)

jobs: Final = _table(
    "jobs",
    of_source(),
    # Whose memory, profile or traits it is about; empty: it is about the source.
    through_character(),
    key("kind", primary=True),
    key("subject", primary=True),
    key("document_id", nullable=True),
    words("status"),
    integer("attempts"),
    words("error"),
    words("updated"),
    rests_on("documents", "document_id"),
    Index(None, "source_id", "document_id"),
    Index(None, "character_id"),
)

leases: Final = _table(
    "leases",
    of_source(),
    *_worked_on(),
)

call_cache: Final = _table(
    "call_cache",
    key("key", primary=True),
    words("prompt"),
    words("text"),
    integer("prompt_tokens"),
    integer("completion_tokens"),
    words("created"),
)

call_cache_documents: Final = _table(
    "call_cache_documents",
    Column("key", Key, ForeignKey("call_cache.key", ondelete="CASCADE"), primary_key=True),
    # No foreign key to the document: it may be a memory, and the answer has to go with it.
    key("character_id", primary=True),
    key("document_id", primary=True),
    Index(None, "character_id", "document_id"),
)

endpoints: Final = _table(
    "endpoints",
    key("base_url", primary=True),
    key("model", primary=True),
    Column("rung", Text),
    Column("thinks", Boolean, nullable=False),
    Column("window", Integer),
    Column("slots", Integer),
)


def _of_run() -> Column[Any]:
    link = ForeignKey("evaluation_runs.id", ondelete="CASCADE")
    return Column("run_id", Key, link, primary_key=True)


runs: Final = _table(
    "evaluation_runs",
    key("id", primary=True),
    words("benchmark"),
    words("created"),
    words("status"),
    # How the record is written; any other is refused.
    integer("format"),
    Column("record", JSON, nullable=False),
    # Every judge that was asked, and where it answered.
    Column("judges", JSON, nullable=False),
    Column("usage", JSON, nullable=False),
    *_worked_on(),
)

cells: Final = _table(
    "evaluation_cells",
    _of_run(),
    key("subject", primary=True),
    key("question", primary=True),
    key("variant", primary=True),
    integer("repeat", primary=True),
    # No part of the key, which the subject of the run is.
    of_character(primary=False),
    Column("reply", Text),
    Column("error", Text),
    Column("verdict", Text),
    Column("fallback", Boolean),
    Column("selected", JSON(none_as_null=True)),
    # Pieces of the context that were forgotten since.
    integer("forgotten"),
    words("finished"),
    Column("usage", JSON, nullable=False),
    Column("documents", JSON, nullable=False),
    Column("context", JSON, nullable=False),
    Index(None, "character_id"),
)

ratings: Final = _table(
    "evaluation_ratings",
    _of_run(),
    key("subject", primary=True),
    key("variant", primary=True),
    integer("repeat", primary=True),
    key("metric", primary=True),
    key("unit", primary=True),
    key("judge", primary=True),
    integer("sample", primary=True),
    # No part of the key, which the subject of the run is.
    of_character(primary=False),
    Column("value", Double),
    Column("missing", Text),
    # A person's overruling stands beside the judge's value, never in its place.
    Column("person", Double),
    words("person_name"),
    words("person_note"),
    Column("documents", JSON, nullable=False),
    words("analysis"),
    Index(None, "character_id"),
)


def _vectors_of(kind: str, table: str) -> Table:
    """Make one table for the vectors of each kind of subject, so that none outlives its subject."""
    return _table(
        f"{kind}_vectors",
        through_source(),
        *((through_character(),) if kind == "memory" else ()),
        key("subject_id", primary=True),
        key("set_id", primary=True),
        Column("vector", Vector, nullable=False),
        (belongs_to if kind == "memory" else rests_on)(table, "subject_id"),
        rests_on("vector_sets", "set_id"),
    )


subjects: Final = {
    "chunk": chunks,
    "raw_entity": raw_entities,
    "entity": entity_groups,
    "memory": memory_fragments,
    "relation": relations,
    "summary": summaries,
}
"""Kind of subject -> the table that vectors are of."""

vectors: Final = {kind: _vectors_of(kind, table.name) for kind, table in subjects.items()}
"""Kind of subject -> the table of its vectors."""
