"""What every chat model promises, whoever answers."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from offbook.models.caching import CallCache
from offbook.models.limits import Limiter, Limits
from offbook.models.metering import Meter
from offbook.models.openai_compatible import OpenAICompatible
from offbook.models.wrappers import wrap
from offbook.prompts.ask import request_of, stream_text
from offbook.prompts.probes import PROBE_NEEDLE, NeedleProbeInputs
from offbook.prompts.prompt import read_answer
from offbook.prompts.reply import REPLY, ReplyInputs
from offbook.prompts.summaries import PROFILE, ProfileInputs
from offbook.protocols import ChatModel
from offbook.rules.model import OfflineModel
from offbook.types import ContextItem

PROFILE_INPUTS = ProfileInputs("Ada", ("Ada was born in London in 1815. She loved numbers.",))
REPLY_INPUTS = ReplyInputs(
    character="Ada",
    profile="Ada was born in London in 1815.",
    voice=(),
    history=(),
    context=(ContextItem("knowledge", "Life", "Ada was born in London in 1815.", 1.0),),
    question="Where were you born?",
)
REQUESTS = [
    request_of(PROFILE, PROFILE_INPUTS),
    request_of(REPLY, REPLY_INPUTS),
    request_of(PROBE_NEEDLE, NeedleProbeInputs("tulip", "Nothing to see. " * 20)),
]
MODELS = ["offline", "endpoint", "wrapped"]


@pytest.fixture(params=MODELS)
async def model(request, loopback, sqlite_store) -> ChatModel:
    endpoint = OpenAICompatible(loopback.base_url, "m")
    if request.param == "offline":
        return OfflineModel()
    if request.param == "endpoint":
        return endpoint
    limiter = Limiter(Limits(concurrency=4))
    return wrap(endpoint, meter=Meter(), limiter=limiter, cache=CallCache(sqlite_store))


def test_says_who_it_is_and_where_it_answers(model):
    assert model.name
    assert ":" in model.base_url


@pytest.mark.parametrize("sent", REQUESTS, ids=lambda sent: sent.origin[0].name)
async def test_answers_what_the_prompt_can_read(model, sent):
    response = await model.complete(sent)
    assert read_answer(request_of(*sent.origin), response)
    assert response.prompt_tokens >= 0
    assert response.completion_tokens >= 0


async def test_gives_a_reply_in_pieces(model):
    pieces = [piece async for piece in stream_text(model, REPLY, REPLY_INPUTS)]
    assert all(isinstance(piece, str) for piece in pieces)
    assert "".join(pieces).strip()


async def test_a_stream_can_be_left_early(model):
    async with aclosing(model.stream(REQUESTS[1])) as stream:
        assert await anext(stream)


async def test_answers_many_at_once_each_its_own(model):
    answers = await asyncio.gather(*map(model.complete, REQUESTS))
    for sent, response in zip(REQUESTS, answers, strict=True):
        assert sent.origin
        assert read_answer(request_of(*sent.origin), response)
