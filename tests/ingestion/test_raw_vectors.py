"""Vectors of raw entities: made as they are found where that costs nothing, stored all the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from offbook.ingestion.entity_vectors import embedded
from offbook.ingestion.later_writes import LaterWrites
from offbook.ingestion.raw_vectors import RawVectors, raw_matrix
from offbook.models.builtin import BuiltinEmbedder, embed_texts
from offbook.pipeline import Stage
from offbook.stores import graph
from offbook.types import RawEntity
from tests.ingestion.stage import Embedding, read, sections, settings, stored

NAMES = ("Ana Bell", "Bo Carter", "Cora Dunn")


@pytest.fixture
async def entities(kept) -> list[RawEntity]:
    await stored(kept, read("a.md", sections(2)))
    (chunk, *_) = await kept.read(lambda conn: _chunks(conn))
    made = [
        RawEntity(f"e{n}", chunk.id, n, name, "character", f"{name} keeps a light.", None, None)
        for n, name in enumerate(NAMES)
    ]
    await kept.write(lambda conn: graph.put_raw_entities(conn, "keeper", made))
    return made


def _chunks(conn):
    from offbook.stores import chunks

    return chunks.list_chunks(conn, "keeper")


def compared(store, embedder) -> RawVectors:
    nobody: Any = None
    stage = Stage(settings(), store, nobody, nobody, nobody, embedder)
    return RawVectors(stage, "keeper", LaterWrites(store))


def expected(entities) -> np.ndarray:
    return embed_texts([embedded(entity.name, entity.description) for entity in entities])


async def test_what_was_heard_is_compared_at_once_and_stored_when_there_is_time(kept, entities):
    run = compared(kept, BuiltinEmbedder())
    for entity in entities:
        await run.hear([entity])
    np.testing.assert_array_equal(await run.matrix(entities), expected(entities))
    assert await kept.read(lambda conn: raw_matrix(conn, "keeper", entities)) is None
    await run.keep()
    kept_now = await kept.read(lambda conn: raw_matrix(conn, "keeper", entities))
    np.testing.assert_array_equal(kept_now, expected(entities))
    assert run.refused == []


async def test_what_was_stored_before_is_not_made_again(kept, entities, monkeypatch):
    first = compared(kept, BuiltinEmbedder())
    await first.hear(entities[:2])
    await first.matrix(entities[:2])
    await first.keep()
    asked: list[str] = []

    def noting(texts):
        asked.extend(texts)
        return embed_texts(texts)

    monkeypatch.setattr("offbook.models.builtin.embed_texts", noting)
    again = compared(kept, BuiltinEmbedder())
    await again.hear(entities[2:])
    np.testing.assert_array_equal(await again.matrix(entities), expected(entities))
    await again.keep()
    assert asked == ["Cora Dunn: Cora Dunn keeps a light."]


async def test_an_embedder_that_costs_calls_is_asked_for_all_of_them_together(kept, entities):
    embedder = Embedding()
    run = compared(kept, embedder)
    await run.hear(entities)
    assert embedder.requests == []
    matrix = await run.matrix(entities)
    assert matrix is not None
    assert matrix.shape == (3, 4)
    assert len(embedder.requests) == 1
    await run.keep()
    assert len(embedder.requests) == 1


async def test_without_entities_there_is_nothing_to_compare(kept):
    run = compared(kept, BuiltinEmbedder())
    await run.hear([])
    assert await run.matrix([]) is None
    await run.keep()
