"""The contract with clients of OpenAI's API, line by line, on the wire."""

from __future__ import annotations

import json

import httpx
import pytest

from tests.loopback.answers import Answer
from tests.loopback.server import LoopbackServer
from tests.server.inside import client_of, opened
from tests.server.openai.asking import (
    QUESTION,
    ask,
    body,
    chunks,
    lines,
    remembered,
    said,
    stored,
)
from tests.server.served import MODEL, Served
from tests.waiting import PATIENCE_SECONDS

CHAT = "/v1/chat/completions"
CONTRACT_KEYS = {"context", "boundary", "emotion", "mood", "skipped", "usage"}


@pytest.mark.parametrize("path", ["/v1/models", "/models", "/v1/models/", "/models/"])
@pytest.mark.parametrize("key", [None, "Bearer", "Bearer null", "Bearer sk-anything"])
def test_characters_are_models(client: httpx.Client, path, key):
    headers = {} if key is None else {"authorization": key}
    listed = client.get(path, headers=headers).json()
    assert listed["object"] == "list"
    (model,) = listed["data"]
    assert model == {"id": MODEL, "object": "model", "created": model["created"],
                     "owned_by": "offbook", "name": "Ada Byrne"}  # fmt: skip
    assert isinstance(model["created"], int)


def test_one_model_is_told(client: httpx.Client):
    assert client.get(f"/v1/models/{MODEL}").json()["id"] == MODEL
    assert client.get(f"/v1/models/{MODEL.upper()}").json()["id"] == MODEL
    missing = client.get("/v1/models/nobody")
    assert missing.status_code == 404
    assert missing.json()["error"]["code"] == "model_not_found"


@pytest.mark.parametrize("path", [CHAT, "/chat/completions", CHAT + "/", "/chat/completions/"])
def test_a_completion_has_the_shape_that_clients_read(client: httpx.Client, path):
    found = client.post(path, json=body()).json()
    assert found["id"].startswith("chatcmpl-")
    assert found["object"] == "chat.completion"
    assert isinstance(found["created"], int)
    assert found["model"] == MODEL
    assert found["system_fingerprint"]
    (choice,) = found["choices"]
    assert "Tom taught her" in choice["message"].pop("content")
    assert choice["message"].pop("annotations")
    assert choice == {
        "index": 0,
        "message": {"role": "assistant", "refusal": None},
        "finish_reason": "stop",
        "logprobs": None,
    }
    usage = found["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert min(usage.values()) > 0
    assert found["offbook"].keys() >= CONTRACT_KEYS
    assert found["offbook"]["context"][0]["sources"]


def test_the_tokens_are_those_that_the_endpoint_counts(server: Served, endpoint: LoopbackServer):
    endpoint.answer = lambda _: "Eleven words, or so."
    found = ask(server)
    told = found["offbook"]["usage"]["by_task"]["reply"]
    assert found["usage"]["prompt_tokens"] == told["prompt_tokens"] > 100
    streamed = chunks(lines(server, stream_options={"include_usage": True}))[-1]["usage"]
    assert streamed == found["usage"]


def test_a_stream_is_what_every_client_reads(client: httpx.Client):
    response = client.post(CHAT, json=body(stream=True))
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert response.headers["cache-control"].startswith("no-cache")
    assert response.headers["x-accel-buffering"] == "no"
    assert "content-encoding" not in response.headers
    assert response.text.endswith("data: [DONE]\n\n")
    events = response.text.removesuffix("\n\n").split("\n\n")
    assert all(event.startswith("data: ") and "\n" not in event for event in events)
    found = chunks(events)
    assert all(chunk["object"] == "chat.completion.chunk" for chunk in found)
    assert len({(c["id"], c["created"], c["model"]) for c in found}) == 1
    choices = [chunk["choices"][0] for chunk in found]
    assert choices[0]["delta"] == {"role": "assistant", "content": ""}
    assert all(choice["delta"].keys() == {"content"} for choice in choices[1:-1])
    assert [choice["finish_reason"] for choice in choices] == [None] * (len(found) - 1) + ["stop"]
    assert choices[-1]["delta"].keys() == {"annotations"}
    assert found[-1]["offbook"].keys() >= CONTRACT_KEYS
    assert not any("offbook" in chunk or "message" in chunk for chunk in found[:-1])
    text = "".join(choice["delta"].get("content", "") for choice in choices)
    whole = client.post(CHAT, json=body()).json()
    assert text.strip() == said(whole)


def test_the_times_of_a_reply_are_told(client: httpx.Client):
    whole = client.post(CHAT, json=body()).json()["offbook"]["timings"]
    assert 0 < whole["recall"] <= whole["replies"]
    asked = body(stream=True, n=2)
    streamed = chunks(client.post(CHAT, json=asked).text.split("\n\n"))[-1]["offbook"]["timings"]
    assert 0 < streamed["recall"] <= streamed["first_piece"] <= streamed["replies"]


def test_usage_comes_in_a_chunk_of_its_own_for_those_who_ask(client: httpx.Client):
    asked = body(stream=True, stream_options={"include_usage": True})
    found = chunks(client.post(CHAT, json=asked).text.split("\n\n"))
    assert found[-1]["choices"] == []
    assert found[-1]["usage"].keys() == {"prompt_tokens", "completion_tokens", "total_tokens"}
    assert all(chunk["choices"] and "usage" not in chunk for chunk in found[:-1])


def test_pings_come_while_a_reply_is_prepared(pinging: Served, endpoint: LoopbackServer):
    endpoint.hold()
    with (
        httpx.Client(base_url=pinging.root, timeout=PATIENCE_SECONDS) as client,
        client.stream("POST", CHAT, json=body(stream=True)) as response,
    ):
        coming = response.iter_lines()
        before = [next(coming) for _ in range(6)]
        assert endpoint.answered == 0
        endpoint.release()
        after = list(coming)
    assert before == [": ping", ""] * 3
    assert {line.partition(":")[0] for line in after} <= {"", "data"}
    assert any(line.startswith("data:") for line in after)


def test_pieces_are_sent_as_the_model_gives_them(server: Served, endpoint: LoopbackServer):
    endpoint.hold_reply()
    with (
        httpx.Client(base_url=server.root, timeout=PATIENCE_SECONDS) as client,
        client.stream("POST", CHAT, json=body(stream=True)) as response,
    ):
        coming = response.iter_lines()
        assert any('"content":"I ' in line for line in coming)
        assert endpoint.in_flight == 1, "the model has more to say, and waits until it may"
        endpoint.release()
        assert "[DONE]" in "".join(coming)


def test_letters_of_every_script_arrive_whole(server: Served, endpoint: LoopbackServer):
    # Among them those that end a line for many readers of lines, such as the one used here.
    told = "海は𠮷と🌊、\u2028それ\x85だけ\u2029だ。" * 3
    endpoint.answer = lambda _: told
    found = chunks(lines(server))
    text = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in found)
    assert text == told


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": [{"type": "text", "text": QUESTION}]}],
        [{"role": "system", "content": "A"}, {"role": "user", "content": QUESTION},
         {"role": "system", "content": "B"}],
        [{"role": "user", "content": "Well."}, {"role": "user", "content": QUESTION}],
        [{"role": "developer", "content": "A"}, {"role": "user", "content": QUESTION, "name": "J"}],
        [{"role": "assistant", "content": None}, {"role": "user", "content": QUESTION}],
        [{"role": "tool", "content": "{}", "tool_call_id": "1"},
         {"role": "user", "content": QUESTION}],
        [{"role": "function", "content": "4", "name": "f"}, {"role": "user", "content": QUESTION}],
        [{"role": "user", "content": ""}],
        [{"role": "system", "content": "You are a pirate."}],
        [{"role": "assistant", "content": "The lamp is lit."}],
        [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": ""}],
        [{"role": "user", "content": QUESTION}, {"role": "user", "content": ""}],
    ],
)  # fmt: skip
def test_messages_of_any_roles_in_any_order_are_answered(client: httpx.Client, messages):
    response = client.post(CHAT, json={"model": MODEL, "messages": messages})
    assert response.status_code == 200, response.text
    assert response.json()["choices"][0]["message"]["content"]


def test_sampling_parameters_are_passed_on(server: Served, endpoint: LoopbackServer):
    told = {
        "temperature": 0.3, "top_p": 0.9, "max_tokens": 77, "seed": 5, "stop": ["\nYou:"],
        "presence_penalty": 0.1, "frequency_penalty": 0.2, "logit_bias": {"5": -1},
        "response_format": {"type": "text"}, "top_k": 40, "min_p": 0.05,
    }  # fmt: skip
    for stream in (False, True):
        lines(server, **told) if stream else ask(server, **told)
        sent = endpoint.chat_bodies[-1]
        assert {name: sent.get(name) for name in told} == told


@pytest.mark.parametrize("model", [MODEL, f"{MODEL}:raw"])
def test_of_several_replies_each_has_a_seed_of_its_own(server, endpoint: LoopbackServer, model):
    ask(server, n=3, seed=5, model=model)
    assert sorted(sent["seed"] for sent in endpoint.chat_bodies) == [5, 6, 7]


def test_both_names_of_the_limit_are_known(server: Served, endpoint: LoopbackServer):
    ask(server, max_completion_tokens=12, max_tokens=99)
    assert endpoint.chat_bodies[-1]["max_tokens"] == 12
    ask(server, max_tokens=-1)
    assert "max_tokens" not in endpoint.chat_bodies[-1]


def test_what_is_unknown_or_has_no_effect_is_ignored(client: httpx.Client):
    odd: dict[str, object] = {"logprobs": True, "top_logprobs": 3, "store": True, "user": None}
    odd |= {"stop": None, "chat_id": 7, "session": {}, "provider": [1], "temperature": None}
    found = client.post(CHAT, json=body(**odd)).json()
    assert found["choices"][0]["logprobs"] is None


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("named", [{}, {"metadata": {"session_id": "porch"}}])
def test_a_turn_that_is_not_to_be_stored_leaves_nothing_behind(server, stream, named):
    talk = lines if stream else ask
    talk(server, "My goat Berta eats rope.", store=False, **named)
    assert (stored(server), remembered(server)) == ([], [])
    talk(server, QUESTION, store=True, **named)
    kept = stored(server), remembered(server)
    assert [[words for words, _ in turns] for turns in kept[0]] == [[QUESTION]]
    assert [words for words, _ in kept[1]] == [QUESTION]
    talk(server, "My goat Berta eats rope.", store=False, **named)
    assert (stored(server), remembered(server)) == kept


def test_tools_are_ignored_with_a_warning(server: Served, endpoint: LoopbackServer):
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    found = ask(server, tools=[tool], tool_choice="auto")
    assert found["choices"][0]["finish_reason"] == "stop"
    assert any("tools" in warning for warning in found["offbook"]["warnings"])
    assert "tools" not in endpoint.chat_bodies[-1]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("wish", "ends", "reason"),
    [
        ({"max_tokens": 3}, "This is how", "length"),
        ({"max_tokens": 900}, "(How she came to the rock)", "stop"),
        ({"stop": ["set", "never"]}, "This is how it was", "stop"),
        ({"stop": "set", "max_tokens": 2}, "This is", "length"),
        ({"stop": "This"}, "", "stop"),
    ],
)
def test_the_embedded_model_says_no_more_than_it_may(client, wish, ends, reason, stream):
    response = client.post(CHAT, json=body(stream=stream, **wish))
    if stream:
        choices = [chunk["choices"][0] for chunk in chunks(response.text.split("\n\n"))]
        text = "".join(choice["delta"].get("content", "") for choice in choices)
    else:
        choices, text = response.json()["choices"], said(response.json())
    assert text.rstrip().endswith(ends)
    assert choices[-1]["finish_reason"] == reason


@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_that_begins_with_a_stop_is_empty_and_no_turn(server, endpoint, stream):
    endpoint.answer = lambda asked: "" if "stop" in asked else "Aye."
    if stream:
        found = chunks(lines(server, "Hi", stop="Ada:"))
        assert "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in found) == ""
    else:
        found = [ask(server, "Hi", stop="Ada:")]
        assert said(found[0]) == ""
    assert endpoint.count("/chat/completions") == 1
    assert found[-1]["choices"][0]["finish_reason"] == "stop"
    assert found[-1]["offbook"]["remembered"] == {"memory": None, "why": "the reply is empty"}
    assert stored(server) == []
    # Clients send it back: nothing was answered, and more was said.
    ask(server, "Hi", "", "Who are you?")
    assert stored(server) == [[("Hi\n\nWho are you?", "Aye.")]]
    endpoint.always("empty")  # unlike a failure to answer
    with httpx.Client(base_url=server.root, timeout=PATIENCE_SECONDS) as client:
        assert client.post(CHAT, json=body("Hi", stream=stream)).status_code == 502


def test_several_replies_have_an_index_each(server: Served, endpoint: LoopbackServer):
    found = ask(server, n=3)
    assert [choice["index"] for choice in found["choices"]] == [0, 1, 2]
    assert endpoint.count("/chat/completions") == 3
    streamed = chunks(lines(server, n=2))
    for index in range(2):
        own = [c["choices"][0] for c in streamed if c["choices"][0]["index"] == index]
        assert own[0]["delta"]["role"] == "assistant"
        assert own[-1]["finish_reason"] == "stop"
    assert [("offbook" in chunk) for chunk in streamed].count(True) == 1


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"model": None}, "model"),
        ({"model": 3}, "model"),
        ({"messages": None}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": "Hi"}, "messages"),
        ({"messages": ["Hi"]}, "messages[0]"),
        ({"messages": [{"content": "Hi"}]}, "messages[0].role"),
        ({"messages": [{"role": "king", "content": "Hi"}]}, "messages[0].role"),
        ({"messages": [{"role": "user", "content": 3}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": ["Hi"]}]}, "messages[0].content[0]"),
        ({"messages": [{"role": "user", "content": [{"type": "text"}]}]},
         "messages[0].content[0].text"),
        ({"messages": [{"role": "user", "content": "Hi", "name": 3}]}, "messages[0].name"),
        ({"temperature": "hot"}, "temperature"),
        ({"temperature": True}, "temperature"),
        ({"temperature": 10**400}, "temperature"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": 2.5}, "max_tokens"),
        ({"stop": [1]}, "stop"),
        ({"seed": "x"}, "seed"),
        ({"stream": "yes"}, "stream"),
        ({"store": "no"}, "store"),
        ({"stream_options": 1}, "stream_options"),
        ({"n": 0}, "n"),
        ({"n": 99}, "n"),
        ({"user": 5}, "user"),
        ({"metadata": {"session_id": 5}}, "metadata.session_id"),
        ({"logit_bias": []}, "logit_bias"),
    ],
)  # fmt: skip
def test_a_wrong_type_is_refused_with_its_name(client: httpx.Client, change, param):
    response = client.post(CHAT, json={**body(), **change})
    assert response.status_code == 400
    error = response.json()["error"]
    assert error["type"] == "invalid_request_error"
    assert error["param"] == param
    assert response.headers["x-should-retry"] == "false"


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'"x"', b'{"n": NaN}', b"\xff\xfe", b"[" * 100_000]
)
def test_a_body_that_is_no_object_is_refused(client: httpx.Client, content):
    headers = {"content-type": "application/json"}
    response = client.post(CHAT, content=content, headers=headers)
    assert response.status_code == 400
    assert response.json()["error"]["message"]


def test_an_unknown_model_is_not_found(client: httpx.Client):
    for stream in (False, True):
        response = client.post(CHAT, json=body(model="watson", stream=stream))
        assert response.status_code == 404
        error = response.json()["error"]
        assert (error["code"], error["param"]) == ("model_not_found", "model")
        assert response.headers["x-request-id"]


@pytest.mark.parametrize(
    "path",
    ["/v1/chat/completions/chat/completions", "/v1/v1/chat/completions", "/v1/v1/models",
     "/chat/completions/v1/chat/completions",
     "/v1/chat/completions/models"],
)  # fmt: skip
def test_a_doubled_path_is_explained(client: httpx.Client, path):
    for response in (client.post(path, json=body()), client.get(path)):
        assert response.status_code == 404
        message = response.json()["error"]["message"]
        assert message.endswith(f"without /chat/completions: {client.base_url}/v1")


def test_other_paths_and_methods_have_the_envelope(client: httpx.Client):
    nothing = (client.get("/v1/files"), client.put("/v1/files"), client.post("/v1/audio/speech"))
    assert [response.status_code for response in nothing] == [404, 404, 404]
    for response in (*nothing, client.delete(CHAT)):
        assert response.status_code in (404, 405)
        assert response.json()["error"].keys() == {"message", "type", "param", "code"}


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [("GET", CHAT, "POST"), ("POST", "/v1/models", "GET"), ("GET", "/chat/completions", "POST"),
     ("POST", f"/v1/models/{MODEL}", "GET")],
)  # fmt: skip
def test_a_path_that_is_asked_otherwise_is_said_to_be_there(client, method, path, allowed):
    response = client.request(method, path)
    assert (response.status_code, response.headers["allow"]) == (405, allowed)


def test_the_base_of_the_address_says_what_there_is(client: httpx.Client):
    for path in ("/v1", "/v1/"):
        assert "POST /v1/chat/completions" in client.get(path).json()["error"]["message"]


@pytest.mark.parametrize(
    ("fault", "status", "code", "again"),
    [
        ("401", 502, "model_failed", False),
        ("context_length", 400, "context_length_exceeded", False),
        ("413", 400, "context_length_exceeded", False),
        ("filtered", 400, "content_filter", False),
        ("500", 503, "model_failed", False),
        ("429", 429, "rate_limit_exceeded", False),
    ],
)
def test_a_failing_model_is_told_with_a_status(server, endpoint, fault, status, code, again):
    endpoint.always(fault)
    with httpx.Client(base_url=server.root, timeout=PATIENCE_SECONDS) as client:
        for stream in (False, True):
            response = client.post(CHAT, json=body(stream=stream))
            assert response.status_code == status
            error = response.json()["error"]
            assert error["code"] == code
            assert response.headers.get("x-should-retry") == "false"


def test_a_limit_of_the_endpoint_is_passed_on_with_its_pause(server, endpoint: LoopbackServer):
    endpoint.retry_after = "3"
    endpoint.always("429")
    with httpx.Client(base_url=server.root, timeout=PATIENCE_SECONDS) as client:
        response = client.post(CHAT, json=body())
    assert response.status_code == 429
    assert response.headers["retry-after"] == "3"
    assert "x-should-retry" not in response.headers


@pytest.mark.parametrize("fault", ["dropped_stream", "malformed_stream", "error_in_stream",
                                   "half_stream"])  # fmt: skip
def test_a_model_that_dies_in_the_middle_ends_the_stream_readably(server, endpoint, fault):
    endpoint.always(fault)
    found = [line for line in lines(server) if line.startswith("data:")]
    assert found[-1] == "data: [DONE]"
    error = json.loads(found[-2].removeprefix("data: "))["error"]
    assert error.keys() == {"message", "type", "param", "code"}
    assert error["type"] == "server_error"
    assert '"finish_reason":"stop"' not in "".join(found)
    assert stored(server) == []


async def test_a_missing_index_is_told(tmp_path):
    async with opened(tmp_path) as book, client_of(book) as inside:
        await book.create("Ada Byrne")
        response = await inside.post(CHAT, json=body())
    assert response.status_code == 409
    assert response.json()["error"]["code"] == "index_missing"
    assert response.headers["x-should-retry"] == "false"


@pytest.mark.parametrize(
    ("told", "known"),
    [
        ("eos_token", "stop"),
        ("tool_calls", "stop"),
        ("model_length", "length"),
        ("length", "length"),
    ],
)
def test_ends_have_the_names_that_clients_know(server, endpoint: LoopbackServer, told, known):
    endpoint.answer = lambda _: Answer("My brother Tom taught me to.", told)
    for model in (MODEL, f"{MODEL}:raw"):
        assert ask(server, model=model)["choices"][0]["finish_reason"] == known
        last = chunks(lines(server, model=model))[-1]
        assert last["choices"][0]["finish_reason"] == known


def test_a_reply_that_the_filter_stops_ends_so(server: Served, endpoint: LoopbackServer):
    endpoint.answer = lambda _: Answer("My brother Tom taught", "content_filter")
    last = chunks(lines(server))[-1]
    assert last["choices"][0]["finish_reason"] == "content_filter"
    assert last["offbook"]["remembered"]["memory"] is None
    assert stored(server) == []


def test_somebody_is_there(client: httpx.Client):
    assert client.head("/").status_code == 200
    assert client.get("/health").status_code == 200
    described = client.get("/openapi.json").json()
    assert CHAT in described["paths"]
    assert "/chat/completions" not in described["paths"]


def test_a_mistake_in_mid_stream_ends_it_readably(server: Served, monkeypatch, caplog):
    async def mistaken(self, *args: object) -> None:
        raise ZeroDivisionError("the name Rumpel")

    monkeypatch.setattr("offbook.agent.replay.ReplayedSession._keep_all", mistaken)
    found = [line for line in lines(server) if line.startswith("data:")]
    assert found[-1] == "data: [DONE]"
    error = json.loads(found[-2].removeprefix("data: "))["error"]
    assert error["type"] == "server_error"
    assert "req_" in error["message"]
    assert "Rumpel" not in error["message"]
    assert any(record.exc_info and "mistake" in record.message for record in caplog.records)
