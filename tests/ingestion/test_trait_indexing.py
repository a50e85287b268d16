"""Judging chunks at ingestion: once each, as they arrive, resumable, nothing dropped."""

from __future__ import annotations

import pytest

from offbook.errors import ModelError
from offbook.ingestion.reports import Progress
from offbook.ingestion.traits import index_traits
from offbook.models.batching import note_call
from offbook.stores import chunks, jobs
from tests.methods.revealing import DEEDS, Kept, Revealer


@pytest.fixture
async def ada(sqlite_store) -> Kept:
    """A character whose chunks are stored and not judged."""
    found = Kept(sqlite_store, Revealer("waited"))
    await found.made()
    found.amadeus = {"gs": "indexed"}
    found.model.requests.clear()
    return found


async def judged(ada: Kept) -> dict[str, bool]:
    """First word but one of a chunk's text -> whether it reveals something."""
    found = await ada.store.read(lambda c: chunks.list_judgements(c, ada.id, "markdown"))
    return {one.chunk: one.reveals for one in found}


async def run(ada: Kept) -> list[Progress]:
    events: list[Progress] = []
    await index_traits(ada.runtime, ada.id, events.append)
    return events


async def test_every_chunk_is_judged_and_progress_is_told(ada):
    events = await run(ada)
    assert sorted((await judged(ada)).values()) == [False] * 5 + [True] * 2
    assert [(event.stage, event.total) for event in events[-1:]] == [("judging chunks", len(DEEDS))]
    assert events[-1].done == len(DEEDS)
    assert [event.done for event in events] == sorted(event.done for event in events)
    assert {request.documents for request in ada.model.requests} == {frozenset({"ada-byrne/a-md"})}


async def test_an_interrupted_run_goes_on_where_it_stopped(ada):
    calls = 0

    def third_fails(request: object) -> None:
        nonlocal calls
        note_call()
        calls += 1
        if calls == 3:
            raise ModelError("down")

    ada.model.fail = third_fails
    with pytest.raises(ModelError, match="down"):
        await run(ada)
    before = len(await judged(ada))
    assert 0 < before < len(DEEDS)
    ada.model.fail = lambda request: None
    ada.model.requests.clear()
    await run(ada)
    assert len(ada.model.requests) == len(DEEDS) - before
    assert len(await judged(ada)) == len(DEEDS)


async def test_what_no_answer_is_got_for_is_put_aside_and_tried_again(ada):
    ada.model.broken = ("oil",)
    (report,) = await ada.ingest()
    assert (report.status, report.quarantined) == ("partial", 1)
    assert "traits" in report.messages[0]
    assert len(await judged(ada)) == len(DEEDS) - 1
    open_jobs = await ada.store.read(lambda c: jobs.list_jobs(c, ada.id, kind=jobs.TRAITS))
    assert [job.status for job in open_jobs] == ["quarantined"]
    ada.model.broken = ()
    ada.model.requests.clear()
    (report,) = await ada.ingest()
    assert (report.status, report.quarantined) == ("unchanged", 0)
    assert ada.model.asked.count("index_traits") == 1
    assert len(await judged(ada)) == len(DEEDS)


async def test_a_chunk_without_words_reveals_nothing_and_costs_no_call(ada):
    await ada.ingest(("b.md", "# Signs\n\n* * *\n\n## Deed\n\nShe waited.\n"))
    passages = [r.origin[1].passage for r in ada.model.requests if r.origin[0].name != "profile"]
    assert all(any(letter.isalnum() for letter in passage) for passage in passages)
    missing = await ada.store.read(lambda c: chunks.unjudged(c, ada.id, "markdown"))
    assert missing == []
