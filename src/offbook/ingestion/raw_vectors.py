"""Vectors of raw entities, by which they are compared before it is known who is the same.

Takes: raw entities, as they are found and then all of them.  Gives: their matrix, and the vectors
in the store. Where they cost no call they are made while other chunks are still asked about, and
stored while the model judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from offbook.ingestion.entity_vectors import embed_missing, embedded, unembedded
from offbook.models.builtin import BuiltinEmbedder
from offbook.stores import vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.ingestion.later_writes import LaterWrites
    from offbook.pipeline import Stage
    from offbook.types import RawEntity


@dataclass(slots=True)
class RawVectors:
    """The vectors of one run; ``refused`` tells what has none, as (subject, chunk, why).

    Args:
        stage: The store, the embedder and the settings.
        character: Id of the character.
        later: Where raw entities are stored, which vectors follow.
    """

    stage: Stage
    character: str
    later: LaterWrites
    refused: list[tuple[str, str, str]] = field(default_factory=list)
    _made: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    _unkept: Sequence[RawEntity] = ()

    async def hear(self, found: Sequence[RawEntity]) -> None:
        """Make the vectors of entities that were just found, where that costs no call."""
        embedder = self.stage.embedder
        if isinstance(embedder, BuiltinEmbedder):
            texts = [text for text in map(_text, found) if text not in self._made]
            made = await embedder.embed(texts, "document")
            self._made.update(zip(texts, made, strict=True))

    async def matrix(self, entities: Sequence[RawEntity]) -> NDArray[np.float32] | None:
        """The vectors of all raw entities, in their order; None: there is none at all.

        What has none, because the embedder refused it, is like nothing.

        Raises:
            EmbedderMismatch: the stored vectors are from another embedder.
            ModelError: the endpoint failed for good; what arrived is stored.
        """
        made = [vector for e in entities if (vector := self._made.get(_text(e))) is not None]
        if made and len(made) == len(entities):
            import numpy as np

            self._unkept = entities
            return np.stack(made)
        await self._keep(entities)
        return await self.stage.store.read(lambda conn: raw_matrix(conn, self.character, entities))

    async def keep(self) -> None:
        """Store the vectors that were made and not stored yet."""
        await self._keep(self._unkept)
        self._made.clear()

    async def _keep(self, entities: Sequence[RawEntity]) -> None:
        if not entities:
            return
        await self.later.flush()
        texts = {entity.id: _text(entity) for entity in entities}
        chunk_of = {entity.id: entity.chunk for entity in entities}
        stage, batch = self.stage, self.stage.settings.embed.batch
        left = await embed_missing(
            stage.store, stage.embedder, self.character, "raw_entity", texts, batch, self._made
        )
        for subject, why in left:
            self.refused.append((subject, chunk_of[subject], unembedded(texts[subject], why)))


def _text(entity: RawEntity) -> str:
    return embedded(entity.name, entity.description)


def raw_matrix(
    conn: Connection, character: str, entities: Sequence[RawEntity]
) -> NDArray[np.float32] | None:
    """The vectors of raw entities in their order; what has none is like nothing."""
    import numpy as np

    ids, stored = vectors.load_matrix(conn, character, "raw_entity")
    if not ids:
        return None
    places = {subject: place for place, subject in enumerate(ids)}
    matrix = np.zeros((len(entities), stored.shape[1]), dtype=np.float32)
    for row, entity in enumerate(entities):
        place = places.get(entity.id)
        if place is not None:
            matrix[row] = stored[place]
    return matrix
