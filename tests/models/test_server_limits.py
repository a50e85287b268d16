"""What servers of one's own say of window and slots, each in its dialect, and what is fitted."""

from __future__ import annotations

import pytest

from offbook import Offbook
from offbook.models.server_limits import ServerLimits, server_limits, window_in
from offbook.settings.endpoints import fitted
from offbook.settings.loading import load_settings

DIALECTS = {
    "llama.cpp": ("/props", {"default_generation_settings": {"n_ctx": 8192}, "total_slots": 4}),
    "ollama": ("/api/ps", {"models": [{"name": "qwen3:latest", "context_length": 8192}]}),
    "lm studio": ("/api/v0/models", {"data": [{"id": "qwen3", "loaded_context_length": 8192}]}),
    "vllm": ("/v1/models", {"data": [{"id": "qwen3", "max_model_len": 8192}]}),
}
SLOTS = {"llama.cpp": 4, "ollama": 2, "lm studio": 2, "vllm": 256}


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_each_dialect_is_read(loopback, dialect):
    loopback.pages = dict([DIALECTS[dialect]])
    assert await server_limits(loopback.base_url, "qwen3") == ServerLimits(8192, SLOTS[dialect])


@pytest.mark.parametrize("body", [[], {}, {"models": []}, {"data": [{"id": "other"}]}, "no", None])
async def test_what_is_not_told_is_not_known(loopback, body):
    loopback.pages = {path: body for path, _ in DIALECTS.values()}
    assert await server_limits(loopback.base_url, "qwen3") == ServerLimits()


async def test_a_hosted_endpoint_is_not_asked():
    assert await server_limits("https://127.0.0.1:1/v1", "m") == ServerLimits()


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 2048 tokens. However, you requested 11558 tokens",
        "the request exceeds the available context size (2048 tokens), try increasing it",
    ],
)
def test_a_refusal_tells_the_window(said):
    assert window_in(said) == 2048
    assert window_in("the prompt is too long") is None


def test_a_window_may_be_told_with_commas():
    assert window_in("a maximum context length of 131,072 tokens, and more") == 131_072


def test_a_turn_fits_the_window_and_what_is_set_stays():
    plain = fitted(load_settings({}, environment={}), 4096, 2).values
    assert plain.context.budget() + plain.context.history_tokens < 4096 * 3 / 4
    assert (plain.limits.concurrency, plain.chat.context_tokens) == (2, 4096)
    mine = load_settings({"context.budget_tokens": 2500, "limits.concurrency": 8}, environment={})
    kept = fitted(mine, 4096, 2).values
    assert (kept.context.budget_tokens, kept.limits.concurrency) == (2500, 8)
    assert fitted(mine, None, None) is mine
    assert fitted(mine, 128_000, None).values.context == mine.values.context


@pytest.mark.parametrize(
    ("url", "most"),
    [
        ("http://localhost:11434/v1", 2),
        ("http://127.0.0.1:8080/v1", 2),
        ("http://[::1]:8080/v1", 2),
        ("http://192.168.1.20:1234/v1", 2),
        ("http://ollama:11434/v1", 2),
        ("http://nas.local/v1", 2),
        ("https://api.example.org/v1", 16),
        ("http://8.8.8.8/v1", 16),
    ],
)
def test_a_server_of_ones_own_is_asked_two_things_at_once_unless_set(url, most):
    flags: dict[str, object] = {"chat.base_url": url, "chat.model": "m"}
    plain = load_settings(flags, environment={})
    assert fitted(plain, None, None).values.limits.concurrency == most
    assert fitted(plain, None, 4).values.limits.concurrency == 4
    mine = load_settings({**flags, "limits.concurrency": 8}, environment={})
    assert fitted(mine, None, None).values.limits.concurrency == 8


@pytest.mark.parametrize("set_", ["context.budget_tokens", "context.history_tokens"])
def test_what_somebody_set_leaves_less_to_the_rest(set_):
    values = fitted(load_settings({set_: 1500}, environment={}), 4096, None).values.context
    assert getattr(values, set_.partition(".")[2]) == 1500
    assert values.budget() + values.history_tokens <= 4096 * 3 // 4 - 1_000


def test_what_a_preset_sets_is_fitted_too():
    paper = load_settings({"preset": "faithful"}, environment={})
    assert fitted(paper, 4096, None).values.context.budget() < 4096 * 3 // 4
    assert fitted(paper, 128_000, None).values == replaced(paper, 128_000)


def replaced(settings, window):
    return settings.overlaid({"chat.context_tokens": window}).values


def test_another_window_is_fitted_as_the_first_was():
    plain = load_settings({}, environment={})
    again = fitted(fitted(plain, 4096, 2), 8192, 4).values
    assert again == fitted(plain, 8192, 4).values
    assert fitted(fitted(plain, 4096, 2), None, None).values == plain.values


async def test_doctor_says_what_it_found_and_not_what_it_knew(loopback, tmp_path):
    flags = {"home": tmp_path, "chat__model": "m", "chat__base_url": loopback.base_url}
    for window in (4096, 8192):
        loopback.pages = {"/props": {"default_generation_settings": {"n_ctx": window}}}
        async with await Offbook.open(**flags) as book:
            checks = {check.name: check for check in await book.doctor()}
        assert f"{window} tokens" in checks["chat: window"].detail


async def test_doctor_finds_it_for_all_later_commands(loopback, tmp_path):
    loopback.pages = dict([DIALECTS["llama.cpp"]])
    flags = {"home": tmp_path, "chat__model": "m", "chat__base_url": loopback.base_url}
    async with await Offbook.open(**flags) as book:
        assert book.settings.values.limits.concurrency == 2
        checks = {check.name: check for check in await book.doctor()}
    assert "8192 tokens, 4 calls at once" in checks["chat: window"].detail
    async with await Offbook.open(**flags) as book:
        values = book.settings.values
    assert (values.limits.concurrency, values.chat.context_tokens) == (4, 8192)
    assert values.context.budget() < 2_000
