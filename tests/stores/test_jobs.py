from __future__ import annotations

from functools import partial

from offbook.protocols import Store
from offbook.stores import characters, documents, jobs
from tests.stores import data


async def build(store: Store) -> None:
    await store.write(characters.create, "Ada")
    for name in "de":
        await store.write(documents.put, character="ada", document=data.document(name, name))
    add = partial(jobs.enqueue, character="ada", kind="extract")
    await store.write(add, subjects=["1", "2"], document="d")
    await store.write(add, subjects=["3"], document="e")


async def status(store: Store) -> dict[str, str]:
    everything = {*jobs.OPEN, "done"}
    found = await store.read(jobs.list_jobs, character="ada", statuses=everything)
    return {job.subject: job.status for job in found}


async def test_enqueueing_again_changes_nothing(store: Store):
    await build(store)
    await store.write(jobs.finish, "ada", "extract", ["1"])
    add = partial(jobs.enqueue, character="ada", kind="extract", document="d")
    await store.write(add, subjects=["1", "2", "4"])
    await store.write(add, subjects=[])
    assert await status(store) == {"1": "done", "2": "pending", "3": "pending", "4": "pending"}


async def test_a_failed_job_keeps_its_reason_until_it_is_done(store: Store):
    await build(store)
    await store.write(jobs.start, "ada", "extract", ["1"])
    await store.write(jobs.quarantine, "ada", "extract", ["1"], "no\0 JSON")
    (failed,) = await store.read(jobs.list_jobs, "ada", statuses=["quarantined"])
    assert (failed.attempts, failed.error, failed.document) == (1, "no\ufffd JSON", "d")
    await store.write(jobs.start, "ada", "extract", ["1"])
    await store.write(jobs.finish, "ada", "extract", ["1"])
    (done,) = await store.read(jobs.list_jobs, "ada", statuses=["done"])
    assert (done.attempts, done.error) == (2, "")


async def test_jobs_go_with_their_document(store: Store):
    await build(store)
    await store.write(documents.remove, "ada", "d")
    assert await status(store) == {"3": "pending"}
