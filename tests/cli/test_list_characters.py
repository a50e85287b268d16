"""`list`: what there is."""

from __future__ import annotations

from tests.end_to_end.world import World


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
