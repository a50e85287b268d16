"""Logs, metrics, traces and health; nothing secret in any of them."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st

from offbook.app import Offbook
from offbook.app.api_keys import Keys
from offbook.errors import STARS, ModelError
from offbook.models.metering import Meter
from offbook.server import telemetry
from offbook.server.app import create_app
from offbook.server.masking import Masking, secrets_of
from offbook.server.telemetry import LOGGER, Metrics, start_logging
from offbook.types import Ending
from tests.server.inside import client_of, opened
from tests.server.served import settings_in

MODEL_KEY = "sk-configured-and-never-shown"
PASSWORD = "database-password"


@pytest.fixture
def log():
    """The log of the server, with what the loggers had before afterwards."""
    names = (LOGGER, "uvicorn", "uvicorn.error", "uvicorn.access", "nicegui")
    before = {
        name: (logging.getLogger(name).handlers, logging.getLogger(name).propagate)
        for name in names
    }
    levels = {name: logging.getLogger(name).level for name in names}
    stream = io.StringIO()
    root, level = logging.getLogger(), logging.getLogger().level
    handler = start_logging(Masking([MODEL_KEY, PASSWORD]), stream)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)
    logging.captureWarnings(False)
    for name, (handlers, propagate) in before.items():
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = handlers, propagate
        logger.setLevel(levels[name])


def lines(log: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


@pytest.fixture
async def book(tmp_path: Path):
    async with opened(tmp_path, chat__api_key=MODEL_KEY) as made:
        await made.create("Ada Byrne")
        yield made


async def test_every_request_is_one_line_with_the_number_that_the_client_has(book: Offbook, log):
    async with client_of(book) as client:
        seen = await client.get("/api/characters/ada-byrne?offset=secret-in-the-query")
        missing = await client.get("/api/characters/nobody-of-this-name")
    told = [line for line in lines(log) if line["logger"] == "offbook.access"]
    numbers = [answer.headers["x-request-id"] for answer in (seen, missing)]
    assert [line["request"] for line in told] == numbers
    assert [line["status"] for line in told] == [200, 404]
    assert {line["route"] for line in told} == {"/api/characters/{character}"}
    assert {line["principal"] for line in told} == {"owner"}
    # Neither what was asked for nor of whom stands there.
    assert "secret-in-the-query" not in log.getvalue()
    assert "nobody-of-this-name" not in log.getvalue()


def test_what_libraries_write_is_json_too_without_secrets_and_addresses(log):
    logging.getLogger("asyncio").error("a task failed with %s\nand more", MODEL_KEY)
    logging.getLogger("httpx").info("GET http://127.0.0.1/?secret-in-the-query")
    logging.getLogger("nicegui").warning("http://localhost/?secret-in-the-query not found")
    try:
        raise RuntimeError(MODEL_KEY)
    except RuntimeError as error:
        logging.getLogger("nicegui").exception(error)
    assert [line["logger"] for line in lines(log)] == ["asyncio", "nicegui"]
    assert MODEL_KEY not in log.getvalue()
    assert "secret-in-the-query" not in log.getvalue()


async def test_the_path_of_a_failure_is_not_logged(book: Offbook, log):
    app = create_app(book)

    @app.get("/api/fails/{document}")
    async def fails(document: str) -> None:
        raise ModelError("the endpoint is gone")

    async with _client(app) as client:
        assert (await client.get("/api/fails/love-letters")).status_code == 502
    assert "the endpoint is gone" in log.getvalue()
    assert "love-letters" not in log.getvalue()


async def test_no_secret_reaches_logs_answers_or_metrics(book: Offbook, log):
    made = await Keys(book).add("x", right="admin")
    app = create_app(book)

    @app.get("/api/fails")
    async def fails() -> None:
        raise RuntimeError(f"with {MODEL_KEY}, {made.secret} and postgresql://u:{PASSWORD}@h/d")

    @app.get("/api/endpoint-fails")
    async def endpoint_fails() -> None:
        raise ModelError(f"the endpoint said: wrong key {MODEL_KEY}", f"mend {made.secret}")

    said = await _answers(app, {"authorization": f"Bearer {made.secret}"})
    wrong = await _answers(app, {"authorization": f"Bearer {made.secret[:-1]}_"})
    for text in (log.getvalue(), *said, *wrong):
        for secret in (MODEL_KEY, PASSWORD, made.secret, made.key.digest):
            assert secret not in text
    assert "RuntimeError" in log.getvalue()


@asynccontextmanager
async def _client(app: FastAPI, *, raises: bool = False) -> AsyncIterator[httpx.AsyncClient]:
    """A client of an application to which a test has added routes."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=raises)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        yield client


async def _answers(app: FastAPI, headers: dict[str, str]) -> list[str]:
    async with _client(app) as client:
        paths = ("/api/fails", "/api/endpoint-fails", "/metrics", "/openapi.json", "/v1/nothing")
        return [(await client.get(path, headers=headers)).text for path in paths]


async def test_a_mistake_of_ours_is_a_500_with_headers_a_number_and_no_details(book: Offbook, log):
    app = create_app(book)

    @app.get("/api/fails")
    async def fails() -> None:
        raise ZeroDivisionError("the name Rumpel in the system prompt")

    async with _client(app, raises=True) as client:
        answer = await client.get("/api/fails")
    assert answer.status_code == 500
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-request-id"] in answer.json()["error"]["hint"]
    assert "Rumpel" not in answer.text
    (line,) = [line for line in lines(log) if "traceback" in line]
    assert "system prompt" in str(line["traceback"])
    assert line["request"] == answer.headers["x-request-id"]


async def test_metrics_count_by_route_and_never_by_what_a_client_writes(book: Offbook):
    async with client_of(book) as client:
        for name in ("ada-byrne", "somebody", "somebody-else"):
            await client.get(f"/api/characters/{name}")
        await client.get("/a-path-of-a-scanner")
        await client.request("FROB", "/api/characters")
        text = (await client.get("/metrics")).text
    assert (
        'offbook_requests_total{method="GET",route="/api/characters/{character}",status="404"} 2.0'
        in text
    )
    assert 'route="(none)"' in text
    for written in ("somebody", "scanner", "FROB"):
        assert written not in text


def test_what_models_cost_is_counted_by_prompt():
    metrics = Metrics()
    turn = Meter(spending=metrics.models).part()
    turn.requested("m", "reply", 2)
    turn.answered("m", "reply", Ending("stop", 100, 10))
    turn.waited("reply", 3.0, 5.5)
    turn.embedded("e", 7)
    text = metrics.text()[0].decode()
    assert 'offbook_model_calls_total{prompt="reply"} 2.0' in text
    assert 'offbook_model_tokens_total{kind="prompt",prompt="reply"} 100.0' in text
    assert 'offbook_model_tokens_total{kind="completion",prompt="reply"} 10.0' in text
    assert 'offbook_model_seconds_total{prompt="reply"} 2.5' in text
    assert "offbook_embedding_calls_total 1.0" in text
    assert "offbook_embedding_tokens_total 7.0" in text


async def test_health_says_when_the_database_does_not_answer(
    book: Offbook, log, monkeypatch: pytest.MonkeyPatch
):
    async with client_of(book) as client:
        well = await client.get("/healthz")
        assert well.json()["status"] == "ok"
        assert (await client.get("/health")).json() == well.json()
        for path in ("/healthz", "/health"):  # what only looks at the status asks like this
            assert (await client.head(path)).status_code == 200

        async def broken(*_: object) -> None:
            raise OSError("disk")

        monkeypatch.setattr(book.store, "read", broken)
        ill = await client.get("/healthz")
        assert (await client.head("/healthz")).status_code == 503
    assert ill.status_code == 503
    assert ill.json()["database"] == "failing"
    assert "disk" not in ill.text


def test_settings_know_their_secrets(tmp_path: Path):
    url = f"postgresql://u:{PASSWORD}@h/d"
    settings = settings_in(tmp_path, chat__api_key=MODEL_KEY, database__url=url)
    assert secrets_of(settings) == {MODEL_KEY, url}


@given(st.text(max_size=60), st.text(max_size=60))
def test_masking_leaves_no_secret_and_short_ones_alone(before: str, after: str):
    text = Masking([MODEL_KEY, "abc"])(f"{before}{MODEL_KEY}{after}")
    assert MODEL_KEY not in text
    assert Masking(["abc"])("abc") == "abc"


@pytest.mark.parametrize(
    "secret",
    ["sk-proj-abcdefghijklmnop", "ofb_0123456789ab_" + "A" * 43, "postgresql://me:pass@host/db"],
)
def test_what_looks_like_a_secret_is_masked_where_nobody_configured_it(secret: str):
    masked = Masking()(f"it said {secret} twice")
    assert STARS in masked
    assert secret not in masked


def test_without_opentelemetry_requests_are_served_untraced(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with telemetry.traced("GET", "1") as finish:
        finish("/x", 500)


def test_with_opentelemetry_a_request_is_a_span(monkeypatch: pytest.MonkeyPatch):
    trace = pytest.importorskip("opentelemetry.trace", reason="opentelemetry is not installed")
    seen: dict[str, object] = {}

    class Span(trace.NonRecordingSpan):  # type: ignore[misc, name-defined]
        def update_name(self, name: str) -> None:
            seen["name"] = name

        def set_attribute(self, key: str, value: object) -> None:
            seen[key] = value

        def set_status(self, status: object, description: str | None = None) -> None:
            seen["failed"] = True

    class Tracer(trace.NoOpTracer):  # type: ignore[misc, name-defined]
        def start_as_current_span(self, *_: object, **__: object):
            return trace.use_span(Span(trace.INVALID_SPAN_CONTEXT))

    monkeypatch.setattr(trace, "get_tracer", lambda name: Tracer())
    with telemetry.traced("GET", "1") as finish:
        finish("/x", 503)
    assert seen["name"] == "GET /x"
    assert seen["http.response.status_code"] == 503
    assert seen["failed"]
