"""`create`, `list`, `show`, `delete`, `reembed`: whole characters."""

from __future__ import annotations

import pytest

from tests.cli.shapes import CHUNKS, DOCUMENTS, misfit
from tests.cli.texts import ADA
from tests.end_to_end.world import World


def test_the_same_name_again_is_another_character_and_is_told_so(offline: World):
    ids = [offline.done("create", "Ada", "--json").json["id"] for _ in range(3)]
    assert ids == ["ada", "ada-2", "ada-3"]
    err = offline.done("create", "ADA").err
    assert "(id ada-4)" in err
    assert "there is another" in err
    assert "there is another" not in offline.done("create", "Bea").err


@pytest.mark.parametrize("name", ["", "   ", "!?", "—", "x" * 201, "Red\x1b[31m", "two\nlines"])
@pytest.mark.parametrize("as_json", [False, True])
def test_a_name_without_letters_or_too_long_is_refused(offline: World, name, as_json):
    outcome = offline.run("create", name, *(["--json"] if as_json else []))
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert offline.done("list", "--json").json == []


@pytest.mark.parametrize(
    "words",
    [
        ["ingest", "{}", "ada.md"],
        ["forget", "{}", "ada.md", "-y"],
        ["ask", "{}", "hello"],
        ["recall", "{}", "hello"],
        ["chat", "{}"],
        ["show", "{}"],
        ["delete", "{}", "-y"],
        ["export", "{}", "file"],
        ["reembed", "{}"],
    ],
)
def test_an_unknown_character_names_the_nearest(ada: World, words):
    near = ada.run(*[word.format("Ada Bryne") for word in words])
    assert near.code == 2
    assert "did you mean 'Ada Byrne'" in near.err or "did you mean 'ada-byrne'" in near.err
    assert near.err.count("\n") == 1
    far = ada.run(*[word.format("Zzyzx") for word in words])
    assert far.code == 2
    assert "offbook create" in far.err


def test_an_empty_home_says_how_to_begin(offline: World):
    outcome = offline.done("list")
    assert outcome.out == ""
    assert "offbook create NAME" in outcome.err
    assert offline.done("list", "--json").json == []


def test_characters_with_how_much_is_known_of_each(ada: World):
    ada.done("create", "王小明")
    rows = ada.done("list", "--json").json
    assert [(row["id"], row["name"], row["documents"]) for row in rows] == [
        ("ada-byrne", "Ada Byrne", 1),
        ("王小明", "王小明", 0),
    ]
    assert rows[0]["chars"] > 300
    lines = ada.done("list").out.splitlines()
    assert lines[0].split("  ")[0] == "ada-byrne"
    assert "1 document " in lines[0]
    assert "0 documents" in lines[1]


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


@pytest.mark.parametrize("part", ["chunk", "memory"])
def test_what_cannot_be_shown_yet_is_absent(ada: World, part):
    outcome = ada.run("show", "ada-byrne", part, "--json")
    assert (outcome.code, outcome.error["kind"]) == (2, "unknown_name")
    assert "documents, chunks, entities" in outcome.error["hint"]


def test_all_of_it_leaves_the_home_folder(ada: World):
    ada.done("ask", "ada-byrne", "Who taught you?", "--session", "evening", "--user", "kim")
    assert ada.leaks("Skerry Rock")
    outcome = ada.done("delete", "Ada Byrne", "--json", "-y")
    assert outcome.json == {"id": "ada-byrne", "name": "Ada Byrne"}
    assert ada.done("list", "--json").json == []
    (ada.folder / "documents" / "ada.md").unlink()
    assert ada.leaks("Skerry") == []
    assert ada.leaks("taught") == []


def test_another_character_keeps_what_it_has(ada: World):
    ada.done("create", "Bea")
    ada.done("ingest", "bea", ada.folder / "documents" / "ada.md")
    before = ada.done("recall", "bea", "Who drowned?", "--json").json["context"]
    ada.done("delete", "ada-byrne", "-y")
    assert ada.done("recall", "bea", "Who drowned?", "--json").json["context"] == before


def test_a_new_character_of_the_old_id_knows_nothing_of_it(ada: World):
    ada.done("ask", "ada-byrne", "Who taught you?", "--session", "evening")
    ada.done("delete", "ada-byrne", "-y")
    ada.done("create", "Ada Byrne")
    assert ada.run("recall", "ada-byrne", "Who taught you?").code == 2
    ada.done("ingest", "ada-byrne", ada.write("other.md", "Ada Byrne bakes bread in Cork.\n"))
    texts = [i["text"] for i in ada.done("recall", "ada-byrne", "Tom?", "--json").json["context"]]
    assert not any("lamp" in text for text in texts)


def test_for_a_person_it_is_one_line(ada: World):
    outcome = ada.done("reembed", "ada-byrne")
    assert outcome.out == ""
    assert "vectors by 'builtin-" in outcome.err
