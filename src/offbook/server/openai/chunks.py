"""Completions and chunks, in the shape that OpenAI's clients read.

Takes: pieces of replies, and what they rest on.  Gives: JSON objects, and lines of an event stream.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from offbook import __version__
from offbook.server.one_line import on_one_line

DONE: Final = b"data: [DONE]\n\n"
FINGERPRINT: Final = f"offbook-{__version__}"
EXTRAS: Final = "offbook"
"""The one key, beside OpenAI's own, on ordinary chunks and responses."""
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Choice:
    """One reply, whole."""

    text: str
    finish_reason: str = "stop"


@dataclass(slots=True)
class Shape:
    """The shape of one answer: all its chunks have one id, one time and one model."""

    model: str
    id: str = field(default_factory=lambda: f"chatcmpl-{uuid.uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))
    _head: str = ""

    def __post_init__(self) -> None:
        # Nearly all of a chunk is the same in each: it is written out once.
        self._head = "data: " + _written(self._common("chat.completion.chunk"))[:-1]

    def opening(self, index: int) -> bytes:
        """The first chunk of a reply."""
        return self._chunk(index, {"role": "assistant", "content": ""})

    def piece(self, index: int, text: str) -> bytes:
        """A piece of a reply: what there are most of, so that only its text is encoded."""
        return (
            f'{self._head},"choices":[{{"index":{index},"delta":{{"content":{_written(text)}'
            '},"logprobs":null,"finish_reason":null}]}\n\n'
        ).encode()

    def closing(
        self, index: int, finish_reason: str, extras: Mapping[str, Any] | None = None
    ) -> bytes:
        """The last chunk of a reply."""
        more = "" if extras is None else f',"{EXTRAS}":{_written(extras)}'
        return self._chunk(index, {}, finish_reason, more)

    def usage(self, usage: Mapping[str, Any]) -> bytes:
        """What the whole answer cost; only for those who ask for it."""
        return f'{self._head},"choices":[],"usage":{_written(usage)}}}\n\n'.encode()

    def whole(
        self, choices: Sequence[Choice], usage: Mapping[str, Any], extras: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """The answer in one piece."""
        shape = self._common("chat.completion")
        shape["choices"] = [
            {
                "index": index,
                "message": {"role": "assistant", "content": choice.text, "refusal": None},
                "finish_reason": choice.finish_reason,
                "logprobs": None,
            }
            for index, choice in enumerate(choices)
        ]
        shape["usage"] = dict(usage)
        return shape if extras is None else {**shape, EXTRAS: dict(extras)}

    def _common(self, kind: str) -> dict[str, Any]:
        return {
            "id": self.id,
            "object": kind,
            "created": self.created,
            "model": self.model,
            "system_fingerprint": FINGERPRINT,
        }

    def _chunk(
        self, index: int, delta: Mapping[str, Any], reason: str | None = None, more: str = ""
    ) -> bytes:
        choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": reason}
        return f'{self._head},"choices":[{_written(choice)}]{more}}}\n\n'.encode()


def failure(error: Mapping[str, Any]) -> bytes:
    """What tells of a failure in a stream that has begun."""
    return f"data: {_written(error)}\n\n".encode()


def _written(value: Any) -> str:
    return on_one_line(_ENCODER.encode(value))
