"""A graph is drawn from the store, and only a whole one."""

from __future__ import annotations

from pathlib import Path

import pytest

from offbook.app import Offbook
from offbook.errors import IndexMissing
from offbook.stores import jobs
from tests.app.homes import opened
from tests.graph.world import GraphWorld

STORY = """# Ana

Ana Bell meets Bo Dunn. Bo Dunn fears Ana Bell.

Cora Finn left Bo Dunn in Port Ansel.
"""


@pytest.fixture
async def drawn(tmp_path: Path):
    async with await opened(tmp_path) as book:
        await GraphWorld(book.store).create()
        await GraphWorld(book.store).put("story.md", STORY)
        yield book


async def test_a_character_without_documents_has_no_graph(drawn: Offbook, tmp_path: Path):
    await drawn.create("Nobody")
    with pytest.raises(IndexMissing) as caught:
        await drawn.graph("nobody", tmp_path / "a.html")
    assert "offbook ingest nobody --method rolerag" in caught.value.hint
    assert caught.value.hint.endswith(" FILE...")
    assert not (tmp_path / "a.html").exists()


async def test_half_a_graph_is_not_drawn_as_if_it_were_whole(drawn: Offbook, tmp_path: Path):
    def interrupt(conn):
        done = jobs.list_jobs(conn, "keeper", kind=jobs.EXTRACT, statuses={"done"})
        jobs.start(conn, "keeper", jobs.EXTRACT, [job.subject for job in done])

    await drawn.store.write(interrupt)
    with pytest.raises(IndexMissing, match="not in its graph"):
        await drawn.graph("keeper", tmp_path / "a.html")
