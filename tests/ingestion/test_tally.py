"""What became of each document, in the report and in the store."""

from __future__ import annotations

from typing import Any

from offbook.ingestion.tally import tally
from offbook.stores import chunks, documents, jobs
from tests.ingestion.stage import read, sections, stored
from tests.stores.colliding import Colliding


async def statuses(store) -> dict[str, str]:
    infos = await store.read(lambda conn: documents.list_all(conn, "keeper"))
    return {info.id: info.status for info in infos}


async def put_aside(store, kind: str, subjects: list[str], document: str | None) -> None:
    def operation(conn) -> None:
        jobs.enqueue(conn, "keeper", kind, subjects, document=document)
        jobs.quarantine(conn, "keeper", kind, subjects, "too long")

    await store.write(operation)


async def test_chunks_are_counted_in_the_chunkings_asked_for(kept):
    reports = await stored(kept, read("a.md", sections(4)), chunkings=("markdown", "acts"))
    (row,) = await tally(kept, "keeper", reports, ["markdown"])
    assert (row.chunks, row.quarantined, row.status) == (4, 0, "added")
    (every,) = await tally(kept, "keeper", [], [])
    assert (every.status, every.chunks > 4) == ("unchanged", True)


async def test_a_document_with_something_put_aside_is_partial(kept):
    reports = await stored(kept, read("a.md", sections(6)), read("b.md", sections(9, first=6)))
    ids = [c.id for c in await kept.read(lambda c: chunks.list_chunks(c, "keeper"))][:5]
    await put_aside(kept, jobs.EMBED, ids, "a-md")
    one, two = await tally(kept, "keeper", reports, ["markdown"])
    assert (one.status, one.quarantined, two.status) == ("partial", 5, "added")
    assert len(one.messages) == 4
    assert one.messages[-1].startswith("and 2 more")
    assert await statuses(kept) == {"a-md": "partial", "b-md": "complete"}


async def test_what_heals_in_the_run_of_another_document_is_complete_again(kept):
    await stored(kept, read("a.md", sections(3)))
    ids = [c.id for c in await kept.read(lambda c: chunks.list_chunks(c, "keeper"))]
    await put_aside(kept, jobs.EMBED, ids, "a-md")
    await tally(kept, "keeper", [], [])
    assert await statuses(kept) == {"a-md": "partial"}
    reports = await stored(kept, read("b.md", sections(5, first=3)))
    await kept.write(lambda conn: jobs.finish(conn, "keeper", jobs.EMBED, ids))
    await tally(kept, "keeper", reports, [])
    assert await statuses(kept) == {"a-md": "complete", "b-md": "complete"}


async def test_what_concerns_no_document_is_shown_with_the_first(kept):
    reports = await stored(kept, read("a.md", "One."), read("b.md", "Two."))
    await put_aside(kept, "profile", ["keeper"], None)
    one, two = await tally(kept, "keeper", reports, [])
    assert (one.status, two.status) == ("partial", "added")
    assert one.messages == ["put aside: profile keeper: too long"]


async def test_a_character_without_documents_has_no_report(kept):
    assert await tally(kept, "keeper", [], []) == []


async def test_it_is_told_where_what_was_put_aside_stands(kept):
    reports = await stored(kept, read("a.md", sections(1)))
    (chunk,) = await kept.read(lambda c: chunks.list_chunks(c, "keeper"))
    await put_aside(kept, jobs.EXTRACT, [chunk.id], "a-md")
    await put_aside(kept, jobs.GRAPH, ["link 7"], "a-md")
    (row,) = await tally(kept, "keeper", reports, [])
    place = f"(Year 0; characters {chunk.start} to {chunk.end})"
    assert row.messages == [
        f"put aside: extract {chunk.id} {place}: too long",
        "put aside: graph: too long",
    ]


async def test_a_reason_is_told_once_where_the_transaction_is_run_again(kept):
    reports = await stored(kept, read("a.md", "One."))
    await put_aside(kept, "profile", ["keeper"], None)
    colliding: Any = Colliding(kept)
    (row,) = await tally(colliding, "keeper", reports, [])
    assert row.messages == ["put aside: profile keeper: too long"]
