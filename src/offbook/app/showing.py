"""What is inside a character, as rows.

Takes: a character and the part to show.  Gives: the JSON shapes of the contract.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from offbook.errors import UnknownName
from offbook.stores import chunks, documents

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.protocols import Store
    from offbook.types import Character

PARTS = ("documents", "chunks")


async def show(store: Store, character: Character, part: str | None) -> Any:
    """Rows of a part, or an overview.

    Raises:
        UnknownName: no such part.
    """
    if part is None:
        return await store.read(lambda conn: _overview(conn, character))
    if part == "documents":
        return await store.read(lambda conn: _documents(conn, character.id))
    if part == "chunks":
        return await store.read(lambda conn: _chunks(conn, character.id))
    raise UnknownName(f"nothing called {part!r} to show", f"known: {', '.join(PARTS)}")


def _overview(conn: Connection, character: Character) -> dict[str, Any]:
    infos = documents.list_all(conn, character.id)
    return {
        "id": character.id,
        "name": character.name,
        "created": character.created,
        "documents": len(infos),
        "chars": sum(info.chars for info in infos),
        "chunkings": sorted(chunks.list_chunkings(conn, character.id)),
        "embedder": character.embedder,
        "dimension": character.dimension,
        "profile": character.profile,
        "voice": list(character.voice),
    }


def _documents(conn: Connection, character: str) -> list[dict[str, Any]]:
    return [
        {
            "id": info.id,
            "name": info.name,
            "chars": info.chars,
            "chunks": info.chunks,
            "status": info.status,
            "added": info.added,
            "version": info.version,
        }
        for info in documents.list_all(conn, character)
    ]


def _chunks(conn: Connection, character: str) -> list[dict[str, Any]]:
    return [
        {
            "id": chunk.id,
            "chunking": chunk.chunking,
            "document": chunk.document,
            "headings": list(chunk.headings),
            "start": chunk.start,
            "end": chunk.end,
            "text": chunk.text,
        }
        for chunk in chunks.list_chunks(conn, character)
    ]
