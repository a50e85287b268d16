"""What SillyTavern, Open WebUI and LibreChat send, and what they read of the answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.server.served import MODEL
from tests.waiting import PATIENCE_SECONDS

QUESTION = "What did the stranger pay with?"
MORE = "Who taught you to trim the lamp?"
WATCH = "silver watch"


@pytest.fixture(scope="module")
def client(served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=served.root, timeout=PATIENCE_SECONDS) as made:
        yield made


def whole(client: httpx.Client, headers: Any = None, **body: Any) -> dict[str, Any]:
    response = client.post("/v1/chat/completions", json={"model": MODEL, **body}, headers=headers)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def said(completion: dict[str, Any]) -> str:
    text: str = completion["choices"][0]["message"]["content"]
    return text


def streamed(client: httpx.Client, headers: Any = None, **body: Any) -> tuple[str, dict[str, Any]]:
    """The text and the extras, read as SillyTavern reads: by `data:` lines with `choices`."""
    text = ""
    extras: dict[str, Any] = {}
    told = {"model": MODEL, "stream": True, **body}
    with client.stream("POST", "/v1/chat/completions", json=told, headers=headers) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in response.iter_lines() if line]
    assert lines[-1] == "data: [DONE]"
    for line in lines[:-1]:
        if line.startswith(":"):
            continue
        assert line.startswith("data: "), "neither `id:` nor `event:`"
        chunk = json.loads(line.removeprefix("data: "))
        assert "error" not in chunk
        assert "message" not in chunk, "SillyTavern shows it as a failure"
        for choice in chunk["choices"]:
            text += choice["delta"].get("content") or ""
        extras = chunk.get("offbook", extras)
    return text, extras


# -- SillyTavern 1.19.0 ----------------------------------------------------------------------------

NO_KEY = {"authorization": "Bearer"}  # and a blank, which HTTP does not count
SAMPLING = {
    "temperature": 1, "max_tokens": 300, "presence_penalty": 0, "frequency_penalty": 0, "top_p": 1,
}  # fmt: skip
CARD = [
    {"role": "system", "content": "Write Mira's next reply in a chat between Mira and Sam."},
    {"role": "system", "content": "Mira is a cheerful baker who loves sugar and hates the sea."},
    {"role": "system", "name": "example_user", "content": "What do you bake?"},
    {"role": "system", "name": "example_assistant", "content": "Sugar buns, all day!"},
    {"role": "system", "content": "[Start a new Chat]"},
]
GREETING = {"role": "assistant", "content": "The lamp is lit. Come in out of the rain."}


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def test_sillytavern_connects_without_a_key(client):
    for prefix in ("/v1", ""):
        found = client.get(f"{prefix}/models", headers=NO_KEY).json()
        assert [model["id"] for model in found["data"]] == [MODEL]
    tried = whole(client, NO_KEY, messages=[user("Hi")], stream=False, **SAMPLING)
    assert said(tried)


def test_sillytavern_talks_through_a_card_of_its_own(client):
    text, extras = streamed(client, NO_KEY, messages=[*CARD, GREETING, user(QUESTION)], **SAMPLING)
    assert WATCH in text
    assert "sugar" not in text.lower()
    assert any("client_system" in warning for warning in extras["warnings"])
    assert any("example" in warning for warning in extras["warnings"])


def test_sillytavern_swipes_and_goes_on(client):
    asked = [*CARD, GREETING, user("Where is the silver watch?")]
    first, one = streamed(client, NO_KEY, messages=asked, **SAMPLING)
    _, swiped = streamed(client, NO_KEY, messages=asked, **SAMPLING)
    further = [*asked, assistant(first), user(MORE)]
    text, later = streamed(client, NO_KEY, messages=further, **SAMPLING)
    assert "Thomas Byrne" in text
    assert later["session"] in (one["session"], swiped["session"])
    turns = client.get(f"/api/characters/{MODEL}/sessions/{later['session']}").json()
    assert [turn["said"] for turn in turns if turn["said"]] == [asked[-1]["content"], MORE]


def test_sillytavern_continues_and_writes_for_the_person(client):
    asked = [*CARD, GREETING, user("Who was Tom?")]
    first, one = streamed(client, NO_KEY, messages=asked, **SAMPLING)
    order = {"role": "system", "content": "[Continue your last message without repeating it.]"}
    _, more = streamed(client, NO_KEY, messages=[*asked, assistant(first), order], **SAMPLING)
    assert more["session"] == one["session"]
    order = {"role": "system", "content": "[Write your next reply from the point of view of Sam.]"}
    told = {"model": MODEL, "messages": [*asked, assistant(first), order], "stream": True}
    refused = client.post("/v1/chat/completions", json=told, headers=NO_KEY)
    # No character writes what somebody else says, and the embedded model is no language model.
    assert "configure a model" in refused.json()["error"]["message"]
    turns = client.get(f"/api/characters/{MODEL}/sessions/{one['session']}").json()
    assert [turn["said"] for turn in turns if turn["said"]] == ["Who was Tom?"]


# -- LibreChat -------------------------------------------------------------------------------------


def test_librechat_names_its_user_and_asks_for_a_title(client):
    text, extras = streamed(
        client, messages=[user(QUESTION)], user="6650f0", temperature=1, top_p=1,
        presence_penalty=0, frequency_penalty=0,
    )  # fmt: skip
    assert WATCH in text
    assert extras["user"] == "6650f0"
    wanted = "Provide a concise, 5-word-or-less title for the conversation, in title case."
    titled = whole(client, messages=[user(f"{wanted}\n\nUser: {QUESTION}")], user="6650f0")
    assert "offbook" not in titled
    talks = client.get(f"/api/characters/{MODEL}/sessions", params={"user": "6650f0"}).json()
    assert [talk["session"] for talk in talks] == [extras["session"]]
