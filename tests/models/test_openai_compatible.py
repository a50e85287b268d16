"""The wire to an endpoint, against a real server on this machine that fails as it is told."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import aclosing, suppress
from dataclasses import replace

import pytest

from offbook.errors import (
    AnswerError,
    ConfigurationError,
    IncompleteAnswer,
    InputRefused,
    InvalidAnswer,
    ModelError,
)
from offbook.models import openai_compatible
from offbook.models.clients import close_clients, forbid_requests
from offbook.models.failures import PassingError
from offbook.models.ladder import RungsInProcess, RungsInStore
from offbook.models.limits import Limiter, Limits
from offbook.models.metering import Meter
from offbook.models.openai_compatible import OpenAICompatible
from offbook.models.wrappers import wrap
from offbook.prompts.ask import ask, request_of, stream_text
from offbook.prompts.probes import PROBE_STRUCTURED, StructuredProbeInputs
from offbook.prompts.profile import PROFILE, ProfileInputs
from offbook.prompts.reply import REPLY, ReplyInputs
from offbook.protocols import ChatModel
from offbook.stores import endpoints
from tests.loopback import Answer, LoopbackServer
from tests.loopback.answers import PLAIN_TEXT
from tests.loopback.faults import BODIES, STATUSES
from tests.models.fakes import collected
from tests.waiting import PATIENCE_SECONDS, eventually

ADA = ProfileInputs("Ada", ("Ada counts.",))
WHO = ReplyInputs("Ada", "", (), (), (), "Who are you?")
WORDS = StructuredProbeInputs(("elm",))
KEY = "sk-very-secret-key"
PASSING_BODIES = set(BODIES) - {"no_content", "redirect", "odd_data"}
FAST = Limits(backoff_seconds=0.001, backoff_cap_seconds=0.002)


def backend(server: LoopbackServer, **more: object) -> OpenAICompatible:
    return OpenAICompatible(server.base_url, "m", KEY, **more)  # type: ignore[arg-type]


def patient(server: LoopbackServer, meter: Meter | None = None, **more: object) -> ChatModel:
    return wrap(backend(server, **more), meter=meter or Meter(), limiter=Limiter(FAST))


async def pieces(model: ChatModel) -> list[str]:
    return [piece async for piece in stream_text(model, PROFILE, ADA)]


async def test_a_request_is_sent_as_the_prompt_says(loopback):
    response = await backend(loopback).complete(request_of(PROFILE, ADA))
    (body,) = loopback.chat_bodies
    assert body == {
        "model": "m",
        "temperature": 0.0,
        "messages": [
            {"role": m.role, "content": m.content} for m in request_of(PROFILE, ADA).messages
        ],
    }
    assert response.text == PLAIN_TEXT
    assert response.finish_reason == "stop"
    assert response.prompt_tokens > 50
    assert response.completion_tokens > 5


async def test_the_key_goes_along_and_nothing_of_the_environment(loopback, monkeypatch):
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "from-the-environment")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: from-the-environment")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    await backend(loopback).complete(request_of(PROFILE, ADA))
    headers = loopback.requests[0].headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert "from-the-environment" not in str(headers)
    assert not [name for name in headers if name.startswith("x-stainless-") and "raw" not in name]


async def test_without_a_key_none_is_sent(loopback, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody")
    await OpenAICompatible(loopback.base_url, "m").complete(request_of(PROFILE, ADA))
    assert "authorization" not in loopback.requests[0].headers


async def test_equal_endpoints_share_a_client(loopback):
    from offbook.models.clients import client_for

    assert client_for(loopback.base_url, KEY) is client_for(loopback.base_url, KEY)
    assert client_for(loopback.base_url, KEY) is not client_for(loopback.base_url, None)


class TestLadder:
    @pytest.mark.parametrize(
        ("refused", "rung", "requests"),
        [
            ((), "json_schema", 1),
            (("json_schema",), "json_object", 2),
            (("json_schema", "json_object"), "text", 3),
        ],
    )
    async def test_a_refused_form_drops_one_rung_which_is_remembered(
        self, loopback, sqlite_store, refused, rung, requests
    ):
        loopback.refuses = frozenset(refused)
        meter = Meter()
        model = patient(loopback, meter, rungs=RungsInStore(sqlite_store))
        assert (await ask(model, PROBE_STRUCTURED, WORDS)).items == []
        assert meter.usage().calls == loopback.count() == requests
        assert await RungsInStore(sqlite_store).get(loopback.base_url, "m") == rung
        later = patient(loopback, rungs=RungsInStore(sqlite_store))
        await ask(later, PROBE_STRUCTURED, WORDS)
        assert loopback.count() == requests + 1
        last = loopback.chat_bodies[-1]
        assert last.get("response_format", {"type": "text"})["type"] == rung
        assert ("JSON schema" in last["messages"][-1]["content"]) == (rung != "json_schema")

    async def test_the_schema_is_sent_strict(self, loopback):
        await ask(backend(loopback), PROBE_STRUCTURED, WORDS)
        shape = loopback.chat_bodies[0]["response_format"]["json_schema"]
        assert shape["strict"] is True
        assert shape["name"] == "NumberedWords"
        assert shape["schema"]["additionalProperties"] is False

    async def test_many_at_once_are_refused_once(self, loopback, monkeypatch):
        monkeypatch.setattr(openai_compatible, "_PROBE_PATIENCE_SECONDS", PATIENCE_SECONDS)
        loopback.refuses = frozenset({"json_schema", "json_object"})
        loopback.latency_seconds = 0.02
        model = patient(loopback)
        await asyncio.gather(
            *(ask(model, PROBE_STRUCTURED, StructuredProbeInputs((str(n),))) for n in range(20))
        )
        assert loopback.count() == 22

    async def test_a_rung_that_is_refused_later_drops_again(self, loopback):
        rungs = RungsInProcess()
        model = patient(loopback, rungs=rungs)
        await ask(model, PROBE_STRUCTURED, WORDS)
        loopback.refuses = frozenset({"json_schema"})
        await ask(model, PROBE_STRUCTURED, WORDS)
        assert await rungs.get(loopback.base_url, "m") == "json_object"

    async def test_a_request_that_is_bad_on_every_rung_is_told_and_nothing_remembered(
        self, loopback
    ):
        rungs, meter = RungsInProcess(), Meter()
        loopback.always("400")
        with pytest.raises(ModelError, match="the request is bad"):
            await ask(patient(loopback, meter, rungs=rungs), PROBE_STRUCTURED, WORDS)
        assert meter.usage().calls == loopback.count() == 3
        assert await rungs.get(loopback.base_url, "m") is None

    async def test_an_endpoint_may_say_404_of_the_form(self, loopback):
        loopback.always("no_format")
        await ask(patient(loopback), PROBE_STRUCTURED, WORDS)
        assert loopback.count() == 3

    async def test_an_unknown_rung_in_the_store_is_found_anew(self, loopback, sqlite_store):
        url = loopback.base_url
        await sqlite_store.write(lambda conn: endpoints.put_rung(conn, url, "m", "telepathy"))
        assert await RungsInStore(sqlite_store).get(url, "m") is None

    async def test_those_who_wait_for_the_first_do_not_wait_for_long(self, loopback, monkeypatch):
        monkeypatch.setattr(openai_compatible, "_PROBE_PATIENCE_SECONDS", 0.05)
        loopback.script("hang")
        model = backend(loopback)
        first = asyncio.create_task(ask(model, PROBE_STRUCTURED, WORDS))
        await eventually(lambda: loopback.count() == 1)
        await asyncio.wait_for(ask(model, PROBE_STRUCTURED, WORDS), PATIENCE_SECONDS)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first

    @pytest.mark.parametrize("fault", ["context_length", "filtered", "413"])
    async def test_an_input_that_is_refused_is_no_matter_of_form(self, loopback, fault):
        loopback.always(fault)
        with pytest.raises(InputRefused, match=STATUSES[fault][2]):
            await ask(patient(loopback), PROBE_STRUCTURED, WORDS)
        assert loopback.count() == 1


class TestParameters:
    async def test_a_parameter_that_is_not_known_there_is_left_out_from_then_on(self, loopback):
        loopback.always("no_temperature")
        meter = Meter()
        model = patient(loopback, meter)
        await ask(model, PROFILE, ADA)
        await ask(model, PROFILE, ADA)
        assert ["temperature" in body for body in loopback.chat_bodies] == [True, False, False]
        assert meter.usage().calls == 3

    async def test_all_who_sent_it_at_once_are_asked_again_without_it(self, loopback):
        loopback.always("no_temperature")
        loopback.gather(8)
        model = patient(loopback)
        names = [ProfileInputs(str(n), ("Ada counts.",)) for n in range(8)]
        assert set(await asyncio.gather(*(ask(model, PROFILE, n) for n in names))) == {PLAIN_TEXT}
        assert loopback.count() == 16

    async def test_a_stream_leaves_it_out_too(self, loopback):
        loopback.always("no_temperature")
        meter = Meter()
        assert "".join(await pieces(patient(loopback, meter))) == PLAIN_TEXT
        assert ["temperature" in body for body in loopback.chat_bodies] == [True, False]
        assert meter.usage().calls == 2

    async def test_a_structured_request_leaves_it_out_without_losing_its_form(self, loopback):
        loopback.always("no_temperature")
        await ask(patient(loopback), PROBE_STRUCTURED, WORDS)
        forms = [body["response_format"]["type"] for body in loopback.chat_bodies]
        assert forms == ["json_schema", "json_schema"]

    async def test_the_length_limit_has_two_names(self, loopback):
        loopback.always("no_max_tokens")
        await ask(patient(loopback), PROFILE, ADA, parameters={"max_tokens": 7})
        assert loopback.chat_bodies[-1]["max_completion_tokens"] == 7


class TestFailures:
    @pytest.mark.parametrize("fault", ["408", "429", "500", "503", *sorted(PASSING_BODIES)])
    async def test_a_passing_failure_passes(self, loopback, fault):
        loopback.script("ok", fault)
        model = patient(loopback)
        await ask(model, PROFILE, ADA)
        assert await ask(model, PROFILE, ADA) == PLAIN_TEXT
        assert loopback.count() == 3

    @pytest.mark.parametrize("fault", ["401", "403", "404"])
    async def test_a_lasting_failure_is_told_at_once(self, loopback, fault):
        loopback.always(fault)
        with pytest.raises(ModelError, match=fault) as caught:
            await ask(patient(loopback), PROFILE, ADA)
        assert "chat." in caught.value.hint
        assert caught.value.exit_code == 4
        assert loopback.count() == 1

    async def test_retry_after_is_honoured(self, loopback):
        loopback.script("429")
        loopback.retry_after = "0.3"
        started = time.monotonic()
        await ask(patient(loopback), PROFILE, ADA)
        assert time.monotonic() - started >= 0.3

    async def test_an_endpoint_that_hangs_is_given_up(self, loopback):
        loopback.script("hang")
        with pytest.raises(PassingError, match=r"did not answer within 0\.2 s") as caught:
            await backend(loopback, timeout_seconds=0.2).complete(request_of(PROFILE, ADA))
        assert "limits.timeout_seconds" in caught.value.hint

    async def test_an_endpoint_that_is_not_there_is_told(self, nobody):
        model = wrap(OpenAICompatible(nobody, "m"), meter=Meter(), limiter=Limiter(FAST))
        with pytest.raises(ModelError, match="cannot reach http://127") as caught:
            await ask(model, PROFILE, ADA)
        assert "is the endpoint running? check chat.base_url" in caught.value.hint
        await close_clients()

    @pytest.mark.parametrize(
        "fault", ["empty", "no_content", "think_only", "unclosed_think", "half_json", "rubbish"]
    )
    async def test_an_unusable_answer_is_asked_for_again(self, loopback, fault):
        loopback.script(fault, fault)
        loopback.answer = lambda body: '{"items": [{"number": 1, "word": "elm"}]}'
        value = await ask(patient(loopback), PROBE_STRUCTURED, WORDS)
        assert value.items[0].word == "elm"
        assert loopback.count() == 3

    @pytest.mark.parametrize("fault", ["think", "prose"])
    async def test_thoughts_and_prose_around_an_answer_do_no_harm(self, loopback, fault):
        loopback.always(fault)
        await ask(patient(loopback), PROBE_STRUCTURED, WORDS)
        assert loopback.count() == 1

    async def test_an_answer_that_stays_unusable_is_an_error(self, loopback):
        loopback.always("half_json")
        with pytest.raises(AnswerError):
            await ask(patient(loopback), PROBE_STRUCTURED, WORDS)
        assert loopback.count() == 3

    async def test_requests_can_be_forbidden(self, loopback):
        with forbid_requests("tests are offline"):
            with pytest.raises(ConfigurationError, match="tests are offline"):
                await ask(patient(loopback), PROFILE, ADA)
            with pytest.raises(ConfigurationError):
                await pieces(patient(loopback))
        assert loopback.count() == 0

    async def test_the_key_is_in_no_message_and_no_log(self, loopback, caplog):
        caplog.set_level(logging.DEBUG)
        model = backend(loopback)
        for fault in ("401", "500", "invalid_json"):
            loopback.script(fault)
            with pytest.raises(ModelError) as caught:
                await model.complete(request_of(PROFILE, ADA))
            assert KEY not in f"{caught.value} {caught.value.hint} {caught.value!r}"
        await model.complete(request_of(PROFILE, ADA))
        assert KEY not in repr(model)
        assert KEY not in caplog.text


class TestStreams:
    async def test_pieces_come_as_they_are_sent(self, loopback):
        got = await pieces(patient(loopback))
        assert "".join(got) == PLAIN_TEXT
        assert len(got) > 3
        assert loopback.chat_bodies[0]["stream"] is True

    @pytest.mark.parametrize("fault", ["half_stream", "dropped_stream", "malformed_stream",
                                       "error_in_stream"])  # fmt: skip
    async def test_a_stream_that_breaks_off_is_never_a_short_reply(self, loopback, fault):
        loopback.always(fault)
        got, error = await collected(stream_text(patient(loopback), PROFILE, ADA))
        assert got
        assert "broke off" in str(error) or "lost the connection" in str(error)
        assert ("closed the connection" in str(error)) == (fault == "dropped_stream")
        assert loopback.count() == 1

    async def test_a_stream_that_fails_before_its_first_piece_is_asked_for_again(self, loopback):
        loopback.script("ok", "500", "429")
        model = patient(loopback)
        await pieces(model)
        assert "".join(await pieces(model)) == PLAIN_TEXT
        assert loopback.count() == 4

    async def test_a_stream_that_hangs_is_given_up(self, loopback):
        loopback.always("hang")
        stream = backend(loopback, timeout_seconds=0.2).stream(request_of(PROFILE, ADA))
        with pytest.raises(PassingError, match="did not answer"):
            await anext(stream)

    @pytest.mark.parametrize(
        ("fault", "error"), [("length", IncompleteAnswer), ("content_filter", InputRefused)]
    )
    async def test_a_stream_that_ends_badly_says_so(self, loopback, fault, error):
        loopback.always(fault)
        with pytest.raises(error):
            await pieces(patient(loopback))

    async def test_a_reply_as_long_as_the_person_allows_is_a_reply(self, loopback):
        loopback.always("length")
        asked = stream_text(patient(loopback), REPLY, WHO, parameters={"max_tokens": 5})
        assert "".join([piece async for piece in asked]) == PLAIN_TEXT

    async def test_a_limit_that_leaves_room_for_thoughts_only_is_named(self, loopback):
        loopback.answer = lambda body: Answer("<think>\nLet me see, and", "length")
        asked = stream_text(patient(loopback), REPLY, WHO, parameters={"max_tokens": 5})
        with pytest.raises(IncompleteAnswer) as caught:
            _ = [piece async for piece in asked]
        assert "reply.max_tokens" in caught.value.hint

    async def test_thoughts_are_left_out(self, loopback):
        loopback.always("think")
        assert "".join(await pieces(patient(loopback))) == PLAIN_TEXT

    @pytest.mark.parametrize("fault", ["ok", "think", "half_stream"])
    async def test_all_that_comes_in_a_stream_is_heard(self, loopback, fault):
        loopback.always(fault)
        heard: list[str] = []
        asked = replace(request_of(PROFILE, ADA), heard=heard.append)
        with suppress(PassingError):
            [piece async for piece in backend(loopback).stream(asked)]
        whole = "".join(heard)
        assert whole.startswith("Hm.")  # apart from the answer, as `reasoning_content`
        assert ("<think>" in whole, PLAIN_TEXT in whole) == (
            fault == "think",
            fault != "half_stream",
        )

    async def test_a_stream_of_thoughts_only_is_empty(self, loopback):
        loopback.always("think_only")
        with pytest.raises(InvalidAnswer, match="empty"):
            await pieces(patient(loopback))

    async def test_a_model_that_thinks_without_an_opening_tag_is_found_out(self, loopback):
        loopback.answer = lambda body: Answer("She is Ada, I think.\n</think>\nI am Ada.")
        model = backend(loopback)
        with pytest.raises(InvalidAnswer, match="thought aloud"):
            await pieces(model)
        assert "".join(await pieces(model)) == "I am Ada."

    async def test_a_model_that_stops_thinking_is_heard(self, loopback):
        loopback.answer = lambda body: Answer("A tag: </think> I am Ada.")
        model = backend(loopback)
        with pytest.raises(InvalidAnswer, match="thought aloud"):
            await pieces(model)
        loopback.answer = lambda body: Answer("I am Ada, still.")
        assert await pieces(model) == ["I am Ada, still."]
        assert len(await pieces(model)) > 1

    async def test_closing_the_iterator_ends_the_request(self, loopback):
        loopback.answer = lambda body: "word " * 100_000
        async with aclosing(patient(loopback).stream(request_of(PROFILE, ADA))) as stream:  # type: ignore[type-var]
            assert await anext(stream)
        await eventually(lambda: loopback.in_flight == 0)
