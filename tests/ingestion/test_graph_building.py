"""The graph of a character: every answer is kept, and what stays open is told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from functools import partial

import pytest

from offbook.errors import (
    BudgetReached,
    EmbedderMismatch,
    IndexMissing,
    InvalidAnswer,
    ModelError,
)
from offbook.ingestion.graph_index import GraphBuilding
from offbook.ingestion.reports import unheard
from offbook.models.batching import note_call, run_all
from offbook.retrieval.graph_index import check_graph
from offbook.stores import characters, jobs, vectors
from offbook.types import ChatRequest, Message
from tests.graph.rules_model import RulesModel
from tests.graph.world import ONE_BY_ONE, GraphWorld, Trigrams
from tests.waiting import PATIENCE_SECONDS

TEXT = "\n\n".join(
    f"## Year {n}\n\n{a} met {b} in year {n}. {b} wrote to {a}."
    for n, (a, b) in enumerate(
        [("Ana Bell", "Bo Carter"), ("Ana", "Carter"), ("Bell", "Cora Dunn"), ("Ana", "Dunn")]
    )
)


async def built(store, name="keeper", settings=ONE_BY_ONE, **told) -> GraphWorld:
    made = await GraphWorld(store, name, settings=settings, **told).create()
    await made.put("one.md", TEXT)
    return made


class Ending(RulesModel):
    """Fails for good at a prompt, while other calls are out; answers everything before."""

    def __init__(self, prompt: str, error: Exception) -> None:
        super().__init__()
        self.prompt, self.error = prompt, error

    async def complete(self, request):
        note_call()
        if request.origin[0].name == self.prompt:
            raise self.error
        await asyncio.sleep(0.01)
        return await super().complete(request)


def questions(model: RulesModel) -> list[tuple[Message, ...]]:
    return [request.messages for request in model.asked]


@pytest.mark.parametrize("error", [ModelError("gone"), BudgetReached("used up")])
@pytest.mark.parametrize(
    ("prompt", "settings"),
    [
        ("same_entity", ONE_BY_ONE),
        ("verify_group", ONE_BY_ONE),
        ("merge_entities", ONE_BY_ONE),
        ("who_is_who", {}),
        ("merge_entities", {}),
    ],
)
async def test_after_an_end_in_mid_run_nothing_answered_is_asked_again(
    sqlite_store, prompt, settings, error
):
    broken = Ending(prompt, error)
    made = await GraphWorld(sqlite_store, model=broken, settings=settings).create()
    with pytest.raises(type(error)):
        await made.put("one.md", TEXT)
    assert prompt not in broken.calls
    made.model = RulesModel()
    await made.build()
    assert not set(questions(broken)) & set(questions(made.model))
    whole = await built(sqlite_store, "undisturbed", settings)
    assert await made.picture() == await whole.picture()
    # A model's answers are the same whether the run was broken off or not.
    assert len(broken.asked) + len(made.model.asked) == len(whole.model.asked)


async def test_what_stays_open_is_told_and_asked_again(sqlite_store):
    def fail(request: ChatRequest) -> None:
        if request.origin and request.origin[0].name == "merge_entities":
            raise InvalidAnswer("nonsense")

    made = await GraphWorld(sqlite_store, model=RulesModel(fail), settings=ONE_BY_ONE).create()
    await made.put("one.md", TEXT)
    found = await made.store.read(lambda c: jobs.list_jobs(c, made.character, kind=jobs.GRAPH))
    assert found
    assert all(job.status == "quarantined" and "nonsense" in job.error for job in found)
    assert (await made.graph()).entities, "what was found is there, its descriptions side by side"
    made.model = RulesModel()
    await made.build()
    assert set(made.model.calls) == {"merge_entities"}
    assert not await made.store.read(lambda c: jobs.list_jobs(c, made.character, kind=jobs.GRAPH))
    whole = await built(sqlite_store, "undisturbed")
    assert await made.picture() == await whole.picture()


async def test_a_graph_whose_relations_are_not_merged_is_not_finished(sqlite_store):
    def stop(request: ChatRequest) -> None:
        if request.origin and request.origin[0].name == "merge_relations":
            raise BudgetReached("enough", "raise it")

    made = await GraphWorld(sqlite_store, model=RulesModel(stop), settings=ONE_BY_ONE).create()
    twice = TEXT + "\n\n" + TEXT.replace("met", "saw")
    for _ in range(2):
        with pytest.raises(BudgetReached):
            await made.put("one.md", twice)
        with pytest.raises(IndexMissing, match="not finished"):
            await made.store.read(lambda c: check_graph(c, characters.require(c, made.character)))
    made.model = RulesModel()
    await made.build()
    await made.store.read(lambda c: check_graph(c, characters.require(c, made.character)))


async def test_another_embedder_is_refused_before_the_first_call(sqlite_store, monkeypatch):
    made = await built(sqlite_store)
    made.model = RulesModel()
    monkeypatch.setattr(Trigrams, "name", "another")
    with pytest.raises(EmbedderMismatch):
        await GraphBuilding(made.runtime, made.character, unheard).run()
    assert made.model.calls == {}


async def test_who_is_mentioned_once_has_the_vector_of_the_mention(sqlite_store, monkeypatch):
    embedded: list[str] = []
    embed = Trigrams.embed

    async def counted(self, texts, kind):
        embedded.extend(texts)
        return await embed(self, texts, kind)

    monkeypatch.setattr(Trigrams, "embed", counted)
    made = await built(sqlite_store)
    assert len(embedded) == len(set(embedded)), "no text is embedded twice"
    ids, _ = await made.store.read(lambda c: vectors.load_matrix(c, made.character, "entity"))
    assert set(ids) == {entity.id for entity in (await made.graph()).entities}


async def test_the_summary_is_told_what_the_mentions_say_of_the_character(sqlite_store):
    made = await GraphWorld(sqlite_store, "Ana Bell").create()
    made.character = "ana-bell"
    await made.put("one.md", TEXT)
    told: list[str] = []

    async def write_summary(described: Awaitable[str]) -> None:
        told.append(await described)

    building = GraphBuilding(made.runtime, made.character, unheard)
    await run_all([building.run, partial(write_summary, building.described)])
    (described,) = told
    assert "met Bo Carter in year 0" in described


async def test_a_failure_ends_a_summary_that_waits_for_the_groups(sqlite_store):
    def fail(request: ChatRequest) -> None:
        raise ModelError("the key is refused", "set another")

    made = await GraphWorld(sqlite_store, model=RulesModel(fail)).create()
    waiting = asyncio.Event()

    async def write_summary(described: Awaitable[str]) -> None:
        waiting.set()
        await described

    with pytest.raises(ModelError, match="refused"):
        await made.put("one.md", TEXT)
    building = GraphBuilding(made.runtime, made.character, unheard)
    async with asyncio.timeout(PATIENCE_SECONDS):
        with pytest.raises(ModelError, match="refused"):
            await run_all([building.run, partial(write_summary, building.described)])
    assert waiting.is_set()


async def test_the_calls_of_a_stage_are_out_together(sqlite_store):
    model = RulesModel()
    await built(sqlite_store, model=model)
    assert model.peak >= 4, "all chunks at once"
