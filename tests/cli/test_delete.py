"""`delete`: a character and all that belongs to it."""

from __future__ import annotations

import io

import pytest

from tests.cli.texts import ADA
from tests.end_to_end.world import World


class Terminal(io.StringIO):
    """Standard input of somebody who sits there."""

    def isatty(self) -> bool:
        return True


def test_all_of_it_leaves_the_home_folder(ada: World):
    ada.done("ask", "ada-byrne", "Who taught you?", "--session", "evening", "--user", "kim")
    assert ada.leaks("Skerry Rock")
    outcome = ada.done("delete", "Ada Byrne", "--json")
    assert outcome.json == {"id": "ada-byrne", "name": "Ada Byrne"}
    assert ada.done("list", "--json").json == []
    (ada.folder / "documents" / "ada.md").unlink()
    assert ada.leaks("Skerry") == []
    assert ada.leaks("taught") == []


def test_another_character_keeps_what_it_has(ada: World):
    ada.done("create", "Bea")
    ada.done("ingest", "bea", ada.folder / "documents" / "ada.md")
    before = ada.done("recall", "bea", "Who drowned?", "--json").json["context"]
    ada.done("delete", "ada-byrne")
    assert ada.done("recall", "bea", "Who drowned?", "--json").json["context"] == before


def test_a_new_character_of_the_old_id_knows_nothing_of_it(ada: World):
    ada.done("ask", "ada-byrne", "Who taught you?", "--session", "evening")
    ada.done("delete", "ada-byrne")
    ada.done("create", "Ada Byrne")
    assert ada.run("recall", "ada-byrne", "Who taught you?").code == 2
    ada.done("ingest", "ada-byrne", ada.write("other.md", "Ada Byrne bakes bread in Cork.\n"))
    texts = [i["text"] for i in ada.done("recall", "ada-byrne", "Tom?", "--json").json["context"]]
    assert not any("lamp" in text for text in texts)


def test_a_name_that_several_have_is_not_enough(ada: World):
    ada.done("create", "Ada Byrne")
    outcome = ada.run("delete", "Ada Byrne", "--json")
    assert outcome.code == 2
    assert "'ada-byrne', 'ada-byrne-2'" in outcome.error["hint"]
    ada.done("delete", "ada-byrne-2")
    assert [row["id"] for row in ada.done("list", "--json").json] == ["ada-byrne"]


@pytest.mark.parametrize(("answer", "code", "left"), [("y\n", 0, 0), ("n\n", 130, 1), ("", 130, 1)])
def test_at_a_terminal_it_asks(ada: World, monkeypatch, answer, code, left):
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    assert ada.run("delete", "ada-byrne").code == code
    assert len(ada.done("list", "--json").json) == left


def test_yes_is_an_answer(ada: World, monkeypatch):
    monkeypatch.setattr("sys.stdin", Terminal(""))
    assert "deleted 'Ada Byrne' (id ada-byrne)" in ada.done("delete", "ada-byrne", "--yes").err


def test_ingesting_it_anew_gives_the_same_knowledge(ada: World):
    before = ada.rows()
    ada.done("delete", "ada-byrne")
    ada.done("create", "Ada Byrne")
    ada.done("ingest", "ada-byrne", ada.write("ada.md", ADA))
    assert ada.rows() == before
