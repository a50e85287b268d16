from __future__ import annotations

from dataclasses import replace
from typing import Any

from offbook.protocols import Store
from offbook.stores import characters, documents, ingestions
from offbook.stores.leases import Owner
from offbook.types import Document

ONE, OTHER = Owner("one", "here", 1), Owner("other", "there", 2)
ASKED = {"documents": [{"name": "a", "text": "b"}]}


async def queue(store: Store, *ids: str, character: str = "Ada") -> None:
    await store.write(lambda c: characters.create(c, character))
    for name in ids:
        await store.write(
            lambda c, n=name: ingestions.add(c, character.lower(), n, ASKED)  # type: ignore[misc]
        )


async def test_the_oldest_is_taken_and_one_of_a_character_at_a_time(store: Store):
    await queue(store, "1", "2")
    await queue(store, "3", character="Eve")
    first = await store.write(lambda c: ingestions.take(c, ONE, now=0.0))
    assert first is not None
    assert (first.id, first.request) == ("1", ASKED)
    second = await store.write(
        lambda c: ingestions.take(c, OTHER, now=0.0, is_alive=lambda p: True)
    )
    assert second is not None
    assert second.id == "3"
    assert await store.write(lambda c: ingestions.take(c, OTHER, now=0.0)) is None


async def test_one_that_gives_no_sign_is_taken_by_another_and_lost_to_the_first(store: Store):
    await queue(store, "1")
    taken = await store.write(lambda c: ingestions.take(c, ONE, now=0.0))
    assert taken is not None
    again = await store.write(lambda c: ingestions.take(c, OTHER, now=61.0))
    assert again == taken
    assert not await store.write(lambda c: ingestions.give_sign(c, taken, ONE))
    await store.write(lambda c: ingestions.finish(c, taken, ONE, {}, error={"kind": "x"}))
    found = await store.read(lambda c: ingestions.get(c, "ada", "1"))
    assert found is not None
    assert found.status == "running"


async def test_one_whose_process_on_this_machine_is_gone_is_taken_at_once(store: Store):
    await queue(store, "1")
    await store.write(lambda c: ingestions.take(c, ONE, now=0.0))
    near = Owner("near", "here", 3)
    for alive, expected in ((True, False), (False, True)):
        taken = await store.write(
            lambda c, a=alive: ingestions.take(c, near, now=1.0, is_alive=lambda p: a)  # type: ignore[misc]
        )
        assert (taken is not None) is expected


async def test_an_end_leaves_the_report_and_drops_what_was_asked(store: Store):
    await queue(store, "1", "2")
    taken = await store.write(lambda c: ingestions.take(c, ONE))
    assert taken is not None
    assert await store.write(lambda c: ingestions.give_sign(c, taken, ONE, {"stages": []}))
    await store.write(lambda c: ingestions.finish(c, taken, ONE, {"stages": []}, report={"n": 1}))
    found = await store.read(lambda c: ingestions.get(c, "ada", "1"))
    assert found is not None
    assert (found.status, found.report, found.has_ended) == ("done", {"n": 1}, True)
    assert await store.read(ingestions.waiting)
    assert [row.id for row in await store.read(lambda c: ingestions.list_all(c, "ada"))]


async def test_one_that_is_given_back_is_taken_again(store: Store):
    await queue(store, "1")
    taken = await store.write(lambda c: ingestions.take(c, ONE))
    assert taken is not None
    await store.write(lambda c: ingestions.give_back(c, taken, ONE))
    assert await store.write(lambda c: ingestions.take(c, OTHER)) == taken


async def test_old_ones_that_have_ended_go(store: Store, monkeypatch):
    monkeypatch.setattr(ingestions, "KEPT", 2)
    await queue(store, *"123")
    for _ in range(3):
        taken = await store.write(lambda c: ingestions.take(c, ONE))
        assert taken is not None
        await store.write(lambda c, t=taken: ingestions.finish(c, t, ONE, {}, report={}))  # type: ignore[misc]
    await store.write(lambda c: ingestions.add(c, "ada", "4", ASKED))
    assert len(await store.read(lambda c: ingestions.list_all(c, "ada"))) == 3


async def test_they_go_with_their_character(store: Store):
    await queue(store, "1")
    await store.write(lambda c: characters.remove(c, "ada"))
    assert not await store.read(ingestions.waiting)


async def test_one_that_waits_is_cancelled_at_once_and_never_taken(store: Store):
    await queue(store, "1")
    assert await store.write(lambda c: ingestions.cancel(c, "ada", "1"))
    found = await store.read(lambda c: ingestions.get(c, "ada", "1"))
    assert found is not None
    assert (found.status, found.has_ended) == ("cancelled", True)
    assert await store.write(lambda c: ingestions.take(c, ONE)) is None
    assert not await store.read(ingestions.waiting)
    left = await store.read(
        lambda c: c.exec_driver_sql("SELECT request FROM ingestions").scalars().all()
    )
    assert left == [None]


async def test_one_that_goes_on_is_cancelled_by_whoever_works_on_it(store: Store):
    await queue(store, "1")
    taken = await store.write(lambda c: ingestions.take(c, ONE))
    assert taken is not None
    assert not await store.read(lambda c: ingestions.is_cancelled(c, taken))
    assert await store.write(lambda c: ingestions.cancel(c, "ada", "1"))
    assert await store.read(lambda c: ingestions.is_cancelled(c, taken))
    assert await store.write(lambda c: ingestions.give_sign(c, taken, ONE))
    await store.write(lambda c: ingestions.finish(c, taken, ONE, {}))
    found = await store.read(lambda c: ingestions.get(c, "ada", "1"))
    assert found is not None
    assert (found.status, found.report, found.error) == ("cancelled", None, None)


async def test_one_that_is_cancelled_as_its_process_stops_is_not_gone_on_with(store: Store):
    await queue(store, "1")
    taken = await store.write(lambda c: ingestions.take(c, ONE))
    assert taken is not None
    await store.write(lambda c: ingestions.cancel(c, "ada", "1"))
    await store.write(lambda c: ingestions.give_back(c, taken, ONE))
    await has_been_cancelled(store)


async def test_one_that_is_cancelled_and_whose_process_is_gone_ends_and_the_next_is_taken(
    store: Store,
):
    await queue(store, "1", "2")
    await store.write(lambda c: ingestions.take(c, ONE, now=0.0))
    await store.write(lambda c: ingestions.cancel(c, "ada", "1"))
    alive = await store.write(lambda c: ingestions.take(c, OTHER, now=1.0, is_alive=lambda p: True))
    assert alive is None
    taken = await store.write(lambda c: ingestions.take(c, OTHER, now=61.0))
    assert taken is not None
    assert taken.id == "2"
    await has_been_cancelled(store)


async def has_been_cancelled(store: Store) -> None:
    """The first has, and its texts are gone."""
    found = await store.read(lambda c: ingestions.get(c, "ada", "1"))
    assert found is not None
    assert (found.status, found.report, found.error) == ("cancelled", None, None)
    left = await store.read(
        lambda c: c.exec_driver_sql("SELECT request, owner FROM ingestions WHERE id = '1'").all()
    )
    assert [tuple(row) for row in left] == [(None, None)]


async def test_one_that_has_ended_stays_as_it_is(store: Store):
    await queue(store, "1")
    taken = await store.write(lambda c: ingestions.take(c, ONE))
    assert taken is not None
    await store.write(lambda c: ingestions.finish(c, taken, ONE, {}, report={}))
    before = await store.read(lambda c: ingestions.get(c, "ada", "1"))
    assert not await store.write(lambda c: ingestions.cancel(c, "ada", "1"))
    assert await store.read(lambda c: ingestions.get(c, "ada", "1")) == before
    assert not await store.write(lambda c: ingestions.cancel(c, "ada", "2"))


async def test_what_its_documents_were_and_what_it_cost_outlive_a_stop(store: Store):
    await queue(store, "1")
    old = Document("a", "a", "old", "digest of old", added="now")
    await store.write(lambda c: documents.put(c, "ada", old))
    taken = await store.write(lambda c: ingestions.take(c, ONE))
    assert taken is not None
    assert (taken.known, taken.usage) == ({"a": "digest of old"}, {})
    new = replace(old, text="b", digest="digest of b")
    await store.write(lambda c: documents.put(c, "ada", new))
    assert await store.write(lambda c: ingestions.give_sign(c, taken, ONE, usage={"calls": 1}))
    await store.write(lambda c: ingestions.give_back(c, taken, ONE, {"calls": 2}))
    again = await store.write(lambda c: ingestions.take(c, OTHER))
    assert again == replace(taken, usage={"calls": 2})
    assert await store.read(lambda c: ingestions.digests(c, "ada", "ab")) == {"a": "digest of b"}


def report(*names: str) -> dict[str, Any]:
    """A report that quotes what it tells of."""
    rows = [{"id": name, "messages": ["put aside: 'She was born.'"]} for name in names]
    return {"documents": rows, "entities": 2}


async def test_what_an_ingestion_told_goes_with_a_document(store: Store):
    await queue(store, "1", "2")
    document = Document("a", "a", "She was born.", "d")
    await store.write(lambda c: documents.put(c, "ada", document))
    for name, told in (("1", {"report": report("a")}), ("2", {"error": {"message": "She was."}})):
        taken = await store.write(lambda c: ingestions.take(c, ONE, now=0.0))
        assert taken is not None
        assert taken.id == name
        await store.write(lambda c, t=taken, w=told: ingestions.finish(c, t, ONE, {}, **w))  # type: ignore[misc]
    await store.write(lambda c: documents.remove(c, "ada", "a"))
    left = {i.id: i for i in await store.read(lambda c: ingestions.list_all(c, "ada"))}
    assert left["1"].report == {"documents": [{"id": "a", "messages": []}], "entities": 2}
    assert left["2"].error == {"message": ingestions.FORGOTTEN, "hint": ""}
    assert "She was" not in str(left)


async def test_an_ingestion_whose_document_is_gone_when_it_ends_quotes_nothing(store: Store):
    await queue(store, "1")
    taken = await store.write(lambda c: ingestions.take(c, ONE, now=0.0))
    assert taken is not None
    told = report("a")
    await store.write(lambda c: ingestions.finish(c, taken, ONE, {}, report=told))
    (ended,) = await store.read(lambda c: ingestions.list_all(c, "ada"))
    assert ended.report == {"documents": [{"id": "a", "messages": []}], "entities": 2}
