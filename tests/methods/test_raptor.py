"""RAPTOR: a whole recall on all levels, its budget, and what is known at a point of the story."""

from __future__ import annotations

import numpy as np
import pytest

from offbook.errors import EmbedderMismatch, IndexMissing
from offbook.stores import chunks
from tests.ingestion.runtime import Embedding, sections
from tests.ingestion.tree_world import TreeWorld

LATE = "## Late\n\nA lantern burned.\n\n## Later\n\nThe lantern went out."


@pytest.fixture
async def keeper(sqlite_store) -> TreeWorld:
    world = await TreeWorld(sqlite_store).create()
    await world.put("a.md", sections(8))
    await world.put("b.md", LATE)
    world.model.requests.clear()
    return world


async def test_chunks_and_summaries_are_found_together_without_a_call(keeper):
    found = await keeper.recall("In which year did ship 3 come in?")
    texts = {item.text for item in found.context}
    assert "In year 3 ship 3 came in." in texts
    stored = {summary.text: summary for summary in await keeper.summaries()}
    assert texts & stored.keys()
    for item in found.context:
        assert item.kind == "knowledge"
        if item.text in stored:
            assert item.title.startswith("summary")
            assert {s.chunk for s in item.sources} == set(stored[item.text].chunks)
    assert keeper.model.requests == []
    scores = [item.score for item in found.context]
    assert scores == sorted(scores, reverse=True)


async def test_as_many_nodes_as_are_told(keeper):
    keeper.raptor["k"] = 3
    assert len((await keeper.recall("ship 3")).context) == 3


@pytest.mark.parametrize("mode", ["dense", "lexical", "hybrid"])
async def test_every_way_to_search_finds(keeper, mode):
    keeper.sections = {"retrieval": {"mode": mode}}
    found = await keeper.recall("Did the lantern go out?")
    assert found.context
    if mode == "lexical":
        assert all("lantern" in item.text for item in found.context)
    else:
        assert {len(item.sources) > 1 for item in found.context} == {True, False}


async def test_a_question_about_nothing_gets_the_widest_view(keeper):
    class Blank(Embedding):
        async def embed(self, texts, kind):
            return np.zeros((len(texts), 4), dtype=np.float32)

    keeper.embedder = Blank()
    found = await keeper.recall("?")
    highest = max(await keeper.summaries(), key=lambda summary: summary.level)
    assert found.context[0].text == highest.text


async def test_a_summary_of_anything_that_comes_later_is_not_there(keeper):
    whole = await keeper.recall("lantern")
    assert any("lantern" in item.text for item in whole.context)
    found = await keeper.recall("lantern", as_of="a.md")
    assert found.context
    assert all("lantern" not in item.text for item in found.context)
    documents = {source.document for item in found.context for source in item.sources}
    assert documents == {"a-md"}
    early = await keeper.store.read(chunks.list_chunks, "keeper", document="a-md")
    known = {chunk.id for chunk in early}
    wanted = {s.text for s in await keeper.summaries() if known.issuperset(s.chunks)}
    assert wanted
    assert {item.text for item in found.context if item.title.startswith("summary")} == wanted


async def test_in_the_middle_of_a_chunk_its_beginning_is_known_and_no_summary_of_it(keeper):
    text = sections(8)
    middle = text.index("ship 5 came") + len("ship 5")
    found = await keeper.recall("ship 5", as_of=f"a.md@{middle}")
    (cut,) = [i for i in found.context if i.sources[0].end == middle and len(i.sources) == 1]
    assert cut.text == "In year 5 ship 5"
    assert all(source.end <= middle for item in found.context for source in item.sources)
    stored = await keeper.store.read(chunks.list_chunks, "keeper", document="a-md")
    ends = {chunk.id: chunk.end for chunk in stored}
    inside = [s for s in await keeper.summaries() if ends.keys() >= set(s.chunks)]
    assert inside
    for summary in inside:
        before = max(ends[chunk] for chunk in summary.chunks) - 2
        found = await keeper.recall(summary.text, as_of=f"a.md@{before}")
        assert summary.text not in {item.text for item in found.context}


async def test_without_a_tree_it_says_how_to_build_it(sqlite_store):
    world = await TreeWorld(sqlite_store).create()
    with pytest.raises(IndexMissing, match="no documents"):
        await world.recall("Who?")
    world.sections = {"method": "naive", "naive": {"splitter": "markdown"}}
    await world.put("a.md", sections(8))
    world.sections = {}
    with pytest.raises(IndexMissing, match="no tree") as caught:
        await world.recall("Who?")
    assert "--method raptor" in caught.value.hint


async def test_a_tree_of_other_chunks_or_settings_is_not_searched(keeper):
    keeper.sections = {"method": "naive", "naive": {"splitter": "markdown"}}
    await keeper.put("c.md", "## Last\n\nThe end.")
    keeper.sections = {}
    with pytest.raises(IndexMissing, match="other chunks"):
        await keeper.recall("ship 3")
    await keeper.ingest()
    assert (await keeper.recall("ship 3")).context
    keeper.raptor["levels"] = 1
    with pytest.raises(IndexMissing, match="other settings"):
        await keeper.recall("ship 3")
    keeper.model.requests.clear()
    await keeper.ingest()
    assert keeper.model.requests == [], "the lowest level is there already"
    assert {summary.level for summary in await keeper.summaries()} == {1}
    assert (await keeper.recall("ship 3")).context


async def test_a_change_is_seen_by_the_next_question(keeper):
    await keeper.recall("lantern")
    await keeper.remove("b.md")
    found = await keeper.recall("lantern")
    assert all("lantern" not in item.text for item in found.context)


async def test_vectors_of_another_embedder_are_refused(keeper):
    keeper.embedder = Embedding(name="other")
    with pytest.raises(EmbedderMismatch):
        await keeper.recall("ship 3")
