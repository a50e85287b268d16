"""Embedding: resumable at every call, as fast as allowed, and nothing lost after a failure."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbook.errors import BudgetReached, EmbedderMismatch, InputRefused, ModelError
from offbook.ingestion.embedding import Filled, embed_chunks, reembed
from offbook.ingestion.reports import Progress, unheard
from offbook.protocols import Store
from offbook.runtime import Runtime
from offbook.settings import SettingsModel
from offbook.stores import characters, chunks, jobs, vectors
from offbook.stores.connection import open_store, sqlite_url
from tests.ingestion.runtime import Embedding, read, sections, stored, vector_of, vectors_in

HARMLESS = "The boats rose and fell."


def runtime_of(store: Store, embedder: Embedding, batch: int, concurrency: int) -> Runtime:
    nobody: Any = None
    sections = {"embed": {"batch": batch}, "limits": {"concurrency": concurrency}}
    settings = SettingsModel.model_validate(sections)
    return Runtime(settings, store, nobody, nobody, nobody, embedder)


async def embedded(
    store: Store,
    embedder: Embedding,
    batch: int = 1,
    concurrency: int = 4,
    events: list[Progress] | None = None,
) -> Filled:
    listen = unheard if events is None else events.append
    runtime = runtime_of(store, embedder, batch, concurrency)
    return await embed_chunks(runtime, "keeper", ["markdown"], listen)


def failing_at(*calls: int, error: Exception) -> Callable[[Sequence[str]], None]:
    """Raise ``error`` at these calls, counted from 0."""
    seen = iter(range(1_000_000))

    def fail(texts: Sequence[str]) -> None:
        if next(seen) in calls:
            raise error

    return fail


async def right(store: Store) -> bool:
    """Whether every chunk has its vector."""
    found = await store.read(lambda conn: chunks.list_chunks(conn, "keeper"))
    made = await vectors_in(store)
    return all(np.array_equal(made[c.id], vector_of(c.text_with_headings)) for c in found)


async def test_every_chunk_gets_its_vector_and_progress_is_told(kept):
    await stored(kept, read("a.md", sections(10)))
    events: list[Progress] = []
    embedder = Embedding()
    made = await embedded(kept, embedder, batch=3, events=events)
    assert (made.made, made.refused, len(embedder.requests)) == (10, {}, 4)
    assert await right(kept)
    assert await embedded(kept, embedder) == (0, {}), "nothing is left to do"
    assert len(embedder.requests) == 4
    assert events[-1] == Progress("embedding", 10, 10)
    assert [event.done for event in events] == sorted(event.done for event in events)


@pytest.mark.parametrize(("batch", "concurrency"), [(1, 3), (2, 2), (5, 16)])
async def test_as_many_calls_side_by_side_as_allowed(kept, batch, concurrency):
    await stored(kept, read("a.md", sections(12)))
    embedder = Embedding()
    await embedded(kept, embedder, batch, concurrency)
    assert embedder.peak == min(concurrency, -(-12 // batch))
    assert await right(kept)


@pytest.mark.parametrize("error", [ModelError("down"), BudgetReached("spent")])
async def test_after_a_failure_no_call_is_made_and_those_that_are_out_are_kept(kept, error):
    await stored(kept, read("a.md", sections(12)))
    embedder = Embedding(failing_at(1, error=error))
    with pytest.raises(type(error)):
        await embedded(kept, embedder, 1, 4)
    assert len(embedder.requests) <= 5
    assert len(await vectors_in(kept)) == len(embedder.requests) - 1
    rest = Embedding()
    await embedded(kept, rest)
    assert await right(kept)
    assert len(rest.requests) == 12 - len(embedder.requests) + 1


async def test_a_cancelled_run_leaves_no_call_behind(kept):
    await stored(kept, read("a.md", sections(6)))
    embedder = Embedding()
    embedder.gate = asyncio.Event()
    working = asyncio.create_task(embedded(kept, embedder, 1, 3))
    while embedder.in_flight < 3:
        await asyncio.sleep(0)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert (embedder.in_flight, len(embedder.requests)) == (0, 3)
    await embedded(kept, Embedding())
    assert await right(kept)


async def test_another_embedder_is_refused_before_it_is_asked(kept):
    await stored(kept, read("a.md", sections(2)))
    await embedded(kept, Embedding())
    other = Embedding(name="other")
    with pytest.raises(EmbedderMismatch) as caught:
        await embedded(kept, other)
    assert "offbook reembed keeper" in caught.value.hint
    assert other.requests == []


def refusing(marked: set[str]) -> Callable[[Sequence[str]], None]:
    """Refuse each request with one of these texts in it."""

    def fail(texts: Sequence[str]) -> None:
        if marked & set(texts):
            raise InputRefused("too long", "shorten it")

    return fail


@settings(max_examples=12)
@given(st.sets(st.integers(0, 10)), st.integers(1, 7), st.integers(1, 4))
def test_exactly_the_refused_chunks_are_put_aside(refused, batch, concurrency):
    async def law() -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = await open_store(sqlite_url(Path(folder) / "offbook.db"))
            try:
                await store.write(lambda conn: characters.create(conn, "Keeper"))
                await stored(store, read("a.md", sections(11)))
                every = await store.read(lambda conn: chunks.list_chunks(conn, "keeper"))
                bad = {every[n].text_with_headings for n in refused}
                made = await embedded(store, Embedding(refusing(bad)), batch, concurrency)
                aside = await store.read(
                    lambda conn: jobs.list_jobs(conn, "keeper", statuses={"quarantined"})
                )
                expected = {every[n].id for n in refused}
                assert {job.subject for job in aside} == set(made.refused) == expected
                assert {job.error for job in aside} <= {"too long"}
                assert set(await vectors_in(store)) == {c.id for c in every} - expected
                assert made.made == 11 - len(refused)
                rest = Embedding()
                await embedded(store, rest, batch, concurrency)
                asked = [text for request in rest.requests for text in request]
                assert sorted(asked) == sorted(bad)
                assert await right(store)
            finally:
                await store.close()

    asyncio.run(law())


async def test_where_everything_is_refused_the_endpoint_is_at_fault(kept):
    await stored(kept, read("a.md", sections(8)))
    embedder = Embedding(failing_at(*range(1_000), error=InputRefused("no", "check it")))
    with pytest.raises(ModelError) as caught:
        await embedded(kept, embedder, 8, 1)
    assert not isinstance(caught.value, InputRefused)
    assert (caught.value.message, caught.value.hint) == ("no", "check it")
    assert [HARMLESS] in embedder.requests
    assert len(embedder.requests) <= 5
    assert not await kept.read(
        lambda conn: jobs.list_jobs(conn, "keeper", statuses={"quarantined"})
    )


async def test_reembedding_is_taken_up_where_it_stopped(kept):
    await stored(kept, read("a.md", sections(9)))
    await embedded(kept, Embedding())
    stopped = Embedding(failing_at(4, error=ModelError("down")), name="new")
    with pytest.raises(ModelError):
        await reembed(runtime_of(kept, stopped, 1, 1), "keeper", unheard)
    assert (await kept.read(lambda conn: vectors.active_set(conn, "keeper"))).embedder == "e"
    assert await right(kept)
    rest = Embedding(name="new")
    made = await reembed(runtime_of(kept, rest, 1, 1), "keeper", unheard)
    assert made.made == 9 - 3
    sets = await kept.read(lambda conn: vectors.list_sets(conn, "keeper"))
    assert [(item.embedder, item.status, item.active) for item in sets] == [
        ("new", "complete", True)
    ]
    assert await right(kept)
