"""The tree of summaries: its costs, bad answers, and that edits leave no trace."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from offbook.errors import EmbedderMismatch, InputRefused, ModelError
from offbook.ingestion.embedding import reembed
from offbook.ingestion.estimating import estimate_ingestion
from offbook.ingestion.reports import unheard
from offbook.language.tokens import count_tokens
from offbook.models.builtin import BuiltinEmbedder
from offbook.models.offline.model import OfflineModel
from offbook.prompts.cluster_summary import SUMMARIZE_CLUSTER
from offbook.stores import characters, chunks, jobs, summaries, vectors
from offbook.stores.opening import open_store, sqlite_url
from offbook.wire import ChatRequest
from tests.ingestion.stage import Embedding, read, sections
from tests.ingestion.tree_world import Summarizer, TreeWorld


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
    assert len(found) == len(keeper.model.asked) >= 5
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


async def test_the_summaries_of_a_level_are_asked_for_side_by_side(keeper):
    keeper.raptor = {"size": 2, "levels": 1}
    await keeper.put("a.md", sections(30))
    assert keeper.model.peak == len(keeper.model.asked) > 5


async def test_a_call_knows_which_documents_it_has_seen(keeper):
    await keeper.put("a.md", sections(6))
    await keeper.put("b.md", sections(12, first=6))
    owner = {
        chunk.text: chunk.document
        for chunk in await keeper.store.read(lambda c: chunks.list_chunks(c, "keeper"))
    }
    first = [r for r in keeper.model.asked if r.origin[1].passages[0].startswith("Year")]
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
    keeper.model.asked.clear()
    keeper.embedder.requests.clear()
    (report,) = await keeper.put("a.md", sections(10))
    assert (report.status, keeper.model.asked, keeper.embedder.requests) == ("unchanged", [], [])
    assert await keeper.summaries() == before


async def test_an_addition_costs_the_clusters_that_it_touches(keeper):
    keeper.raptor = {"size": 4}
    await keeper.put("a.md", sections(120))
    whole = len(keeper.model.asked)
    keeper.model.asked.clear()
    await keeper.put("b.md", "## Late\n\nNobody came in that year.")
    assert 0 < len(keeper.model.asked) <= whole / 3


async def test_the_tree_is_the_same_on_both_engines(keeper, postgres_store):
    other = await TreeWorld(postgres_store).create()
    for world in (keeper, other):
        await world.put("a.md", sections(10))
        await world.put("b.md", sections(14, first=10))
        await world.remove("a.md")
    assert await other.summaries() == await keeper.summaries() != []
    assert (await other.recall("ship 12")).context == (await keeper.recall("ship 12")).context


async def test_one_section_needs_no_summary_and_none_is_missed(keeper):
    await keeper.put("a.md", "## Year 1\n\nNothing.")
    assert keeper.model.asked == []
    found = await keeper.recall("What came?")
    assert [item.text for item in found.context] == ["Nothing."]


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
    assert len(keeper.model.asked) == len(other.model.asked) - len(kept)


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


async def test_vectors_of_another_embedder_are_refused_before_a_call(keeper):
    await keeper.put("a.md", sections(6))
    keeper.model.asked.clear()
    keeper.embedder = Embedding(name="other")
    with pytest.raises(EmbedderMismatch):
        await keeper.put("b.md", sections(12, first=6))
    assert keeper.model.asked == []


async def test_a_new_embedder_gives_new_vectors_and_keeps_the_words(keeper):
    await keeper.put("a.md", sections(10))
    before = await keeper.summaries()
    keeper.model.asked.clear()
    new = Embedding(name="other")
    run = await reembed(keeper.store, new, "keeper", 64, 4, unheard)
    assert run.made == len(await chunk_ids(keeper)) + len(before)
    assert (await keeper.summaries(), keeper.model.asked) == (before, [])
    keeper.embedder = new
    assert (await keeper.recall("ship 3")).context


async def test_a_summary_that_the_new_embedder_refuses_is_put_aside(keeper):
    await keeper.put("a.md", sections(10))
    words = (await keeper.summaries())[0].text

    def refuse(texts):
        if words in texts:
            raise InputRefused("too long")

    keeper.embedder = Embedding(refuse, name="other")
    await reembed(keeper.store, keeper.embedder, "keeper", 64, 4, unheard)
    (job,) = await open_jobs(keeper)
    assert (job.kind, job.status) == (jobs.SUMMARIZE, "quarantined")
    assert (await keeper.recall("ship 3")).context


async def test_what_is_forgotten_is_in_no_summary(keeper):
    await keeper.put("a.md", sections(8))
    await keeper.put("b.md", "## Late\n\nQuixwarble.\n\n## Later\n\nQuixwarble again.")
    assert any("Quixwarble" in summary.text for summary in await keeper.summaries())
    await keeper.remove("b.md")
    assert all("Quixwarble" not in summary.text for summary in await keeper.summaries())
    ids, _ = await keeper.store.read(lambda c: vectors.load_matrix(c, "keeper", "summary"))
    assert len(ids) == len(await keeper.summaries())
    await keeper.remove("a.md")
    assert await keeper.summaries() == []


async def test_a_tree_of_many_levels_ends_where_it_is_told_to(keeper):
    keeper.raptor = {"size": 2, "levels": 2}
    await keeper.put("a.md", sections(40))
    assert max(summary.level for summary in await keeper.summaries()) <= 2


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
    return await estimate_ingestion(world.stage, character, [read(*text) for text in texts])


async def test_an_estimate_is_about_what_it_costs_and_makes_no_call(keeper):
    keeper.sections = {"embed": {"model": "e"}}
    found = await estimated(keeper, ("a.md", sections(60)))
    assert (keeper.model.asked, keeper.embedder.requests) == ([], [])
    await keeper.put("a.md", sections(60))
    real = len(keeper.model.asked)
    assert 0.6 * real <= found.by_task["summarize_cluster"].calls <= 1.6 * real
    sent = [r for r in keeper.model.asked if r.origin[0] is SUMMARIZE_CLUSTER]
    told = sum(len(message.content) for request in sent for message in request.messages)
    assert 0.4 * told / 4 < found.prompt_tokens < 2.5 * told / 4
    assert found.completion_tokens > 0
    # A request for the chunks and one for each level: all levels are smaller than a batch.
    assert found.embed_calls == 1 + max(summary.level for summary in await keeper.summaries())
    assert (await estimated(keeper)).calls == (await estimated(keeper)).embed_calls == 0
    more = await estimated(keeper, ("b.md", "## Late\n\nNobody came."))
    assert 0 < more.calls < found.calls


async def test_what_is_embedded_is_estimated_where_a_model_costs_nothing(keeper):
    keeper.sections = {"embed": {"model": "e"}}
    keeper.model = OfflineModel()
    found = await estimated(keeper, ("a.md", sections(60)))
    assert (found.calls, found.by_task) == (0, {})
    assert found.embed_calls > 1


async def test_a_stopped_tree_is_estimated_by_what_is_left(keeper):
    keeper.model = Summarizer(failing_after(4))
    with pytest.raises(ModelError):
        await keeper.put("a.md", sections(30))
    kept = len(await keeper.summaries())
    left = (await estimated(keeper)).calls
    keeper.model = Summarizer()
    await keeper.ingest()
    first = [told for told in keeper.model.told if told.passages[0].startswith("Year")]
    assert len(first) <= left <= 1.6 * len(keeper.model.asked) + kept


async def test_with_the_embedded_embedder_an_estimate_is_exact_for_the_lowest_level(keeper):
    keeper.embedder, keeper.raptor = BuiltinEmbedder(), {"size": 3, "levels": 1}
    await keeper.put("a.md", sections(10))
    keeper.model.asked.clear()
    found = await estimated(keeper, ("a.md", sections(40)))
    await keeper.put("a.md", sections(40))
    assert found.calls == len(keeper.model.asked) > 0


async def test_a_tree_on_chunks_cut_by_meaning_is_estimated_without_an_embedding(keeper):
    keeper.raptor = {"splitter": "semantic", "size": 2}
    keeper.sections = {"embed": {"model": "e"}}
    found = await estimated(keeper, ("a.md", sections(60)))
    assert found.by_task["summarize_cluster"].calls > 0
    assert keeper.embedder.requests == []


# -- edits leave no trace ------------------------------------------------------------------------

NAMES = ("one", "two", "three")
parts = st.lists(st.integers(0, 30), min_size=1, max_size=8, unique=True).map(
    lambda years: "\n\n".join(f"## Year {n}\n\nIn year {n} ship {n} came in." for n in years)
)
edits = st.one_of(
    st.tuples(st.just("put"), st.sampled_from(NAMES), parts),
    st.tuples(st.just("remove"), st.sampled_from(NAMES)),
    st.tuples(st.just("order"), st.permutations(NAMES)),
)


class Wide(Embedding):
    """Vectors with enough directions for several clusters; built once a text."""

    async def embed(self, texts, kind):
        return np.stack([self._row(text) for text in texts])

    def _row(self, text):
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        row = np.random.default_rng(seed).standard_normal(16).astype(np.float32)
        return row / np.linalg.norm(row)


async def _edited(world: TreeWorld, sequence: Any) -> dict[str, str]:
    left: dict[str, str] = {}
    for kind, *told in sequence:
        if kind == "put":
            name, text = told
            if left.get(name) != text and text not in left.values():
                left[name] = text
                await world.put(name, text)
        elif kind == "remove":
            if left.pop(told[0], None) is not None:
                await world.remove(told[0])
        else:
            left = {name: left[name] for name in told[0] if name in left}
            if left:
                await world.ingest(order=list(left))
    return left


async def _compare(folder: Path, sequence: Any) -> None:
    store = await open_store(sqlite_url(folder / "offbook.db"))
    try:
        edited = await TreeWorld(store, "edited", embedder=Wide()).create()
        left = await _edited(edited, sequence)
        scratch = await TreeWorld(store, "scratch", embedder=Wide()).create()
        for name, text in left.items():
            await scratch.put(name, text)
        assert await edited.summaries() == await scratch.summaries()
        built = [
            await store.read(lambda c, w=world: summaries.built(c, w.character))  # type: ignore[misc]
            for world in (edited, scratch)
        ]
        assert not left or built[0] == built[1]
    finally:
        await store.close()


def _run(sequence: Any) -> None:
    with TemporaryDirectory() as folder:
        asyncio.run(_compare(Path(folder), sequence))


@given(st.lists(edits, min_size=2, max_size=6))
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_edits_leave_no_trace(sequence):
    _run(sequence)


@pytest.mark.long
@given(st.lists(edits, min_size=2, max_size=12))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_edits_leave_no_trace_at_full_size(sequence):
    _run(sequence)
