"""Names, origins and bodies: what a page of somebody else's can make a browser send."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbook.server.hosts import FromWhere, host_name, is_loopback, plain_origin
from tests.server.inside import client_of, opened

CHAT = "/v1/chat/completions"
CREATE = "/api/characters"


@pytest.fixture
async def client(tmp_path: Path):
    flags = {"server__hosts": "box.example", "server__origins": "https://app.example:8443"}
    async with opened(tmp_path, **flags) as book:
        from tests.server.inside import bearer

        headers = await bearer(book, right="admin")
        async with client_of(book, **headers) as made:
            yield made


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8321",
        "127.0.0.1:80",
        "127.8.8.8",
        "[::1]:8321",
        "BOX.example.",
        "a.localhost",
    ],
)
async def test_loopback_and_listed_names_are_let_in(client: httpx.AsyncClient, host: str):
    assert (await client.get("/healthz", headers={"host": host})).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "10.0.0.1",
        "",
        "[::2]",
        "localhost@evil.example",
        "evil.example@localhost",
        "box.example.evil",
        "0.0.0.0",
    ],
)
async def test_any_other_name_is_refused_so_that_rebinding_reads_nothing(
    client: httpx.AsyncClient, host: str
):
    refused = await client.get("/api/characters", headers={"host": host})
    assert refused.status_code == 403
    assert refused.json()["error"]["kind"] == "host_refused"


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost:3000", "file://", "x"]
)
async def test_a_page_of_another_origin_changes_nothing(client: httpx.AsyncClient, origin: str):
    for method, path, body in (("POST", CREATE, {"name": "Eve"}), ("DELETE", CREATE + "/x", None)):
        refused = await client.request(method, path, json=body, headers={"origin": origin})
        assert refused.status_code == 403
        assert "access-control-allow-origin" not in refused.headers
    assert (await client.get(CREATE)).json() == []


async def test_a_page_of_this_server_and_a_listed_one_may_change(client: httpx.AsyncClient):
    for origin in ("http://localhost", "https://app.example:8443"):
        made = await client.post(CREATE, json={"name": "Eve"}, headers={"origin": origin})
        assert made.status_code == 201


async def test_a_browser_that_hides_the_origin_is_known_by_where_it_fetches_from(
    client: httpx.AsyncClient,
):
    refused = await client.post(
        CREATE, json={"name": "Eve"}, headers={"sec-fetch-site": "cross-site"}
    )
    assert refused.json()["error"]["kind"] == "origin_refused"


async def test_without_a_listed_origin_there_is_no_cors(tmp_path: Path):
    async with opened(tmp_path) as book, client_of(book) as client:
        seen = await client.get(CREATE, headers={"origin": "https://evil.example"})
        asked = await client.options(
            CREATE,
            headers={"origin": "https://evil.example", "access-control-request-method": "POST"},
        )
    assert asked.status_code == 403
    for answer in (seen, asked):
        assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_a_listed_origin_may_ask_first_and_read(client: httpx.AsyncClient):
    headers = {
        "origin": "https://app.example:8443",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,x-stainless-os",
    }
    asked = await client.options(CHAT, headers=headers)
    assert asked.status_code == 204
    assert asked.headers["access-control-allow-origin"] == "https://app.example:8443"
    assert asked.headers["access-control-allow-headers"] == "authorization,x-stainless-os"
    assert "access-control-allow-credentials" not in asked.headers
    seen = await client.get(CREATE, headers={"origin": "https://app.example:8443"})
    assert seen.headers["vary"] == "Origin"
    # Clients in pages, too, read there whether to ask again.
    assert "x-should-retry" in seen.headers["access-control-expose-headers"]


@pytest.mark.parametrize(
    "media",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""],
)
async def test_a_body_that_any_form_could_send_is_refused(client: httpx.AsyncClient, media: str):
    refused = await client.post(CREATE, content=b'{"name": "Eve"}', headers={"content-type": media})
    assert refused.status_code == 415


async def test_json_with_a_charset_is_json(client: httpx.AsyncClient):
    headers = {"content-type": "Application/JSON; charset=utf-8"}
    made = await client.post(CREATE, content=b'{"name": "Eve"}', headers=headers)
    assert made.status_code == 201


@pytest.mark.parametrize(
    ("origin", "accepted"),
    [(None, True), ("http://localhost", True), ("https://evil.example", False), ("null", False)],
)
async def test_a_web_socket_is_opened_only_from_its_own_page(origin, accepted):
    reached, sent = [], []

    async def app(scope, receive, send):
        reached.append(scope["type"])

    async def send(message):
        sent.append(message)

    headers = [(b"host", b"localhost")] + ([] if origin is None else [(b"origin", origin.encode())])
    scope = {"type": "websocket", "path": "/x", "headers": headers}
    await FromWhere(app, (), ())(scope, None, send)  # type: ignore[arg-type]
    assert bool(reached) is accepted
    assert [m["type"] for m in sent] == ([] if accepted else ["websocket.close"])


async def test_the_pages_own_framework_has_to_say_from_which_page(client: httpx.AsyncClient):
    form = {"content-type": "multipart/form-data; boundary=x"}
    refused = await client.post("/_nicegui/upload", content=b"x", headers=form)
    assert refused.status_code == 403
    passed = await client.post(
        "/_nicegui/upload", content=b"x", headers={**form, "origin": "http://localhost"}
    )
    assert passed.status_code == 404


@given(st.text(max_size=40))
def test_no_text_makes_the_readers_of_names_and_origins_fail(text: str):
    assert isinstance(host_name(text), str)
    assert plain_origin(plain_origin(text)) == plain_origin(text)
    is_loopback(text)
