"""The native API: the shapes of the command line, one status for each kind of failure."""

from __future__ import annotations

import asyncio
import base64
import errno
import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from pydantic import ValidationError

from offbook.app import Offbook
from offbook.cards import exchanges, read_chatlog
from offbook.server.native.documents import GivenDocuments
from offbook.stores.restore import restore
from tests.app.homes import home_with, text
from tests.app.keeper import as_file, keeper
from tests.cli import shapes
from tests.cli.shapes import misfit
from tests.cli.texts import ADA
from tests.server.inside import assert_refused, client_of, done, opened

ONE = "/api/characters/ada-byrne"
TOM = "Who taught you to trim the lamp?"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Ada with a graph, made once: her file."""
    folder = tmp_path_factory.mktemp("ada")

    async def make() -> None:
        async with home_with(folder, "Ada Byrne", text("ada.md", ADA), method="ensemble") as book:
            await book.export("ada-byrne", folder / "ada.offbook")

    asyncio.run(make())
    return (folder / "ada.offbook").read_bytes()


@pytest.fixture
async def book(tmp_path: Path, made: bytes):
    async with opened(tmp_path, method="naive") as opened_book:
        file = tmp_path / "ada.offbook"
        file.write_bytes(made)
        await opened_book.import_(file)
        yield opened_book


@pytest.fixture
async def client(book: Offbook):
    async with client_of(book) as made_client:
        yield made_client


@pytest.mark.parametrize(
    ("part", "shape"),
    [
        ("documents", shapes.DOCUMENTS),
        ("chunks", shapes.CHUNKS),
        ("entities", shapes.ENTITIES),
        ("relations", shapes.RELATIONS),
        ("aliases", shapes.ALIASES),
        ("decisions", shapes.DECISIONS),
    ],
)
async def test_parts_are_those_of_the_command_line(book, client, part: str, shape: Any):
    rows = await done(client, "GET", f"{ONE}/{part}")
    assert rows == json.loads(json.dumps(await book.show("ada-byrne", part)))
    assert misfit(rows, shape) is None
    assert await done(client, "GET", f"{ONE}/{part}?offset=1&limit=1") == rows[1:2]


async def test_recalls_and_replies_are_those_of_the_command_line(client):
    body = {"question": TOM}
    recalled = await done(client, "POST", f"{ONE}/recall", json=body)
    assert misfit(recalled, shapes.RECALL) is None
    replied = await done(client, "POST", f"{ONE}/ask", json=body)
    assert misfit(replied, shapes.ASK) is None
    assert "Tom" in replied["reply"]
    assert replied["context"] == recalled["context"]
    other = await done(client, "POST", f"{ONE}/recall", json={**body, "method": "vanilla"})
    assert other["method"] == "vanilla"


async def test_a_chat_streams_and_belongs_to_its_conversation(client):
    body = {"question": TOM, "session": "evening", "user": "sam"}
    answer = await client.post(f"{ONE}/chat", json=body)
    events = [block.split("\n", 1) for block in answer.text.strip().split("\n\n")]
    names = [head.removeprefix("event: ") for head, _ in events]
    data = [json.loads(rest.removeprefix("data: ")) for _, rest in events]
    assert set(names[:-1]) == {"piece"}
    assert names[-1] == "reply"
    assert "".join(d["text"] for d in data[:-1]).strip() == data[-1]["reply"]
    (talk,) = await done(client, "GET", f"{ONE}/sessions?user=sam")
    assert (talk["session"], talk["user"]) == ("evening", "sam")
    assert await done(client, "GET", f"{ONE}/sessions") == []
    (turn,) = await done(client, "GET", f"{ONE}/sessions/evening?user=sam")
    assert turn["said"] == TOM
    log = await client.get(f"{ONE}/sessions/evening?user=sam&format=jsonl")
    assert log.headers["content-type"] == "application/jsonl"
    (exchange,) = exchanges(read_chatlog(log.content))
    assert (exchange.said, exchange.answered) == (TOM, turn["answered"])
    assert (await client.get(f"{ONE}/sessions/evening")).status_code == 404
    assert (await client.get(f"{ONE}/sessions/evening?format=jsonl")).status_code == 404
    await done(client, "DELETE", f"{ONE}/sessions/evening?user=sam")
    assert await done(client, "GET", f"{ONE}/sessions?user=sam") == []
    # What is called as clients like is found by that name.
    await done(client, "POST", f"{ONE}/ask", json={"question": TOM, "session": "chats/a b/%2F"})
    (talk,) = await done(client, "GET", f"{ONE}/sessions")
    path = f"{ONE}/sessions/{quote(talk['session'], safe='')}"
    assert (await done(client, "GET", path))[0]["said"] == TOM
    assert (await client.get(f"{path}?format=jsonl")).status_code == 200
    # An address is that of one conversation, however others are called.
    await done(
        client, "POST", f"{ONE}/ask", json={"question": "Why?", "session": "chats/a b/%2F/log"}
    )
    (turn,) = await done(client, "GET", f"{path}/log")
    assert turn["said"] == "Why?"
    await done(client, "DELETE", f"{path}/log")
    await done(client, "DELETE", path)
    assert await done(client, "GET", f"{ONE}/sessions") == []


async def test_memories_are_added_searched_kept_out_and_forgotten(client):
    given = {"memories": [{"said": "Who was Tom?", "answered": "My brother, who drowned."}]}
    report = await done(client, "POST", f"{ONE}/memories", json=given)
    assert (report["added"], report["scored"]) == (1, 1)
    again = await done(client, "POST", f"{ONE}/memories", json=given)
    assert (again["added"], again["known"]) == (0, 1)
    (row,) = await done(client, "GET", f"{ONE}/memories")
    assert all(isinstance(level, int) for level in row["emotion"].values())
    (found,) = await done(client, "POST", f"{ONE}/memories/search", json={"text": "Who was Tom?"})
    assert found["score"] == 1.0
    gone = await done(client, "POST", f"{ONE}/memories/forget", json={"ids": [row["id"]]})
    assert gone == {"forgotten": [row["id"]]}
    assert await done(client, "GET", f"{ONE}/memories") == []
    await done(client, "POST", f"{ONE}/ask", json={"question": "Hi", "session": "s"})
    assert [r["said"] for r in await done(client, "GET", f"{ONE}/memories/kept-out")] == ["Hi"]


async def test_a_word_on_who_is_who_is_recorded_and_undone(client):
    said = await done(client, "POST", f"{ONE}/aliases", json={"a": "Tom", "b": "Thomas"})
    assert misfit(said, shapes.ALIAS) is None
    assert said["status"] == "recorded"
    undone = await done(client, "DELETE", f"{ONE}/decisions/{said['id']}")
    assert undone["status"] == "withdrawn"


async def test_a_source_opens_the_passage(client):
    found = await done(client, "POST", f"{ONE}/recall", json={"question": TOM})
    source = found["context"][0]["sources"][0]
    where = f"{ONE}/documents/{source['document']}?start={source['start']}&end={source['end']}"
    passage = await done(client, "GET", where)
    assert passage["text"] == ADA[source["start"] : source["end"]]
    beyond = await done(client, "GET", f"{ONE}/documents/ada.md?start=999999&end=3")
    assert beyond["text"] == ""


async def test_a_character_goes_round_in_one_file(client, book):
    exported = await client.get(f"{ONE}/export")
    content = base64.b64encode(exported.content).decode()
    taken = await client.post("/api/import", json={"content_base64": content})
    assert taken.status_code == 400
    body = {"content_base64": content, "replace": True}
    assert await done(client, "POST", "/api/import", json=body) == {
        "id": "ada-byrne",
        "name": "Ada Byrne",
    }
    assert (await client.get(f"{ONE}/export")).content == exported.content
    for wrong in ("!!!", "AAAA"):
        broken = await client.post("/api/import", json={"content_base64": wrong})
        assert broken.status_code == 400
        assert "/tmp" not in broken.text


async def test_the_graph_comes_in_three_forms(client):
    graph = await done(client, "GET", f"{ONE}/graph")
    assert graph["format"] == "offbook-graph"
    for form, begins in (("graphml", "<?xml"), ("html", "<!doctype html>")):
        answer = await client.get(f"{ONE}/graph?format={form}")
        assert answer.text.lower().startswith(begins)
        # It is a file to keep: opened from here it could run scripts as this server's.
        assert answer.headers["content-disposition"].startswith("attachment")
    assert (await client.get(f"{ONE}/graph?format=exe")).status_code == 400


async def test_vectors_are_made_anew(client):
    report = await done(client, "POST", f"{ONE}/reembed")
    assert report["vectors"] > 0


async def test_a_document_is_forgotten_and_a_character_deleted(client):
    report = await done(client, "DELETE", f"{ONE}/documents/ada.md")
    assert misfit(report, shapes.FORGET) is None
    assert await done(client, "DELETE", ONE) == {"id": "ada-byrne", "name": "Ada Byrne"}
    assert (await client.get(ONE)).status_code == 404


async def test_names_in_any_script_have_a_location_that_leads_to_them(client):
    answer = await client.post("/api/characters", json={"name": "王小明"})
    assert answer.status_code == 201
    assert (await client.get(answer.headers["location"])).json()["name"] == "王小明"


# fmt: off
REFUSED: list[tuple[str, str, Any, int, str]] = [
    ("GET", "/api/characters/nobody", None, 404, "unknown_name"),
    ("GET", f"{ONE}/nothing", None, 404, "not_found"),
    ("PUT", ONE, None, 405, "not_allowed"),
    ("GET", f"{ONE}/attributes", None, 409, "index_missing"),
    ("GET", f"{ONE}/documents/none", None, 404, "unknown_name"),
    ("GET", f"{ONE}/ingestions/none", None, 404, "unknown_name"),
    ("GET", f"{ONE}/ingestions/none/events", None, 404, "unknown_name"),
    ("DELETE", f"{ONE}/decisions/none", None, 404, "unknown_name"),
    ("POST", f"{ONE}/ask", {"question": " "}, 400, "usage"),
    ("POST", f"{ONE}/ask", {}, 400, "usage"),
    ("POST", f"{ONE}/ask", {"question": "x", "more": 1}, 400, "usage"),
    ("POST", f"{ONE}/ask", {"question": "x", "method": "none"}, 404, "unknown_name"),
    ("POST", f"{ONE}/ask", {"question": "x", "as_of": "none"}, 400, "usage"),
    ("POST", f"{ONE}/ask", {"question": "x", "session": "a\0b"}, 400, "usage"),
    ("POST", f"{ONE}/memories/forget", {"ids": ["none"]}, 404, "unknown_name"),
    ("POST", "/api/characters", {"name": "!?"}, 400, "usage"),
    ("POST", f"{ONE}/documents", {"documents": [{"name": "a"}]}, 400, "usage"),
    ("POST", f"{ONE}/documents", {"documents": [{"name": "a", "text": " "}]}, 400,
     "unreadable_document"),
    ("POST", f"{ONE}/documents", {"documents": [{"name": "a", "content_base64": "!"}]}, 400,
     "usage"),
    ("POST", f"{ONE}/documents", {"documents": [{"name": "a", "text": "x"}] * 2}, 400, "usage"),
    ("POST", f"{ONE}/documents", {"order": ["none"]}, 404, "unknown_name"),
    ("POST", f"{ONE}/documents", {"method": "none"}, 404, "unknown_name"),
    ("GET", "/api/evaluation/runs/none/report", None, 404, "unknown_name"),
]
# fmt: on


async def test_a_failure_has_its_status_and_says_what_to_do(client):
    await assert_refused(client, REFUSED)


@pytest.mark.parametrize(
    "content",
    [b"{", b"[" * 100_000, b'{"name": NaN}', b'{"\\ud800": 1}', b'{"name": "\\ud800"}', b"\xff",
     b'{"name": ' + b"9" * 5_000 + b"}", b"null", b'"x"', b'{"name": "a\\u0000"}'],
)  # fmt: skip
async def test_a_body_that_is_no_body_is_400(client, content: bytes):
    headers = {"content-type": "application/json"}
    answer = await client.post("/api/characters", content=content, headers=headers)
    assert answer.status_code == 400, answer.text
    assert misfit(answer.json(), shapes.ERROR) is None


async def test_no_field_of_a_request_reaches_the_file_system(client, tmp_path: Path):
    secret = tmp_path / "secret.txt"
    card = as_file(keeper())
    secret.write_text(as_file(keeper(description="the words of a file of the server")))
    names = [
        str(secret),
        f"../../..{secret}",
        secret.as_uri(),
        "..\\..\\secret.txt",
        "%2e%2e/secret",
        "..",
        "/",
    ]
    before = sorted(path.name for path in tmp_path.rglob("*"))
    for name in names:
        body = {"documents": [{"name": name, "text": "Ada keeps bees."}]}
        as_card = {"name": name, "text": card}
        answers = [
            await client.post("/api/cards/show", json=as_card),
            await client.post("/api/cards/lint", json={"files": [as_card]}),
            await client.post("/api/cards/convert", json={"file": as_card}),
            await client.post(f"{ONE}/card", json={**as_card, "name": f"{name}.json"}),
            await client.post(f"{ONE}/memories", json={"file": {**as_card, "name": name}}),
            await client.post(f"{ONE}/estimate", json=body),
            await client.get(f"{ONE}/documents/{name}"),
            await client.post(f"{ONE}/recall", json={"question": TOM, "as_of": name}),
            await client.post("/api/import", json={"content_base64": name}),
            await client.get(f"/api/evaluation/runs/{name}/report"),
            await client.post(f"{ONE}/ask", json={"question": TOM, "session": name}),
        ]
        for answer in answers:
            assert "the words of a file" not in answer.text
            assert answer.status_code < 500
    assert sorted(path.name for path in tmp_path.rglob("*")) == before
    assert not list(tmp_path.parent.glob("secret*"))


async def test_the_documentation_loads_nothing_and_runs_nothing(client):
    page = await client.get("/docs")
    assert page.status_code == 200
    for tag in ("<script", "src=", "@import", "url(", "http://", "https://"):
        assert tag not in page.text
    for told in ("/api/characters/{character}/ask", "Ada Byrne", "trim the lamp"):
        assert told in page.text
    policy = page.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    described = (await client.get("/openapi.json")).json()
    assert "HTTPValidationError" not in described["components"]["schemas"]


@pytest.mark.parametrize(("number", "status"), [(errno.ENOSPC, 503), (errno.EACCES, 500)])
async def test_a_file_for_which_there_is_no_room_is_told_so(client, monkeypatch, number, status):
    def full(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "write_bytes", full)
    sent = {"content_base64": base64.b64encode(b"a character").decode()}
    answer = await client.post("/api/import", json=sent)
    assert answer.status_code == status
    assert ("no room for a file" in answer.json()["error"]["message"]) == (status == 503)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({f"unknown-{n}": n for n in range(1_000)}, [("unknown-0",)]),
        ({"order": [1] * 1_000, "method": 5}, [("method",), ("order", 0)]),
    ],
)
def test_a_thousand_mistakes_of_a_kind_are_told_as_one(body, where):
    with pytest.raises(ValidationError) as refused:
        GivenDocuments.model_validate(body)
    assert [told["loc"] for told in refused.value.errors()] == where


async def test_a_backup_comes_over_http_and_is_restored(client, tmp_path: Path):
    answer = await client.post("/api/backup")
    assert answer.status_code == 200
    assert int(answer.headers["content-length"]) == len(answer.content)
    file = tmp_path / "copy.db"
    file.write_bytes(answer.content)
    assert restore(file, tmp_path / "elsewhere" / "offbook.db") == 1
    async with await Offbook.open(home=tmp_path / "elsewhere") as other:
        assert [info.name for info in await other.characters()] == ["Ada Byrne"]


async def test_a_caller_sees_and_deletes_what_is_kept_of_its_own_people(client, book: Offbook):
    for user in ("lena", "a/b #1"):
        body = {"question": "Do you know Quincunx?", "user": user, "session": "x"}
        await done(client, "POST", f"{ONE}/ask", json=body)
    path = f"/api/users/{quote('a/b #1', safe='')}"
    assert len((await done(client, "GET", path))["characters"]) == 1
    gone = await done(client, "DELETE", path)
    assert (gone["user"], gone["conversations"]) == ("owner/a/b #1", 1)
    assert (await client.get(path)).status_code == 404
    assert [row.user for row in await book.users.list()] == ["owner/lena"]
