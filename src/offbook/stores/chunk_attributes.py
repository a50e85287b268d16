"""What chunks reveal of the character, judged once at ingestion.

Takes: judgements.  Gives: them back, by chunk. A judgement goes with its chunk.
Source: ours (methods.md 2, GS at indexing time).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Select, select

from offbook.stores import characters
from offbook.stores.schema import chunk_attributes, chunks
from offbook.stores.statements import batches, storable, upsert

KINDS: Final = frozenset({"belief_and_value", "psychological_trait"})


@dataclass(frozen=True, slots=True)
class StoredAttribute:
    """One thing that a chunk reveals, in a sentence; ``kind`` is one of ``KINDS``."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class ChunkJudgement:
    """Whether something of the character can be inferred from a chunk, and what."""

    chunk: str
    reveals: bool
    attributes: tuple[StoredAttribute, ...] = ()


def put(conn: Connection, character: str, judgements: Sequence[ChunkJudgement]) -> None:
    """Store judgements; one of the same chunk is replaced."""
    if not judgements:
        return
    storable(*(a.text for judgement in judgements for a in judgement.attributes))
    rows = [
        {
            "character_id": character,
            "chunk_id": judgement.chunk,
            "reveals": judgement.reveals,
            "attributes": [{"kind": a.kind, "text": a.text} for a in judgement.attributes],
        }
        for judgement in judgements
    ]
    conn.execute(upsert(conn, chunk_attributes), rows)
    characters.touch(conn, character)


def get(conn: Connection, character: str, ids: Sequence[str]) -> dict[str, ChunkJudgement]:
    """Chunk id -> its judgement, for those of ``ids`` that have one."""
    found: dict[str, ChunkJudgement] = {}
    for piece in batches(list(dict.fromkeys(ids))):
        rows = conn.execute(_judgements(character).where(chunk_attributes.c.chunk_id.in_(piece)))
        found |= {row.chunk_id: _judgement(row) for row in rows}
    return found


def list_all(conn: Connection, character: str, chunking: str) -> list[ChunkJudgement]:
    """The judgements of a chunking's chunks, in the order of their ids."""
    c = chunk_attributes.c
    same = (chunks.c.character_id == c.character_id) & (chunks.c.id == c.chunk_id)
    statement = _judgements(character).join_from(chunk_attributes, chunks, same)
    rows = conn.execute(statement.where(chunks.c.chunking == chunking).order_by(c.chunk_id))
    return [_judgement(row) for row in rows]


def unjudged(conn: Connection, character: str, chunking: str) -> list[str]:
    """Ids of the chunks of a chunking that have no judgement."""
    judged = select(chunk_attributes.c.chunk_id).where(chunk_attributes.c.character_id == character)
    c = chunks.c
    statement = select(c.id).where(
        c.character_id == character, c.chunking == chunking, c.id.not_in(judged)
    )
    return list(conn.scalars(statement.order_by(c.id)))


def _judgements(character: str) -> Select[Any]:
    c = chunk_attributes.c
    return select(c.chunk_id, c.reveals, c.attributes).where(c.character_id == character)


def _judgement(row: Any) -> ChunkJudgement:
    attributes = tuple(StoredAttribute(part["kind"], part["text"]) for part in row.attributes)
    return ChunkJudgement(row.chunk_id, row.reveals, attributes)


def is_list(value: Any) -> bool:
    """Whether a value of JSON is a list of attributes, so that what reads it can rely on that."""
    return isinstance(value, list) and all(
        isinstance(part, dict)
        and part.keys() == {"kind", "text"}
        and part["kind"] in KINDS
        and isinstance(part["text"], str)
        for part in value
    )
