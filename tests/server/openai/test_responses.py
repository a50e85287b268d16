"""The Responses API: what goes in, events in OpenAI's order, and who may go on from what."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest

from offbook.app import Offbook
from offbook.server.openai.response_shape import ResponseShape
from offbook.server.openai.responses_body import ResponsesBody
from offbook.stores import responses
from tests.loopback.answers import Answer, minimal_instance, schema_in
from tests.loopback.server import LoopbackServer
from tests.server.inside import bearer, client_of, opened
from tests.server.openai.asking import QUESTION, remembered, stored
from tests.server.served import MODEL, Served, settings_in, with_ada
from tests.waiting import PATIENCE_SECONDS

TOLD = "brother Tom taught her to trim the lamp when she was nine."
MORE = "And what became of him, in the end?"


@pytest.fixture(scope="module")
def sdk(offline: Served) -> Iterator[openai.OpenAI]:
    """The SDK at the server whose replies come from the offline model."""
    with openai.OpenAI(base_url=offline.base_url, api_key="none", max_retries=0) as made:
        yield made


@pytest.fixture
def live(server: Served, endpoint: LoopbackServer) -> Iterator[openai.OpenAI]:
    """The SDK at the server whose model is at the endpoint; each of its replies is another one."""
    numbers = itertools.count(1)
    endpoint.answer = lambda _: f"My brother Tom taught me how, and I tell it in {next(numbers)}."
    with openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0) as made:
        yield made


def items(*texts: str) -> list[dict[str, Any]]:
    roles = ("user", "assistant")
    return [{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)]


def test_a_text_and_items_are_answered_alike(sdk: Any):
    plain = sdk.responses.create(model=MODEL, input=QUESTION)
    listed = sdk.responses.create(model=MODEL, input=items(QUESTION))
    parts = [{"role": "user", "content": [{"type": "input_text", "text": QUESTION}]}]
    parted = sdk.responses.create(model=MODEL, input=parts)
    assert TOLD in plain.output_text
    assert plain.output_text == listed.output_text == parted.output_text
    assert (plain.status, plain.object, plain.error) == ("completed", "response", None)
    assert plain.usage.total_tokens == plain.usage.input_tokens + plain.usage.output_tokens > 0
    assert plain.model_extra["offbook"]["context"][0]["text"].startswith("Ada's brother Tom")


def test_what_was_sent_comes_back_with_it(sdk: Any):
    sent = {"temperature": 0.0, "parallel_tool_calls": False, "store": False}
    begun, *_, ended = sdk.responses.create(model=MODEL, input=QUESTION, stream=True, **sent)
    for told in (begun.response, ended.response):
        assert {name: getattr(told, name) for name in sent} == sent


def test_instructions_are_what_system_messages_are(live: Any, endpoint: LoopbackServer):
    live.responses.create(model=MODEL, input=QUESTION, instructions="It is raining outside.")
    assert "It is raining outside." in endpoint.chat_bodies[-1]["messages"][-1]["content"]


def test_events_come_in_openais_order(sdk: Any):
    events = list(sdk.responses.create(model=MODEL, input=QUESTION, stream=True))
    assert [event.sequence_number for event in events] == list(range(len(events)))
    kinds = [event.type.removeprefix("response.") for event in events]
    pieces = kinds.count("output_text.delta")
    cited = kinds.count("output_text.annotation.added")
    assert pieces > 1
    assert cited > 0
    assert kinds == [
        "created", "in_progress", "output_item.added", "content_part.added",
        *["output_text.delta"] * pieces,
        *["output_text.annotation.added"] * cited,
        "output_text.done", "content_part.done", "output_item.done", "completed",
    ]  # fmt: skip
    text = "".join(event.delta for event in events if event.type.endswith("text.delta"))
    done = events[-1].response
    assert text == done.output_text
    assert TOLD in text
    assert {event.response.id for event in events if hasattr(event, "response")} == {done.id}
    assert done.usage.output_tokens > 0
    assert done.model_extra["offbook"]["method"] == "naive"


def test_what_a_reply_rests_on_is_cited(sdk: Any, client: httpx.Client):
    told = sdk.responses.create(model=MODEL, input=QUESTION)
    said: Any = [{"role": "user", "content": QUESTION}]
    whole = sdk.chat.completions.create(model=MODEL, messages=said).choices[0].message
    last = list(sdk.chat.completions.create(model=MODEL, messages=said, stream=True))[-1]
    cited = told.output[0].content[0].annotations
    assert cited[0].type == "url_citation"
    assert (cited[0].start_index, cited[0].end_index) == (0, len(told.output_text))
    # There is no page here: the link is to the text.
    passage = client.get(cited[0].url).raise_for_status().json()["text"]
    assert passage == told.model_extra["offbook"]["context"][0]["text"]
    links = [each.url for each in cited]
    assert [each.url_citation.url for each in whole.annotations] == links
    streamed = last.choices[0].delta.model_extra["annotations"]
    assert [each["url_citation"]["url"] for each in streamed] == links
    again = sdk.responses.retrieve(told.id).output[0].content[0].annotations
    assert [each.url for each in again] == links


def test_the_stream_helper_has_the_whole(sdk: Any):
    with sdk.responses.stream(model=MODEL, input=QUESTION) as stream:
        assert TOLD in stream.get_final_response().output_text


def test_a_response_is_gone_on_from(live: Any, server: Served):
    first = live.responses.create(model=MODEL, input=QUESTION)
    second = live.responses.create(model=MODEL, input=MORE, previous_response_id=first.id)
    assert stored(server) == [[(QUESTION, first.output_text), (MORE, second.output_text)]]
    assert second.previous_response_id == first.id
    # From an earlier one it is another branch of the same conversation.
    other = live.responses.create(model=MODEL, input="And then?", previous_response_id=first.id)
    assert stored(server) == [[(QUESTION, first.output_text), ("And then?", other.output_text)]]
    streamed = live.responses.create(
        model=MODEL, input="Truly?", previous_response_id=second.id, stream=True
    )
    last = list(streamed)[-1].response
    assert stored(server)[0][1:] == [(MORE, second.output_text), ("Truly?", last.output_text)]


def test_a_model_is_shown_what_was_said_before(live: Any, endpoint: LoopbackServer):
    first = live.responses.create(model=MODEL, input=QUESTION)
    live.responses.create(model=MODEL, input=MORE, previous_response_id=first.id)
    contents = [message["content"] for message in endpoint.chat_bodies[-1]["messages"]]
    assert contents[1:3] == [QUESTION, first.output_text]


def test_two_responses_may_be_one_turn(sdk: Any):
    ids = set()
    first = sdk.responses.create(model=MODEL, input=QUESTION).id
    for _ in range(2):  # the offline model answers alike each time
        again = sdk.responses.create(model=MODEL, input=MORE, previous_response_id=first)
        ids.add(again.id)
    assert len(ids) == 2
    for each in ids:
        sdk.responses.create(model=MODEL, input="And then?", previous_response_id=each)


def test_what_is_not_to_be_stored_leaves_nothing(live: Any, server: Served):
    told = live.responses.create(model=MODEL, input=QUESTION, store=False)
    assert told.store is False
    with_header = live.responses.create(
        model=MODEL, input=QUESTION, extra_headers={"X-Offbook-Remember": "no"}
    )
    assert with_header.store is False
    live.chat.completions.create(
        model=MODEL,
        messages=[{"role": "user", "content": QUESTION}],
        extra_headers={"X-Offbook-Remember": "no"},
    )
    assert stored(server) == []
    assert remembered(server) == []
    for each in (told, with_header):
        with pytest.raises(openai.NotFoundError):
            live.responses.retrieve(each.id)
        with pytest.raises(openai.BadRequestError) as refused:
            live.responses.create(model=MODEL, input=MORE, previous_response_id=each.id)
        assert refused.value.code == "previous_response_not_found"


def test_what_a_model_makes_of_a_question_is_not_kept_either(tmp_path, endpoint: LoopbackServer):
    at = {"chat__model": "loopback", "chat__base_url": endpoint.base_url}
    asyncio.run(with_ada(settings_in(tmp_path, method="ensemble")))
    understood: list[Any] = []

    def answer(body: Any) -> str:
        if not (schema := schema_in(body)):
            return "Aye."
        understood.append(minimal_instance(schema))
        return json.dumps({**understood[-1], "query": "the ZEBRA4471 affair"})

    endpoint.answer = answer

    def kept() -> bytes:
        return b"".join(file.read_bytes() for file in (tmp_path / "home").glob("offbook.db*"))

    with Served(settings_in(tmp_path, method="ensemble", **at)) as running:
        said = {"question": "What of the ZEBRA4471 affair?", "session": "porch"}
        quiet = {"X-Offbook-Remember": "no"}
        with httpx.Client(base_url=running.root, timeout=PATIENCE_SECONDS) as client:
            for path, body in (
                ("/v1/responses", {"model": MODEL, "input": said["question"]}),
                (f"/api/characters/{MODEL}/ask", said),
            ):
                client.post(path, json=body, headers=quiet).raise_for_status()
                assert understood
                assert b"ZEBRA4471" not in kept()
                understood.clear()
            client.post(f"/api/characters/{MODEL}/ask", json=said).raise_for_status()
            assert understood
            assert b"ZEBRA4471" in kept()


def test_a_wish_for_privacy_is_not_lost(live: Any, server: Served):
    with pytest.raises(openai.BadRequestError, match="write yes or no"):
        live.responses.create(
            model=MODEL, input=QUESTION, extra_headers={"X-Offbook-Remember": "nope"}
        )
    assert stored(server) == []


def test_a_response_is_shown_and_deleted(live: Any, server: Served):
    first = live.responses.create(model=MODEL, input=QUESTION)
    second = live.responses.create(model=MODEL, input=MORE, previous_response_id=first.id)
    again = live.responses.retrieve(first.id)
    assert again.output_text == first.output_text
    assert again.status == "completed"
    assert len(remembered(server)) == 2
    live.responses.delete(first.id)
    with pytest.raises(openai.NotFoundError):
        live.responses.retrieve(first.id)
    assert stored(server) == [[(MORE, second.output_text)]]
    assert [pair[0] for pair in remembered(server)] == [MORE]
    # The conversation goes on without it.
    live.responses.create(model=MODEL, input="And then?", previous_response_id=second.id)
    assert [said for said, _ in stored(server)[0]] == [MORE, "And then?"]


def test_no_row_is_written_that_nothing_goes_on_from(live: Any, server: Served):
    said = [{"role": "user", "content": QUESTION}]
    told = live.chat.completions.create(model=MODEL, messages=said)

    async def look() -> Any:
        async with await Offbook.open(server.settings) as book:
            return await book.store.read(responses.get, told.id)

    assert asyncio.run(look()) is None


def test_a_deleted_conversation_takes_its_responses_along(live: Any, server: Served):
    first = live.responses.create(model=MODEL, input=QUESTION)
    session = first.model_extra["offbook"]["session"]
    httpx.delete(f"{server.root}/api/characters/{MODEL}/sessions/{session}").raise_for_status()
    with pytest.raises(openai.NotFoundError):
        live.responses.retrieve(first.id)

    async def look() -> Any:
        async with await Offbook.open(server.settings) as book:
            return await book.store.read(responses.get, first.id)

    assert asyncio.run(look()) is None


def test_a_cut_response_says_so(live: Any, endpoint: LoopbackServer):
    endpoint.answer = lambda _: Answer("My brother Tom taught me", "length")
    told = live.responses.create(model=MODEL, input=QUESTION, max_output_tokens=16)
    assert (told.status, told.incomplete_details.reason) == ("incomplete", "max_output_tokens")
    events = list(live.responses.create(model=MODEL, input=MORE, max_output_tokens=16, stream=True))
    assert events[-1].type == "response.incomplete"
    assert live.responses.retrieve(events[-1].response.id).status == "incomplete"


def test_a_failure_in_a_stream_is_raised(live: Any, server: Served, endpoint: LoopbackServer):
    endpoint.always("error_in_stream")
    kinds: list[str] = []
    stream = live.responses.create(model=MODEL, input=QUESTION, stream=True)
    with pytest.raises(openai.APIError, match="the model crashed"):
        kinds.extend(event.type for event in stream)
    assert kinds[-1] == "response.failed"
    assert stored(server) == []


def test_a_failure_before_the_first_piece_stands_behind_a_beginning():
    shape = ResponseShape(MODEL, ResponsesBody(model=MODEL, input=[]))
    error = {"error": {"code": "model_failed", "message": "it crashed", "param": None}}
    sent = shape.failing(error).decode()
    events = [json.loads(line[6:]) for line in sent.splitlines() if line.startswith("data: ")]
    assert [event["type"] for event in events] == [
        "response.created", "response.in_progress", "response.failed", "error",
    ]  # fmt: skip
    assert [event["sequence_number"] for event in events] == [0, 1, 2, 3]


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"input": [{"role": "user", "content": [{"type": "input_image"}]}]}, "input[0]"),
    ({"input": [{"role": "user", "content": [{"type": "input_file"}]}]}, "input[0]"),
    ({"input": [{"type": "item_reference", "id": "msg_1"}]}, "input[0]"),
    ({"input": [{"type": "computer_call", "call_id": "c"}]}, "input[0]"),
    ({"input": [{"content": "who says so?"}]}, "input[0]"),
    ({"input": []}, "input"),
    ({"tools": [{"type": "web_search"}]}, "tools[0].type"),
    ({"background": True}, "background"),
    ({"conversation": "conv_1"}, "conversation"),
    ({"prompt": {"id": "pmpt_1"}}, "prompt"),
    ({"tool_choice": {"type": "file_search"}}, "tool_choice"),
    ({"text": {"format": {"type": "json_schema", "name": "x"}}}, "text.format.schema"),
    ({"text": {"format": {"type": "grammar"}}}, "text.format.type"),
    ({"previous_response_id": "resp_0"}, "previous_response_id"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "param"), REFUSED)
def test_what_is_not_offered_is_refused_by_name(client: httpx.Client, fields: Any, param: str):
    answer = client.post("/v1/responses", json={"model": MODEL, "input": QUESTION, **fields})
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert (error["type"], error["param"]) == ("invalid_request_error", param)


async def test_another_key_has_none_of_it(tmp_path):
    async with opened(tmp_path) as book:
        await with_ada(book.settings)
        mine, other = await bearer(book), await bearer(book)
        quiet = await bearer(book, remember=False)
        async with client_of(book) as client:

            async def create(headers: Any, **more: Any) -> httpx.Response:
                body = {"model": MODEL, "input": "My locker code is ZEBRA4471.", **more}
                return await client.post("/v1/responses", json=body, headers=headers)

            first = (await create(mine)).json()
            path = f"/v1/responses/{first['id']}"
            assert (await client.get(path, headers=mine)).status_code == 200
            for headers in (other, quiet):
                for probe in (client.get, client.delete):
                    answer = await probe(path, headers=headers)
                    assert answer.status_code == 404
                    assert "ZEBRA" not in answer.text
                behind = await create(headers, previous_response_id=first["id"])
                assert behind.status_code == 400
                assert behind.json()["error"]["code"] == "previous_response_not_found"
            # Nor has another person of the same key.
            named = await create(mine, previous_response_id=first["id"], user="sam")
            assert named.status_code == 400
            gone = await create(quiet)
            assert gone.json()["store"] is False
            assert (await client.get(path, headers=mine)).status_code == 200
            assert (await client.delete(path, headers=mine)).json()["deleted"] is True


async def test_a_key_of_which_nothing_is_kept(tmp_path):
    async with opened(tmp_path) as book:
        await with_ada(book.settings)
        quiet = await bearer(book, remember=False, right="admin")
        async with client_of(book, **quiet) as client:
            asked_for = {"question": QUESTION, "session": "porch"}
            talk = f"/api/characters/{MODEL}"
            assert (await client.post(f"{talk}/ask", json=asked_for)).status_code == 200
            chat = {"model": MODEL, "messages": [{"role": "user", "content": QUESTION}]}
            await client.post("/v1/chat/completions", json=chat, headers={"x-session-id": "porch"})
            await client.post("/v1/completions", json={"model": MODEL, "prompt": QUESTION})
            assert (await client.get(f"{talk}/sessions")).json() == []
            scene = {"characters": [MODEL, MODEL], "said": QUESTION}
            refused = await client.post("/api/scenes", json=scene)
            assert refused.status_code == 403
            assert "nothing may be kept" in refused.text


def test_with_and_without_v1_and_mistaken_methods(client: httpx.Client):
    body = {"model": MODEL, "input": QUESTION}
    assert client.post("/responses", json=body).status_code == 200
    answer = client.get("/v1/responses")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert client.get("/v1/responses/resp_0").json()["error"]["code"] == "not_found"


def test_the_wire_has_an_event_line_and_no_end_of_chat(client: httpx.Client):
    body = {"model": MODEL, "input": QUESTION, "stream": True}
    with client.stream("POST", "/v1/responses", json=body, timeout=PATIENCE_SECONDS) as answer:
        text = answer.read().decode()
    blocks = [block.split("\n") for block in text.strip().split("\n\n")]
    for name, data in blocks:
        assert name == f"event: {json.loads(data.removeprefix('data: '))['type']}"
    assert "[DONE]" not in text
