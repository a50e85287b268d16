"""Completions and chunks as OpenAI's clients read them, and the stream that carries them."""

from __future__ import annotations

import asyncio
import json
import logging
import time
import uuid
from collections.abc import AsyncGenerator, Collection, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

from starlette.responses import Response

from offbook import __version__
from offbook.errors import OffbookError
from offbook.server.dependencies import until_disconnected
from offbook.server.events import on_one_line
from offbook.server.failures import failure_response, mistake, openai_error

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from offbook.server.openai.citations import Citation
    from offbook.types import ToolCall

DONE: Final = b"data: [DONE]\n\n"
FINGERPRINT: Final = f"offbook-{__version__}"
EXTRAS: Final = "offbook"
"""The one key, beside OpenAI's own, on ordinary chunks and responses."""
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Choice:
    """One reply, whole; ``calls`` are the tools that it calls."""

    text: str
    finish_reason: str = "stop"
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that an answer is: its replies, OpenAI's usage, and what stands under ``offbook``.

    ``is_kept`` says that a client can go on from it by its id, ``citations`` what it rests on.
    """

    choices: tuple[Choice, ...]
    usage: Mapping[str, Any]
    extras: Mapping[str, Any] | None = None
    is_kept: bool = False
    citations: tuple[Citation, ...] = ()


class Shape(Protocol):
    """How an answer is written, whole and in pieces."""

    @property
    def id(self) -> str:
        """By which the client knows it."""

    def opening(self, index: int) -> bytes:
        """What comes before the first piece of a reply; perhaps nothing."""

    def piece(self, index: int, text: str) -> bytes:
        """A piece of a reply."""

    def closing(self, outcome: Outcome, opened: Collection[int]) -> Iterator[bytes]:
        """What comes behind the last piece; ``opened`` are the replies that had one."""

    def whole(self, outcome: Outcome) -> dict[str, Any]:
        """The answer in one piece."""

    def failing(self, error: Mapping[str, Any]) -> bytes:
        """What tells of a failure in a stream that has begun."""


@dataclass(slots=True)
class ChatShape:
    """Chat completions: all chunks of one have one id, one time and one model."""

    model: str
    include_usage: bool = False
    id: str = field(default_factory=lambda: f"chatcmpl-{uuid.uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))

    def opening(self, index: int) -> bytes:
        """The first chunk of a reply."""
        return self._chunk(index, {"role": "assistant", "content": ""})

    def piece(self, index: int, text: str) -> bytes:
        """A piece of a reply."""
        return self._chunk(index, {"content": text})

    def closing(self, outcome: Outcome, opened: Collection[int]) -> Iterator[bytes]:
        """Calls and the last chunk of each reply, usage for those who ask for it, and the end."""
        last = len(outcome.choices) - 1
        for index, choice in enumerate(outcome.choices):
            if index not in opened:
                yield self.opening(index)
            for place, call in enumerate(choice.calls):
                yield self._chunk(index, {"tool_calls": [{"index": place, **_called(call)}]})
            extras = {EXTRAS: outcome.extras} if index == last and outcome.extras else {}
            cited = [each.as_chat_json(choice.text) for each in outcome.citations]
            delta = {"annotations": cited} if cited else {}
            yield self._chunk(index, delta, choice.finish_reason, extras)
        if self.include_usage:
            yield _event({**self._common(_CHUNK), "choices": [], "usage": outcome.usage})
        yield DONE

    def whole(self, outcome: Outcome) -> dict[str, Any]:
        """The answer in one piece."""
        shape = self._common("chat.completion")
        shape["choices"] = [
            {
                "index": index,
                "message": _message(choice, outcome.citations),
                "finish_reason": choice.finish_reason,
                "logprobs": None,
            }
            for index, choice in enumerate(outcome.choices)
        ]
        return _with_extras(shape, outcome)

    def failing(self, error: Mapping[str, Any]) -> bytes:
        """An error in the place of a chunk."""
        return failure(error) + DONE

    def _common(self, kind: str) -> dict[str, Any]:
        return _common(self, kind)

    def _chunk(
        self,
        index: int,
        delta: Mapping[str, Any],
        reason: str | None = None,
        extras: Mapping[str, Any] = MappingProxyType({}),
    ) -> bytes:
        choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": reason}
        return _event({**self._common(_CHUNK), "choices": [choice], **extras})


@dataclass(slots=True)
class TextShape:
    """Text completions."""

    model: str
    include_usage: bool = False
    id: str = field(default_factory=lambda: f"cmpl-{uuid.uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))

    def opening(self, index: int) -> bytes:
        """Nothing: a text begins with its first piece."""
        return b""

    def piece(self, index: int, text: str) -> bytes:
        """A piece of a text."""
        return self._chunk(index, text)

    def closing(self, outcome: Outcome, opened: Collection[int]) -> Iterator[bytes]:
        """The last chunk of each text, usage for those who ask for it, and the end."""
        last = len(outcome.choices) - 1
        for index, choice in enumerate(outcome.choices):
            extras = {EXTRAS: outcome.extras} if index == last and outcome.extras else {}
            yield self._chunk(index, "", choice.finish_reason, extras)
        if self.include_usage:
            yield _event({**_common(self, _TEXT), "choices": [], "usage": outcome.usage})
        yield DONE

    def whole(self, outcome: Outcome) -> dict[str, Any]:
        """The answer in one piece."""
        shape = _common(self, _TEXT)
        shape["choices"] = [
            _text_choice(index, choice.text, choice.finish_reason)
            for index, choice in enumerate(outcome.choices)
        ]
        return _with_extras(shape, outcome)

    def failing(self, error: Mapping[str, Any]) -> bytes:
        """An error in the place of a chunk."""
        return failure(error) + DONE

    def _chunk(
        self,
        index: int,
        text: str,
        reason: str | None = None,
        extras: Mapping[str, Any] = MappingProxyType({}),
    ) -> bytes:
        choice = _text_choice(index, text, reason)
        return _event({**_common(self, _TEXT), "choices": [choice], **extras})


_CHUNK: Final = "chat.completion.chunk"
_TEXT: Final = "text_completion"


def _common(shape: ChatShape | TextShape, kind: str) -> dict[str, Any]:
    return {
        "id": shape.id,
        "object": kind,
        "created": shape.created,
        "model": shape.model,
        "system_fingerprint": FINGERPRINT,
    }


def _text_choice(index: int, text: str, reason: str | None) -> dict[str, Any]:
    return {"index": index, "text": text, "logprobs": None, "finish_reason": reason}


def _message(choice: Choice, citations: Sequence[Citation]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": choice.text, "refusal": None}
    if citations:
        message["annotations"] = [each.as_chat_json(choice.text) for each in citations]
    if choice.calls:
        message["content"] = choice.text or None
        message["tool_calls"] = [_called(call) for call in choice.calls]
    return message


def _called(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _with_extras(shape: dict[str, Any], outcome: Outcome) -> dict[str, Any]:
    shape["usage"] = dict(outcome.usage)
    return shape if outcome.extras is None else {**shape, EXTRAS: dict(outcome.extras)}


def failure(error: Mapping[str, Any]) -> bytes:
    """What tells of a failure in a stream that has begun."""
    return _event(error)


def written(data: Mapping[str, Any]) -> str:
    """JSON on one line, as short as it can be."""
    return on_one_line(_ENCODER.encode(data))


def _event(data: Mapping[str, Any]) -> bytes:
    return f"data: {written(data)}\n\n".encode()


PING: Final = b": ping\n\n"
_LOG: Final = logging.getLogger("offbook.server")
_HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]


class EventStream(Response):
    """Events that are sent as they come; closing their iterator ends the work behind them.

    No silence is longer than ``ping_seconds``, also while the first event is prepared.
    """

    def __init__(
        self, events: AsyncGenerator[bytes, None], shape: Shape, ping_seconds: float
    ) -> None:
        super().__init__()
        self._events, self._failing, self._ping_seconds = events, shape.failing, ping_seconds
        self._is_open = self._spoke = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events; the client's leaving ends it, quietly."""
        await until_disconnected(receive, self._run(scope, receive, send))

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        pinging = asyncio.create_task(self._ping(send))
        try:
            async with aclosing(self._events) as coming:
                async for event in coming:
                    if event:
                        await self._write(send, event)
        except OffbookError as error:
            pinging.cancel()
            if not self._is_open:
                await failure_response(error, scope["path"])(scope, receive, send)
                return
            _LOG.warning("a reply broke off: %s", error.message)
            await self._write(send, self._failing(openai_error(error)))
        except Exception as error:
            if not self._is_open:
                raise  # it is answered as any mistake of ours
            _LOG.exception("a mistake in offbook")
            unforeseen = mistake(error, scope.get("state", {}).get("request_id"))
            await self._write(send, self._failing(openai_error(unforeseen)))
        finally:
            pinging.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _ping(self, send: Send) -> None:
        while True:
            self._spoke = False
            await asyncio.sleep(self._ping_seconds)
            if not self._spoke:
                await self._write(send, PING)

    async def _write(self, send: Send, data: bytes) -> None:
        self._spoke = True
        if not self._is_open:
            self._is_open = True
            start = {"type": "http.response.start", "status": 200, "headers": list(_HEADERS)}
            await send(start)
        await send({"type": "http.response.body", "body": data, "more_body": True})
