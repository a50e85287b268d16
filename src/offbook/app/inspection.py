"""What is inside a character, as rows, and its graph as a file.

Takes: a character, and the part to show or the path of a file.  Gives: the JSON shapes of the
contract, with names in the place of ids, or the file. No model is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from offbook.app.aliases import listed_decisions
from offbook.app.documents import command_for, naming_the_build, require_graph
from offbook.app.files import require_place, write_whole
from offbook.app.home import answering, build_command
from offbook.errors import UnknownName
from offbook.graph.assembly import load_graph
from offbook.graph.drawing.formats import writer_for
from offbook.graph.drawing.quotes import Quotes
from offbook.names.identity import name_key
from offbook.retrieval.graph_index import check_graph
from offbook.retrieval.guided_selection import check_traits
from offbook.retrieval.passages import check_split
from offbook.stores import characters, chunks, documents
from offbook.types import Source

if TYPE_CHECKING:
    from offbook.app.home import Home
    from offbook.graph.assembly import Graph
    from offbook.settings import SettingsModel
    from offbook.stores.connection import Connection
    from offbook.types import Character, Document, Entity


OF_TEXTS: Final = ("documents", "chunks")
OF_GRAPH: Final = ("entities", "relations", "aliases", "decisions")
OF_TRAITS: Final = ("attributes",)
MEMORIES: Final = "memories"
PARTS: Final = (*OF_TEXTS, *OF_GRAPH, *OF_TRAITS, MEMORIES)


async def show(home: Home, character: Character, part: str | None, user: str | None = None) -> Any:
    """Rows of a part, or an overview.

    Raises:
        UnknownName: no such part.
        IndexMissing: the part is of the graph, or of the traits, and there are none.
    """
    if part in OF_GRAPH:
        if part != "decisions" or characters.NAMES not in character.settings:
            await require_graph(home, character)
        return await home.store.read(rows, character.id, part)
    if part in OF_TRAITS:
        return await attributes(home, character)
    if part == MEMORIES:
        from offbook.agent.history import principal_of
        from offbook.app.memories import memory_rows

        principal = None if user is None else principal_of(user)
        return await home.store.read(memory_rows, character.id, principal)
    shapes: dict[str | None, Callable[[Connection], Any]] = {
        None: lambda conn: _overview(conn, character, answering(home.settings, character)),
        "documents": lambda conn: _documents(conn, character.id),
        "chunks": lambda conn: _chunks(conn, character.id),
    }
    if part not in shapes:
        hint = characters.nearest(str(part), PARTS, "")
        known = f"known: {', '.join(PARTS)}"
        raise UnknownName(f"nothing called {part!r} to show", f"{hint} {known}".strip())
    return await home.store.read(shapes[part])


def _overview(conn: Connection, character: Character, settings: SettingsModel) -> dict[str, Any]:
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
        "method": settings.method,
        "kind": characters.kind_of(conn, character.id, settings.story.kind),
        "names": list(character.settings.get(characters.NAMES, ())),
        "profile": character.profile,
        "voice": list(character.voice),
    }


def _documents(conn: Connection, character: str) -> list[dict[str, Any]]:
    return [_without(info, "digest", "ordinal") for info in documents.list_all(conn, character)]


def _chunks(conn: Connection, character: str) -> list[dict[str, Any]]:
    return [
        _without(chunk, "ordinal") | {"headings": list(chunk.headings)}
        for chunk in chunks.list_chunks(conn, character)
    ]


def _without(row: Any, *names: str) -> dict[str, Any]:
    return {name: value for name, value in asdict(row).items() if name not in names}


def rows(conn: Connection, character: str, part: str) -> list[dict[str, Any]]:
    """The rows of ``entities``, ``relations``, ``aliases`` or ``decisions``."""
    if part == "decisions":
        return [
            asdict(listed.decision)
            | {"evidence": list(listed.decision.evidence), "holds": listed.holds}
            for listed in listed_decisions(conn, character)
        ]
    graph = load_graph(conn, character)
    if part == "entities":
        return [_entity(entity) for entity in graph.entities]
    return _relations(graph) if part == "relations" else _aliases(graph)


def _entity(entity: Entity) -> dict[str, Any]:
    return {
        "name": entity.name,
        "type": entity.type,
        "description": entity.description,
        "aliases": list(entity.aliases),
        "mentions": len(entity.mentions),
        "sources": _sources(entity.sources),
    }


def _relations(graph: Graph) -> list[dict[str, Any]]:
    names = {entity.id: entity.name for entity in graph.entities}
    return [
        {
            "source": names[relation.source],
            "target": names[relation.target],
            "description": relation.description,
            "strength": relation.strength,
            "sources": _sources(relation.sources),
        }
        for relation in graph.relations
    ]


def _aliases(graph: Graph) -> list[dict[str, str]]:
    """Every name beside the canonical one; a name of several entities with each of them."""
    borne = Counter(
        key for entity in graph.entities for key in {name_key(name) for name in entity.names} if key
    )
    return [
        {"alias": alias, "name": entity.name}
        for entity in graph.entities
        for alias in entity.names
        if alias != entity.name or borne[name_key(alias)] > 1
    ]


def _sources(sources: Sequence[Source]) -> list[dict[str, Any]]:
    return [asdict(source) for source in sources]


async def attributes(home: Home, character: Character) -> list[dict[str, Any]]:
    """The attributes in the order of the texts, equal ones once with all their sources.

    Raises:
        IndexMissing: chunks were not judged yet; the hint is the command that does it.
    """
    splitter = home.settings.values.amadeus.splitter
    flags = "--method amadeus --set amadeus.gs=indexed"
    command = f"{build_command(home.settings, character.id)} {flags}"
    async with naming_the_build(home, character, command):
        await home.store.read(check_split, character, splitter)
        await home.store.read(check_traits, character, splitter)
    rows: list[dict[str, Any]] = await home.store.read(_rows, character.id, splitter)
    return rows


def _rows(conn: Connection, character: str, chunking: str) -> list[dict[str, Any]]:
    judged = {one.chunk: one for one in chunks.list_judgements(conn, character, chunking)}
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for chunk in chunks.list_chunks(conn, character, chunking=chunking):
        judgement = judged.get(chunk.id)
        for attribute in judgement.attributes if judgement is not None else ():
            key = attribute.kind, attribute.text
            row = rows.setdefault(key, {"kind": key[0], "text": key[1], "sources": []})
            row["sources"].append(asdict(Source(chunk.document, chunk.id, chunk.start, chunk.end)))
    return list(rows.values())


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


async def draw(home: Home, character: Character, file: Path) -> GraphReport:
    """Write the graph of a character into ``file``; it appears there whole or not at all.

    Raises:
        UsageError: the suffix is unknown, or there is no folder for the file.
        IndexMissing: the character has no graph, or half of one; the hint is the command that
            builds it.
        StoreFailed: the file cannot be written.
    """
    writer = writer_for(file)
    place = require_place(file)
    async with naming_the_build(home, character, command_for(home, character)):
        graph, texts = await home.store.read(_read, character)
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
    stored = [documents.get(conn, character.id, id_) for id_ in ids]
    return graph, [document for document in stored if document is not None]
