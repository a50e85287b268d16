"""`card show`, `lint`, `convert`, `attach`, `export` and `create --card`: shapes and exit codes."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from tests.app.keeper import OATH, as_file, holds, keeper
from tests.cli.shapes import ERROR, NAMED, keys, misfit
from tests.end_to_end.world import World

FINDING = {"code": str, "severity": {"error", "warning", "note"}, "path": str, "message": str,
           "mend": str}  # fmt: skip
TAKEN = {
    "id": str,
    "name": str,
    "created": str,
    "card": {
        "file": str,
        "kind": {"card", "lorebook"},
        "documents": [{"id": str, "name": str, "status": str}],
        "greetings": int,
        "entries": int,
        "never_fit": int,
        "warnings": [FINDING],
    },
}
WRITTEN = {"file": str, "format": str, "bytes": int, "losses": [FINDING]}
LINT = [{"file": str, "kind": str, "format": str, "ok": bool, "errors": int, "warnings": int,
         "findings": [FINDING]}]  # fmt: skip
ENTRY = {"title": str, "keys": [str], "secondary_keys": [str], "constant": bool, "enabled": bool,
         "tokens": int, "text": str}  # fmt: skip
BOOK = {
    "name": str,
    "scan_depth": (int, None),
    "token_budget": (int, None),
    "never_fit": int,
    "entries": [ENTRY],
}
SHOWN = {
    "kind": {"card", "lorebook"},
    "file": str,
    "format": str,
    "card": (
        None,
        {
            "spec": (str, None),
            "version": int,
            "name": str,
            "greetings": [str],
            "voice": [str],
            "example_dialogues": list,
            "system_prompt": str,
        },
    ),
    "lorebook": (None, BOOK),
    "assets": [{"type": str, "name": str, "ext": str, "kind": str, "bytes": (int, None)}],
    "warnings": [FINDING],
}


def checked(document: Any, shape: Any) -> Any:
    assert misfit(document, shape) is None
    assert set(keys(document)) - NAMED == set()
    return document


def put(world: World, name: str, text: str) -> None:
    """A file in the folder where commands run."""
    (world.folder / name).write_text(text, "utf-8")


@pytest.fixture
def world(offline: World) -> World:
    put(offline, "keeper.json", as_file(keeper()))
    return offline


def test_a_character_of_a_card_talks(world: World, monkeypatch):
    made = checked(world.done("create", "--card", "keeper.json", "--json").json, TAKEN)
    assert made["id"] == "tamsin-reeve"
    assert made["card"]["greetings"] == 2
    world.done("ingest", "tamsin-reeve", "--method", "naive")
    found = world.done("recall", "tamsin-reeve", "The oath?", "--method", "naive", "--json").json
    assert OATH in [item["text"] for item in found["context"]]
    monkeypatch.setattr(sys, "stdin", io.StringIO("What is the oath?\n"))
    outcome = world.done("chat", "tamsin-reeve", "--method", "naive", "--user", "Ines")
    assert outcome.out.splitlines()[0] == "You will be Ines, then. Mind the third step."
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    second = world.done("chat", "tamsin-reeve", "--method", "naive", "--greeting", "2")
    assert second.out == "The lamp is lit. Sit, User.\n"
    assert "go on with" not in second.err
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert world.done("chat", "tamsin-reeve", "--method", "naive", "--greeting", "0").out == ""
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert world.run("chat", "tamsin-reeve", "--method", "naive", "--greeting", "9").code == 2


def test_show_prints_what_is_in_it(world: World):
    shown = checked(world.done("card", "show", "keeper.json", "--json").json, SHOWN)
    assert shown["card"]["greetings"] == [keeper()["data"]["first_mes"],
                                          *keeper()["data"]["alternate_greetings"]]  # fmt: skip
    assert shown["lorebook"]["entries"][0]["title"] == "The keepers' oath"
    text = world.done("card", "show", "keeper.json").out
    for words in ("Tamsin Reeve", "greeting 2", "keys: oath, promise", "constant", "someone/else"):
        assert words in text
    assert not (world.home / "offbook.db").exists()


def test_create_show_and_lint_say_how_many_entries_can_never_fit(world: World):
    raw = keeper()
    raw["data"]["character_book"]["entries"][0]["content"] = "The oath binds. " * 900
    put(world, "large.json", as_file(raw))
    number = len(raw["data"]["character_book"]["entries"])
    says = f"1 of {number} entries can never fit"
    assert says in world.done("card", "show", "large.json").out
    assert says in world.run("card", "lint", "large.json").out
    made = world.done("create", "--card", "large.json")
    assert says in made.out + made.err
    assert says in world.done("card", "show", "tamsin-reeve").out
    world.done("config", "set", "chat.context_tokens", "32000")
    assert "can never fit" not in world.done("card", "show", "large.json").out
    assert "can never fit" not in world.done("card", "show", "tamsin-reeve").out


def test_lint_ends_with_0_for_what_is_well(world: World):
    raw = keeper()
    del raw["data"]["later"]
    put(world, "plain.json", as_file(raw))
    world.done("card", "convert", "plain.json", "good.charx")
    found = checked(world.done("card", "lint", "good.charx", "--json").json, LINT)
    assert (found[0]["ok"], found[0]["errors"]) == (True, 0)


def test_lint_names_what_a_reader_notes_once_and_as_its_rule_says(world: World):
    far = {"type": "icon", "uri": "https://127.0.0.1/a.png", "name": "main", "ext": "png"}
    raw = keeper(nickname="", group_only_greetings=[], assets=[far])
    del raw["data"]["later"], raw["data"]["character_book"]
    put(world, "far.json", as_file({**raw, "spec": "chara_card_v3", "spec_version": "3.0"}))
    (found,) = world.done("card", "lint", "far.json", "--json").json
    told = [(f["code"], f["severity"]) for f in found["findings"] if "assets" in f["path"]]
    assert told == [("asset-remote", "note")]


def test_lint_ends_with_1_for_what_is_not(world: World):
    put(world, "bad.json", as_file(keeper(alternate_greetings="one", name="")))
    outcome = world.run("card", "lint", "bad.json", "keeper.json", "--json")
    assert outcome.code == 1
    (bad, _) = checked(outcome.json, LINT)
    assert not bad["ok"]
    severe = {f["path"]: f["severity"] for f in bad["findings"]}
    # What its reader mends is as severe as the rule that it breaks.
    assert (severe["data.alternate_greetings"], severe["data.name"]) == ("error", "error")
    told = world.run("card", "lint", "bad.json")
    assert told.code == 1
    assert "bad.json: " in told.out
    assert "errors" in told.err


@pytest.mark.parametrize("content", ["", "not a card", "{", '{"a": 1}', "[]"])
def test_what_cannot_be_read_ends_with_2(world: World, content: str):
    put(world, "odd.json", content)
    for command in ("show", "lint"):
        outcome = world.run("card", command, "odd.json", "--json")
        assert (command, outcome.code) == (command, 2)
        assert misfit(outcome.json, ERROR) is None
        assert outcome.json["error"]["kind"] in NAMED
    assert world.run("card", "convert", "none.json", "out.png").code == 2


def test_convert_goes_round_without_loss(world: World):
    for source, target in [
        ("keeper.json", "a.png"),
        ("a.png", "b.charx"),
        ("b.charx", "c.json"),
    ]:
        checked(world.done("card", "convert", source, target, "--json").json, WRITTEN)
    world.done("card", "convert", "c.json", "d.json", "--spec", "2")
    made = json.loads((world.folder / "d.json").read_text("utf-8"))
    assert made["spec"] == "chara_card_v2"
    assert holds(made["data"], keeper()["data"])
    lost = world.done("card", "convert", "keeper.json", "e.json", "--spec", "1", "--json")
    assert lost.json["losses"]
    assert "warning" in lost.err


def test_lint_checks_the_other_files_where_one_cannot_be_read(world: World):
    put(world, "odd.json", "{")
    put(world, "bad.json", as_file(keeper(name="")))
    outcome = world.run("card", "lint", "odd.json", "bad.json")
    assert outcome.code == 2
    assert "bad.json: " in outcome.out
    assert "odd.json" in outcome.err
    outcome = world.run("card", "lint", "odd.json", "bad.json", "none.json", "--json")
    assert outcome.code == 2
    odd, bad, none = outcome.json
    for row, file in ((odd, "odd.json"), (none, "none.json")):
        assert row["file"] == file
        assert misfit({"error": row["error"]}, ERROR) is None
    assert file in outcome.err
    (report,) = checked([bad], LINT)
    assert (report["file"], report["ok"]) == ("bad.json", False)
