"""Keys: when they are asked for, what they open, and how often."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import pytest

from offbook.app import Offbook
from offbook.app.api_keys import Keys
from offbook.errors import ConfigurationError, StoreFailed
from offbook.server.app import check_names, create_app, require_keys
from offbook.server.authentication import Pace, asks_for_keys
from offbook.settings import load_settings
from offbook.settings.model import ServerSettings
from offbook.stores import queue
from tests.server.inside import bearer, client_of, opened
from tests.server.served import settings_in

PATHS = ("/v1/models", "/api/characters", "/metrics", "/docs", "/openapi.json", "/nothing")


@pytest.fixture
async def book(tmp_path: Path):
    async with opened(tmp_path) as made:
        await made.create("Ada Byrne")
        await made.create("Eve")
        yield made


async def test_without_keys_everybody_on_this_machine_is_the_owner(book: Offbook):
    async with client_of(book) as client:
        for headers in ({}, {"authorization": "Bearer anything"}, {"authorization": "Bearer "}):
            assert (await client.get("/v1/models", headers=headers)).status_code == 200
        assert (await client.get("/metrics")).status_code == 200


async def test_from_the_first_key_on_everything_but_health_asks_for_one(book: Offbook):
    headers = await bearer(book, right="admin")
    async with client_of(book) as client:
        for path in PATHS:
            refused = await client.get(path)
            assert refused.status_code == 401, path
            assert refused.headers["www-authenticate"].startswith("Basic realm=")
            assert "Bearer" not in refused.headers["www-authenticate"]
        assert (await client.get("/healthz")).status_code == 200
        for path in PATHS[:-1]:
            assert (await client.get(path, headers=headers)).status_code == 200


async def test_a_server_whose_last_key_was_revoked_does_not_fall_open(book: Offbook):
    made = await Keys(book).add("x")
    async with client_of(book) as client:
        headers = {"authorization": f"Bearer {made.secret}"}
        assert (await client.get("/v1/models", headers=headers)).status_code == 200
        await Keys(book).revoke(made.key.id)
        refused = await client.get("/v1/models", headers=headers)
        assert refused.status_code == 401
        assert "revoked" in refused.json()["error"]["message"]
        assert (await client.get("/v1/models")).status_code == 401


async def test_a_key_that_is_made_while_the_server_runs_closes_it(book: Offbook):
    async with client_of(book) as client:
        assert (await client.get("/v1/models")).status_code == 200
        await Keys(book).add("x")
        assert (await client.get("/v1/models")).status_code == 401


@pytest.mark.parametrize("form", ["bearer", "basic", "x-api-key"])
async def test_a_key_may_be_presented_in_three_ways(book: Offbook, form: str):
    secret = (await Keys(book).add("x")).secret
    basic = base64.b64encode(f"anybody:{secret}".encode()).decode()
    header = {
        "bearer": {"authorization": f"Bearer {secret}"},
        "basic": {"authorization": f"Basic {basic}"},
        "x-api-key": {"x-api-key": secret},
    }[form]
    async with client_of(book) as client:
        assert (await client.get("/v1/models", headers=header)).status_code == 200


@pytest.mark.parametrize(
    "told",
    [
        "Bearer",
        "Bearer null",
        "Basic !!!",
        "Basic " + base64.b64encode(b"\xff:\xff").decode(),
        "x",
        f"Bearer ofb_{'0' * 12}_{'A' * 43}",
    ],
)
async def test_what_is_no_key_is_refused_alike(book: Offbook, told: str):
    await Keys(book).add("x")
    async with client_of(book) as client:
        refused = await client.get("/v1/models", headers={"authorization": told})
    assert refused.status_code == 401
    assert refused.json()["error"]["code"] == "invalid_api_key"
    assert refused.headers["x-should-retry"] == "false"


async def test_an_expired_key_opens_nothing(book: Offbook, monkeypatch: pytest.MonkeyPatch):
    headers = await bearer(book, expires="1h")
    monkeypatch.setattr(
        "offbook.server.authentication.timestamp", lambda: "2100-01-01T00:00:00+00:00"
    )
    async with client_of(book) as client:
        refused = await client.get("/v1/models", headers=headers)
    assert refused.status_code == 401
    assert "expired" in refused.json()["error"]["message"]


def _other(path: str) -> str:
    return f"/api/characters/eve{path}"


async def test_what_a_key_does_not_open_does_not_exist_for_it(book: Offbook):
    headers = await bearer(book, right="admin", characters=["Ada Byrne"])
    async with client_of(book, **headers) as client:
        assert [c["id"] for c in (await client.get("/v1/models")).json()["data"]] == ["ada-byrne"]
        assert [c["id"] for c in (await client.get("/api/characters")).json()] == ["ada-byrne"]
        for method, path in (
            ("GET", ""),
            ("DELETE", ""),
            ("GET", "/documents"),
            ("GET", "/export"),
            ("GET", "/graph"),
            ("GET", "/sessions"),
            ("GET", "/documents/x"),
            ("DELETE", "/documents/x"),
        ):
            hidden = await client.request(method, _other(path))
            nowhere = await client.request(method, f"/api/characters/evf{path}")
            assert hidden.status_code == nowhere.status_code == 404
            # Not even the hint tells that there is one of nearly that name.
            assert hidden.text == nowhere.text.replace("evf", "eve")
        asked = await client.post(_other("/ask"), json={"question": "Who are you?"})
        assert asked.status_code == 404
        chat = {"model": "eve", "messages": [{"role": "user", "content": "Hi"}]}
        assert (await client.post("/v1/chat/completions", json=chat)).status_code == 404
        assert (await client.post("/api/characters", json={"name": "Mine"})).status_code == 403
        assert (await client.get("/api/evaluation/runs")).status_code == 403
    assert len(await book.characters()) == 2


async def test_a_key_finds_its_character_by_a_name_that_another_has_as_well(book: Offbook):
    await book.create("Ada Byrne")
    for own in ("ada-byrne", "ada-byrne-2"):
        async with client_of(book, **await bearer(book, characters=[own])) as client:
            for name in ("Ada Byrne", "ADA-BYRNE", "ada byrne"):
                shown = await client.get(f"/api/characters/{name}")
                assert (shown.status_code, shown.json().get("id")) == (200, own), shown.text
                assert (await client.get(f"/v1/models/{name}")).json()["id"] == own


WRITES = {
    "POST /documents", "POST /estimate", "DELETE /documents/{document}", "POST /memories",
    "POST /ingestions/{ingestion}/cancel", "POST /aliases", "DELETE /decisions/{decision}",
    "POST /reembed", "POST /card", "POST /story", "PUT /story",
}  # fmt: skip
TAKES_AWAY = {"DELETE ", "GET /export", "POST /card/export"}
CONCERNS_ALL = {
    "POST /api/doctor",
    "POST /api/import",
    "POST /api/backup",
    "POST /api/characters",
    "POST /api/cast",
}
ONE = "/api/characters/{character}"


def needed(method: str, path: str) -> str:
    """The right that a route asks for; `all` stands for `admin` with every character."""
    if f"{method} {path}" in CONCERNS_ALL or path.startswith("/api/evaluation"):
        return "all"
    tail = f"{method} {path.removeprefix(ONE)}"
    if path.startswith(ONE):
        return "write" if tail in WRITES else "admin" if tail in TAKES_AWAY else "chat"
    return "admin" if path == "/metrics" else "chat"


async def test_a_key_does_what_its_right_says_and_no_more(book: Offbook):
    rights = ["chat", "write", "admin"]
    keys = {right: await bearer(book, right=right) for right in rights}
    limited = await bearer(book, right="admin", characters=["ada-byrne"])
    other = await bearer(book, right="admin", characters=["eve"])
    await book.store.write(queue.add, "x", "ingestion", {}, character="ada-byrne")
    await book.store.write(queue.cancel, "x")
    asked: set[str] = set()
    async with client_of(book) as client:
        paths = (await client.get("/openapi.json", headers=keys["admin"])).json()["paths"]
        routes = [(path, method.upper()) for path, item in paths.items() for method in item]
        routes.sort(key=lambda route: route == (ONE, "DELETE"))  # there is nobody after that
        for path, method in routes:
            right = needed(method, path)
            asked.add(right)
            where = re.sub(r"{\w+}", "x", path.replace("{character}", "ada-byrne"))
            told: Any = {"method": method, "url": where, "json": {} if method == "POST" else None}
            if path != "/healthz":
                assert (await client.request(**told)).status_code == 401, where
            for held in rights:
                answer = await client.request(**told, headers=keys[held])
                enough = held == "admin" or (right in rights[: rights.index(held) + 1])
                assert (answer.status_code != 403) is enough, (held, told, answer.text)
            if path.startswith(ONE):
                assert (await client.request(**told, headers=other)).status_code == 404, where
            elif right == "all":
                assert (await client.request(**told, headers=limited)).status_code == 403, where
        with_memories = f"{ONE}/documents/x?with_memories=true".format(character="eve")
        answer = await client.delete(with_memories, headers=keys["write"])
        assert answer.status_code == 403
    assert asked == {*rights, "all"}


async def test_the_pace_of_a_key_is_kept_and_said(book: Offbook):
    slow, other = await bearer(book, rpm=2), await bearer(book)
    async with client_of(book) as client:
        found = [(await client.get("/v1/models", headers=slow)).status_code for _ in range(3)]
        refused = await client.get("/v1/models", headers=slow)
        assert found == [200, 200, 429]
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        assert refused.json()["error"]["code"] == "rate_limit_exceeded"
        assert (await client.get("/v1/models", headers=other)).status_code == 200


def test_the_last_minute_is_counted_exactly():
    now = [0.0]
    pace = Pace(lambda: now[0])
    assert [pace.wait_seconds("a", 2) for _ in range(3)] == [None, None, 60]
    now[0] = 59.5
    assert pace.wait_seconds("a", 2) == 1
    assert pace.wait_seconds("a", 1) == 1
    now[0] = 60.0
    assert pace.wait_seconds("a", 2) is None
    assert pace.wait_seconds("b", None) is None


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ({}, False),
        ({"host": "::1"}, False),
        ({"host": "localhost"}, False),
        ({"host": "0.0.0.0"}, True),
        ({"host": "192.168.1.5"}, True),
        ({"host": "::"}, True),
        ({"hosts": ("box.example",)}, True),
        ({"hosts": ("a.localhost",)}, False),
        ({"keys": True}, True),
    ],
)
def test_keys_are_asked_for_wherever_others_could_call(told, asked):
    assert asks_for_keys(ServerSettings(**told)) is asked


async def test_a_server_for_others_does_not_start_without_a_key(tmp_path: Path):
    settings = settings_in(tmp_path, server__host="0.0.0.0")
    async with await Offbook.open(settings) as book:
        with pytest.raises(ConfigurationError) as refused:
            await require_keys(settings, book.store)
        assert "offbook key add" in refused.value.hint
        await Keys(book).add("x")
        await require_keys(settings, book.store)


@pytest.mark.parametrize(
    "line", ['host = "0.0.0.0"', 'hosts = ["evil.example"]', 'origins = ["https://e.vil"]']
)
def test_a_downloaded_folder_does_not_open_the_server(tmp_path: Path, line: str):
    (tmp_path / "offbook.toml").write_text(f"[server]\n{line}\n")
    settings = load_settings({}, {}, tmp_path, tmp_path / "none")
    with pytest.raises(ConfigurationError, match=r"offbook\.toml"):
        create_app(settings)


@pytest.mark.parametrize("told", ["app.example", "*", "https://app.example/path", "null"])
def test_an_origin_that_is_none_is_refused(tmp_path: Path, told: str):
    with pytest.raises(ConfigurationError, match="origin"):
        check_names(settings_in(tmp_path, server__origins=told))


async def test_a_database_that_fails_is_no_mistake_of_the_key(book: Offbook, monkeypatch):
    headers = await bearer(book)
    async with client_of(book, **headers) as client:
        assert (await client.get("/v1/models")).status_code == 200

        async def failing(work: object, *arguments: object) -> None:
            raise StoreFailed("the database at '/home/somebody/offbook.db' is locked")

        monkeypatch.setattr(book.store, "read", failing)
        for path in ("/v1/models", "/api/characters"):
            answer = await client.get(path)
            assert answer.status_code == 503
            assert "somebody" not in answer.text
            assert "x-should-retry" not in answer.headers


SECRET = "The silver bell is buried under the third stone of the pier."


async def test_nobody_reads_what_the_holder_of_another_key_said(tmp_path: Path):
    ada = "/api/characters/ada-byrne"
    told = {"question": SECRET, "session": "porch"}
    chat = {"model": "ada-byrne", "messages": [{"role": "user", "content": SECRET}]}
    async with opened(tmp_path, method="vanilla") as book, client_of(book) as client:
        await book.create("Ada Byrne")
        ann, bob = await bearer(book), await bearer(book, right="write")
        for who in ({}, {"user": "sam"}):
            assert (await client.post(f"{ada}/ask", json={**told, **who}, headers=ann)).is_success
        named = {**ann, "x-session-id": "attic"}
        assert (await client.post("/v1/chat/completions", json=chat, headers=named)).is_success
        owns = await client.get(f"{ada}/sessions", headers=ann)
        assert {row["session"] for row in owns.json()} == {"porch", "attic"}
        asked: list[tuple[str, str, Any]] = [
            ("GET", f"{ada}/sessions{{}}", None),
            ("GET", f"{ada}/sessions/porch{{}}", None),
            ("DELETE", f"{ada}/sessions/porch{{}}", None),
            ("GET", f"{ada}/memories{{}}", None),
            ("POST", f"{ada}/memories/search", {"text": SECRET}),
            (
                "POST",
                f"{ada}/recall",
                {"question": "Where is the silver bell?", "session": "porch"},
            ),
            ("GET", f"{ada}/memories/kept-out{{}}", None),
        ]
        for user in ("", "?user=sam", f"?user={ann['authorization'][11:23]}"):
            for method, path, body in asked:
                seen = await client.request(method, path.format(user), json=body, headers=bob)
                assert "third stone" not in seen.text, (method, path)
        # The same name is another conversation; what was said before is not sent along.
        again = {**chat, "messages": [{"role": "user", "content": "Where is the silver bell?"}]}
        named = {**bob, "x-session-id": "porch"}
        answer = await client.post("/v1/chat/completions", json=again, headers=named)
        assert "third stone" not in answer.text
        kept = await client.get(f"{ada}/sessions/porch", headers=ann)
        assert SECRET in kept.text
