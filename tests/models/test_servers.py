"""Servers of models are found on ports, told apart by their dialects, and asked for models."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from offbook.errors import ModelError, UsageError
from offbook.models.servers import ModelServer, local_servers, models_at
from tests.loopback import LoopbackServer, dialects

PROGRAMS = {
    "Ollama": dialects.ollama,
    "LM Studio": dialects.lm_studio,
    "llama.cpp": dialects.llama_cpp,
    "vLLM": dialects.vllm,
    "an OpenAI-compatible server": dialects.openai,
}
each = pytest.mark.parametrize("program", PROGRAMS)


@each
async def test_each_dialect_is_told_apart_and_models_for_vectors_are_left_out(loopback, program):
    loopback.pages = PROGRAMS[program]("qwen3:8b", "llama3.2:3b")
    expected = ModelServer(program, loopback.base_url, ("qwen3:8b", "llama3.2:3b"))
    assert await local_servers((loopback.port,)) == [expected]
    assert await models_at(loopback.base_url, None) == expected


async def test_several_come_in_the_order_of_their_ports_and_nobody_is_none(loopback, nobody):
    loopback.pages = dialects.vllm("a")
    with LoopbackServer(pages=dialects.ollama("b")) as other:
        ports = (other.port, urlsplit(nobody).port or 0, loopback.port)
        found = await local_servers(ports)
    assert [server.program for server in found] == ["Ollama", "vLLM"]
    assert loopback.count() == 0  # nothing but pages is asked


@pytest.mark.parametrize("body", [[], {}, {"data": None}, {"data": [{}]}, "no", None, 3])
async def test_something_else_on_a_port_is_no_server(loopback, body):
    loopback.pages = dict.fromkeys(("/props", "/v1/models", "/api/tags"), body)
    assert await local_servers((loopback.port,)) == []


async def test_an_address_without_v1_is_completed(loopback):
    loopback.pages = dialects.ollama("qwen3")
    bare = loopback.base_url.removesuffix("/v1")
    assert (await models_at(bare, None)).base_url == loopback.base_url


async def test_a_wrong_key_is_said_and_not_shown(loopback):
    loopback.pages, loopback.key = dialects.openai("m"), "sk-right"
    assert (await models_at(loopback.base_url, "sk-right")).models == ("m",)
    with pytest.raises(ModelError, match="401") as caught:
        await models_at(loopback.base_url, "sk-wrong")
    assert "key is missing or wrong" in caught.value.hint
    assert "sk-wrong" not in str(caught.value)


async def test_nobody_and_no_address_are_errors(nobody):
    with pytest.raises(ModelError, match="nobody answers"):
        await models_at(nobody, None)
    with pytest.raises(UsageError, match="no address"):
        await models_at("localhost:11434", None)


async def test_who_lists_no_models_has_none(loopback):
    assert (await models_at(loopback.base_url, None)).models == ()
