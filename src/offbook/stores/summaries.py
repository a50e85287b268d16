"""Summaries of clusters of chunks, level upon level, with the chunks that each rests on.

A summary goes with the first chunk beneath it: it may not outlive the text that it is made from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, select

from offbook.stores import characters, jobs
from offbook.stores.schema import summaries, summary_chunks, summary_trees
from offbook.stores.statements import among, of, put_rows, row_of


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
    rows = [row_of(summary) for summary in made]
    links = [
        {"summary_id": row["id"], "chunk_id": chunk} for row in rows for chunk in row.pop("chunks")
    ]
    put_rows(conn, summaries, character, rows)
    put_rows(conn, summary_chunks, character, links)
    characters.touch(conn, character)


def list_all(conn: Connection, character: str) -> list[Summary]:
    """List all summaries by level and id, their chunks in order of id; one without any is none."""
    linked = select(*summary_chunks.c["summary_id", "chunk_id"])
    beneath: dict[str, list[str]] = {}
    for row in sorted(conn.execute(linked.where(of(summary_chunks, character)))):
        beneath.setdefault(row.summary_id, []).append(row.chunk_id)
    chosen = select(*summaries.c["id", "level", "text", "members"])
    rows = conn.execute(
        chosen.where(of(summaries, character)).order_by(summaries.c.level, summaries.c.id)
    )
    return [
        Summary(row.id, row.level, row.text, tuple(row.members), tuple(beneath[row.id]))
        for row in rows
        if row.id in beneath
    ]


def remove(conn: Connection, character: str, ids: Sequence[str]) -> None:
    """Delete summaries with their vectors and what is noted about them."""
    if ids:
        conn.execute(delete(summaries).where(of(summaries, character), among(summaries.c.id, ids)))
        jobs.remove_subjects(conn, character, ids)
        characters.touch(conn, character)


def forget_chunks(conn: Connection, character: str, ids: Sequence[str]) -> None:
    """Delete the summaries that rest on these chunks, before the chunks themselves go.

    Why a summary could not be made may quote the text; the next run tries it again.
    """
    if ids:
        jobs.remove_kind(conn, character, jobs.SUMMARIZE)
        resting = of(summary_chunks, character) & among(summary_chunks.c.chunk_id, ids)
        names = set(conn.scalars(select(summary_chunks.c.summary_id).where(resting)))
        remove(conn, character, sorted(names))


def built_from(chunks: Iterable[str], shape: Mapping[str, Any]) -> str:
    """Name what a tree stands on.

    Args:
        chunks: Ids of its chunks.
        shape: The settings that decide which summaries there are.
    """
    text = json.dumps([sorted(chunks), dict(shape)], sort_keys=True)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def built(conn: Connection, character: str) -> str | None:
    """Return what the last finished tree was built from; None: none was."""
    return conn.scalar(select(summary_trees.c.built_from).where(of(summary_trees, character)))


def note_built(conn: Connection, character: str, name: str) -> None:
    """Note that a tree is finished, and what it was built from."""
    put_rows(conn, summary_trees, character, [{"built_from": name}])
