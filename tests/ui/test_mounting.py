"""The pages beside the APIs: their paths, their policy, who sees which character."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from offbook.app import Offbook
from offbook.server.app import create_app
from offbook.ui.mounting import mount_page
from tests.server.inside import bearer, opened

ATTACK = "<script>alert(1)</script>"


@asynccontextmanager
async def client_of(book: Offbook, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(book)
    mount_page(app)
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost", headers=headers, timeout=30
        ) as made:
            yield made


@pytest.fixture
async def book(tmp_path: Path) -> AsyncIterator[Offbook]:
    """An open home with Ada and Tom."""
    async with opened(tmp_path) as made:
        await made.create("Ada Byrne")
        await made.create(f"Tom {ATTACK}")
        yield made


def scripts(html: str) -> list[str]:
    return re.findall(r"<script[^>]*>", html)


async def test_every_script_of_a_page_has_the_nonce_of_its_answer(book: Offbook):
    async with client_of(book) as client:
        first, second = await client.get("/"), await client.get("/")
    nonces = []
    for answer in (first, second):
        policy = answer.headers["content-security-policy"]
        (nonce,) = re.findall(r"'nonce-([^']+)'", policy)
        assert "unsafe-inline" not in policy.split("style-src")[0]
        assert "default-src 'none'" in policy
        tags = [tag for tag in scripts(answer.text) if "/_page/" not in tag]
        assert len(tags) > 4
        assert all(f'nonce="{nonce}"' in tag for tag in tags)
        nonces.append(nonce)
    assert nonces[0] != nonces[1]


async def test_a_text_that_is_a_script_gets_no_nonce_and_no_markup(book: Offbook):
    async with client_of(book) as client:
        answer = await client.get("/")
        named = await client.get("/c/tom-script-alert-1-script")
    assert "alert(1)" in answer.text
    for told in (answer.text, named.text):
        assert ATTACK not in told
        assert "&lt;script&gt;alert(1)" in told


async def test_other_paths_are_answered_as_without_pages(book: Offbook):
    async with client_of(book) as client:
        for path in ("/nothing", "/api/nothing", "/cards", "/v1/nothing"):
            answer = await client.get(path)
            assert answer.status_code == 404
            assert answer.headers["content-type"] == "application/json"
            assert "error" in answer.json()
        assert (await client.get("/v1/models")).status_code == 200
        refused = await client.post("/", json={})
        assert (refused.status_code, refused.json()["error"]["kind"]) == (405, "not_allowed")


async def test_an_unknown_character_and_an_unknown_run_are_said_to_be_none(book: Offbook):
    async with client_of(book) as client:
        answer = await client.get("/c/nobody")
        assert answer.status_code == 404
        assert "nobody" in answer.text
        assert "no-run" in (await client.get("/reviews/no-run")).text


async def test_a_key_sees_only_its_characters_and_no_reviews(book: Offbook):
    key = await bearer(book, right="chat", characters=("ada-byrne",))
    async with client_of(book, **key) as client:
        start = (await client.get("/")).text
        assert "Ada Byrne" in start
        assert "alert(1)" not in start
        assert (await client.get("/c/tom-script-alert-1-script")).status_code == 404
        assert "Name of a new character" not in start
        assert "Choose files" not in (await client.get("/c/ada-byrne/documents")).text
        assert "not for your key" in (await client.get("/reviews")).text
        assert (
            await client.get("/c/tom-script-alert-1-script/graph/graph.json")
        ).status_code == 404


async def test_without_a_key_where_keys_are_asked_for_no_page_is_shown(book: Offbook):
    await bearer(book)
    async with client_of(book) as client:
        for path in ("/", "/c/ada-byrne", "/reviews", "/_nicegui_ws/socket.io/?transport=polling"):
            assert (await client.get(path)).status_code == 401


async def test_pages_of_elsewhere_do_not_reach_the_connection_of_a_page(book: Offbook):
    there = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
    async with client_of(book) as client:
        elsewhere = {"origin": "https://evil.example"}
        assert (await client.post(there, headers=elsewhere, content="40")).status_code == 403
        read = await client.get(there, headers=elsewhere)
        assert "access-control-allow-origin" not in read.headers
