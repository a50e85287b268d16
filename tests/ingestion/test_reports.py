"""The shapes that the contract promises, and what became of each document."""

from __future__ import annotations

from typing import Any

import pytest

from offbook.ingestion.reports import (
    Estimate,
    Progress,
    Steps,
    counted,
    tally,
)
from offbook.stores import chunks, documents, jobs
from tests.ingestion.runtime import read, sections, stored
from tests.stores.colliding import Colliding


@pytest.mark.parametrize(
    ("estimate", "told"),
    [
        (Estimate(), "no calls"),
        (Estimate(embed_calls=1), "1 embedding call, no price is set"),
        (
            Estimate(2, 30, 4, 0.5, 3),
            "2 calls with about 30 prompt and 4 completion tokens, 3 embedding calls, 0.5000 USD",
        ),
    ],
)
def test_an_estimate_in_words(estimate, told):
    assert estimate.in_words() == told


def test_numbers_and_nouns_agree():
    assert [counted(n, "call") for n in (0, 1, 2)] == ["0 calls", "1 call", "2 calls"]


def test_steps_are_told_as_they_come_and_the_end_in_any_case():
    told: list[Progress] = []
    steps = Steps("judging", told.append)
    steps.begin(3)
    steps.add(2)
    steps.end()
    steps.end()
    steps.begin(0)
    steps.end()
    assert [(event.stage, event.done, event.total) for event in told] == [
        ("judging", 0, 3),
        ("judging", 2, 3),
        ("judging", 3, 3),
    ]


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
    """What concerns no document is shown with the first."""
    assert await tally(kept, "keeper", [], []) == []
    reports = await stored(kept, read("a.md", "One."), read("b.md", "Two."))
    await put_aside(kept, "profile", ["keeper"], None)
    colliding: Any = Colliding(kept)
    one, two = await tally(colliding, "keeper", reports, [])
    assert (one.status, two.status) == ("partial", "added")
    assert one.messages == ["put aside: profile keeper: too long"]
