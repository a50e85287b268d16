"""`show`: the overview, the documents, the chunks."""

from __future__ import annotations

import pytest

from tests.cli.shapes import CHUNKS, DOCUMENTS, misfit
from tests.cli.texts import ADA
from tests.end_to_end.world import World


def test_documents_have_the_shape_of_the_contract(ada: World):
    rows = ada.done("show", "ada-byrne", "documents", "--json").json
    assert misfit(rows, DOCUMENTS) is None
    assert (rows[0]["id"], rows[0]["name"], rows[0]["chars"]) == ("ada-md", "ada.md", len(ADA))
    assert rows[0]["status"] == "complete"
    line = ada.done("show", "ada-byrne", "documents").out
    assert line.count("\n") == 1
    assert "ada.md" in line


def test_chunks_are_pieces_of_their_document(ada: World):
    rows = ada.done("show", "ada-byrne", "chunks", "--json").json
    assert misfit(rows, CHUNKS) is None
    assert len(rows) >= 3
    assert all(ADA[row["start"] : row["end"]] == row["text"] for row in rows)
    assert ["Ada Byrne", "How she came to the rock"] in [row["headings"] for row in rows]
    assert len({row["id"] for row in rows}) == len(rows)
    shown = ada.done("show", "ada-byrne", "chunks").out
    assert f"ada-md[{rows[0]['start']}:{rows[0]['end']}]" in shown


def test_the_overview_says_what_is_there(ada: World):
    row = ada.done("show", "ada-byrne", "--json").json
    assert (row["id"], row["name"], row["documents"]) == ("ada-byrne", "Ada Byrne", 1)
    assert row["chunkings"] == ["acts"]
    assert row["voice"] == ["The sea does not argue, and neither do I."]
    out = ada.done("show", "ada-byrne").out
    assert "name       Ada Byrne\n" in out
    assert "profile    -\n" in out


def test_of_an_empty_character_there_is_nothing(offline: World):
    offline.done("create", "Ada")
    assert offline.done("show", "ada", "documents", "--json").json == []
    assert offline.done("show", "ada", "chunks", "--json").json == []
    assert offline.done("show", "ada", "chunks").out == ""
    assert offline.done("show", "ada", "documents").out == ""


@pytest.mark.parametrize("part", ["chunk", "memory"])
def test_what_cannot_be_shown_yet_is_absent(ada: World, part):
    outcome = ada.run("show", "ada-byrne", part, "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "unknown_name")
    assert "documents, chunks, entities" in outcome.error["hint"]
