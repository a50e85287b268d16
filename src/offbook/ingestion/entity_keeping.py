"""Entities and their vectors go into the store: those that need no merging while others are merged.

Takes: the groups with their relations, and merged descriptions.  Gives: groups and vectors in the
store, in the place of the old ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from offbook.graph.building import build_entity
from offbook.graph.merging import is_settled
from offbook.ingestion.entity_vectors import embed_missing, embedded
from offbook.models.beside import calls_first
from offbook.stores import graph
from offbook.types import EntityGroup

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.graph.merging import Merged, RawGraph
    from offbook.ingestion.later_writes import LaterWrites
    from offbook.pipeline import Stage
    from offbook.types import Chunk, Entity, RawEntity

    Kept = Callable[[Connection], None]


@dataclass(slots=True)
class EntityKeeping:
    """One run.

    Args:
        stage: The store, the embedder and the settings.
        character: Id of the character.
        later: Where the writes go.
        raw: Groups and their relations.
        merged: ``Merge.key`` -> the merged description; grows while descriptions are merged.
        chunks: The chunks by id.
        given: Number of a group -> names that a person gave it and no text has.
        mentions: All raw entities.
        vectors: Theirs, which serve entities of the same text; None: there are none.
    """

    stage: Stage
    character: str
    later: LaterWrites
    raw: RawGraph
    merged: Mapping[str, Merged]
    chunks: Mapping[str, Chunk]
    given: Mapping[int, Sequence[str]]
    mentions: Sequence[RawEntity]
    vectors: NDArray[np.float32] | None
    _known: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    _settled: dict[int, Entity] = field(default_factory=dict)
    _stored: dict[str, EntityGroup] = field(default_factory=dict)

    async def keep_settled(self) -> None:
        """Store entities that need no merging, all of whose mentions are new.

        Never so that each mention has its entity: then the graph counts as finished.
        """
        await calls_first()
        self._known = _vectors_by_text(self.mentions, self.vectors)
        self._settled = {n: self._entity(n) for n in self._numbers if is_settled(*self._told(n))}
        stored = await self.stage.store.read(lambda conn: graph.list_groups(conn, self.character))
        self._stored = {group.id: group for group in stored}
        home = {mention for group in stored for mention in group.members}
        fresh = [e for e in self._settled.values() if home.isdisjoint(e.mentions)]
        if len(home) + sum(len(e.mentions) for e in fresh) == len(self.mentions):
            return
        rows = _rows(fresh)
        await self._put(lambda conn: graph.put_groups(conn, self.character, rows))
        self._stored |= {group.id: group for group in rows}
        # Any others are embedded with those that are merged, in one call where they fit into one.
        texts = _texts(fresh)
        await self._embed({name: text for name, text in texts.items() if text in self._known})

    async def keep_all(self, note: Kept) -> None:
        """Store what is not stored yet, and remove what is no entity any more.

        After :meth:`keep_settled`; nobody else changes the groups of a character meanwhile.

        Args:
            note: Run in the same transaction.
        """
        entities = [self._settled.get(n) or self._entity(n) for n in self._numbers]
        new = {group.id: group for group in _rows(entities)}
        gone = [name for name in self._stored if name not in new]
        changed = [group for name, group in new.items() if self._stored.get(name) != group]

        def replace(conn: Connection) -> None:
            graph.remove_groups(conn, self.character, gone)
            graph.put_groups(conn, self.character, changed)
            note(conn)

        await self._put(replace)
        await self._embed(_texts(entities))

    @property
    def _numbers(self) -> Iterable[int]:
        return range(len(self.raw.groups))

    def _told(self, number: int) -> tuple[RawGraph, int, Mapping[str, Merged]]:
        return self.raw, number, self.merged

    def _entity(self, number: int) -> Entity:
        return build_entity(*self._told(number), self.chunks, self.given.get(number, ()))

    async def _put(self, put: Kept) -> None:
        self.later.add(put)
        await self.later.flush()

    async def _embed(self, texts: Mapping[str, str]) -> None:
        """Who is mentioned once has the vector of the mention already."""
        stage, batch = self.stage, self.stage.settings.embed.batch
        of_character = stage.store, stage.embedder, self.character
        await embed_missing(*of_character, "entity", texts, batch, self._known)


def _texts(entities: Iterable[Entity]) -> dict[str, str]:
    return {entity.id: embedded(entity.name, entity.description) for entity in entities}


def _rows(entities: Iterable[Entity]) -> list[EntityGroup]:
    return [
        EntityGroup(e.id, e.name, e.type, e.description, tuple(sorted(e.mentions)))
        for e in entities
    ]


def _vectors_by_text(
    entities: Sequence[RawEntity], matrix: NDArray[np.float32] | None
) -> dict[str, NDArray[np.float32]]:
    """The vectors that there are, by what they were made from."""
    if matrix is None:
        return {}
    told = [row for row in range(len(entities)) if matrix[row].any()]
    return {embedded(entities[row].name, entities[row].description): matrix[row] for row in told}
