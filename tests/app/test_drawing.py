"""A graph is drawn from the store, and only a whole one."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pytest

from offbook.app import Offbook
from offbook.errors import IndexMissing, UnknownName, UsageError
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


async def test_the_report_says_what_was_drawn(drawn: Offbook, tmp_path: Path):
    file = tmp_path / "keeper.json"
    report = await drawn.graph("keeper", file)
    found = json.loads(file.read_text("utf-8"))
    assert report.as_json() == {
        "id": "keeper",
        "name": "keeper",
        "file": str(file),
        "format": "json",
        "entities": len(found["nodes"]),
        "relations": len(found["relations"]),
    }
    assert {node["name"] for node in found["nodes"]} >= {"Ana Bell", "Bo Dunn", "Cora Finn"}
    assert found["documents"] == [
        {"id": found["nodes"][0]["sources"][0]["document"], "name": "story.md"}
    ]


async def test_every_source_leads_into_the_document(drawn: Offbook, tmp_path: Path):
    await drawn.graph("keeper", tmp_path / "keeper.json")
    found = json.loads((tmp_path / "keeper.json").read_text("utf-8"))
    quoted = [
        source
        for part in ("nodes", "relations")
        for row in found[part]
        for source in row["sources"]
    ]
    assert quoted
    assert all(source["sentence"] and source["sentence"] in STORY for source in quoted)


async def test_the_three_formats_hold_the_same_graph(drawn: Offbook, tmp_path: Path):
    for suffix in ("html", "graphml", "json"):
        await drawn.graph("keeper", str(tmp_path / f"keeper.{suffix}"))
    plain = json.loads((tmp_path / "keeper.json").read_text("utf-8"))
    loaded = nx.read_graphml(tmp_path / "keeper.graphml")
    page = (tmp_path / "keeper.html").read_text("utf-8")
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    ids = {node["id"] for node in plain["nodes"]}
    assert ids == set(loaded.nodes) == {node["id"] for node in data["nodes"]}
    assert len(plain["relations"]) == loaded.number_of_edges() == len(data["relations"])


async def test_an_older_drawing_is_replaced(drawn: Offbook, tmp_path: Path):
    file = tmp_path / "keeper.html"
    file.write_text("older")
    await drawn.graph("keeper", file)
    assert file.read_text("utf-8").startswith("<!doctype html>")
    assert [path.name for path in tmp_path.glob("*keeper*")] == ["keeper.html"]


async def test_a_character_without_documents_has_no_graph(drawn: Offbook, tmp_path: Path):
    await drawn.create("Nobody")
    with pytest.raises(IndexMissing) as caught:
        await drawn.graph("nobody", tmp_path / "a.html")
    assert "offbook ingest nobody" in caught.value.hint
    assert caught.value.hint.endswith("--method rolerag FILE...")
    assert not (tmp_path / "a.html").exists()


async def test_a_character_whose_documents_were_read_for_another_method_has_none(
    book: Offbook, tmp_path: Path
):
    with pytest.raises(IndexMissing) as caught:
        await book.graph("ada-byrne", tmp_path / "a.html")
    assert caught.value.hint.endswith("--method rolerag")
    assert caught.value.exit_code == 2


async def test_half_a_graph_is_not_drawn_as_if_it_were_whole(drawn: Offbook, tmp_path: Path):
    def interrupt(conn):
        done = jobs.list_jobs(conn, "keeper", kind=jobs.EXTRACT, statuses={"done"})
        jobs.start(conn, "keeper", jobs.EXTRACT, [job.subject for job in done])

    await drawn.store.write(interrupt)
    with pytest.raises(IndexMissing, match="not in its graph"):
        await drawn.graph("keeper", tmp_path / "a.html")


async def test_names_are_checked_before_anything_is_read(drawn: Offbook, tmp_path: Path):
    with pytest.raises(UsageError, match=r"'.*a\.png'"):
        await drawn.graph("keeper", tmp_path / "a.png")
    with pytest.raises(UnknownName):
        await drawn.graph("kepeer", tmp_path / "a.html")
