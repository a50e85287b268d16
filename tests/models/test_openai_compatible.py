"""The wire to an endpoint, against a real server on this machine that fails as it is told."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from offbook.errors import (
    IncompleteAnswer,
    InputRefused,
    InvalidAnswer,
    ModelError,
)
from offbook.models.failures import PassingError
from offbook.models.ladder import RungMemory
from offbook.models.limits import Limiter, Limits
from offbook.models.metering import Meter
from offbook.models.openai_compatible import OpenAICompatible
from offbook.models.wrappers import wrap
from offbook.prompts.ask import answer_limit, ask, request_of, stream_text
from offbook.prompts.probes import PROBE_STRUCTURED, StructuredProbeInputs
from offbook.prompts.reply import REPLY, ReplyInputs
from offbook.prompts.summaries import PROFILE, ProfileInputs
from offbook.protocols import ChatModel
from offbook.text.repetition import without_loop
from offbook.types import Ending
from tests.loopback import Answer, LoopbackServer
from tests.loopback.answers import PLAIN_TEXT
from tests.loopback.faults import BODIES, STATUSES
from tests.models.fakes import collected

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
        "max_tokens": answer_limit(PROFILE, ADA),
        "messages": [
            {"role": m.role, "content": m.content} for m in request_of(PROFILE, ADA).messages
        ],
    }
    assert response.text == PLAIN_TEXT
    assert response.finish_reason == "stop"
    assert response.prompt_tokens > 50
    assert response.completion_tokens > 5


async def test_without_a_key_none_is_sent(loopback, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody")
    await OpenAICompatible(loopback.base_url, "m").complete(request_of(PROFILE, ADA))
    assert "authorization" not in loopback.requests[0].headers


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
        model = patient(loopback, meter, rungs=RungMemory(sqlite_store))
        assert (await ask(model, PROBE_STRUCTURED, WORDS)).items == []
        assert meter.usage().calls == loopback.count() == requests
        assert await RungMemory(sqlite_store).get(loopback.base_url, "m") == rung
        later = patient(loopback, rungs=RungMemory(sqlite_store))
        await ask(later, PROBE_STRUCTURED, WORDS)
        assert loopback.count() == requests + 1
        last = loopback.chat_bodies[-1]
        assert last.get("response_format", {"type": "text"})["type"] == rung
        assert ("JSON schema" in last["messages"][-1]["content"]) == (rung != "json_schema")

    async def test_a_rung_that_is_refused_later_drops_again(self, loopback):
        rungs = RungMemory()
        model = patient(loopback, rungs=rungs)
        await ask(model, PROBE_STRUCTURED, WORDS)
        loopback.refuses = frozenset({"json_schema"})
        await ask(model, PROBE_STRUCTURED, WORDS)
        assert await rungs.get(loopback.base_url, "m") == "json_object"

    async def test_a_request_that_is_bad_on_every_rung_is_told_and_nothing_remembered(
        self, loopback
    ):
        rungs, meter = RungMemory(), Meter()
        loopback.always("400")
        with pytest.raises(ModelError, match="the request is bad"):
            await ask(patient(loopback, meter, rungs=rungs), PROBE_STRUCTURED, WORDS)
        # Each form with a limit and, since it was never taken, without one.
        assert meter.usage().calls == loopback.count() == 6
        assert await rungs.get(loopback.base_url, "m") is None

    async def test_an_endpoint_may_say_404_of_the_form(self, loopback):
        loopback.always("no_format")
        await ask(patient(loopback), PROBE_STRUCTURED, WORDS)
        assert loopback.count() == 3

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


def limits(server: LoopbackServer) -> list[int | None]:
    """The limit of each answer that was asked for."""
    return [body.get("max_tokens") for body in server.chat_bodies]


class TestLimits:
    """What a model that runs away costs at most, and who is asked without such a limit."""

    ONCE = answer_limit(PROFILE, ADA) or 0

    async def test_an_answer_that_is_cut_off_gets_twice_the_room(self, loopback):
        loopback.script("length", "length")
        await ask(patient(loopback), PROFILE, ADA)
        assert limits(loopback) == [self.ONCE, 2 * self.ONCE, 4 * self.ONCE]

    async def test_a_reply_has_no_limit_but_the_persons(self, loopback):
        await ask(patient(loopback), REPLY, WHO)
        await ask(patient(loopback), REPLY, WHO, parameters={"max_tokens": 5})
        await ask(patient(loopback), PROFILE, ADA, parameters={"max_tokens": 6})
        assert limits(loopback) == [None, 5, 6]

    @pytest.mark.parametrize("how", ["tags", "half a thought", "apart", "counted"])
    async def test_a_model_that_thinks_aloud_is_found_out(self, loopback, sqlite_store, how):
        if how == "apart":
            loopback.thoughts = "Let me see."
        answers = {
            "tags": Answer("<think>Hm.</think>I am Ada."),
            "half a thought": Answer("<think>\nHm, and", "length"),
            "apart": Answer("I am Ada."),
            "counted": Answer("I am Ada.", apart=(0, 12)),
        }
        loopback.answer = lambda body: answers[how] if "max_tokens" in body else "I am Ada."
        await ask(patient(loopback, rungs=RungMemory(sqlite_store)), PROFILE, ADA)
        loopback.thoughts = ""
        later = patient(loopback, rungs=RungMemory(sqlite_store))
        await ask(later, PROFILE, ADA)
        assert limits(loopback)[0] == self.ONCE
        assert set(limits(loopback)[1:]) == {None}
        loopback.clear()
        another = OpenAICompatible(loopback.base_url, "n", rungs=RungMemory(sqlite_store))
        await ask(another, PROFILE, ADA)
        assert limits(loopback)[0] == self.ONCE

    async def test_blanks_to_the_limit_are_no_thoughts(self, loopback, sqlite_store):
        loopback.answer = lambda body: Answer("\n" * 400, "length")
        rungs = RungMemory(sqlite_store)
        with pytest.raises(IncompleteAnswer):
            await ask(patient(loopback, rungs=rungs), PROFILE, ADA)
        # Nor is it given more to write blanks in.
        assert limits(loopback) == [self.ONCE] * 3
        assert not await rungs.thinks(loopback.base_url, "m")

    async def test_a_setting_says_that_it_thinks(self, loopback):
        await ask(patient(loopback, thinks=True), PROFILE, ADA)
        assert limits(loopback) == [None]

    async def test_who_knows_neither_name_of_the_limit_is_asked_without(self, loopback):
        loopback.unknown = frozenset({"max_tokens", "max_completion_tokens"})
        model = patient(loopback)
        await ask(model, PROFILE, ADA)
        await ask(model, PROFILE, ADA)
        sent = [sorted(loopback.unknown & body.keys()) for body in loopback.chat_bodies]
        assert sent == [["max_tokens"], ["max_completion_tokens"], [], []]

    @pytest.mark.parametrize(
        "complaint",
        [
            "the request is bad",
            "max_tokens is too large: 2048. This model supports at most 1024 completion tokens",
        ],
    )
    async def test_who_refuses_its_height_is_asked_without_from_then_on(self, loopback, complaint):
        loopback.complaint = complaint
        model = patient(loopback)
        await ask(model, PROBE_STRUCTURED, WORDS)
        await ask(model, PROBE_STRUCTURED, WORDS)
        assert [limit is None for limit in limits(loopback)] == [False, True, True]
        forms = {body["response_format"]["type"] for body in loopback.chat_bodies}
        assert forms == {"json_schema"}

    async def test_a_long_prompt_that_leaves_too_little_room_goes_without(self, loopback):
        loopback.complaint = (
            "This model's maximum context length is 4096 tokens. However, you requested 5000 "
            "tokens (2952 in the messages, 2048 in the completion)."
        )
        meter = Meter()
        model = patient(loopback, meter)
        await ask(model, PROFILE, ADA)
        loopback.complaint = ""
        await ask(model, PROFILE, ADA)
        assert limits(loopback) == [self.ONCE, None, self.ONCE]
        assert meter.usage().calls == 3


class TestFailures:
    @pytest.mark.parametrize("fault", ["408", "429", "500", "503", *sorted(PASSING_BODIES)])
    async def test_a_passing_failure_passes(self, loopback, fault):
        loopback.script("ok", fault)
        model = patient(loopback)
        await ask(model, PROFILE, ADA)
        assert await ask(model, PROFILE, ADA) == PLAIN_TEXT
        assert loopback.count() == 3

    @pytest.mark.parametrize(
        "fault", ["empty", "no_content", "think_only", "unclosed_think", "half_json", "rubbish"]
    )
    async def test_an_unusable_answer_is_asked_for_again(self, loopback, fault):
        loopback.script(fault, fault)
        loopback.answer = lambda body: '{"items": [{"number": 1, "word": "elm"}]}'
        value = await ask(patient(loopback), PROBE_STRUCTURED, WORDS)
        assert value.items[0].word == "elm"
        assert loopback.count() == 3

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
    @pytest.mark.parametrize("fault", ["half_stream", "dropped_stream", "malformed_stream",
                                       "error_in_stream"])  # fmt: skip
    async def test_a_stream_that_breaks_off_is_never_a_short_reply(self, loopback, fault):
        loopback.always(fault)
        got, error = await collected(stream_text(patient(loopback), PROFILE, ADA))
        assert got
        assert "broke off" in str(error) or "lost the connection" in str(error)
        assert ("closed the connection" in str(error)) == (fault == "dropped_stream")
        assert loopback.count() == 1

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

    async def test_a_model_that_repeats_itself_is_stopped(self, loopback):
        line = "The sea is a man of me, and I am a man of the sea. "
        loopback.answer = lambda body: Answer("Well. " + line * 400)
        endings: list[Ending] = []
        asked = stream_text(patient(loopback), REPLY, WHO, ended=endings.append)
        got, error = await collected(asked)
        assert error is None
        assert [ending.finish_reason for ending in endings] == ["length"]
        assert len("".join(got)) < 40 * len(line)
        # Up to where it began to repeat itself it is a reply.
        assert without_loop("".join(got)) == f"Well. {line}".rstrip()

    async def test_one_that_nobody_streams_is_stopped_too(self, loopback):
        line = "The sea is a man of me, and I am a man of the sea. "
        loopback.answer = lambda body: Answer("Well. " + line * 400)
        endings: list[Ending] = []
        reply = await ask(patient(loopback), REPLY, WHO, ended=endings.append)
        assert reply == f"Well. {line}".rstrip()
        assert [ending.finish_reason for ending in endings] == ["length"]
        assert loopback.count() == 1

    async def test_a_limit_that_leaves_room_for_thoughts_only_is_named(self, loopback):
        loopback.answer = lambda body: Answer("<think>\nLet me see, and", "length")
        asked = stream_text(patient(loopback), REPLY, WHO, parameters={"max_tokens": 5})
        with pytest.raises(IncompleteAnswer) as caught:
            _ = [piece async for piece in asked]
        assert "reply.max_tokens" in caught.value.hint

    @pytest.mark.parametrize("fault", ["ok", "think", "half_stream"])
    async def test_all_that_comes_in_a_stream_is_heard(self, loopback, fault):
        loopback.always(fault)
        loopback.thoughts = "Hm."
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


class Counted:
    """A store that counts."""

    def __init__(self, store) -> None:
        self._store, self.reads, self.writes = store, 0, 0

    async def read(self, operation):
        self.reads += 1
        return await self._store.read(operation)

    async def write(self, operation):
        self.writes += 1
        return await self._store.write(operation)


async def test_many_calls_at_once_ask_and_tell_the_database_once(sqlite_store):
    store: Any = Counted(sqlite_store)
    rungs = RungMemory(store)
    found = await asyncio.gather(*(rungs.get("http://one", "m") for _ in range(12)))
    assert found == [None] * 12
    await asyncio.gather(*(rungs.put("http://one", "m", "json_object") for _ in range(12)))
    assert await rungs.get("http://one", "m") == "json_object"
    assert (store.reads, store.writes) == (1, 1)
