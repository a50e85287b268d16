"""The graph of a character as a file.

Takes: a character and the path of a file; its suffix is the format.  Gives: the file, and a report.
No model is asked.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from offbook.app.missing_index import build_command
from offbook.app.writing import require_place, write_whole
from offbook.errors import IndexMissing
from offbook.graph.drawing.formats import writer_for
from offbook.graph.drawing.quotes import Quotes
from offbook.graph.loading import load_graph
from offbook.stores import chunks, documents

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.app.book import Offbook
    from offbook.types import Character, Document, Graph

_CHUNKING = "graph"


@dataclass(frozen=True, slots=True)
class GraphReport:
    """What was drawn, and where it lies."""

    id: str
    name: str
    file: str
    format: str
    entities: int
    relations: int

    def as_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return asdict(self)


async def draw(book: Offbook, character: Character, file: Path) -> GraphReport:
    """Write the graph of a character into ``file``; it appears there whole or not at all.

    Raises:
        UsageError: the suffix is unknown, or there is no folder for the file.
        IndexMissing: the character has no graph; the hint is the command that builds it.
        StoreFailed: the file cannot be written.
    """
    writer = writer_for(file)
    place = require_place(file)
    graph, texts, built = await book.store.read(lambda conn: _read(conn, character.id))
    if not built:
        command = f"{build_command(book.settings, character.id)} --method rolerag"
        more = "" if await _has_documents(book, character) else " FILE..."
        raise IndexMissing(f"{character.name!r} has no graph", f"build it: {command}{more}")
    write_whole(place, writer(graph, character.name, Quotes(texts)))
    return GraphReport(
        character.id,
        character.name,
        str(file),
        file.suffix.lower().lstrip("."),
        len(graph.entities),
        len(graph.relations),
    )


def _read(conn: Connection, character: str) -> tuple[Graph, list[Document], bool]:
    """The graph, the documents it is from in their order, and whether there is one at all."""
    graph = load_graph(conn, character)
    if not graph.entities and _CHUNKING not in chunks.list_chunkings(conn, character):
        return graph, [], False
    sources = [source for entity in graph.entities for source in entity.sources]
    sources += [source for relation in graph.relations for source in relation.sources]
    named = {source.document for source in sources}
    found = [
        documents.get(conn, character, info.id)
        for info in documents.list_all(conn, character)
        if info.id in named
    ]
    return graph, [document for document in found if document is not None], True


async def _has_documents(book: Offbook, character: Character) -> bool:
    return bool(await book.store.read(lambda conn: documents.list_all(conn, character.id)))
