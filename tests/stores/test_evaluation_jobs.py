from __future__ import annotations

import pytest

from offbook.protocols import Store
from offbook.stores import evaluation_jobs as jobs
from offbook.stores.leases import Owner

ONE, OTHER = Owner("one", "here", 1), Owner("other", "there", 2)
ASKED = {"benchmark": "demo"}


async def queue(store: Store, *ids: str) -> None:
    for name in ids:
        await store.write(lambda c, n=name: jobs.add(c, n, "run", ASKED))  # type: ignore[misc]


async def test_each_job_is_taken_once_oldest_first(store: Store):
    await queue(store, "1", "2")
    first = await store.write(lambda c: jobs.take(c, ONE, now=0.0))
    second = await store.write(lambda c: jobs.take(c, OTHER, now=0.0, is_alive=lambda p: True))
    assert first == jobs.TakenJob("1", "run", ASKED, None)
    assert second is not None
    assert second.id == "2"
    assert await store.write(lambda c: jobs.take(c, OTHER, now=0.0)) is None


async def test_one_that_gives_no_sign_is_taken_by_another_with_its_run(store: Store, run: str):
    await queue(store, "1")
    taken = await store.write(lambda c: jobs.take(c, ONE, now=0.0))
    assert taken is not None
    assert await store.write(lambda c: jobs.give_sign(c, taken, ONE, {"stages": []}, run)) is True
    again = await store.write(lambda c: jobs.take(c, OTHER, now=9e12))
    assert again == jobs.TakenJob("1", "run", ASKED, run)
    # What the first still says counts no more.
    assert await store.write(lambda c: jobs.give_sign(c, taken, ONE, {"stages": [1]})) is False
    await store.write(lambda c: jobs.finish(c, taken, ONE, "failed", {}, error={"kind": "x"}))
    found = await store.read(lambda c: jobs.get(c, "1"))
    assert found is not None
    assert (found.status, found.error) == ("running", None)


@pytest.mark.parametrize("is_given_back", [True, False], ids=["given back", "killed"])
async def test_one_that_was_cancelled_is_not_taken_up_again(store: Store, is_given_back):
    await queue(store, "1", "2")
    taken = await store.write(lambda c: jobs.take(c, ONE, now=0.0))
    assert taken is not None
    assert await store.write(lambda c: jobs.cancel(c, "1"))
    if is_given_back:
        await store.write(lambda c: jobs.give_back(c, taken, ONE))
    other = await store.write(lambda c: jobs.take(c, OTHER, now=9e12))
    assert other is not None
    assert other.id == "2"
    found = await store.read(lambda c: jobs.get(c, "1"))
    assert found is not None
    assert (found.status, found.has_ended) == ("cancelled", True)


async def test_ones_own_are_taken_again_unless_they_are_in_hand_or_gave_a_sign(store: Store):
    await queue(store, "1")
    taken = await store.write(lambda c: jobs.take(c, ONE, now=0.0))
    at = 61.0
    assert await store.write(lambda c: jobs.take(c, ONE, in_hand={"1"}, now=at)) is None
    early = await store.write(lambda c: jobs.take(c, ONE, now=at - 2, is_alive=lambda p: True))
    assert early is None
    assert await store.write(lambda c: jobs.take(c, ONE, in_hand={"2"}, now=at)) == taken


@pytest.fixture
async def run(store: Store) -> str:
    """The id of a stored run."""
    from offbook.stores import evaluations

    row = evaluations.StoredRun("demo-1", "demo", "now", "running", 1, {}, {}, {})
    await store.write(lambda c: evaluations.add_run(c, row))
    return row.id


async def test_jobs_of_a_run_go_with_it(store: Store, run: str):
    from offbook.stores import evaluations

    await store.write(lambda c: jobs.add(c, "1", "score", {"run": run}, run))
    await queue(store, "2")
    await store.write(lambda c: evaluations.remove_run(c, run))
    assert [row.id for row in await store.read(jobs.list_all)] == ["2"]
    assert await store.read(lambda c: jobs.is_cancelled(c, "1"))


async def test_a_queued_job_is_cancelled_at_once_and_a_running_one_is_asked_to_end(store: Store):
    await queue(store, "1", "2")
    taken = await store.write(lambda c: jobs.take(c, ONE))
    assert taken is not None
    assert await store.write(lambda c: jobs.cancel(c, "1"))
    assert await store.read(lambda c: jobs.is_cancelled(c, "1"))
    assert await store.write(lambda c: jobs.cancel(c, "2"))
    found = await store.read(lambda c: jobs.get(c, "2"))
    assert found is not None
    assert (found.status, found.has_ended) == ("cancelled", True)
    assert await store.write(lambda c: jobs.take(c, OTHER, is_alive=lambda p: True)) is None
    await store.write(lambda c: jobs.finish(c, taken, ONE, "cancelled", {"stages": []}))
    assert not await store.write(lambda c: jobs.cancel(c, "1"))
    assert not await store.write(lambda c: jobs.cancel(c, "none"))
    assert not await store.read(jobs.waiting)


async def test_one_that_is_given_back_is_queued_again(store: Store, run: str):
    await queue(store, "1")
    taken = await store.write(lambda c: jobs.take(c, ONE))
    assert taken is not None
    await store.write(lambda c: jobs.give_back(c, taken, ONE, run))
    again = await store.write(lambda c: jobs.take(c, OTHER))
    assert again is not None
    assert again.run == run


async def test_of_those_that_have_ended_the_latest_are_kept(store: Store, monkeypatch):
    monkeypatch.setattr(jobs, "KEPT", 2)
    for name in "abcd":
        await queue(store, name)
        taken = await store.write(lambda c: jobs.take(c, ONE))
        assert taken is not None
        await store.write(
            lambda c, t=taken: jobs.finish(c, t, ONE, "done", {}, report={"n": 1})  # type: ignore[misc]
        )
    await queue(store, "e")
    assert len(await store.read(jobs.list_all)) == 3
    left = await store.read(
        lambda c: c.exec_driver_sql("SELECT request FROM evaluation_jobs").scalars().all()
    )
    assert sum(row is not None for row in left) == 1
