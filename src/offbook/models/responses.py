"""What endpoints answer: the body of a response, checked by hand because servers differ.

Takes: bytes of a body, or an event of a stream.  Gives: our own response, or a passing failure.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from offbook.errors import IncompleteAnswer, InputRefused
from offbook.models.failures import PassingError, Place, broken, said_by
from offbook.text.thinking import strip_thinking
from offbook.types import ChatResponse, Message, ToolCall


def plain(messages: Sequence[Message]) -> list[Any]:
    """Messages as they go over the wire."""
    return [{"role": message.role, "content": message.content} for message in messages]


def body_of(place: Place, content: bytes) -> Mapping[str, Any]:
    """The JSON object in a body.

    Raises:
        PassingError: it is none, or an error under status 200.
    """
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        raise broken(place, "the body is not JSON") from None
    if not isinstance(body, Mapping):
        raise broken(place, "the body is not a JSON object")
    if body.get("error"):
        raise broken(place, said_by(body))
    return body


def read_chat(place: Place, content: bytes, *, structured: bool) -> ChatResponse:
    """The answer in the body of a chat completion.

    ``reasoning_content`` and its like are no part of the answer; that they are there is noted.
    """
    body = body_of(place, content)
    usage, choices = body.get("usage"), body.get("choices")
    counts = counts_of(usage if isinstance(usage, Mapping) else {})
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise broken(place, "the response holds no choices", counts[:2])
    message = choices[0].get("message")
    text = message.get("content") if isinstance(message, Mapping) else None
    if text is not None and not isinstance(text, str):
        raise broken(place, "the content of the message is not a text", counts[:2])
    whole = storable(text or "")
    answer = strip_thinking(whole, structured=structured)
    tagged = answer.lstrip() != whole.lstrip()
    return ChatResponse(
        # Blanks to the limit are no silence in which a model thinks: they stay.
        text=answer or ("" if whole.strip() else whole),
        finish_reason=str(choices[0].get("finish_reason") or "stop"),
        thought=tagged or bool(_thoughts(message) or counts.reasoning_tokens),
        calls=calls_of(_pieces_of_calls(message)),
        **counts._asdict(),
    )


class CallPiece(NamedTuple):
    """What one event tells of one call of a tool: those of one place are one call."""

    place: int
    id: str = ""
    name: str = ""
    arguments: str = ""


def calls_of(pieces: Sequence[CallPiece]) -> tuple[ToolCall, ...]:
    """The calls that pieces make together, in the order of their places.

    Servers that give their calls no ids get some: an id only ties a result to its call.
    """
    made: dict[int, ToolCall] = {}
    for piece in pieces:
        call = made.get(piece.place, ToolCall("", "", ""))
        made[piece.place] = ToolCall(
            call.id or piece.id, call.name or piece.name, call.arguments + piece.arguments
        )
    return tuple(
        ToolCall(call.id or f"call_{uuid.uuid4().hex[:24]}", call.name, call.arguments or "{}")
        for _, call in sorted(made.items())
        if call.name
    )


def _pieces_of_calls(message: Any) -> tuple[CallPiece, ...]:
    listed = message.get("tool_calls") if isinstance(message, Mapping) else None
    pieces: list[CallPiece] = []
    for place, call in enumerate(listed if isinstance(listed, list) else ()):
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping):
            continue
        index, written = _count(call.get("index")), function.get("arguments")
        pieces.append(
            CallPiece(
                place if index is None else index,
                _text(call.get("id")),
                _text(function.get("name")),
                # Some servers send the object itself.
                _text(written) if not isinstance(written, Mapping) else json.dumps(written),
            )
        )
    return tuple(pieces)


class Counts(NamedTuple):
    """Tokens as an endpoint counts them: 0 of the whole, None of a part, where it tells none."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


def counts_of(usage: Mapping[str, Any]) -> Counts:
    """The tokens in the usage of a response, or of the last event of a stream."""
    return Counts(
        _count(usage.get("prompt_tokens")) or 0,
        _count(usage.get("completion_tokens")) or 0,
        _part(usage.get("prompt_tokens_details"), "cached_tokens"),
        _part(usage.get("completion_tokens_details"), "reasoning_tokens"),
    )


def _part(details: Any, name: str) -> int | None:
    return _count(details.get(name)) if isinstance(details, Mapping) else None


def _count(value: Any) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and value >= 0 else None


def storable(text: str) -> str:
    """``text`` without what no database and no file takes: NUL, and halves of characters."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


class BrokenStreamError(Exception):
    """A stream holds what is no event of the protocol, or an error of the endpoint."""


class StreamEvent(NamedTuple):
    """What one event of a stream adds; ``counts`` are tokens of prompt and answer, where told.

    ``thought`` is what endpoints tell of thoughts apart from the answer: only its length is asked.
    ``calls`` are pieces of calls of tools.
    """

    content: str = ""
    finish_reason: str | None = None
    counts: Counts | None = None
    thought: str = ""
    calls: tuple[CallPiece, ...] = ()


def read_event(data: str) -> StreamEvent:
    """What one event of a stream adds; it may be nothing.

    Raises:
        BrokenStreamError: it is no JSON object, or it tells of an error.
    """
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        raise BrokenStreamError(f"an event is not JSON: {data}") from None
    if not isinstance(event, Mapping):
        raise BrokenStreamError(f"an event is not a JSON object: {data}")
    if event.get("error"):
        raise BrokenStreamError(said_by(event))
    usage = event.get("usage")
    counts = counts_of(usage) if isinstance(usage, Mapping) else None
    choices = event.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        return StreamEvent(counts=counts)
    given, reason = choices[0].get("delta"), choices[0].get("finish_reason")
    delta = given if isinstance(given, Mapping) else {}
    ended = reason if isinstance(reason, str) else None
    calls = _pieces_of_calls(delta)
    return StreamEvent(_text(delta.get("content")), ended, counts, _thoughts(delta), calls)


def _thoughts(message: Any) -> str:
    """What a message, or a piece of one, tells of thoughts apart from the answer."""
    if not isinstance(message, Mapping):
        return ""
    return _text(message.get("reasoning_content")) or _text(message.get("reasoning"))


def _text(value: Any) -> str:
    return storable(value) if isinstance(value, str) else ""


def check_end(place: Place, finish_reason: str | None, *, short: bool) -> None:
    """Raise unless a stream ended as a whole answer ends, or ``short`` at the length limit.

    Raises:
        PassingError: it stopped before the endpoint said that the answer is whole.
        IncompleteAnswer: the length limit was reached.
        InputRefused: the endpoint withheld the rest.
    """
    if finish_reason is None:
        raise PassingError(
            f"the answer of model {place.model!r} broke off: {place.base_url} closed the stream "
            "before its end",
            "ask again; what was shown is not whole",
        )
    if finish_reason == "length" and not short:
        raise IncompleteAnswer(
            f"the answer of model {place.model!r} was cut off at the length limit",
            "raise reply.max_tokens, or the limit of the endpoint",
        )
    if finish_reason == "content_filter":
        raise InputRefused(
            f"the content filter of {place.base_url} withheld the rest of the answer",
            "ask differently, or use another model",
        )
