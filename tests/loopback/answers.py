"""What the loopback server answers when nobody tells it: the least that fits the schema.

Takes: the body of a request.  Gives: the text of an answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

PLAIN_TEXT = "I hear you, and I have little to say."


@dataclass(frozen=True, slots=True)
class Answer:
    """The text of an answer, why it ended, and the tokens that are counted apart, where any are.

    ``apart`` are those of the prompt that were cached, and those of the answer that are thoughts;
    ``calls`` are names of tools with what they are called with.
    """

    text: str
    finish_reason: str = "stop"
    apart: tuple[int, int] | None = None
    calls: Mapping[str, Any] = field(default_factory=dict)

    @property
    def tool_calls(self) -> list[dict[str, Any]]:
        """The calls as they go over the wire."""
        return [
            {
                "index": place,
                "id": f"call_{name}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for place, (name, arguments) in enumerate(self.calls.items())
        ]

    @property
    def pieces_of_calls(self) -> list[dict[str, Any]]:
        """The same in a stream: what they are called with comes in two pieces."""
        pieces: list[dict[str, Any]] = []
        for call in self.tool_calls:
            whole = call["function"]["arguments"]
            pieces.append({**call, "function": {**call["function"], "arguments": whole[:3]}})
            pieces.append({"index": call["index"], "function": {"arguments": whole[3:]}})
        return pieces


def default_answer(body: Mapping[str, Any]) -> Answer:
    """The least instance of the schema that was asked for, or a sentence."""
    schema = schema_in(body)
    return Answer(PLAIN_TEXT if schema is None else json.dumps(minimal_instance(schema)))


def schema_in(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The schema that a request asks for: in response_format, or described in the last message."""
    form = body.get("response_format") or {}
    if form.get("type") == "json_schema":
        return dict(form["json_schema"]["schema"])
    _, found, told = body["messages"][-1]["content"].rpartition("JSON schema:\n")
    return dict(json.loads(told)) if found else None


def minimal_instance(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None) -> Any:
    """A value that fits ``schema``: first options, shortest lists, lowest numbers."""
    root = schema if root is None else root
    if "$ref" in schema:
        target: Any = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        return minimal_instance(target, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if options := schema.get("anyOf") or schema.get("allOf"):
        return minimal_instance(options[0], root)
    kind = schema.get("type")
    if kind == "object":
        return {key: minimal_instance(part, root) for key, part in schema["properties"].items()}
    if kind == "array":
        return [minimal_instance(schema["items"], root)] * int(schema.get("minItems", 0))
    least = schema.get("minimum", 0)
    return {"string": "word", "integer": least, "number": least, "boolean": False}.get(str(kind))


def vector_of(text: str, dimension: int) -> NDArray[np.float32]:
    """A vector that depends on the text only, with numbers from -1 to 1."""
    numbers = np.frombuffer(hashlib.shake_128(text.encode()).digest(2 * dimension), "<i2")
    vector: NDArray[np.float32] = np.divide(numbers, 2**15, dtype=np.float32)
    return vector
