"""What servers of one's own list and tell, each in its dialect, and a model that passes all probes.

Takes: names of models and a window.  Gives: pages for the loopback server, and an answerer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from offbook.app.doctor import NEEDLE, WORDS
from tests.loopback.answers import Answer, schema_in


def ollama(*models: str, window: int = 8_192) -> dict[str, Any]:
    """``/api/tags`` has all that were pulled, ``/api/ps`` those that are loaded."""
    rows = [{"name": name, "model": name, "details": {"family": "qwen3"}} for name in models]
    vectors = {"name": "nomic-embed-text:latest", "details": {"family": "nomic-bert"}}
    return {
        "/api/tags": {"models": [*rows, vectors]},
        "/api/ps": {"models": [{"name": name, "context_length": window} for name in models]},
        "/v1/models": openai(*models, "nomic-embed-text:latest")["/v1/models"],
    }


def lm_studio(*models: str, window: int = 8_192) -> dict[str, Any]:
    """``/api/v0/models`` tells what each is for, and the window that it was loaded with."""
    rows = [{"id": name, "type": "llm", "loaded_context_length": window} for name in models]
    vectors = {"id": "text-embedding-nomic", "type": "embeddings"}
    return {
        "/api/v0/models": {"object": "list", "data": [*rows, vectors]},
        "/v1/models": openai(*models, "text-embedding-nomic")["/v1/models"],
        "/api/tags": {"error": "Unexpected endpoint or method. (GET /api/tags)"},
    }


def llama_cpp(*models: str, window: int = 8_192) -> dict[str, Any]:
    """``/props`` tells window and slots; it lists its model as Ollama does, too."""
    return {
        "/props": {"default_generation_settings": {"n_ctx": window}, "total_slots": 4},
        "/v1/models": {"data": [{"id": name, "meta": {"n_ctx_train": 40_960}} for name in models]},
        "/api/tags": {"models": [{"name": name, "details": {"family": ""}} for name in models]},
    }


def vllm(*models: str, window: int = 8_192) -> dict[str, Any]:
    """``/v1/models`` tells the window."""
    return {"/v1/models": {"data": [{"id": name, "max_model_len": window} for name in models]}}


def openai(*models: str) -> dict[str, Any]:
    """``/v1/models`` has names and no more, as most endpoints do."""
    return {"/v1/models": {"object": "list", "data": [{"id": name} for name in models]}}


def able(body: Mapping[str, Any]) -> Answer:
    """Answer as a model does that follows a schema and reads a prompt from its head."""
    if schema_in(body) is not None:
        items = [{"number": number, "word": word} for number, word in enumerate(WORDS, 1)]
        return Answer(json.dumps({"items": items}))
    prompt = " ".join(message["content"] for message in body["messages"])
    return Answer(NEEDLE if NEEDLE in prompt else "Good evening. I am the harbour pilot.")
