"""What judging chunks would cost, before a call is made."""

from __future__ import annotations

from offbook.ingestion.estimating import estimate_ingestion
from offbook.prompts.traits import INDEX_TRAITS
from offbook.stores import characters
from tests.ingestion.stage import read
from tests.methods.revealing import DEEDS, STORY, Kept, Revealer


async def estimated(ada: Kept, *texts: tuple[str, str]):
    character = await ada.store.read(lambda conn: characters.require(conn, ada.id))
    readings = [read(name, text) for name, text in texts]
    return await estimate_ingestion(ada.stage, character, readings)


async def test_a_call_a_chunk_that_was_not_judged_yet(sqlite_store):
    ada = Kept(sqlite_store, Revealer("waited"), {"profile": False})
    await ada.create()
    ada.amadeus = {"profile": False, "gs": "indexed"}
    ada.model.requests.clear()
    found = await estimated(ada)
    assert (found.calls, found.by_task["index_traits"].calls) == (len(DEEDS), len(DEEDS))
    assert ada.model.requests == []
    await ada.ingest()
    sent = [r for r in ada.model.requests if r.origin and r.origin[0] is INDEX_TRAITS]
    assert len(sent) == found.calls
    told = sum(len(message.content) for request in sent for message in request.messages)
    assert told / 5 < found.prompt_tokens < told / 3
    assert (await estimated(ada)).calls == 0
    later = await estimated(ada, ("b.md", "# Later\n\nShe waited once more.\n"))
    assert later.calls == 1
    assert later.completion_tokens > 0


async def test_before_anything_is_stored_the_given_texts_count(sqlite_store):
    ada = Kept(sqlite_store, Revealer("waited"), {"gs": "indexed"})
    await ada.store.write(lambda conn: characters.create(conn, "Ada Byrne"))
    found = await estimated(ada, ("a.md", STORY))
    assert {name: task.calls for name, task in found.by_task.items()} == {
        "profile": 1,
        "index_traits": len(DEEDS),
    }
    assert found.calls == len(DEEDS) + 1


async def test_live_selection_costs_nothing_at_ingestion(sqlite_store):
    ada = Kept(sqlite_store, Revealer("waited"), {"profile": False})
    await ada.store.write(lambda conn: characters.create(conn, "Ada Byrne"))
    assert (await estimated(ada, ("a.md", STORY))).calls == 0
