"""`card show`, `lint`, `convert`, `attach`, `export` and `create --card`: shapes and exit codes."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.keeper import OATH, as_file, entry, holds, keeper
from tests.cards.generator import chunk, packed, picture, text_chunk
from tests.cli.shapes import ERROR, misfit
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
        "warnings": [FINDING],
    },
}
WRITTEN = {"file": str, "format": str, "bytes": int, "losses": [FINDING]}
LINT = [{"file": str, "kind": str, "format": str, "ok": bool, "errors": int, "warnings": int,
         "findings": [FINDING]}]  # fmt: skip
ENTRY = {"title": str, "keys": [str], "secondary_keys": [str], "constant": bool, "enabled": bool,
         "tokens": int, "text": str}  # fmt: skip
BOOK = {"name": str, "scan_depth": (int, None), "token_budget": (int, None), "entries": [ENTRY]}
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
PAGE = Path(__file__).resolve().parents[3] / "docs" / "json.md"
NAMED = frozenset(re.findall(r"`([a-z_]+)`", PAGE.read_text("utf-8")))


def keys(document: Any) -> Iterator[str]:
    for each in document if isinstance(document, list) else ():
        yield from keys(each)
    for key, value in document.items() if isinstance(document, dict) else ():
        yield key
        yield from keys(value)


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


def test_a_name_goes_before_the_cards_and_one_of_them_is_needed(world: World):
    assert world.done("create", "Kit", "--card", "keeper.json", "--json").json["id"] == "kit"
    assert "next: offbook ingest kit-2" in world.done("create", "Kit", "--card", "keeper.json").err
    assert world.run("create").code == 2


def test_show_prints_what_is_in_it(world: World):
    shown = checked(world.done("card", "show", "keeper.json", "--json").json, SHOWN)
    assert shown["card"]["greetings"] == [keeper()["data"]["first_mes"],
                                          *keeper()["data"]["alternate_greetings"]]  # fmt: skip
    assert shown["lorebook"]["entries"][0]["title"] == "The keepers' oath"
    text = world.done("card", "show", "keeper.json").out
    for words in ("Tamsin Reeve", "greeting 2", "keys: oath, promise", "constant", "someone/else"):
        assert words in text
    assert not (world.home / "offbook.db").exists()


def test_show_of_a_character_is_of_its_card(world: World):
    world.done("create", "--card", "keeper.json")
    own = checked(world.done("card", "show", "Tamsin Reeve", "--json").json, SHOWN)
    assert own["card"]["name"] == "Tamsin Reeve"
    assert len(own["lorebook"]["entries"]) == 4
    world.done("create", "Ada")
    outcome = world.run("card", "show", "ada", "--json")
    assert outcome.code == 2
    assert misfit(outcome.json, ERROR) is None
    assert "attach" in outcome.json["error"]["hint"]


def test_show_of_a_lorebook(world: World):
    raw = {"entries": {"0": {"uid": 0, "key": ["a"], "comment": "Ale", "content": "Thin."}}}
    put(world, "world.json", as_file(raw))
    shown = checked(world.done("card", "show", "world.json", "--json").json, SHOWN)
    assert (shown["kind"], shown["format"], shown["card"]) == ("lorebook", "sillytavern", None)
    assert "Ale" in world.done("card", "show", "world.json").out


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


def test_a_chat_log_is_no_card_and_says_what_to_do_with_it(world: World):
    said = {"name": "Ines", "is_user": True, "mes": "Who was Wat?"}
    rows: list[dict[str, Any]] = [{"chat_metadata": {}}, said, said]
    put(world, "lines.jsonl", "\n".join(map(as_file, rows)))
    put(world, "agnai.json", as_file({"name": "Wat", "scenario": "", "messages": [{"msg": "Hm."}]}))
    put(world, "ooba.json", as_file({"data": [], "data_visible": [["Hm?", "Hm."]]}))
    for name in ("lines.jsonl", "agnai.json", "ooba.json"):
        refused = world.run("create", "--card", name)
        assert (refused.code, "offbook remember NAME FILE" in refused.err) == (2, True), name


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


def test_convert_of_lorebooks(world: World):
    world.done("card", "convert", "keeper.json", "world.json", "--lorebook", "sillytavern")
    raw = json.loads((world.folder / "world.json").read_text("utf-8"))
    assert len(raw["entries"]) == 4
    done = world.done(
        "card", "convert", "world.json", "agnai.json", "--lorebook", "agnai", "--json"
    )
    assert checked(done.json, WRITTEN)["format"] == "agnai"
    assert "entries[].constant" in {loss["path"] for loss in done.json["losses"]}
    assert "agnai has no place for constant" in done.err
    assert world.run("card", "convert", "world.json", "x.json", "--lorebook", "epub").code == 2
    for name in ("x.png", "x.charx"):
        refused = world.run("card", "convert", "world.json", name)
        assert (refused.code, (world.folder / name).exists()) == (2, False)
        assert "a lorebook by itself is JSON" in refused.err


@pytest.mark.parametrize(
    "words",
    [
        ["keeper.json", "out.txt"],
        ["keeper.json", "out"],
        ["keeper.json", "none/out.json"],
        ["keeper.json", "out.json", "--spec", "7"],
        ["keeper.json", "out.png", "--spec", "2"],
        ["keeper.json", "out.png", "--picture", "keeper.json"],
        ["keeper.json", "out.png", "--picture", "none.png"],
    ],
    ids=" ".join,
)
def test_a_target_that_cannot_be_is_refused(world: World, words: list[str]):
    assert world.run("card", "convert", *words).code == 2


def test_attach_and_export(world: World):
    world.done("create", "Ada")
    raw = {"spec": "lorebook_v3", "data": {"entries": [entry("Nine barrels.", "herring")]}}
    put(world, "world.json", as_file(raw))
    taken = checked(world.done("card", "attach", "ada", "world.json", "--json").json, TAKEN)
    assert taken["card"]["documents"][0]["name"] == "world.json"
    assert "a lorebook of 1" in world.done("card", "attach", "ada", "world.json").err
    world.done("create", "--card", "keeper.json")
    written = world.done("card", "export", "tamsin-reeve", "out.json", "--json").json
    checked(written, WRITTEN)
    assert holds(json.loads((world.folder / "out.json").read_text("utf-8")), keeper())
    assert "written: out.png" in world.done("card", "export", "tamsin-reeve", "out.png").err


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


def test_chunks_of_a_picture_that_nobody_knows_come_out_again(world: World):
    private = chunk(b"prVt", b"of nobody we know")
    (world.folder / "in.png").write_bytes(
        picture(private, after=(text_chunk("chara", packed(keeper())),))
    )
    world.done("create", "--card", "in.png")
    world.done("card", "export", "tamsin-reeve", "out.png")
    world.done("card", "convert", "in.png", "again.png")
    for name in ("out.png", "again.png"):
        assert private in (world.folder / name).read_bytes()
    fresh = picture()
    (world.folder / "new.png").write_bytes(fresh)
    world.done("card", "export", "tamsin-reeve", "other.png", "--picture", "new.png")
    assert private not in (world.folder / "other.png").read_bytes()
