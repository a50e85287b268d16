"""Memories that wait are scored and embedded; what is refused is put aside, and alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import numpy as np
import pytest

from offbook.errors import InputRefused
from offbook.ingestion.embedding import MEMORY_CHARS, memory_text, reembed
from offbook.ingestion.memories import (
    ATTEMPTS,
    LONGEST_REST,
    Remembering,
    asked_of,
    waiting,
)
from offbook.ingestion.reports import Progress, unheard
from offbook.protocols import Store
from offbook.rules import OfflineModel
from offbook.runtime import Runtime
from offbook.settings import SettingsModel
from offbook.stores import characters, jobs, memories, vectors
from offbook.types import Character, MemoryFragment
from tests.ingestion.runtime import Embedding, vector_of
from tests.stores.colliding import Colliding


@pytest.fixture
async def ada(sqlite_store: Store) -> Character:
    return await sqlite_store.write(lambda conn: characters.create(conn, "Ada"))


def stage_of(store: Store, embedder: Embedding) -> Runtime:
    model: Any = OfflineModel()
    settings = SettingsModel.model_validate({"memory": {"batch": 4}, "embed": {"batch": 4}})
    return Runtime(settings, store, model, model, model, embedder)


async def stored(store: Store, *names: str) -> list[str]:
    def work(conn):
        made = [MemoryFragment(name, f"{name}?", f"I hate {name}!") for name in names]
        new = memories.add(conn, "ada", made)
        jobs.enqueue(conn, "ada", jobs.REMEMBER, new)
        return new

    found: list[str] = await store.write(work)
    return found


def refuse(word: str):
    def look(texts):
        if any(word in text for text in texts):
            raise InputRefused(f"{word} is refused")

    return look


async def test_what_waits_is_scored_and_embedded_and_told(sqlite_store: Store, ada):
    ids = await stored(sqlite_store, *(f"m{n}" for n in range(10)))
    told: list[Progress] = []
    run = Remembering(stage_of(sqlite_store, Embedding()), ada, told.append)
    await run.run(await sqlite_store.read(lambda conn: waiting(conn, "ada")))
    assert (run.made, run.embedded, run.failed) == (10, 10, {})
    assert {event.stage for event in told} == {"scoring memories", "embedding memories"}
    assert all(event.total == 10 for event in told)
    found = await sqlite_store.read(lambda conn: memories.list_memories(conn, "ada"))
    assert all(fragment.emotion for fragment in found)
    kept, matrix = await sqlite_store.read(lambda c: vectors.load_matrix(c, "ada", "memory"))
    rows = {name: vector_of(f"{name}?\nI hate {name}!") for name in ids}
    np.testing.assert_array_equal(matrix, np.stack([rows[name] for name in kept]))
    assert await sqlite_store.read(lambda conn: jobs.list_jobs(conn, "ada")) == []


async def test_what_is_stored_at_the_second_attempt_counts_once(sqlite_store: Store, ada):
    ids = await stored(sqlite_store, *(f"m{n}" for n in range(10)))
    colliding: Any = Colliding(sqlite_store)
    run = Remembering(stage_of(colliding, Embedding()), ada)
    await run.run(ids)
    assert (run.made, run.embedded) == (10, 10)


async def test_a_refused_memory_is_alone_and_no_document_s_fault(sqlite_store: Store, ada):
    await stored(sqlite_store, *(f"m{n}" for n in range(6)), "poison")
    run = Remembering(stage_of(sqlite_store, Embedding(refuse("poison"))), ada)
    for attempt in range(ATTEMPTS):
        ids = await sqlite_store.read(lambda conn: waiting(conn, "ada"))
        assert "poison" in ids
        await run.run(ids)
        assert run.failed == {"poison": "it has no vector: poison is refused"}
        assert run.embedded == 6, attempt
    assert await sqlite_store.read(lambda conn: waiting(conn, "ada")) == []
    for hours, due in ((0.9, []), (1.1, ["poison"]), (-1, ["poison"])):
        later = datetime.now(UTC) + timedelta(hours=hours)
        assert await sqlite_store.read(partial(waiting, character="ada", now=later)) == due
    await sqlite_store.write(
        lambda conn: memories.add(conn, "ada", [MemoryFragment("m", "Who?", "I.")])
    )
    every = await sqlite_store.read(lambda conn: waiting(conn, "ada", every=True))
    assert every == ["poison", "m"], "also what came without a note"


async def tried(store: Store, times: int, name: str = "offline") -> Remembering:
    """A memory that cannot be embedded, tried so often."""
    await stored(store, "poison")
    ada = await store.read(lambda conn: characters.require(conn, "ada"))
    embedder = Embedding(refuse("poison"), name=name)
    run = Remembering(stage_of(store, embedder), ada)
    for _ in range(times):
        await run.run(["poison"])
    return run


async def test_rests_get_longer_and_never_longer_than_a_day(sqlite_store: Store, ada):
    await tried(sqlite_store, ATTEMPTS + 3)
    for hours, due in ((7.9, []), (8.1, ["poison"])):
        later = datetime.now(UTC) + timedelta(hours=hours)
        assert await sqlite_store.read(partial(waiting, character="ada", now=later)) == due
    await tried(sqlite_store, 20)
    later = datetime.now(UTC) + LONGEST_REST + timedelta(minutes=1)
    assert await sqlite_store.read(lambda c: waiting(c, "ada", now=later)) == ["poison"]


async def test_what_one_model_failed_at_another_is_asked_at_once(sqlite_store: Store, ada):
    run = await tried(sqlite_store, ATTEMPTS, "one")
    same, other = asked_of(run.runtime), asked_of(stage_of(sqlite_store, Embedding(name="other")))
    assert await sqlite_store.read(lambda c: waiting(c, "ada", models=same)) == []
    assert await sqlite_store.read(lambda c: waiting(c, "ada", models=other)) == ["poison"]


async def test_a_memory_that_is_forgotten_meanwhile_is_let_go(sqlite_store: Store, ada):
    ids = await stored(sqlite_store, "a", "b")
    await sqlite_store.write(lambda conn: memories.remove(conn, "ada", ["a"]))
    await sqlite_store.write(lambda conn: jobs.enqueue(conn, "ada", jobs.REMEMBER, ["a"]))
    run = Remembering(stage_of(sqlite_store, Embedding()), ada)
    await run.run(ids)
    assert (run.made, run.embedded) == (1, 1)
    assert await sqlite_store.read(lambda conn: jobs.list_jobs(conn, "ada")) == []


async def test_reembedding_takes_memories_along(sqlite_store: Store, ada):
    await stored(sqlite_store, "a", "b", "poison")
    run = Remembering(stage_of(sqlite_store, Embedding()), ada)
    await run.run(["a", "b", "poison"])
    other = Embedding(refuse("poison"), name="other")
    made = await reembed(stage_of(sqlite_store, other), "ada", unheard)
    assert made.made == 2
    kept, _ = await sqlite_store.read(lambda c: vectors.load_matrix(c, "ada", "memory"))
    assert kept == ["a", "b"]


class Forgetful(Embedding):
    """An embedder that forgets a memory before it answers with its vector."""

    def __init__(self, store: Store, memory: str) -> None:
        super().__init__(name="other")
        self.store, self.memory = store, memory

    async def embed(self, texts: Any, kind: Any) -> Any:
        if any(text.startswith(self.memory) for text in texts):
            await self.store.write(lambda conn: memories.remove(conn, "ada", [self.memory]))
        return await super().embed(texts, kind)


async def test_a_memory_that_is_forgotten_while_vectors_are_made_anew_gets_none(
    sqlite_store: Store, ada
):
    await stored(sqlite_store, "a", "b")
    await Remembering(stage_of(sqlite_store, Embedding()), ada).run(["a", "b"])
    slow = Forgetful(sqlite_store, "b")
    await reembed(stage_of(sqlite_store, slow), "ada", unheard)
    assert ["a?\nI hate a!", "b?\nI hate b!"] in slow.requests
    kept, _ = await sqlite_store.read(lambda c: vectors.load_matrix(c, "ada", "memory"))
    assert kept == ["a"]


class Overheard(Embedding):
    """An embedder in whose time another process finishes turns, two of them."""

    def __init__(self, store: Store, ada: Character) -> None:
        super().__init__(name="other")
        self.store, self.ada, self.left = store, ada, ["late", "later"]

    async def embed(self, texts: Any, kind: Any) -> Any:
        if self.left and "?" in texts[0]:
            name = self.left.pop(0)
            await stored(self.store, name)
            await Remembering(stage_of(self.store, Embedding()), self.ada).run([name])
        return await super().embed(texts, kind)


async def test_turns_that_finish_while_vectors_are_made_anew_are_taken_along(
    sqlite_store: Store, ada
):
    await stored(sqlite_store, "a")
    await Remembering(stage_of(sqlite_store, Embedding()), ada).run(["a"])
    made = await reembed(stage_of(sqlite_store, Overheard(sqlite_store, ada)), "ada", unheard)
    assert made.made == 3
    kept, _ = await sqlite_store.read(lambda c: vectors.load_matrix(c, "ada", "memory"))
    assert set(kept) == {"a", "late", "later"}


@pytest.mark.parametrize(("said", "answered"), [(10, 10), (9_000, 10), (10, 9_000), (9_000, 9_000)])
def test_a_pair_is_cut_to_what_an_embedder_takes(said, answered):
    text = memory_text("s" * said, "a" * answered)
    assert len(text) <= MEMORY_CHARS + 1
    assert text.count("s") >= min(said, MEMORY_CHARS // 2)
    assert text.count("a") >= min(answered, MEMORY_CHARS // 2)
