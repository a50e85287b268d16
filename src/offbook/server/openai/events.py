"""Completions and chunks as OpenAI's clients read them, and the stream that carries them."""

from __future__ import annotations

import asyncio
import json
import logging
import time
import uuid
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from offbook import __version__
from offbook.errors import OffbookError
from offbook.server.dependencies import until_disconnected
from offbook.server.events import on_one_line
from offbook.server.failures import failure_response, mistake, openai_error

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send


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

    def opening(self, index: int) -> bytes:
        """The first chunk of a reply."""
        return self._chunk(index, {"role": "assistant", "content": ""})

    def piece(self, index: int, text: str) -> bytes:
        """A piece of a reply."""
        return self._chunk(index, {"content": text})

    def closing(
        self, index: int, finish_reason: str, extras: Mapping[str, Any] | None = None
    ) -> bytes:
        """The last chunk of a reply."""
        return self._chunk(index, {}, finish_reason, {} if extras is None else {EXTRAS: extras})

    def usage(self, usage: Mapping[str, Any]) -> bytes:
        """What the whole answer cost; only for those who ask for it."""
        return _event({**self._common("chat.completion.chunk"), "choices": [], "usage": usage})

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
        self,
        index: int,
        delta: Mapping[str, Any],
        reason: str | None = None,
        extras: Mapping[str, Any] = MappingProxyType({}),
    ) -> bytes:
        choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": reason}
        return _event({**self._common("chat.completion.chunk"), "choices": [choice], **extras})


def failure(error: Mapping[str, Any]) -> bytes:
    """What tells of a failure in a stream that has begun."""
    return _event(error)


def _event(data: Mapping[str, Any]) -> bytes:
    return f"data: {on_one_line(_ENCODER.encode(data))}\n\n".encode()


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

    def __init__(self, events: AsyncGenerator[bytes, None], ping_seconds: float) -> None:
        super().__init__()
        self._events, self._ping_seconds = events, ping_seconds
        self._is_open = self._spoke = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events; the client's leaving ends it, quietly."""
        await until_disconnected(receive, self._run(scope, receive, send))

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        pinging = asyncio.create_task(self._ping(send))
        try:
            async with aclosing(self._events) as coming:
                async for event in coming:
                    await self._write(send, event)
        except OffbookError as error:
            pinging.cancel()
            if not self._is_open:
                await failure_response(error, scope["path"])(scope, receive, send)
                return
            _LOG.warning("a reply broke off: %s", error.message)
            await self._write(send, failure(openai_error(error)) + DONE)
        except Exception as error:
            if not self._is_open:
                raise  # it is answered as any mistake of ours
            _LOG.exception("a mistake in offbook")
            unforeseen = mistake(error, scope.get("state", {}).get("request_id"))
            await self._write(send, failure(openai_error(unforeseen)) + DONE)
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
