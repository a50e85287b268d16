"""Cards over the network: looked into, checked, converted, taken in, given out."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from offbook.app import Offbook
from offbook.cards import read_card, write_card
from offbook.cards.card import Card
from offbook.cards.files import lint_file, show_file
from tests.app.keeper import OATH, as_file, keeper
from tests.server.inside import assert_refused, client_of, done, ended, opened

ONE = "/api/characters/tamsin-reeve"
SENT = {"name": "keeper.json", "text": as_file(keeper())}
BOOK = {"entries": {"0": {"uid": 0, "key": ["gull"], "content": "Gulls nest below the lamp."}}}
CHAT = "\n".join(
    json.dumps(line)
    for line in (
        {"user_name": "Sam", "character_name": "Tamsin Reeve", "chat_metadata": {}},
        {"name": "Sam", "is_user": True, "mes": "Who drowned?"},
        {"name": "Tamsin Reeve", "is_user": False, "mes": "Wat did, bringing oil."},
    )
)


@pytest.fixture
async def book(tmp_path: Path):
    async with opened(tmp_path, method="naive") as opened_book:
        yield opened_book


@pytest.fixture
async def client(book: Offbook):
    async with client_of(book) as made:
        yield made


def png(card: dict[str, Any]) -> str:
    return base64.b64encode(write_card(Card(card), "png").data).decode()


async def test_a_character_is_made_of_a_card_and_ingested(client, book):
    answer = await client.post("/api/characters", json={"card": SENT})
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert answer.headers["location"] == ONE
    assert (made["id"], made["card"]["kind"], made["card"]["entries"]) == (
        "tamsin-reeve",
        "card",
        4,
    )
    assert made["card"]["file"] == "keeper.json"
    names = [row["name"] for row in await done(client, "GET", f"{ONE}/documents")]
    assert names == ["card", "card-lore"]
    report = await book.ingest("tamsin-reeve")
    assert report.documents[0].chunks > 0
    asked = await done(client, "POST", f"{ONE}/recall", json={"question": "What is sworn?"})
    assert OATH in json.dumps(asked["context"])


async def test_a_name_stands_before_that_of_the_card_and_a_plain_one_has_no_card(client):
    made = await done(client, "POST", "/api/characters", json={"name": "Tam", "card": SENT})
    assert (made["id"], made["name"]) == ("tam", "Tam")
    plain = await done(client, "POST", "/api/characters", json={"name": "Bo"})
    assert set(plain) == {"id", "name", "created"}


async def test_a_card_in_a_picture_is_shown_and_its_picture_kept(client):
    sent = {"name": "keeper.png", "content_base64": png(keeper())}
    await done(client, "POST", "/api/characters", json={"card": sent})
    shown = await done(client, "GET", f"{ONE}/card")
    assert (shown["kind"], shown["format"], shown["card"]["name"]) == (
        "card",
        "png",
        "Tamsin Reeve",
    )
    assert len(shown["lorebook"]["entries"]) == 4
    out = await done(client, "POST", f"{ONE}/card/export", json={"format": "png"})
    assert (out["file"], out["format"]) == ("tamsin-reeve.png", "png")
    data = base64.b64decode(out["content_base64"])
    assert len(data) == out["bytes"]
    assert read_card(data).card.data["description"] == keeper()["data"]["description"]


async def test_a_lorebook_is_attached_listed_and_forgotten(client):
    await done(client, "POST", "/api/characters", json={"name": "Tamsin Reeve"})
    sent = {"name": "gulls.json", "text": json.dumps(BOOK)}
    report = await done(client, "POST", f"{ONE}/card", json=sent)
    assert (report["card"]["kind"], report["card"]["entries"]) == ("lorebook", 1)
    (row,) = await done(client, "GET", f"{ONE}/card/files")
    assert (row["kind"], row["file"]) == ("lorebook", "gulls.json")
    await done(client, "DELETE", f"{ONE}/documents/gulls.json")
    assert await done(client, "GET", f"{ONE}/card/files") == []
    assert (await client.get(f"{ONE}/card")).status_code == 404


async def test_files_alone_are_looked_into_as_the_command_line_does(client, tmp_path: Path):
    file = tmp_path / "keeper.json"
    file.write_text(as_file(keeper(tags="a, b")), "utf-8")
    sent = {"name": "keeper.json", "text": file.read_text("utf-8")}
    shown = await done(client, "POST", "/api/cards/show", json=sent)
    assert shown == {**show_file(file), "file": "keeper.json"}
    book = {"name": "gulls.json", "text": json.dumps(BOOK)}
    linted = await done(client, "POST", "/api/cards/lint", json={"files": [sent, book]})
    assert linted[0] == {**lint_file(file).as_json(), "file": "keeper.json"}
    assert [row["kind"] for row in linted] == ["card", "lorebook"]
    assert await done(client, "GET", "/api/characters") == []


async def test_files_alone_are_converted_with_what_they_do_not_carry(client):
    body = {"file": SENT, "format": "json", "spec": 3}
    out = await done(client, "POST", "/api/cards/convert", json=body)
    assert (out["file"], out["format"]) == ("keeper.json", "json")
    assert json.loads(base64.b64decode(out["content_base64"]))["spec"] == "chara_card_v3"
    old = await done(client, "POST", "/api/cards/convert", json={**body, "spec": 1})
    assert old["losses"]
    book = {"file": SENT, "lorebook": "sillytavern", "format": "png"}
    lore = await done(client, "POST", "/api/cards/convert", json=book)
    assert (lore["file"], lore["format"]) == ("keeper.json", "sillytavern")
    assert len(json.loads(base64.b64decode(lore["content_base64"]))["entries"]) == 4
    drawn = {"file": SENT, "format": "png", "picture_base64": png(keeper(name="Somebody else"))}
    out = await done(client, "POST", "/api/cards/convert", json=drawn)
    assert read_card(base64.b64decode(out["content_base64"])).card.name == "Tamsin Reeve"


async def test_a_conversation_begins_with_a_greeting_of_the_card(client, book):
    card = keeper(alternate_greetings=["Who is there, {{user}}?"])
    sent = {"name": "keeper.json", "text": as_file(card)}
    await done(client, "POST", "/api/characters", json={"card": sent})
    await book.ingest("tamsin-reeve")
    told = await done(client, "GET", f"{ONE}/greetings?user=sam")
    assert told == ["You will be sam, then. Mind the third step.", "Who is there, sam?"]
    body = {"question": "May I come in?", "session": "night", "user": "sam", "greeting": 2}
    await done(client, "POST", f"{ONE}/ask", json=body)
    await done(client, "POST", f"{ONE}/ask", json={**body, "question": "And now?"})
    turns = await done(client, "GET", f"{ONE}/sessions/night?user=sam")
    assert [turn["said"] for turn in turns] == ["", "May I come in?", "And now?"]
    assert turns[0]["answered"] == "Who is there, sam?"
    none = {"question": "Hello?", "session": "other", "greeting": 3}
    answer = await client.post(f"{ONE}/ask", json=none)
    assert (answer.status_code, answer.json()["error"]["kind"]) == (400, "usage")


async def test_a_chat_log_becomes_memories(client):
    await done(client, "POST", "/api/characters", json={"name": "Tamsin Reeve"})
    sent = {"file": {"name": "chat.jsonl", "text": CHAT}}
    report = await done(client, "POST", f"{ONE}/memories", json=sent)
    assert (report["added"], report["scored"]) == (1, 1)
    assert any("chat log" in message for message in report["messages"])
    (row,) = await done(client, "GET", f"{ONE}/memories")
    assert (row["said"], row["answered"]) == ("Who drowned?", "Wat did, bringing oil.")


KNOWN = "/api/characters/bo"
LATIN = base64.b64encode("Wie heißt du?".encode("latin-1")).decode()
AS_JSON = {"content-type": "application/json"}

# fmt: off
WRONG: list[tuple[str, Any, int, str]] = [
    ("/api/characters", {}, 400, "usage"),
    ("/api/characters", {"card": {"name": "x.json", "text": "{}"}}, 400, "unreadable_card"),
    ("/api/characters", {"card": {"name": "x.json", "text": json.dumps(BOOK)}}, 400, "usage"),
    ("/api/characters", {"card": {"name": "x.json"}}, 400, "usage"),
    ("/api/cards/show", {"name": "x", "content_base64": "!"}, 400, "usage"),
    ("/api/cards/show", {"name": "x", "text": ""}, 400, "unreadable_card"),
    ("/api/cards/lint", {"files": []}, 400, "usage"),
    ("/api/cards/convert", {"file": SENT, "format": "exe"}, 400, "usage"),
    ("/api/cards/convert", {"file": SENT, "format": "png", "spec": 2}, 400, "usage"),
    ("/api/cards/convert", {"file": SENT, "picture_base64": "AAAA"}, 400, "usage"),
    ("/api/cards/convert", {"file": {"name": "b.json", "text": as_file(keeper(
        character_book=None))}, "lorebook": "agnai"}, 400, "usage"),
    (f"{ONE}/card", SENT, 404, "unknown_name"),
    (f"{KNOWN}/memories", {"memories": [{"said": "a", "answered": "b"}], "file": SENT}, 400,
     "usage"),
    (f"{KNOWN}/memories", {"file": {"name": "x.jsonl", "content_base64": LATIN}}, 400, "usage"),
    (f"{KNOWN}/memories", {"file": {"name": "x.jsonl", "text": "not a memory"}}, 400, "usage"),
    (f"{ONE}/card/export", {}, 404, "unknown_name"),
]
# fmt: on


async def test_half_a_character_in_a_text_is_refused(client):
    sent = b'{"name": "x.json", "text": "\\ud800"}'
    answer = await client.post("/api/cards/show", content=sent, headers=AS_JSON)
    assert (answer.status_code, answer.json()["error"]["kind"]) == (400, "usage")
    assert "half a character at 0" in answer.json()["error"]["message"]


async def test_what_cannot_be_used_is_told(client, book):
    await book.create("Bo")
    await assert_refused(client, [("POST", *row) for row in WRONG])
    assert [row["id"] for row in await done(client, "GET", "/api/characters")] == ["bo"]


async def test_a_card_can_be_talked_to_at_once(client):
    made = await done(client, "POST", "/api/characters", json={"card": SENT})
    assert made["ready"] is True
    body = {"model": made["id"], "messages": [{"role": "user", "content": "Who drowned?"}]}
    said = await done(client, "POST", "/v1/chat/completions", json=body)
    assert said["choices"][0]["message"]["content"]


async def test_a_card_whose_index_costs_says_what_and_where(tmp_path: Path, endpoint):
    flags: Any = {"chat__model": "loopback", "chat__base_url": endpoint.base_url}
    settings = opened(tmp_path, method="rolerag", **flags)
    async with settings as book, client_of(book) as client:
        made = await done(client, "POST", "/api/characters", json={"card": SENT})
        assert made["ready"] is False
        assert made["estimate"]["calls"] > 0
        assert endpoint.requests == []
        build = made["build"]
        built = await client.request(build["method"], build["url"], json=build["body"])
        assert built.status_code == 202
        assert build["url"] == f"{ONE}/documents"


NAMES = ("A=B", "AC/DC", "Who#1", "Why? Me", "100%", "%2F ok", "Kit \N{FOX FACE}", "a//b", "C/")


@pytest.mark.parametrize("name", NAMES)
async def test_a_name_with_any_sign_works_everywhere(client, name: str):
    made = await done(client, "POST", "/api/characters", json={"name": name})
    other = await done(client, "POST", "/api/characters", json={"name": "Somebody Else"})
    path = f"/api/characters/{quote(name, safe='')}"
    assert (await done(client, "GET", path))["id"] == made["id"]
    text = {"name": "a.md", "text": "# Kit\n\nKit keeps the light on Kestrel Rock."}
    location = (await client.post(f"{path}/documents", json={"documents": [text]})).headers
    await ended(client, location["location"])
    assert [row["name"] for row in await done(client, "GET", f"{path}/documents")] == ["a.md"]
    question = "Who keeps the light?"
    for route in ("ask", "recall"):
        await done(client, "POST", f"{path}/{route}", json={"question": question})
    body: Any = {"model": name, "messages": [{"role": "user", "content": question}]}
    assert (await done(client, "POST", "/v1/chat/completions", json=body))["model"] == made["id"]
    body = {"model": name, "input": question}
    assert (await done(client, "POST", "/v1/responses", json=body))["model"] == made["id"]
    model = await done(client, "GET", f"/v1/models/{quote(name, safe='')}")
    assert (model["id"], model["name"]) == (made["id"], name)
    body = {"questions": [{"question": question}], "characters": [name], "methods": ["naive"]}
    begun = await client.post("/api/evaluation/runs", json=body)
    assert (await ended(client, begun.headers["location"]))["status"] == "done"
    await done(client, "DELETE", path)
    assert [row["id"] for row in await done(client, "GET", "/api/characters")] == [other["id"]]
