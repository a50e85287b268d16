"""A character whose graph is built in a test.

Takes: a store, a model.  Gives: documents added, replaced and deleted, and what the graph then is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sqlalchemy import Connection

from offbook.documents.readers import ReadDocument
from offbook.graph.assembly import Graph, graph_size, load_graph
from offbook.graph.verdicts import decision_id
from offbook.ingestion.documents import store_documents
from offbook.ingestion.graph_index import GraphBuilding
from offbook.ingestion.reports import unheard
from offbook.runtime import Runtime
from offbook.settings import SettingsModel
from offbook.stores import characters, documents, graph
from offbook.types import Decision
from tests.graph.rules_model import RulesModel

ONE_BY_ONE = {"window": 0, "who_is_who": False, "join_words": 0}
"""Settings by which each chunk, each pair and each description is asked about."""


class Trigrams:
    """An embedder by the letters of the text: like names are near."""

    name = "trigrams"

    async def embed(self, texts, kind):
        return np.stack([self._row(text) for text in texts])

    def _row(self, text):
        row = np.zeros(64, dtype=np.float32)
        head = text.partition(":")[0].lower()
        for i in range(len(head)):
            row[sum(map(ord, head[i : i + 3])) % 64] += 1
        return row / (np.linalg.norm(row) or 1)


@dataclass
class GraphWorld:
    store: Any
    character: str = "keeper"
    model: RulesModel = field(default_factory=RulesModel)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def runtime(self) -> Runtime:
        model: Any = self.model
        settings = SettingsModel.model_validate({"graph": dict(self.settings)})
        return Runtime(settings, self.store, model, model, model, Trigrams())

    async def create(self) -> GraphWorld:
        await self.store.write(lambda conn: characters.create(conn, self.character))
        return self

    async def put(self, name: str, text: str) -> None:
        """Add or replace a document, and build."""
        runtime = self.runtime
        reading = ReadDocument(name, text, "markdown")
        await store_documents(
            self.store, self.character, [reading], ["graph"], runtime.settings, runtime.embedder
        )
        await self.build()

    async def remove(self, name: str) -> None:
        info = await self.store.read(lambda c: documents.require(c, self.character, name))
        await self.store.write(lambda c: documents.remove(c, self.character, info.id))
        await self.build(extract=False)

    async def order(self, names: Sequence[str]) -> None:
        """Put the documents in this order."""

        def write(conn: Connection) -> None:
            ids = [documents.require(conn, self.character, name).id for name in names]
            documents.set_order(conn, self.character, ids)

        await self.store.write(write)
        await self.build(extract=False)

    async def say(self, a: str, b: str, *, same: bool) -> None:
        """A person's word."""
        word = Decision(decision_id(a, b), a, b, same, "person", "")
        await self.store.write(lambda c: graph.put_decisions(c, self.character, [word]))
        await self.build(extract=False)

    async def unsay(self, a: str, b: str) -> None:
        """The word is taken back."""
        gone = [decision_id(a, b)]
        await self.store.write(lambda c: graph.remove_decisions(c, self.character, gone))
        await self.build(extract=False)

    async def build(self, *, extract: bool = True) -> None:
        building = GraphBuilding(self.runtime, self.character, unheard)
        await building.run(extract=extract)
        await self.store.read(lambda conn: self._check(conn, building))

    def _check(self, conn: Connection, building: GraphBuilding) -> None:
        """What a run had in memory is what is stored."""
        found = load_graph(conn, self.character)
        aliases = sum(len(entity.aliases) for entity in found.entities)
        size = len(found.entities), len(found.relations), aliases
        assert building.size == graph_size(conn, self.character) == size

    async def graph(self) -> Graph:
        found: Graph = await self.store.read(lambda c: load_graph(c, self.character))
        return found

    async def picture(self) -> dict[str, Any]:
        """The graph by names, comparable between characters."""
        found = await self.graph()
        infos = await self.store.read(lambda c: documents.list_all(c, self.character))
        document = {info.id: info.name for info in infos}
        names = {entity.id: entity.name for entity in found.entities}

        def places(sources):
            return [(document[s.document], s.start, s.end) for s in sources]

        return {
            "entities": [
                (e.name, e.type, e.description, e.aliases, places(e.sources))
                for e in found.entities
            ],
            "relations": [
                (names[r.source], names[r.target], r.description, r.strength, places(r.sources))
                for r in found.relations
            ],
        }
