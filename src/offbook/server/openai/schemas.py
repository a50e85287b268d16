"""The description of the OpenAI-compatible API for ``/docs``.

Takes: nothing.  Gives: what the body of a request may hold, as OpenAPI says it.
"""

from __future__ import annotations

from typing import Any, Final

_PART: Final = {
    "type": "object",
    "required": ["type"],
    "properties": {"type": {"type": "string"}, "text": {"type": "string"}},
}
_MESSAGE: Final = {
    "type": "object",
    "required": ["role"],
    "properties": {
        "role": {
            "type": "string",
            "enum": ["system", "developer", "user", "assistant", "tool", "function"],
        },
        "content": {
            "anyOf": [{"type": "string"}, {"type": "array", "items": _PART}, {"type": "null"}]
        },
        "name": {"type": ["string", "null"]},
    },
}
_BODY: Final = {
    "type": "object",
    "required": ["model", "messages"],
    "properties": {
        "model": {
            "type": "string",
            "description": "a character's id; `ID@USER` names the person, `ID:raw` asks the "
            "language model itself",
        },
        "messages": {"type": "array", "minItems": 1, "items": _MESSAGE},
        "stream": {"type": ["boolean", "null"]},
        "stream_options": {"type": ["object", "null"]},
        "n": {"type": ["integer", "null"], "minimum": 1},
        "temperature": {"type": ["number", "null"]},
        "top_p": {"type": ["number", "null"]},
        "max_tokens": {"type": ["integer", "null"]},
        "max_completion_tokens": {"type": ["integer", "null"]},
        "stop": {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}},
                {"type": "null"},
            ]
        },
        "seed": {"type": ["integer", "null"]},
        "presence_penalty": {"type": ["number", "null"]},
        "frequency_penalty": {"type": ["number", "null"]},
        "user": {
            "type": ["string", "null"],
            "description": "who speaks: conversations and memories are theirs",
        },
        "metadata": {
            "type": ["object", "null"],
            "description": "`session_id` names the conversation",
        },
    },
}
_ERROR: Final = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"type": ["string", "null"]},
                "code": {"type": ["string", "null"]},
            },
        }
    },
}


def _answer(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


CHAT: Final[dict[str, Any]] = {
    "requestBody": {"required": True, "content": {"application/json": {"schema": _BODY}}},
    "responses": {
        "200": {
            "description": "A completion, or a stream of chunks that ends with `data: [DONE]`; "
            "what the reply rests on stands under `offbook`",
            "content": {
                "application/json": {"schema": {"type": "object", "required": ["choices"]}},
                "text/event-stream": {"schema": {"type": "string"}},
            },
        },
        "400": _answer("The body cannot be served", _ERROR),
        "404": _answer("There is no such character", _ERROR),
        "409": _answer("The method needs an index that was not built", _ERROR),
        "429": _answer("Too many requests", _ERROR),
        "500": _answer("The settings do not allow it", _ERROR),
        "502": _answer("The model endpoint failed", _ERROR),
        "503": _answer("The model endpoint or the database cannot be reached now", _ERROR),
    },
}
"""What FastAPI adds to the description of the route."""
