"""What a server of one's own says of its limits: the window of its model, and its places.

Takes: the address of a chat endpoint.  Gives: numbers, as far as the server tells them.
llama.cpp, vLLM, LM Studio and Ollama each tell them in a place of their own, others where they
refuse a prompt that is too long. A hosted endpoint is not asked. Only ``offbook doctor`` asks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from offbook.settings.endpoints import FEW_AT_ONCE

_SECONDS: Final = 5.0
_WINDOW: Final = re.compile(
    r"context (?:length|size|window)\D{0,24}(\d[\d,_]{2,9})\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The most tokens of prompt and answer together, and calls at once; None: not told."""

    window: int | None = None
    slots: int | None = None


async def server_limits(base_url: str, model: str, api_key: str | None = None) -> ServerLimits:
    """Ask a server over plain http, which is one of one's own; another one is not asked."""
    import httpx

    parts = urlsplit(base_url)
    if parts.scheme != "http":
        return ServerLimits()
    root = base_url.removesuffix("/").removesuffix("/v1")
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    limits = ServerLimits()
    async with httpx.AsyncClient(timeout=_SECONDS, trust_env=False, headers=headers) as client:
        for path, read in _DIALECTS.items():
            try:
                response = await client.get(f"{root}{path}")
                answer = read(response.json(), model) if response.is_success else ServerLimits()
            except (httpx.HTTPError, ValueError, TypeError, LookupError, AttributeError):
                continue
            limits = ServerLimits(limits.window or answer.window, limits.slots or answer.slots)
    return limits


def window_in(refusal: str) -> int | None:
    """Find the window in what an endpoint says of a prompt that is longer than it takes."""
    match = _WINDOW.search(refusal)
    return None if match is None else int(match[1].replace(",", "").replace("_", ""))


def _llama_cpp(body: Any, model: str) -> ServerLimits:
    """Read ``/props``; its window is that of one slot."""
    del model
    settings = body["default_generation_settings"]
    return ServerLimits(_count(settings["n_ctx"]), _count(body.get("total_slots")))


def _ollama(body: Any, model: str) -> ServerLimits:
    """Read ``/api/ps``: models that are loaded, with the window that they were loaded with."""
    row = _named(body["models"], "name", model)
    return ServerLimits(_count(row["context_length"]), FEW_AT_ONCE)


def _lm_studio(body: Any, model: str) -> ServerLimits:
    """Read ``/api/v0/models``."""
    row = _named(body["data"], "id", model)
    return ServerLimits(_count(row["loaded_context_length"]), FEW_AT_ONCE)


def _vllm(body: Any, model: str) -> ServerLimits:
    """Read ``/v1/models``; it works on as many calls at once as it is given."""
    return ServerLimits(_count(_named(body["data"], "id", model)["max_model_len"]), _MANY)


_MANY: Final = 256
"""Calls that vLLM works on at once (its ``max_num_seqs``): more than anybody asks for."""
_DIALECTS: Final[Mapping[str, Callable[[Any, str], ServerLimits]]] = {
    "/props": _llama_cpp,
    "/api/ps": _ollama,
    "/api/v0/models": _lm_studio,
    "/v1/models": _vllm,
}


def _named(rows: Any, key: str, model: str) -> Mapping[str, Any]:
    """Find the row of a model; Ollama writes "qwen3" as "qwen3:latest"."""
    names = (model, f"{model}:latest")
    matching: list[Mapping[str, Any]] = [row for row in rows if row[key] in names]
    return matching[0]


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and value > 0 else None
