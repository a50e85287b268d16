"""What replies cost: told to clients, counted for whoever runs the server, and limited."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from offbook.server.authentication import Pace
from offbook.server.dependencies import OWNER
from offbook.ui.visitor import Visitor
from tests.loopback.answers import Answer
from tests.loopback.server import LoopbackServer
from tests.server.inside import client_of, opened
from tests.server.openai.asking import ask, body, chunks, lines
from tests.server.served import Served, settings_in, with_ada
from tests.waiting import PATIENCE_SECONDS

CHAT = "/v1/chat/completions"
NATIVE = "/api/characters/ada-byrne"
TOM = "Who taught you to trim the lamp?"


def counted(text: str, prompt: str = "reply") -> float:
    """Calls of a prompt, of what ``/metrics`` tells."""
    head = f'offbook_model_calls_total{{prompt="{prompt}"}} '
    return sum(float(line.removeprefix(head)) for line in text.splitlines() if head in line)


def test_cached_and_reasoning_tokens_of_the_model_are_told(
    server: Served, endpoint: LoopbackServer
):
    endpoint.answer = lambda _: Answer("My brother Tom taught me.", "stop", (640, 12))
    whole = ask(server)
    streamed = chunks(lines(server, stream_options={"include_usage": True}))
    twice = ask(server, n=2)
    for usage, times in (
        (whole["usage"], 1),
        (streamed[-1]["usage"], 1),
        (twice["usage"], 2),
    ):
        assert usage["prompt_tokens_details"] == {"cached_tokens": 640 * times}
        assert usage["completion_tokens_details"] == {"reasoning_tokens": 12 * times}
    own = streamed[-2]["offbook"]["usage"]
    assert (own["cached_tokens"], own["reasoning_tokens"]) == (640, 12)
    raw = ask(server, TOM, model="ada-byrne:raw")
    assert raw["usage"]["prompt_tokens_details"] == {"cached_tokens": 640}
    with httpx.Client(base_url=server.root, timeout=PATIENCE_SECONDS) as client:
        native = client.post(f"{NATIVE}/ask", json={"question": TOM}).json()
    assert native["usage"]["cached_tokens"] == 640


def test_what_no_model_tells_is_told_by_nobody(server: Served):
    whole = ask(server)
    assert set(whole["usage"]) == {"prompt_tokens", "completion_tokens", "total_tokens"}
    assert "cached_tokens" not in whole["offbook"]["usage"]
    with httpx.Client(base_url=server.root, timeout=PATIENCE_SECONDS) as client:
        native = client.post(f"{NATIVE}/ask", json={"question": TOM}).json()
    assert "cached_tokens" not in native["usage"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with a home, and Ada in it."""
    asyncio.run(with_ada(settings_in(tmp_path)))
    return tmp_path


@pytest.fixture
def flags(endpoint: LoopbackServer) -> dict[str, Any]:
    """One call a command, of the model at the endpoint."""
    return {
        "chat__model": "loopback",
        "chat__base_url": endpoint.base_url,
        "extract__model": "offline",
        "memory__grace_seconds": 0,
        "limits__retries": 0,
        "limits__budget_calls": 1,
    }


async def test_a_budget_is_that_of_a_request_and_not_of_the_servers_life(home: Path, flags: Any):
    async with opened(home, **flags) as book, client_of(book) as client:
        for number in range(2):
            asked = {"question": f"What was number {number}?"}
            told = {"messages": [{"role": "user", "content": asked["question"]}]}
            for path, sent in (
                (CHAT, {"model": "ada-byrne", **told}),
                (CHAT, {"model": "ada-byrne", **told, "stream": True}),
                (CHAT, {"model": "ada-byrne:raw", **told}),
                (f"{NATIVE}/ask", asked),
                (f"{NATIVE}/chat", asked),
            ):
                answer = await client.post(path, json=sent)
                assert answer.status_code == 200, answer.text
                assert '"error"' not in answer.text
        refused = await client.post(CHAT, json=body(TOM, n=2))
        assert refused.status_code == 429
        assert "limits.budget_calls" in refused.text


async def test_what_failed_is_counted_wherever_it_was_asked(
    home: Path, flags: Any, endpoint: LoopbackServer
):
    endpoint.always("500")
    async with opened(home, **flags) as book, client_of(book) as client:
        for number, (path, sent) in enumerate(
            (
                (CHAT, body()),
                (CHAT, body(stream=True)),
                (f"{NATIVE}/ask", {"question": TOM}),
                (f"{NATIVE}/chat", {"question": TOM}),
            ),
            1,
        ):
            assert '"error"' in (await client.post(path, json=sent)).text
            text = (await client.get("/metrics")).text
            assert counted(text) == number == endpoint.count("/chat/completions")
        assert 'offbook_model_seconds_total{prompt="reply"}' in text


async def test_what_the_page_asks_is_counted_and_each_of_it_has_a_budget(home: Path, flags: Any):
    async with opened(home, **flags) as book, client_of(book) as client:
        state = client._transport.app.state  # type: ignore[attr-defined]
        served, worker = state.book, state.background

        async def recognize():
            return OWNER

        visitor = Visitor(served, OWNER, recognize, Pace(), worker)
        character = await visitor.character("ada-byrne")
        talk = await visitor.conversation(character, "evening")
        for _ in range(2):
            assert [piece async for piece in talk.say(TOM)]
        assert [piece async for piece in talk.again()]
        assert counted((await client.get("/metrics")).text) == 3
        assert (await visitor.command(method="vanilla").ask("ada-byrne", TOM)).text
        assert counted((await client.get("/metrics")).text) == 4
