"""Requests that no client should send: each is refused as what it is, and nothing breaks."""

from __future__ import annotations

import json

import httpx
import pytest

from offbook.server.openai.body import ChatMessage
from offbook.server.openai.messages import read_messages
from tests.loopback.server import LoopbackServer
from tests.server.openai.asking import body
from tests.server.served import MODEL, Served
from tests.waiting import PATIENCE_SECONDS, work_below

CHAT = "/v1/chat/completions"
JSON = {"content-type": "application/json"}


def sent(client: httpx.Client, raw: str, **more: object) -> httpx.Response:
    """The answer to a body in which ``@`` stands for this JSON, as no encoder would write it."""
    content = json.dumps(body(**more)).replace('"@"', raw).encode()
    return client.post(CHAT, content=content, headers=JSON)


@pytest.mark.parametrize("name", ["logit_bias", "response_format", "temperature", "offbook"])
def test_a_number_that_is_none_is_refused_wherever_it_stands(client: httpx.Client, name):
    for raw in ("1e999", '{"5": [-1e999]}', "Infinity"):
        refused = sent(client, raw, **{name: "@"})
        assert refused.status_code == 400
        assert refused.json()["error"]["code"] == "invalid_json"


def test_halves_of_characters_are_not_passed_on(server: Served, endpoint: LoopbackServer):
    with httpx.Client(base_url=server.root, timeout=PATIENCE_SECONDS) as client:
        for name, raw in {
            "stop": '["\\ud83d", "\\nYou:"]',
            "logit_bias": '{"\\ud83d": 1}',
            "response_format": '{"type": "text", "x": {"y": "\\udf0a"}}',
            "reasoning_effort": '"low\\ud83d"',
        }.items():
            assert sent(client, raw, **{name: "@"}).status_code == 200
            assert "?" in json.dumps(endpoint.chat_bodies[-1][name])


def test_what_is_passed_on_is_not_nested_without_end(client: httpx.Client):
    deep = '{"a":' * 900 + "1" + "}" * 900
    refused = sent(client, deep, response_format="@")
    assert refused.status_code == 400
    assert refused.json()["error"]["param"] == "response_format"


def test_kinds_of_parts_are_told_whatever_they_are_called(client: httpx.Client):
    odd = '[{"type": "text", "text": "Hello there."}, {"type": "\\ud800%s"}]' % ("x" * 5000)
    found = sent(client, odd, messages=[{"role": "user", "content": "@"}])
    assert found.status_code == 200
    assert len(found.json()["offbook"]["warnings"][0]) < 200
    alone = sent(client, '[{"type": "\\ud800"}]', messages=[{"role": "user", "content": "@"}])
    assert alone.status_code == 400
    assert alone.json()["error"]["param"] == "messages"


LONG = "x" * 201


@pytest.mark.parametrize(
    ("told", "headers", "param"),
    [
        ({"user": LONG}, {}, "user"),
        ({"safety_identifier": LONG}, {}, "safety_identifier"),
        ({"metadata": {"session_id": LONG}}, {}, "metadata.session_id"),
        ({"model": f"{MODEL}@{LONG}"}, {}, "model"),
        ({}, {"x-session-id": LONG}, "x-session-id"),
        ({}, {"x-openwebui-chat-id": LONG}, "x-openwebui-chat-id"),
        ({}, {"x-openwebui-user-id": LONG}, "x-openwebui-user-id"),
        ({"messages": [{"role": "user", "content": "Hi", "name": LONG}]}, {}, "messages[0].name"),
        ({"model": "x" * 100_000}, {}, "model"),
    ],
    ids=lambda told: None,
)
def test_a_name_has_an_end(client: httpx.Client, told, headers, param):
    refused = client.post(CHAT, json={**body(), **told}, headers=headers)
    assert refused.status_code == 400
    error = refused.json()["error"]
    assert error["param"] == param
    assert len(error["message"]) < 300


def test_what_is_said_at_once_has_an_end(client: httpx.Client):
    for messages in (("no " * 40_000,), ("Hi", "no " * 40_000)):
        refused = client.post(CHAT, json=body(*messages))
        assert refused.status_code == 400
        error = refused.json()["error"]
        assert (error["code"], error["param"]) == ("context_length_exceeded", "messages")
    # A client's own call may show the model a long conversation.
    task = f"### Task:\nGenerate a title. JSON\n<chat_history>USER: {'no ' * 40_000}</chat_history>"
    assert client.post(CHAT, json=body(task)).status_code == 200


def test_a_text_of_a_history_has_an_end_as_well(client: httpx.Client):
    refused = client.post(CHAT, json=body("Hi " * 2_000_000, "Yes?", "And you?"))
    assert refused.status_code == 400
    error = refused.json()["error"]
    assert (error["code"], error["param"]) == ("context_length_exceeded", "messages[0].content")


def test_many_examples_are_left_out_at_once():
    examples = [ChatMessage("system", f"Hm, {n}.", "example_user") for n in range(20_000)]
    said = [ChatMessage("user", f"And {n}?") for n in range(20_000)]
    with work_below(5):
        assert read_messages([*examples, *said]).examples == 20_000


@pytest.mark.parametrize(
    "path",
    ["/v1//chat/completions", "//v1/chat/completions", "//chat/completions/",
     "/v1/chat//completions//"],
)  # fmt: skip
def test_a_slash_too_many_in_the_address_does_no_harm(client: httpx.Client, path):
    url = f"{client.base_url}".rstrip("/") + path
    assert client.post(url, json=body()).status_code == 200
