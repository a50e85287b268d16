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
from offbook.retrieval.graph_index import check_graph
from offbook.stores import documents

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.app.book import Offbook
    from offbook.types import Character, Document, Graph


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
        IndexMissing: the character has no graph, or half of one; the hint is the command that
            builds it.
        StoreFailed: the file cannot be written.
    """
    writer = writer_for(file)
    place = require_place(file)
    try:
        graph, texts = await book.store.read(lambda conn: _read(conn, character))
    except IndexMissing as error:
        stored = await book.store.read(lambda conn: documents.list_all(conn, character.id))
        command = f"{build_command(book.settings, character.id)} --method rolerag"
        error.hint = f"build it: {command}{'' if stored else ' FILE...'}"
        raise
    write_whole(place, writer(graph, character.name, Quotes(texts)))
    return GraphReport(
        character.id,
        character.name,
        str(file),
        file.suffix.lower().lstrip("."),
        len(graph.entities),
        len(graph.relations),
    )


def _read(conn: Connection, character: Character) -> tuple[Graph, list[Document]]:
    """The graph, and the documents that it is from, in their order."""
    check_graph(conn, character)
    graph = load_graph(conn, character.id)
    sources = [source for entity in graph.entities for source in entity.sources]
    sources += [source for relation in graph.relations for source in relation.sources]
    named = {source.document for source in sources}
    ids = [info.id for info in documents.list_all(conn, character.id) if info.id in named]
    found = [documents.get(conn, character.id, id_) for id_ in ids]
    return graph, [document for document in found if document is not None]
