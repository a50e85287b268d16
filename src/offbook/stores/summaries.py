"""Summaries of clusters of chunks, level upon level, with the chunks that each rests on.

Takes: summaries.  Gives: them back, with their sources. A summary goes with the first chunk
beneath it: it may not outlive the text that it is made from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, select

from offbook.stores import characters, jobs
from offbook.stores.statements import batches, storable, upsert
from offbook.stores.summary_tables import summaries, summary_chunks, summary_trees


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary.

    Args:
        id: Names the members and their order.
        level: 1 where its members are chunks; one more than the highest of its members.
        text: What it says.
        members: Ids of the chunks and summaries that it is made from, as they were read.
        chunks: Ids of all chunks beneath it.
    """

    id: str
    level: int
    text: str
    members: tuple[str, ...]
    chunks: tuple[str, ...]


def put(conn: Connection, character: str, made: Sequence[Summary]) -> None:
    """Store summaries; one with the same id is replaced."""
    if not made:
        return
    storable(*(summary.text for summary in made))
    conn.execute(
        upsert(conn, summaries),
        [
            {
                "character_id": character,
                "id": summary.id,
                "level": summary.level,
                "text": summary.text,
                "members": list(summary.members),
            }
            for summary in made
        ],
    )
    links = [
        {"character_id": character, "summary_id": summary.id, "chunk_id": chunk}
        for summary in made
        for chunk in summary.chunks
    ]
    if links:
        conn.execute(upsert(conn, summary_chunks), links)
    characters.touch(conn, character)


def list_all(conn: Connection, character: str) -> list[Summary]:
    """All summaries by level and id, their chunks in order of id; one without a chunk is none."""
    link = summary_chunks.c
    beneath: dict[str, list[str]] = {}
    for row in conn.execute(
        select(link.summary_id, link.chunk_id)
        .where(link.character_id == character)
        .order_by(link.chunk_id)
    ):
        beneath.setdefault(row.summary_id, []).append(row.chunk_id)
    c = summaries.c
    rows = conn.execute(
        select(c.id, c.level, c.text, c.members)
        .where(c.character_id == character)
        .order_by(c.level, c.id)
    )
    return [
        Summary(row.id, row.level, row.text, tuple(row.members), tuple(beneath[row.id]))
        for row in rows
        if row.id in beneath
    ]


def remove(conn: Connection, character: str, ids: Sequence[str]) -> None:
    """Delete summaries with their vectors and what is noted about them."""
    if not ids:
        return
    for piece in batches(ids):
        conn.execute(
            delete(summaries).where(
                summaries.c.character_id == character, summaries.c.id.in_(piece)
            )
        )
    jobs.remove_subjects(conn, character, ids)
    characters.touch(conn, character)


def forget_chunks(conn: Connection, character: str, ids: Sequence[str]) -> None:
    """Delete the summaries that rest on these chunks, before the chunks themselves go.

    Why a summary could not be made may quote the text; the next run tries it again.
    """
    if not ids:
        return
    jobs.remove_kind(conn, character, jobs.SUMMARIZE)
    c = summary_chunks.c
    found: set[str] = set()
    for piece in batches(list(ids)):
        found.update(
            conn.scalars(
                select(c.summary_id).where(c.character_id == character, c.chunk_id.in_(piece))
            )
        )
    remove(conn, character, sorted(found))


def built_from(chunks: Iterable[str], shape: Mapping[str, Any]) -> str:
    """Names what a tree stands on.

    Args:
        chunks: Ids of its chunks.
        shape: The settings that decide which summaries there are.
    """
    told = json.dumps([sorted(chunks), dict(shape)], sort_keys=True)
    return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def built(conn: Connection, character: str) -> str | None:
    """What the last finished tree was built from; None: none was."""
    c = summary_trees.c
    found: str | None = conn.scalar(select(c.built_from).where(c.character_id == character))
    return found


def note_built(conn: Connection, character: str, of: str) -> None:
    """Note that a tree is finished, and what it was built from."""
    conn.execute(upsert(conn, summary_trees), {"character_id": character, "built_from": of})
