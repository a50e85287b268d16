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
    """A summary of chunks and summaries; ``id`` names the members and their order.

    ``level`` is 1 where its members are chunks, else one more than the highest of its members;
    ``chunks`` are the ids of all chunks beneath it.
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
    pairs = summary_chunks.c["summary_id", "chunk_id"]
    linked = select(*pairs).where(of(summary_chunks, character)).order_by(*pairs)
    beneath: dict[str, list[str]] = {}
    for summary, chunk in conn.execute(linked):
        beneath.setdefault(summary, []).append(chunk)
    chosen = select(*summaries.c["id", "level", "text", "members"])
    ordered = chosen.where(of(summaries, character)).order_by(*summaries.c["level", "id"])
    return [
        Summary(id_, level, text, tuple(members), tuple(beneath[id_]))
        for id_, level, text, members in conn.execute(ordered)
        if id_ in beneath
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
