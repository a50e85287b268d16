"""What is inside a character, as rows.

Takes: a character and the part to show.  Gives: the JSON shapes of the contract.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from offbook.errors import UnknownName
from offbook.stores import characters, chunks, documents, principals

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.app.book import Offbook
    from offbook.types import Character

OF_TEXTS: Final = ("documents", "chunks")
OF_GRAPH: Final = ("entities", "relations", "aliases", "decisions")
OF_TRAITS: Final = ("attributes",)
MEMORIES: Final = "memories"
PARTS: Final = (*OF_TEXTS, *OF_GRAPH, *OF_TRAITS, MEMORIES)


async def show(
    book: Offbook, character: Character, part: str | None, user: str | None = None
) -> Any:
    """Rows of a part, or an overview.

    Raises:
        UnknownName: no such part.
        IndexMissing: the part is of the graph, or of the traits, and there are none.
    """
    if part in OF_GRAPH:
        from offbook.app.rebuilding import require_graph
        from offbook.app.showing_graph import rows

        await require_graph(book, character)
        return await book.store.read(lambda conn: rows(conn, character.id, part))
    if part in OF_TRAITS:
        from offbook.app.showing_traits import attributes

        return await attributes(book, character)
    if part == MEMORIES:
        from offbook.app.remembering import memory_rows

        principal = None if user is None else principals.of_user(user)
        return await book.store.read(lambda conn: memory_rows(conn, character.id, principal))
    shapes: dict[str | None, Callable[[Connection], Any]] = {
        None: lambda conn: _overview(conn, character),
        "documents": lambda conn: _documents(conn, character.id),
        "chunks": lambda conn: _chunks(conn, character.id),
    }
    if part not in shapes:
        hint = characters.nearest(str(part), PARTS, "")
        known = f"known: {', '.join(PARTS)}"
        raise UnknownName(f"nothing called {part!r} to show", f"{hint} {known}".strip())
    return await book.store.read(shapes[part])


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
