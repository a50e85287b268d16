"""A copy in memory, to try something out: whole, and apart from the database."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from offbook import pipeline
from offbook.graph.assembly import load_graph
from offbook.ingestion.reports import unheard
from offbook.models.builtin import BuiltinEmbedder
from offbook.rules.model import OfflineModel
from offbook.runtime import Runtime
from offbook.stores import characters, documents, vectors
from offbook.stores.scratch import scratch_copy
from offbook.types import Character
from tests.ingestion.runtime import read, settings

STORY = "# Ada\n\nAda Byrne kept the light of Inish. Tom Byrne, her brother, sailed to Bergen.\n"


@pytest.fixture
async def ada(store):
    character = await store.write(characters.create, "Ada Byrne")
    model = OfflineModel()
    values = settings(method="rolerag")
    runtime = Runtime(values, store, model, model, model, BuiltinEmbedder())
    reading = read("a.md", STORY)
    await pipeline.ingest(runtime, character.id, [reading], unheard, lambda: None)
    return await store.read(characters.require, character.id)


async def test_it_holds_what_the_character_knows(store, ada):
    async with scratch_copy(store, ada) as (scratch, name):
        assert name == ada.id
        copied = await scratch.read(characters.require, name)
        assert replace(copied, revision=ada.revision) == ada
        graph = await scratch.read(load_graph, name)
        ids, matrix = await scratch.read(vectors.load_matrix, name, "entity")
    assert graph == await store.read(load_graph, ada.id)
    assert graph.entities
    there, stored = await store.read(vectors.load_matrix, ada.id, "entity")
    order = [there.index(one) for one in ids]
    assert np.array_equal(matrix, stored[order])


async def test_what_is_done_to_it_is_done_to_nothing_else(store, ada):
    async with scratch_copy(store, ada) as (scratch, name):
        await scratch.write(documents.remove, name, "a-md")
        assert await scratch.read(documents.list_all, name) == []
    assert len(await store.read(documents.list_all, ada.id)) == 1


async def test_who_is_not_stored_is_made(store):
    async with scratch_copy(store, Character("new Bea", "Bea", "")) as (scratch, name):
        made = await scratch.read(characters.require, name)
    assert made.name == "Bea"
    assert await store.read(characters.list_all) == []
