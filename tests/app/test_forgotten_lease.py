"""An ingestion that stood still for long has lost its lease; what was forgotten stays so."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from offbook.errors import StoreFailed
from offbook.stores import chunks, documents, graph
from tests.app.graph_book import GraphBook

MARKER = "Quixwarble"
SECRET = (
    f"Cora Dunn is {MARKER}. {MARKER} met Bo. Ana {MARKER} is {MARKER} Bell. Cora met Bo. "
    f"Cora is {MARKER} Dunn."
)


def gone(conn) -> None:
    """As another process forgets it that has taken the lease over."""
    documents.remove(conn, "keeper", "secret-md")


PAIRS = {"graph__who_is_who": False, "graph__join_words": 0}


@pytest.mark.parametrize(
    ("runtime", "flags"),
    [
        ("extract", {}),
        ("who_is_who", {}),
        ("same_entity", PAIRS),
        ("verify_group", PAIRS),
        ("merge_entities", PAIRS),
    ],
)
async def test_what_it_learns_later_of_a_text_that_is_gone_is_not_stored(
    tmp_path, monkeypatch, runtime: str, flags
):
    keeper = await GraphBook.made(tmp_path, **flags)
    async with keeper.book:
        plain, asked, go = keeper.model.complete, asyncio.Event(), asyncio.Event()

        async def held(request):
            if request.origin[0].name == runtime:
                asked.set()
                await go.wait()
            return await plain(request)

        monkeypatch.setattr(keeper.model, "complete", held)
        ingesting = asyncio.create_task(keeper.ingest({"secret.md": SECRET}))
        await asyncio.wait_for(asked.wait(), 30)
        await keeper.book.store.write(gone)
        go.set()
        with suppress(StoreFailed):  # it may also find that its chunks are gone
            await ingesting
        monkeypatch.undo()

        def found(conn):
            stored = graph.list_answers(conn, "keeper"), graph.list_decisions(conn, "keeper")
            return MARKER in str(stored), {c for decision in stored[1] for c in decision.evidence}

        quoted, evidence = await keeper.book.store.read(found)
        assert not quoted
        await keeper.book.ingest("keeper")
        await keeper.book.store.purge()
        files = [path for path in (tmp_path / "home").iterdir() if path.is_file()]
        assert not any(MARKER.encode() in path.read_bytes() for path in files)
        left = await keeper.book.show("keeper", "documents")
        assert [row["name"] for row in left] == ["one.md", "two.md"]
        missing = await keeper.book.store.read(lambda c: chunks.missing(c, "keeper", evidence))
        assert missing == set()
