"""The real clients: openai, langchain-openai and litellm talk to a character."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from tests.loopback.server import LoopbackServer
from tests.server.openai.asking import QUESTION, stored
from tests.server.served import MODEL, Served

TOLD = "brother Tom taught her to trim the lamp when she was nine."
SAID: Any = [{"role": "user", "content": QUESTION}]


@pytest.fixture(scope="module")
def sdk(offline: Served) -> Iterator[openai.OpenAI]:
    """The SDK at the server whose replies come from the offline backend."""
    with openai.OpenAI(base_url=offline.base_url, api_key="none", max_retries=0) as made:
        yield made


@pytest.fixture
def live(server: Served) -> Iterator[openai.OpenAI]:
    """The SDK at the server whose model is at the endpoint."""
    with openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=2) as made:
        yield made


def test_openai_lists_models(sdk: Any):
    assert [model.id for model in sdk.models.list()] == [MODEL]
    assert sdk.models.retrieve(MODEL).owned_by == "offbook"


def test_openai_completes(sdk: Any):
    found = sdk.chat.completions.create(model=MODEL, messages=SAID)
    assert TOLD in found.choices[0].message.content
    assert found.choices[0].finish_reason == "stop"
    assert found.usage is not None
    assert found.usage.total_tokens > 0
    extras = found.model_extra["offbook"]
    assert extras["context"][0]["text"].startswith("Ada's brother Tom")


def test_openai_streams(sdk: Any):
    stream = sdk.chat.completions.create(
        model=MODEL, messages=SAID, stream=True, stream_options={"include_usage": True}
    )
    found = list(stream)
    assert TOLD in "".join(c.choices[0].delta.content or "" for c in found[:-1])
    assert found[-2].model_extra["offbook"]["method"] == "naive"
    assert found[-1].usage.completion_tokens > 0


def test_openai_streams_past_pings(pinging: Served, endpoint: LoopbackServer):
    endpoint.latency_seconds = 0.3  # several pings: one comes every 50 ms
    with (
        openai.OpenAI(base_url=pinging.base_url, api_key="none", max_retries=0) as sdk,
        sdk.chat.completions.stream(model=MODEL, messages=SAID) as stream,
    ):
        text = stream.get_final_completion().choices[0].message.content
    assert text == "I hear you, and I have little to say."


def test_openai_raises_its_own_errors(sdk: Any):
    with pytest.raises(openai.NotFoundError) as missing:
        sdk.chat.completions.create(model="watson", messages=SAID)
    assert (missing.value.code, missing.value.param) == ("model_not_found", "model")
    with pytest.raises(openai.BadRequestError) as bad:
        sdk.chat.completions.create(model=MODEL, messages=SAID, n=999)
    assert bad.value.param == "n"
    assert bad.value.type == "invalid_request_error"


def test_openai_does_not_repeat_what_fails_for_good(live: Any, endpoint):
    endpoint.always("401")
    with pytest.raises(openai.InternalServerError):
        live.chat.completions.create(model=MODEL, messages=SAID)
    assert endpoint.count("/chat/completions") == 1


def test_openai_raises_when_the_model_dies_in_the_middle(live: Any, server, endpoint):
    endpoint.always("error_in_stream")
    stream = live.chat.completions.create(model=MODEL, messages=SAID, stream=True)
    assert next(stream).choices[0].delta.role == "assistant"
    with pytest.raises(openai.APIError, match="the model crashed"):
        list(stream)
    assert stored(server) == []


async def test_langchain_completes_and_streams(offline: Served):
    from langchain_openai import ChatOpenAI

    told: Any = {"model": MODEL, "base_url": offline.base_url, "api_key": "none", "max_retries": 0}
    # Its own default connections are kept for the whole process, and never closed.
    async with openai.DefaultAsyncHttpxClient() as http:
        chat = ChatOpenAI(**told, http_async_client=http)
        found: Any = await chat.ainvoke([("system", "Be brief."), ("human", QUESTION)])
        assert TOLD in found.content
        assert found.usage_metadata["total_tokens"] > 0
        streamed = [str(piece.content) async for piece in chat.astream(QUESTION, stream_usage=True)]
        assert TOLD in "".join(streamed)


@pytest.fixture(scope="module")
def litellm(offline: Served):
    """LiteLLM, told to fetch no list of prices."""
    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patched.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        module = pytest.importorskip("litellm", reason="litellm is not installed")
        patched.setattr(module, "telemetry", False, raising=False)
        yield module


@pytest.mark.filterwarnings("ignore")
def test_litellm_completes_and_streams(litellm, offline: Served):
    told = {"model": f"openai/{MODEL}", "api_base": offline.base_url, "api_key": "none",
            "messages": SAID, "num_retries": 0}  # fmt: skip
    found = litellm.completion(**told)
    assert TOLD in found.choices[0].message.content
    assert found.usage.total_tokens > 0
    pieces = [c.choices[0].delta.content or "" for c in litellm.completion(**told, stream=True)]
    assert TOLD in "".join(pieces)
