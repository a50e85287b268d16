"""The queue of a server: ingestions and jobs of evaluations are done once, and none is lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from offbook.protocols import Store
from offbook.stores import characters, documents, evaluations, queue
from offbook.stores.leases import STALE_SECONDS, Owner
from offbook.stores.queue import EVALUATIONS, INGESTIONS, Claim
from offbook.types import Document

ONE, OTHER = Owner("one", "here", 1), Owner("other", "there", 2)
ASKED: dict[str, Any] = {"documents": [{"name": "a", "text": "b"}]}
KINDS = *INGESTIONS, *EVALUATIONS


@pytest.fixture(params=["ingestion", "run"])
async def tasks(request: pytest.FixtureRequest, store: Store) -> Tasks:
    """A queue, once of ingestions and once of evaluations."""
    await store.write(characters.create, "Ada")
    return Tasks(store, request.param)


class Tasks:
    """A queue of one kind."""

    def __init__(self, store: Store, kind: queue.TaskKind = "ingestion") -> None:
        self.store, self.kind = store, kind

    async def add(self, *ids: str, character: str = "ada") -> None:
        """Queue tasks."""
        of_character = character if self.kind == "ingestion" else None
        for name in ids:
            await self.store.write(queue.add, name, self.kind, ASKED, character=of_character)

    async def claim(self, owner: Owner = ONE) -> Claim:
        """Claim one that there is."""
        claimed = await self.store.write(queue.claim, KINDS, owner)
        assert claimed is not None
        return claimed

    async def none_for(self, owner: Owner) -> bool:
        """Tell whether there is none to claim."""
        return await self.store.write(queue.claim, KINDS, owner) is None

    async def get(self, name: str) -> queue.Ingestion | queue.EvaluationJob:
        """Look at one that there is."""
        return next(task for task in await self.listed() if task.id == name)

    async def listed(self) -> list[queue.Ingestion | queue.EvaluationJob]:
        """List all."""
        return [
            *await self.store.read(queue.list_ingestions, "ada"),
            *await self.store.read(queue.list_jobs),
        ]

    async def status(self, name: str) -> tuple[str, bool]:
        """Look how far one is, and whether it has ended."""
        task = await self.get(name)
        return task.status, task.has_ended

    async def requests(self) -> list[object]:
        """The requests that are still kept."""
        rows = await self.store.read(lambda c: c.exec_driver_sql("SELECT request FROM tasks").all())
        return [row.request for row in rows if row.request is not None]


async def test_the_oldest_comes_first_and_one_of_a_character_at_a_time(tasks: Tasks):
    await tasks.store.write(characters.create, "Eve")
    await tasks.add("1", "2")
    await tasks.add("3", character="eve")
    first, second = await tasks.claim(), await tasks.claim(OTHER)
    assert (first.id, first.request, first.run) == ("1", ASKED, None)
    assert second.id == ("3" if tasks.kind == "ingestion" else "2")


async def test_one_without_a_heartbeat_is_claimed_by_another_and_lost_to_the_first(tasks, clock):
    await tasks.add("1")
    claimed = await tasks.claim()
    assert await tasks.none_for(OTHER)
    clock.now += STALE_SECONDS + 1
    assert await tasks.claim(OTHER) == claimed
    assert not await tasks.store.write(queue.heartbeat, claimed, ONE)
    await tasks.store.write(queue.finish, claimed, ONE, "failed", {}, error={"kind": "x"})
    assert await tasks.status("1") == ("running", False)


async def test_one_whose_process_on_this_machine_is_gone_is_claimed_at_once(tasks, alive):
    await tasks.add("1")
    claimed = await tasks.claim()
    near = Owner("near", "here", 3)
    assert await tasks.none_for(near)
    alive(answer=False)
    assert await tasks.claim(near) == claimed


async def test_ones_own_are_claimed_again_unless_they_are_in_hand(tasks, clock):
    await tasks.add("1")
    claimed = await tasks.claim()
    clock.now += STALE_SECONDS + 1
    assert await tasks.store.write(queue.claim, KINDS, ONE, in_hand={"1"}) is None
    assert await tasks.store.write(queue.claim, KINDS, ONE, in_hand={"2"}) == claimed


async def test_an_end_leaves_the_report_and_drops_what_was_asked(tasks: Tasks):
    await tasks.add("1", "2")
    claimed = await tasks.claim()
    assert await tasks.store.write(queue.heartbeat, claimed, ONE, progress={"stages": [1]})
    assert (await tasks.get("1")).progress == {"stages": [1]}
    await tasks.store.write(queue.finish, claimed, ONE, "done", {"stages": []}, report={"n": 1})
    ended = await tasks.get("1")
    assert (ended.status, ended.report, ended.has_ended) == ("done", {"n": 1}, True)
    assert await tasks.store.read(queue.is_waiting, KINDS)
    assert len(await tasks.requests()) == 1
    for name in ("1", "none"):
        assert not await tasks.store.write(queue.cancel, name)
    assert await tasks.get("1") == ended


async def test_one_that_is_released_is_claimed_again_with_what_it_cost(tasks: Tasks):
    await tasks.add("1")
    claimed = await tasks.claim()
    assert await tasks.store.write(queue.heartbeat, claimed, ONE, usage={"calls": 1})
    await tasks.store.write(queue.release, claimed, ONE, usage={"calls": 2})
    assert await tasks.claim(OTHER) == replace(claimed, usage={"calls": 2})


async def test_of_those_that_have_ended_the_latest_are_kept(tasks: Tasks, monkeypatch):
    monkeypatch.setattr(queue, "KEPT", 2)
    for name in "abcd":
        await tasks.add(name)
        claimed = await tasks.claim()
        await tasks.store.write(queue.finish, claimed, ONE, "done", {}, report={})
    await tasks.add("e")
    assert [task.id for task in await tasks.listed()] == ["e", "d", "c"]


async def test_one_that_waits_is_cancelled_at_once_and_never_claimed(tasks: Tasks):
    await tasks.add("1")
    assert await tasks.store.write(queue.cancel, "1")
    assert await tasks.status("1") == ("cancelled", True)
    assert await tasks.none_for(ONE)
    assert not await tasks.store.read(queue.is_waiting, KINDS)
    assert await tasks.requests() == []


async def test_one_that_goes_on_is_cancelled_by_whoever_works_on_it(tasks: Tasks):
    await tasks.add("1")
    claimed = await tasks.claim()
    assert not await tasks.store.read(queue.is_cancelled, "1")
    assert await tasks.store.write(queue.cancel, "1")
    assert await tasks.store.read(queue.is_cancelled, "1")
    assert await tasks.store.write(queue.heartbeat, claimed, ONE)
    await tasks.store.write(queue.finish, claimed, ONE, "cancelled", {})
    assert await tasks.status("1") == ("cancelled", True)


@pytest.mark.parametrize("is_released", [True, False], ids=["released", "killed"])
async def test_one_that_was_cancelled_is_not_gone_on_with(tasks, clock, is_released: bool):
    await tasks.add("1", "2")
    claimed = await tasks.claim()
    assert await tasks.store.write(queue.cancel, "1")
    if is_released:
        await tasks.store.write(queue.release, claimed, ONE)
    clock.now += STALE_SECONDS + 1
    assert (await tasks.claim(OTHER)).id == "2"
    assert await tasks.status("1") == ("cancelled", True)
    assert len(await tasks.requests()) == 1


async def test_ingestions_go_with_their_character(store: Store):
    await store.write(characters.create, "Ada")
    await Tasks(store).add("1")
    await store.write(characters.remove, "ada")
    assert not await store.read(queue.is_waiting, KINDS)


async def test_jobs_know_their_run_and_go_with_it(store: Store):
    tasks = Tasks(store, "run")
    row = evaluations.StoredRun("demo-1", "demo", "now", "running", 1, {}, {}, {})
    await store.write(evaluations.add_run, row)
    await tasks.add("1", "2")
    claimed = await tasks.claim()
    await store.write(queue.heartbeat, claimed, ONE, run="demo-1")
    await store.write(queue.release, claimed, ONE)
    assert (await tasks.claim(OTHER)).run == "demo-1"
    await store.write(evaluations.remove_run, "demo-1")
    assert [job.id for job in await store.read(queue.list_jobs)] == ["2"]
    assert await store.read(queue.is_cancelled, "1")


async def test_what_the_documents_of_an_ingestion_were_outlives_a_stop(store: Store):
    await store.write(characters.create, "Ada")
    await Tasks(store).add("1")
    old = Document("a", "a", "old", "digest of old", added="now")
    await store.write(documents.put, "ada", old)
    claimed = await Tasks(store).claim()
    assert (claimed.known, claimed.usage) == ({"a": "digest of old"}, {})
    await store.write(documents.put, "ada", replace(old, text="b", digest="digest of b"))
    await store.write(queue.release, claimed, ONE)
    assert await Tasks(store).claim(OTHER) == claimed
    assert await store.read(queue.digests, "ada", "ab") == {"a": "digest of b"}


QUOTING = {"documents": [{"id": "a", "messages": ["put aside: 'She was born.'"]}], "entities": 2}
QUOTES_NOTHING = {"documents": [{"id": "a", "messages": []}], "entities": 2}


async def test_what_an_ingestion_says_of_a_document_goes_with_it(store: Store):
    await store.write(characters.create, "Ada")
    tasks = Tasks(store)
    await tasks.add("1", "2", "3")
    await store.write(documents.put, "ada", Document("a", "a", "She was born.", "d"))
    await store.write(queue.finish, await tasks.claim(), ONE, "done", {}, report=QUOTING)
    error = {"message": "She was."}
    await store.write(queue.finish, await tasks.claim(), ONE, "failed", {}, error=error)
    await store.write(documents.remove, "ada", "a")
    # The third ends when its document is gone.
    await store.write(queue.finish, await tasks.claim(), ONE, "done", {}, report=QUOTING)
    left = [await tasks.get(name) for name in "123"]
    assert [task.report for task in left] == [QUOTES_NOTHING, None, QUOTES_NOTHING]
    assert left[1].error == {"message": queue.FORGOTTEN, "hint": ""}
