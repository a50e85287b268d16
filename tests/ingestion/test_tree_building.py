"""The tree of summaries: its costs, bad answers, and that edits leave no trace."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from offbook.app.estimate import estimate_ingestion
from offbook.errors import InputRefused, ModelError
from offbook.ingestion.embedding import reembed
from offbook.ingestion.reports import unheard
from offbook.ingestion.summary_tree import clusters
from offbook.prompts.summaries import SUMMARIZE_CLUSTER
from offbook.settings.methods import RaptorSettings
from offbook.stores import characters, chunks, jobs, vectors
from offbook.text.tokens import count_tokens
from offbook.types import ChatRequest
from tests.graph.test_incremental import edits_of, leaves_no_trace
from tests.ingestion.runtime import Embedding, read, sections
from tests.ingestion.tree_world import Summarizer, TreeWorld
from tests.sizes import examples


@pytest.fixture
async def keeper(sqlite_store) -> TreeWorld:
    return await TreeWorld(sqlite_store).create()


def failing_after(answers: int) -> Callable[[ChatRequest], str | None]:
    """An endpoint that is down after so many answers."""
    asked = itertools.count(1)

    def fail(request: ChatRequest) -> None:
        if next(asked) > answers:
            raise ModelError("the endpoint is down")

    return fail


async def chunk_ids(world: TreeWorld, document: str | None = None) -> set[str]:
    found = await world.store.read(
        lambda c: chunks.list_chunks(c, world.character, document=document)
    )
    return {chunk.id for chunk in found}


async def open_jobs(world: TreeWorld) -> list[Any]:
    found: list[Any] = await world.store.read(lambda c: jobs.list_jobs(c, world.character))
    return found


async def test_levels_of_summaries_stand_over_all_chunks(keeper):
    await keeper.put("a.md", sections(14))
    found = await keeper.summaries()
    assert len(found) == len(keeper.model.requests) >= 5
    (root,) = [s for s in found if s.level == max(summary.level for summary in found)]
    assert set(root.chunks) == await chunk_ids(keeper)
    by_id = {summary.id: summary for summary in found}
    leaves = await chunk_ids(keeper)
    for summary in found:
        assert len(summary.members) > 1
        beneath = [by_id[m].chunks if m in by_id else (m,) for m in summary.members]
        assert sorted(chunk for part in beneath for chunk in part) == sorted(summary.chunks)
        assert set(summary.members) <= by_id.keys() | leaves
    ids, _ = await keeper.store.read(lambda c: vectors.load_matrix(c, "keeper", "summary"))
    assert set(ids) == by_id.keys()


async def test_a_call_knows_which_documents_it_has_seen(keeper):
    await keeper.put("a.md", sections(6))
    await keeper.put("b.md", sections(12, first=6))
    owner = {
        chunk.text: chunk.document
        for chunk in await keeper.store.read(lambda c: chunks.list_chunks(c, "keeper"))
    }
    first = [r for r in keeper.model.requests if r.origin[1].passages[0].startswith("Year")]
    assert any(len(request.documents) == 2 for request in first)
    for request in first:
        bodies = [passage.partition("\n")[2] for passage in request.origin[1].passages]
        if all(body in owner for body in bodies):
            assert request.documents == {f"keeper/{owner[body]}" for body in bodies}


async def test_passages_are_read_in_the_order_of_the_story(keeper):
    await keeper.put("a.md", sections(10))
    read = [
        [int(p.split()[1]) for p in told.passages if p.startswith("Year")]
        for told in keeper.model.told
    ]
    assert max(map(len, read)) > 1
    assert read == [sorted(years) for years in read]


async def test_what_has_not_changed_costs_no_call(keeper):
    await keeper.put("a.md", sections(10))
    before = await keeper.summaries()
    keeper.model.requests.clear()
    keeper.embedder.requests.clear()
    (report,) = await keeper.put("a.md", sections(10))
    assert (report.status, keeper.model.requests, keeper.embedder.requests) == ("unchanged", [], [])
    assert await keeper.summaries() == before


async def test_an_addition_costs_the_clusters_that_it_touches(keeper):
    keeper.raptor = {"size": 4, "levels": 3}
    await keeper.put("a.md", "## Year 1\n\nNothing.")
    assert keeper.model.requests == [], "one section needs no summary"
    assert [item.text for item in (await keeper.recall("What came?")).context] == ["Nothing."]
    await keeper.put("a.md", sections(120))
    assert keeper.model.peak > 5, "those of a level are asked for side by side"
    assert max(summary.level for summary in await keeper.summaries()) <= 3
    whole = len(keeper.model.requests)
    keeper.model.requests.clear()
    await keeper.put("b.md", "## Late\n\nNobody came in that year.")
    assert 0 < len(keeper.model.requests) <= whole / 3


async def test_a_cluster_without_a_usable_answer_is_put_aside_and_asked_about_again(keeper):
    def refuse(request):
        if request.origin[1].passages[0].startswith("Year 0"):
            return '{"summary": "  "}'
        return None

    keeper.model = Summarizer(refuse)
    (report,) = await keeper.put("a.md", sections(12))
    (job,) = await open_jobs(keeper)
    assert (job.kind, job.status, job.document) == (jobs.SUMMARIZE, "quarantined", "a-md")
    assert (report.status, report.quarantined) == ("partial", 1)
    assert "have no summary" in report.messages[0]
    assert (await keeper.recall("What came in?")).context, "the rest serves"
    keeper.model = Summarizer()
    (again,) = await keeper.ingest()
    assert (again.status, await open_jobs(keeper)) == ("unchanged", [])
    other = await TreeWorld(keeper.store, "other").create()
    await other.put("a.md", sections(12))
    assert await other.summaries() == await keeper.summaries()


async def test_after_a_failure_what_arrived_is_kept_and_the_rest_is_made(keeper):
    keeper.model = Summarizer(failing_after(3))
    with pytest.raises(ModelError):
        await keeper.put("a.md", sections(20))
    kept = await keeper.summaries()
    assert kept
    keeper.model = Summarizer()
    await keeper.ingest()
    other = await TreeWorld(keeper.store, "other").create()
    await other.put("a.md", sections(20))
    assert await keeper.summaries() == await other.summaries()
    assert len(keeper.model.requests) == len(other.model.requests) - len(kept)


async def test_a_summary_that_the_embedder_refuses_is_no_part_of_the_next_level(keeper):
    def refuse(texts):
        if any("/" in text for text in texts):
            raise InputRefused("too long")

    keeper.embedder = Embedding(refuse)
    (report,) = await keeper.put("a.md", sections(12))
    assert {summary.level for summary in await keeper.summaries()} == {1}
    assert report.status == "partial"
    assert "has no vector" in report.messages[0]
    assert (await keeper.recall("ship 3")).context


async def test_a_new_embedder_gives_new_vectors_and_keeps_the_words(keeper):
    await keeper.put("a.md", sections(10))
    before = await keeper.summaries()
    keeper.model.requests.clear()
    keeper.embedder = Embedding(name="other")
    run = await reembed(keeper.runtime, "keeper", unheard)
    assert run.made == len(await chunk_ids(keeper)) + len(before)
    assert (await keeper.summaries(), keeper.model.requests) == (before, [])
    assert (await keeper.recall("ship 3")).context


async def test_long_texts_are_not_put_into_one_call(keeper):
    keeper.raptor = {"size": 6, "cluster_tokens": 100}
    long = "\n\n".join(f"## Year {n}\n\n{'lamp ' * 40}{n}" for n in range(9))
    await keeper.put("a.md", long)
    assert keeper.model.told
    for told in keeper.model.told:
        assert sum(map(count_tokens, told.passages)) <= 100


# -- estimates -----------------------------------------------------------------------------------


async def estimated(world: TreeWorld, *texts: tuple[str, str]):
    character = await world.store.read(lambda c: characters.require(c, world.character))
    return await estimate_ingestion(world.runtime, character, [read(*text) for text in texts])


async def test_an_estimate_is_about_what_it_costs_and_makes_no_call(keeper):
    keeper.sections = {"embed": {"model": "e"}}
    found = await estimated(keeper, ("a.md", sections(60)))
    assert (keeper.model.requests, keeper.embedder.requests) == ([], [])
    await keeper.put("a.md", sections(60))
    real = len(keeper.model.requests)
    assert 0.6 * real <= found.by_task["summarize_cluster"].calls <= 1.6 * real
    sent = [r for r in keeper.model.requests if r.origin[0] is SUMMARIZE_CLUSTER]
    told = sum(len(message.content) for request in sent for message in request.messages)
    assert 0.4 * told / 4 < found.prompt_tokens < 2.5 * told / 4
    assert found.completion_tokens > 0
    # A request for the chunks and one for each level: all levels are smaller than a batch.
    assert found.embed_calls == 1 + max(summary.level for summary in await keeper.summaries())
    assert (await estimated(keeper)).calls == (await estimated(keeper)).embed_calls == 0
    more = await estimated(keeper, ("b.md", "## Late\n\nNobody came."))
    assert 0 < more.calls < found.calls


async def test_a_tree_on_chunks_cut_by_meaning_is_estimated_without_an_embedding(keeper):
    keeper.raptor = {"splitter": "semantic", "size": 2}
    keeper.sections = {"embed": {"model": "e"}}
    found = await estimated(keeper, ("a.md", sections(60)))
    assert found.by_task["summarize_cluster"].calls > 0
    assert keeper.embedder.requests == []


# -- edits leave no trace ------------------------------------------------------------------------

parts = st.lists(st.integers(0, 30), min_size=1, max_size=8, unique=True).map(
    lambda years: "\n\n".join(f"## Year {n}\n\nIn year {n} ship {n} came in." for n in years)
)


class Wide(Embedding):
    """Vectors with enough directions for several clusters; built once a text."""

    async def embed(self, texts, kind):
        return np.stack([self._row(text) for text in texts])

    def _row(self, text):
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        row = np.random.default_rng(seed).standard_normal(16).astype(np.float32)
        return row / np.linalg.norm(row)


@given(st.lists(edits_of(parts), min_size=2, max_size=examples(12, 7)))
@settings(max_examples=examples(200, 10), suppress_health_check=[HealthCheck.too_slow])
def test_edits_leave_no_trace(sequence):
    leaves_no_trace(sequence, partial(TreeWorld, embedder=Wide()))


# -- clusters ----------------------------------------------------------------------------------

LIMITS = RaptorSettings(size=3, cluster_tokens=1_000)


def unit(rows: int, seed: int, dimension: int = 16, topics: int = 6):
    """Vectors that lie around a few topics."""
    chance = np.random.default_rng(seed)
    centres = chance.standard_normal((topics, dimension))
    found = centres[chance.integers(topics, size=rows)]
    found = found + 0.5 * chance.standard_normal((rows, dimension))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def named(count: int) -> list[str]:
    return [f"chunk {n}" for n in range(count)]


def cells_of(names, matrix, tokens=None, limits=LIMITS, salt=0):
    found = clusters(names, matrix, tokens or [1] * len(names), limits, salt)
    return {frozenset(names[row] for row in cell) for cell in found}


@given(st.integers(1, 60), st.integers(0, 5), st.integers(2, 8))
def test_every_node_is_in_one_cluster_and_none_is_too_large(count, seed, size):
    limits = RaptorSettings(size=size, cluster_tokens=100)
    tokens = [1 + (n * 14 + seed) % 60 for n in range(count)]
    found = clusters(named(count), unit(count, seed), tokens, limits)
    assert sorted(row for cell in found for row in cell) == list(range(count))
    for cell in found:
        assert cell == sorted(cell)
        assert len(cell) <= 2 * size
        assert len(cell) == 1 or sum(tokens[row] for row in cell) <= 100
    assert [cell[0] for cell in found] == sorted(cell[0] for cell in found)


@given(st.integers(2, 50), st.integers(0, 5), st.randoms())
def test_the_order_in_which_nodes_come_makes_no_difference(count, seed, chance):
    names, matrix = named(count), unit(count, seed)
    turned = list(range(count))
    chance.shuffle(turned)
    assert cells_of([names[n] for n in turned], matrix[turned]) == cells_of(names, matrix)


@pytest.mark.parametrize("count", [40, 200])
def test_a_node_more_concerns_few_clusters(count):
    names, matrix = named(count + 1), unit(count + 1, seed=count)
    whole = cells_of(names, matrix)
    touched = []
    for gone in range(30):
        kept = [n for n in range(count + 1) if n != gone]
        touched.append(len(whole - cells_of([names[n] for n in kept], matrix[kept])))
    assert np.mean(touched) < 3
    assert np.mean(touched) < len(whole) / 4


def test_what_is_alike_comes_together():
    names, matrix = named(200), unit(200, seed=3)
    cells = [
        [names.index(name) for name in cell] for cell in cells_of(names, matrix) if len(cell) > 1
    ]
    within = [(matrix[c] @ matrix[c].T)[np.triu_indices(len(c), 1)].mean() for c in cells]
    assert np.mean(within) > 0.5 > 0.2 > (matrix @ matrix.T).mean()


def test_nodes_without_meaning_are_alone():
    matrix = unit(5, seed=1)
    matrix[[1, 3]] = 0
    assert cells_of(named(5), matrix) == {
        frozenset({"chunk 0", "chunk 2", "chunk 4"}),
        frozenset({"chunk 1"}),
        frozenset({"chunk 3"}),
    }
    assert clusters(named(2), np.zeros((2, 4), np.float32), [1, 1], LIMITS) == [[0], [1]]
