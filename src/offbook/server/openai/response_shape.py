"""Responses and their events, as OpenAI's clients read them.

Takes: pieces of a reply, or a stored turn.  Gives: events in OpenAI's order, numbered from 0, and
the response whole.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from offbook.server.openai.events import EXTRAS, Outcome, written

if TYPE_CHECKING:
    from offbook.server.openai.citations import Citation
    from offbook.server.openai.events import Choice
    from offbook.server.openai.responses_body import ResponsesBody
    from offbook.types import ToolCall

PREFIX: Final = "resp_"
_MESSAGE: Final = 0
"""The place of the message among what a response holds."""
_CUT: Final[Mapping[str, str]] = {
    "length": "max_output_tokens",
    "content_filter": "content_filter",
}
"""Why a reply is not whole, in chat completions -> in responses."""
_EMPTY: Final[Mapping[str, Any]] = {
    "background": False,
    "error": None,
    "incomplete_details": None,
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "output": [],
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "prompt_cache_key": None,
    "reasoning": {"effort": None, "summary": None},
    "safety_identifier": None,
    "service_tier": "default",
    "store": True,
    "temperature": None,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_logprobs": 0,
    "top_p": None,
    "truncation": "disabled",
    "usage": None,
    "user": None,
}


@dataclass(slots=True)
class ResponseShape:
    """One response: what the client sent of it comes back with it.

    Args:
        model: The character.
        body: What was asked.
        id: By which the client goes on from it.
        created: When it was begun, in seconds.
    """

    model: str
    body: ResponsesBody
    id: str = field(default_factory=lambda: f"{PREFIX}{uuid.uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))
    _number: int = 0
    _text: str | None = None
    _message: str = field(default_factory=lambda: f"msg_{uuid.uuid4().hex}")

    def opening(self, index: int) -> bytes:
        """That the response is begun; it has one reply."""
        begun = self._shape("in_progress")
        return self._event("response.created", response=begun) + self._event(
            "response.in_progress", response=begun
        )

    def piece(self, index: int, text: str) -> bytes:
        """A piece of the message; the first one begins it."""
        before = b"" if self._text is not None else self._begun()
        self._text = (self._text or "") + text
        return before + self._of_text("response.output_text.delta", delta=text, logprobs=[])

    def closing(self, outcome: Outcome, opened: Collection[int]) -> Iterator[bytes]:
        """The message whole, the calls, and the response whole."""
        choice = outcome.choices[0]
        if not opened:
            yield self.opening(0)
        if self._text is None and not choice.calls:
            self._text = ""
            yield self._begun()
        if self._text is not None:
            yield from self._ended(choice, outcome.citations)
        first = 0 if self._text is None else 1
        for place, call in enumerate(choice.calls, first):
            yield from self._call(call, place)
        whole = self._finished(outcome, self._text)
        yield self._event(f"response.{whole['status']}", response=whole)

    def whole(self, outcome: Outcome) -> dict[str, Any]:
        """The response in one piece."""
        choice = outcome.choices[0]
        return self._finished(outcome, choice.text if choice.text or not choice.calls else None)

    def failing(self, error: Mapping[str, Any]) -> bytes:
        """That it failed, and the error."""
        what = error["error"]
        told = {"code": "server_error", "message": what["message"]}
        failed = {**self._shape("failed"), "error": told}
        plain = {name: what[name] for name in ("code", "message", "param")}
        # Nothing but pings may have been sent, and clients read no end without a beginning.
        begun = b"" if self._number else self.opening(0)
        broken = self._event("response.failed", response=failed)
        return begun + broken + self._event("error", **plain, error=what)

    def _begun(self) -> bytes:
        item = {**message(self._message, "", "in_progress"), "content": []}
        return self._event(
            "response.output_item.added", output_index=_MESSAGE, item=item
        ) + self._of_text("response.content_part.added", part=_part(""))

    def _ended(self, choice: Choice, citations: Sequence[Citation]) -> Iterator[bytes]:
        text = self._text or ""
        cited = [each.as_json(text) for each in citations]
        for place, each in enumerate(cited):
            kind = "response.output_text.annotation.added"
            yield self._of_text(kind, annotation_index=place, annotation=each)
        yield self._of_text("response.output_text.done", text=text, logprobs=[])
        yield self._of_text("response.content_part.done", part=_part(text, cited))
        item = message(self._message, text, _status(choice.finish_reason), cited)
        yield self._event("response.output_item.done", output_index=_MESSAGE, item=item)

    def _call(self, call: ToolCall, place: int) -> Iterator[bytes]:
        done = _called(call)
        begun = {**done, "arguments": "", "status": "in_progress"}
        where = {"output_index": place, "item_id": done["id"]}
        yield self._event("response.output_item.added", output_index=place, item=begun)
        kind = "response.function_call_arguments"
        yield self._event(f"{kind}.delta", **where, delta=call.arguments)
        yield self._event(f"{kind}.done", **where, name=call.name, arguments=call.arguments)
        yield self._event("response.output_item.done", output_index=place, item=done)

    def _of_text(self, kind: str, **values: Any) -> bytes:
        where = {"item_id": self._message, "output_index": _MESSAGE, "content_index": 0}
        return self._event(kind, **where, **values)

    def _event(self, kind: str, **values: Any) -> bytes:
        data = {"type": kind, **values, "sequence_number": self._number}
        self._number += 1
        return f"event: {kind}\ndata: {written(data)}\n\n".encode()

    def _finished(self, outcome: Outcome, text: str | None) -> dict[str, Any]:
        choice = outcome.choices[0]
        status = _status(choice.finish_reason)
        cited = [each.as_json(text or "") for each in outcome.citations]
        said = [] if text is None else [message(self._message, text, status, cited)]
        shape = {
            **self._shape(status),
            "store": outcome.is_kept,
            "output": [*said, *map(_called, choice.calls)],
            "incomplete_details": _details(choice.finish_reason),
            "usage": usage_of(outcome.usage),
        }
        return shape if outcome.extras is None else {**shape, EXTRAS: dict(outcome.extras)}

    def _shape(self, status: str) -> dict[str, Any]:
        sent = self.body.model_dump(exclude={"input", "stream"}, exclude_none=True, by_alias=True)
        # An option of a text that is not read leaves it empty: then the form is the default.
        asked_for = {name: value for name, value in sent.items() if name in _EMPTY and value != {}}
        return response(self.id, self.created, self.model, status, **asked_for)


def response(
    name: str, created: int, model: str, status: str = "completed", **values: Any
) -> dict[str, Any]:
    """A response of this id, with what is not among ``values`` as it is by default."""
    head = {"id": name, "object": "response", "created_at": created, "status": status}
    return {**head, "model": model, **_EMPTY, **values}


def message(
    name: str, text: str, status: str = "completed", cited: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """A message of a response."""
    shape = {"id": name, "type": "message", "status": status, "role": "assistant"}
    return {**shape, "content": [_part(text, cited)]}


def usage_of(usage: Mapping[str, Any]) -> dict[str, Any]:
    """The usage of a chat completion, as that of a response."""
    cached = usage.get("prompt_tokens_details", {}).get("cached_tokens", 0)
    thoughts = usage.get("completion_tokens_details", {}).get("reasoning_tokens", 0)
    return {
        "input_tokens": usage["prompt_tokens"],
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": usage["completion_tokens"],
        "output_tokens_details": {"reasoning_tokens": thoughts},
        "total_tokens": usage["total_tokens"],
    }


def _details(reason: str) -> dict[str, str] | None:
    return {"reason": _CUT[reason]} if reason in _CUT else None


def _status(reason: str) -> str:
    return "incomplete" if reason in _CUT else "completed"


def _part(text: str, cited: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": list(cited), "logprobs": []}


def _called(call: ToolCall) -> dict[str, Any]:
    return {
        "id": f"fc_{call.id.removeprefix('call_')}",
        "type": "function_call",
        "status": "completed",
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments,
    }
