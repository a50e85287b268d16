"""What every searcher promises, whoever searches where."""

from __future__ import annotations

from typing import Any

import pytest

from offbook import pipeline, registry
from offbook.ingestion.profile import at_point
from offbook.ingestion.reports import unheard
from offbook.methods.knowledge import Knowledge
from offbook.protocols import Searcher
from offbook.stores import characters
from tests.ingestion.runtime import read
from tests.methods.compared import QUESTION, TEXTS, Asked, Told


@pytest.fixture(params=list(registry._KNOWN["searcher"]))
def searcher(request) -> Searcher[Any]:
    found: Searcher[Any] = registry.load("searcher", request.param)()
    assert found.name == request.param
    return found


@pytest.fixture
async def knowledge(sqlite_store) -> Knowledge:
    ada = await Asked(sqlite_store, Told(), "crag").made()
    character = await sqlite_store.read(lambda conn: characters.require(conn, ada.id))
    runtime = ada.runtime
    return Knowledge(character, runtime.settings, runtime.store, runtime.embedder)


@pytest.mark.parametrize("most", [1, 2, 9])
async def test_it_finds_at_most_so_many_passages_that_were_not_seen(searcher, knowledge, most):
    seen = await knowledge.search(QUESTION, "markdown", 2)
    found = await searcher.search(knowledge, QUESTION, seen, most)
    assert 1 <= len(found) <= most
    known = {passage.chunk.id for passage in seen}
    for item in found:
        assert item.kind == "knowledge"
        (source,) = item.sources
        assert source.chunk not in known
        text = TEXTS[source.document.replace("-md", ".md")]
        assert text[source.start : source.end] == item.text


async def test_it_finds_nothing_after_the_point(searcher, knowledge):
    store, then = knowledge.store, knowledge.character
    then, point = await store.read(lambda conn: at_point(conn, then, "a.md"))
    early = Knowledge(then, knowledge.settings, store, knowledge.embedder, point=point)
    found = await searcher.search(early, "Who sold the lamp oil?", (), 9)
    assert {source.document for item in found for source in item.sources} == {"a-md"}


async def test_other_documents_and_the_rest_of_the_same_ones_take_turns(knowledge):
    seen = (await knowledge.search(QUESTION, "markdown", 1))[:1]
    assert seen[0].chunk.document == "a-md"
    searcher: Searcher[Any] = registry.load("searcher", "documents")()
    found = await searcher.search(knowledge, "lamp", seen, 3)
    documents = [source.document for item in found for source in item.sources]
    assert documents == ["b-md", "a-md", "a-md"]


async def test_a_document_that_is_alone_is_its_own_second_source(sqlite_store):
    ada = Asked(sqlite_store, Told(), "crag")
    await sqlite_store.write(lambda conn: characters.create(conn, "Ada Byrne"))
    only = [read("a.md", TEXTS["a.md"])]
    await pipeline.ingest(ada.runtime, ada.id, only, unheard, lambda: None)
    character = await sqlite_store.read(lambda conn: characters.require(conn, ada.id))
    knowledge = Knowledge(character, ada.runtime.settings, sqlite_store, ada.runtime.embedder)
    seen = await knowledge.search(QUESTION, "markdown", 1)
    searcher: Searcher[Any] = registry.load("searcher", "documents")()
    assert len(await searcher.search(knowledge, QUESTION, seen, 5)) == 3
