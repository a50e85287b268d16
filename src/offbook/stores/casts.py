"""The cast of a source, as it was read last, and sources by their ids and texts.

A cast is read from the texts and the persons' words on names; ``built_from`` names both.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple
from typing import Any

from sqlalchemy import Connection, delete, select

from offbook.names.cast import Cast, CastMember, CastMention, Quotation
from offbook.stores.schema import casts, character_sources, documents, sources
from offbook.stores.statements import of, put_rows, source_of


def get(conn: Connection, character: str, built_from: str) -> Cast | None:
    """Return the cast of a character's source; None where it was read from anything else."""
    chosen = select(casts.c.cast).where(of(casts, character, built_from=built_from))
    row: dict[str, Any] | None = conn.scalar(chosen)
    if row is None:
        return None
    return Cast(
        tuple(CastMember(name, tuple(names), *rest) for name, names, *rest in row["members"]),
        tuple(CastMention(*mention) for mention in row["mentions"]),
        tuple(Quotation(*quotation) for quotation in row["quotations"]),
    )


def speakers(conn: Connection, character: str) -> dict[str, list[int | None]]:
    """Return what a model said of speakers, by what it was shown; whatever the cast is of now."""
    row: dict[str, Any] | None = conn.scalar(select(casts.c.cast).where(of(casts, character)))
    return {} if row is None else row.get("speakers", {})


def put(
    conn: Connection,
    character: str,
    built_from: str,
    cast: Cast,
    said: Mapping[str, Sequence[int | None]],
) -> None:
    """Store the cast of a character's source, and what a model said, in the place of older ones."""
    row = {
        "speakers": dict(said),
        "members": [list(astuple(member)) for member in cast.members],
        "mentions": [list(astuple(mention)) for mention in cast.mentions],
        "quotations": [list(astuple(quotation)) for quotation in cast.quotations],
    }
    put_rows(conn, casts, character, [{"built_from": built_from, "cast": row}])


def remove(conn: Connection, character: str) -> None:
    """Delete the cast of a character's source: it holds names of texts."""
    conn.execute(delete(casts).where(of(casts, character)))


def source_id(conn: Connection, character: str) -> str:
    """Return the id of a character's source."""
    return str(conn.scalar(select(source_of(character))))


def sources_by_id(conn: Connection) -> dict[str, str]:
    """Return every source's id, and the first character that looks at it."""
    chosen = select(*character_sources.c["source_id", "character_id"])
    characters: dict[str, str] = {}
    for source, character in conn.execute(chosen.order_by(character_sources.c.character_id)):
        characters.setdefault(source, character)
    return characters


def holding(conn: Connection, digests: Collection[str]) -> str | None:
    """Find a character on a source whose documents have these digests, and no others."""
    if not digests:
        return None
    c, ordered = documents.c, sorted(set(digests))
    chosen = select(sources.c.id).where(
        sources.c.id.in_(select(c.source_id).where(c.digest == ordered[0]))
    )
    for source in conn.scalars(chosen.order_by(sources.c.created, sources.c.id)).all():
        held = conn.scalars(select(c.digest).where(c.source_id == source)).all()
        if sorted(held) == ordered:
            return sources_by_id(conn).get(source)
    return None
