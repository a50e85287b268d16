"""What chunks state, indexed without a graph: the same extraction, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from offbook import pipeline
from offbook.errors import EmbedderMismatch, InputRefused
from offbook.ingestion.embedding import reembed
from offbook.ingestion.indexing import build_indexes
from offbook.ingestion.reports import unheard
from offbook.stores import graph, jobs, vectors
from offbook.types import IndexRequirements
from tests.graph.world import Trigrams
from tests.ingestion.runtime import read
from tests.methods.keyworded import METHOD, KeywordModel, keyworded
from tests.methods.questions import LATER, STORY, Asked

TEXTS = (("a.md", STORY), ("b.md", LATER))


def asked(ada: Asked) -> list[str]:
    return [request.origin[0].name for request in ada.model.asked if request.origin]


async def ingest(ada: Asked, *texts: tuple[str, str]) -> Any:
    readings = [read(*text) for text in texts]
    reports, _ = await pipeline.ingest(ada.runtime, ada.id, readings, unheard, lambda: None)
    return reports


async def embedded(ada: Asked, kind: vectors.Kind) -> set[str]:
    ids, _ = await ada.store.read(lambda c: vectors.load_matrix(c, ada.id, kind))
    return set(ids)


async def rows(ada: Asked) -> tuple[list[Any], list[Any]]:
    return (
        await ada.store.read(lambda c: graph.list_raw_entities(c, ada.id)),
        await ada.store.read(lambda c: graph.list_relations(c, ada.id)),
    )


async def open_jobs(ada: Asked) -> list[Any]:
    found: list[Any] = await ada.store.read(lambda c: jobs.list_jobs(c, ada.id))
    return found


async def test_a_call_a_chunk_and_a_vector_for_all_that_it_states(sqlite_store):
    ada = await keyworded(sqlite_store, *TEXTS)
    assert set(asked(ada)) == {"extract"}
    mentions, relations = await rows(ada)
    assert await embedded(ada, "raw_entity") == {mention.id for mention in mentions}
    assert await embedded(ada, "relation") == {relation.id for relation in relations}
    assert await embedded(ada, "chunk") == set(), "they are found by what is from them"
    assert await ada.store.read(lambda c: graph.list_groups(c, ada.id)) == []
    ada.model.asked.clear()
    await ingest(ada, *TEXTS)
    assert asked(ada) == [], "what has not changed costs nothing"


async def test_who_needs_no_vectors_of_relations_gets_none(sqlite_store):
    ada = await keyworded(sqlite_store, *TEXTS, method="rolerag")
    ada.embedder = type("Other", (Trigrams,), {"name": "other"})()
    await reembed(ada.runtime, ada.id, unheard)
    assert await embedded(ada, "relation") == set()


async def test_graph_and_mentions_together_extract_once(sqlite_store):
    ada = await keyworded(sqlite_store, method="vanilla")
    ada.settings["method"] = "naive"
    ada.settings["naive"] = {"splitter": "graph"}
    await ingest(ada, *TEXTS)
    ada.model.asked.clear()
    both = IndexRequirements(("graph",), graph=True, mentions=True)
    await build_indexes(ada.runtime, ada.id, both, unheard)
    assert asked(ada).count("extract") == 2
    assert await embedded(ada, "relation")
    assert await embedded(ada, "entity")


async def test_what_the_embedder_refuses_is_put_aside_and_told(sqlite_store):
    class Refusing(Trigrams):
        word = "Jem Dolan"

        async def embed(self, texts, kind):
            if any(text.startswith(self.word) for text in texts):
                raise InputRefused("too long")
            return await super().embed(texts, kind)

    ada = Asked(sqlite_store, KeywordModel(low=("Maud Keane",)), dict(METHOD), Refusing())
    await ada.create(*TEXTS)
    found = await open_jobs(ada)
    assert {job.kind for job in found} == {jobs.MENTIONS}
    assert any("'Jem Dolan" in job.error and "no vector" in job.error for job in found)
    (first, _) = await ingest(ada, *TEXTS)
    assert first.status == "partial"
    assert any("put aside: mentions" in message for message in first.messages)
    assert (await ada.recall("Maud?")).context
    ada.embedder = Trigrams()
    await ingest(ada)
    assert await open_jobs(ada) == []


async def test_vectors_of_another_embedder_are_refused_before_a_call(sqlite_store):
    ada = await keyworded(sqlite_store, *TEXTS)
    ada.model.asked.clear()
    ada.embedder = type("Other", (Trigrams,), {"name": "other"})()
    with pytest.raises(EmbedderMismatch):
        await ingest(ada, ("c.md", "Maud Keane left."))
    assert asked(ada) == []


async def test_a_new_embedder_gives_new_vectors(sqlite_store):
    ada = await keyworded(sqlite_store, *TEXTS)
    new = type("Other", (Trigrams,), {"name": "other"})()
    ada.embedder = new
    await reembed(ada.runtime, ada.id, unheard)
    mentions, relations = await rows(ada)
    assert await embedded(ada, "relation") == {relation.id for relation in relations}
    assert await embedded(ada, "raw_entity") == {mention.id for mention in mentions}
    assert (await ada.recall("Maud Keane?")).context


async def test_a_relation_that_the_new_embedder_refuses_is_put_aside(sqlite_store):
    ada = await keyworded(sqlite_store, *TEXTS)

    class Refusing(Trigrams):
        name = "other"

        async def embed(self, texts, kind):
            if any(text.startswith("Black Finn, Ada Byrne") for text in texts):
                raise InputRefused("too long")
            return await super().embed(texts, kind)

    ada.embedder = Refusing()
    await reembed(ada.runtime, ada.id, unheard)
    (job,) = await open_jobs(ada)
    assert (job.kind, job.document) == (jobs.MENTIONS, "b-md")
    assert (await ada.recall("Maud Keane?")).context


async def test_why_a_relation_has_no_vector_is_forgotten_with_its_chunk(sqlite_store):
    class Refusing(Trigrams):
        async def embed(self, texts, kind):
            if any(text.startswith(("Black Finn, Ada Byrne", "Jem Dolan")) for text in texts):
                raise InputRefused("too long")
            return await super().embed(texts, kind)

    ada = Asked(sqlite_store, KeywordModel(), dict(METHOD), Refusing())
    await ada.create(*TEXTS)
    assert "Black Finn" in str(await open_jobs(ada))
    ada.settings = {"method": "naive", "naive": {"splitter": "graph"}}
    await ingest(ada, ("b.md", "Nobody came."))
    left = await open_jobs(ada)
    assert "Jem Dolan" in str(left)
    assert "Black Finn" not in str(left)
