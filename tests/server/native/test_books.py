"""Books over HTTP: their casts, characters made of them, and what a key may change of them."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from offbook.app import Offbook
from tests.app import casting
from tests.app.homes import text
from tests.server.inside import assert_refused, bearer, client_of, done, opened

ROCK = {"documents": [{"name": "The Rock.md", "text": casting.BOOK}]}


@pytest.fixture
async def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    casting.use_it(monkeypatch)
    async with opened(tmp_path) as opened_book:
        yield opened_book


@pytest.fixture
async def client(book: Offbook):
    async with client_of(book) as made_client:
        yield made_client


async def test_a_cast_is_read_and_a_character_made_of_it(client, book: Offbook):
    rows = await done(client, "POST", "/api/cast", json=ROCK)
    assert (rows[0]["name"], rows[0]["first"]) == ("Ada Byrne", "Chapter 1")
    assert await done(client, "GET", "/api/characters") == []
    bytes_ = base64.b64encode(casting.BOOK.encode()).decode()
    sent = {"documents": [{"name": "The Rock.md", "content_base64": bytes_}]}
    made = await done(client, "POST", "/api/characters", json={"name": "Ada", "book": sent})
    assert (made["id"], made["book"], made["names"][:2]) == (
        "ada",
        "the-rock",
        ["Ada", "Ada Byrne"],
    )
    body = {"name": "Tom Reeve", "book": {"known": "the-rock"}}
    assert (await done(client, "POST", "/api/characters", json=body))["book"] == "the-rock"
    assert await done(client, "GET", "/api/characters/tom-reeve/cast") == rows
    assert await done(client, "POST", "/api/cast", json={"known": "ada"}) == rows
    asked = await done(client, "POST", "/api/characters/ada/ask", json={"question": "Who are you?"})
    assert "I am Ada" in asked["reply"]


async def test_bad_books_are_refused_and_no_file_of_the_server_is_read(client, tmp_path: Path):
    (tmp_path / "secret.md").write_text(casting.BOOK, encoding="utf-8")
    path = str(tmp_path / "secret.md")
    new = "/api/characters"
    await assert_refused(
        client,
        [
            ("POST", "/api/cast", {}, 400, "usage"),
            ("POST", "/api/cast", {**ROCK, "known": "ada"}, 400, "usage"),
            ("POST", "/api/cast", {"known": path}, 404, "unknown_name"),
            (
                "POST",
                "/api/cast",
                {"documents": [{"name": "a.md", "text": " "}]},
                400,
                "unreadable_document",
            ),
            ("POST", new, {"name": "Ada", "book": {"known": path}}, 404, "unknown_name"),
            ("POST", new, {"book": ROCK}, 400, "usage"),
            ("POST", new, {"name": "Tom", "book": ROCK}, 400, "usage"),
            ("POST", new, {"name": "Zeb", "book": ROCK}, 404, "unknown_name"),
            ("GET", "/api/characters/nobody/cast", None, 404, "unknown_name"),
        ],
    )
    assert await done(client, "GET", new) == []


async def test_a_key_that_opens_one_of_several_may_not_change_what_they_share(
    client, book: Offbook
):
    await book.create_from([text("The Rock.md", casting.BOOK)], "Ada")
    await book.create_from("the-rock", "Tom Reeve")
    limited = await bearer(book, right="admin", characters=["ada"])
    both = await bearer(book, right="write", characters=["ada", "tom-reeve"])
    one = "/api/characters/ada"
    document = f"{one}/documents/The Rock.md"
    changes = [
        ("POST", f"{one}/documents", {"documents": [{"name": "b.md", "text": "Ada."}]}),
        ("DELETE", f"{document}?for_all=true", None),
        ("POST", f"{one}/reembed", None),
        ("POST", f"{one}/aliases", {"a": "Ada Byrne", "b": "The Keeper"}),
        ("DELETE", f"{one}/decisions/x", None),
        ("POST", f"{one}/card", {"name": "a.json", "text": "{}"}),
    ]
    for method, path, body in changes:
        refused = await client.request(method, path, json=body, headers=limited)
        assert refused.status_code == 403, (path, refused.text)
        assert "tom" not in refused.text.lower()
    for path, body in (("recall", {"question": "Who?"}), ("memories/search", {"text": "lamp"})):
        assert (await client.post(f"{one}/{path}", json=body, headers=limited)).status_code == 200
    assert (await client.post("/api/cast", json=ROCK, headers=limited)).status_code == 403
    refused = await client.delete(document, headers=both)
    assert (refused.status_code, "tom-reeve" in refused.text) == (400, True)
    gone = await client.delete(f"{document}?for_all=true", headers=both)
    assert gone.status_code == 200, gone.text
    assert await done(client, "GET", f"{one}/documents", headers=limited) == []
    assert (await client.delete(one, headers=limited)).status_code == 200
    assert [each.id for each in await book.characters()] == ["tom-reeve"]


async def test_a_story_is_listed_and_corrected(client):
    await done(client, "POST", "/api/characters", json={"name": "Ada", "book": ROCK})
    url = "/api/characters/ada/story"
    story = await done(client, "GET", url)
    assert (story["kind"], story["scenes"][0]["number"]) == ("story", 1)
    word = {"scene": 1, "witness": "Tom Pell", "how": "read"}
    scene = await done(client, "POST", url, json=word)
    assert ("Tom Pell", "read", True) in [
        (each["name"], each["how"], each["by_person"]) for each in scene["witnesses"]
    ]
    assert (await done(client, "GET", url))["scenes"][0] == scene
    assert await done(client, "POST", url, json={**word, "how": None}) == story["scenes"][0]
    assert (await done(client, "PUT", url, json={"kind": "persona"}))["scenes"] == []
    await assert_refused(
        client,
        [
            ("POST", url, {**word, "scene": 0}, 400, "usage"),
            ("POST", url, {**word, "how": "dreamt"}, 400, "usage"),
            ("PUT", url, {"kind": "poem"}, 400, "usage"),
        ],
    )


async def test_a_key_that_opens_one_of_a_book_corrects_no_story(client, book: Offbook):
    for name in ("Ada", "Tom Reeve"):
        await done(client, "POST", "/api/characters", json={"name": name, "book": ROCK})
    key = await bearer(book, right="write", characters=["ada"])
    word = {"scene": 1, "witness": "Tom Pell", "how": "read"}
    for method, body in (("POST", word), ("PUT", {"kind": "persona"})):
        refused = await client.request(method, "/api/characters/ada/story", json=body, headers=key)
        assert refused.status_code == 403
