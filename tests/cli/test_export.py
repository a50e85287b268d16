"""`export` and `import`: a character in one file, and exactly back."""

from __future__ import annotations

import json

from tests.end_to_end.world import World


def test_a_round_trip_into_another_home_is_exact(ada: World, tmp_path):
    ada.done("ingest", "ada-byrne", "--method", "profile")
    first, second = tmp_path / "a.offbook", tmp_path / "b.offbook"
    made = ada.done("export", "Ada Byrne", first, "--json").json
    assert made == {"id": "ada-byrne", "name": "Ada Byrne", "file": str(first)}
    elsewhere = ["--home", str(tmp_path / "elsewhere")]
    found = ada.done("import", first, "--json", *elsewhere).json
    assert found == {"id": "ada-byrne", "name": "Ada Byrne"}
    ada.done("export", "ada-byrne", second, *elsewhere)
    assert first.read_bytes() == second.read_bytes()
    for words in (
        ["show", "ada-byrne", "--json"],
        ["show", "ada-byrne", "documents", "--json"],
        ["show", "ada-byrne", "chunks", "--json"],
    ):
        assert ada.done(*words).json == ada.done(*words, *elsewhere).json
    question = ["recall", "ada-byrne", "Who taught you?", "--json"]
    there, here = ada.done(*question, *elsewhere).json, ada.done(*question).json
    assert there["context"] == here["context"]
    assert here["context"]


def test_an_existing_character_is_replaced_only_when_asked(ada: World, tmp_path):
    file = tmp_path / "ada.offbook"
    ada.done("export", "ada-byrne", file)
    ada.done("ingest", "ada-byrne", ada.write("gulls.md", "Ada Byrne feeds the gulls.\n"))
    refused = ada.run("import", file, "--json")
    assert (refused.code, refused.error["kind"]) == (2, "usage")
    assert "--replace" in refused.error["hint"]
    assert len(ada.done("show", "ada-byrne", "documents", "--json").json) == 2
    assert "imported 'Ada Byrne' (id ada-byrne)" in ada.done("import", file, "--replace", "-y").err
    assert len(ada.done("show", "ada-byrne", "documents", "--json").json) == 1
    assert "gulls" not in ada.done("recall", "ada-byrne", "What of the gulls?").out


def test_conversations_go_along_only_when_asked(ada: World, tmp_path):
    words = ["ask", "ada-byrne", "Do you know the word quincunx?", "--session", "evening"]
    ada.done(*words)
    without, along = tmp_path / "without", tmp_path / "along"
    ada.done("export", "ada-byrne", without)
    ada.done("export", "ada-byrne", along, "--with-conversations")
    assert without.stat().st_size < along.stat().st_size
    for file, known in ((without, False), (along, True)):
        home = tmp_path / f"home-{file.name}"
        ada.done("import", file, "--home", str(home))
        held = b"".join(path.read_bytes() for path in home.iterdir())
        assert (b"quincunx" in held) is known


def test_a_conversation_goes_out_as_a_chat_log_and_comes_in_as_memories(ada: World):
    said = "Do you know the word quincunx?"
    answered = ada.done("ask", "ada-byrne", said, "--session", "a/b", "--user", "Ines", "--json")
    words = ["conversations", "ada-byrne", "export", "a/b", "chat.jsonl"]
    made = ada.done(*words, "--user", "Ines", "--json").json
    assert made == {"file": "chat.jsonl", "session": "a/b", "messages": 2}
    head, person, reply = map(json.loads, (ada.folder / "chat.jsonl").read_text().splitlines())
    assert (head["user_name"], head["character_name"]) == ("Ines", "Ada Byrne")
    assert [(m["name"], m["is_user"], m["mes"]) for m in (person, reply)] == [
        ("Ines", True, said),
        ("Ada Byrne", False, answered.json["reply"]),
    ]
    ada.done("create", "Kit")
    assert ada.done("remember", "kit", "chat.jsonl", "--json").json["added"] == 1
    refused = ada.run(*words, "--json")  # it is hers, and not the owner's
    assert (refused.code, refused.error["kind"]) == (2, "unknown_name")
    assert "--user" in refused.error["hint"]
    assert "'a/b'" in ada.run(*words[:3], "c", "x", "--user", "Ines").err


def test_what_is_no_export_is_refused_and_nothing_is_done(offline: World, tmp_path):
    for name, content in (("text", b"hello"), ("empty", b""), ("zip", b"PK\x03\x04" + b"\0" * 99)):
        file = tmp_path / name
        file.write_bytes(content)
        outcome = offline.run("import", file, "--json")
        assert (outcome.code, outcome.error["kind"]) == (2, "usage"), name
    assert offline.run("import", tmp_path / "nowhere").code == 2
    assert offline.run("import", tmp_path).code == 2
    assert offline.done("list", "--json").json == []
