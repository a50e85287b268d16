"""A chat model behind an OpenAI-compatible endpoint: hosted, or a server of one's own.

Takes: a chat request.  Gives: its answer, whole or in pieces, without thoughts.
It asks once: trying again, limits, the cache and metering are ``wrappers.wrap``'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, Final

from offbook.errors import InputRefused, InvalidAnswer, ModelError, OffbookError
from offbook.models.clients import WITHOUT_OWNER, Clients
from offbook.models.failures import (
    PassingError,
    Place,
    from_exception,
    is_about_context_length,
    is_timeout,
    said_by,
)
from offbook.models.ladder import (
    RUNGS,
    Rung,
    RungMemory,
    body_on,
    names_format,
    refuses_format,
)
from offbook.models.responses import (
    CallPiece,
    Counts,
    StreamEvent,
    calls_of,
    check_end,
    plain,
    read_chat,
    read_event,
)
from offbook.prompts.prompt import may_be_short
from offbook.text.repetition import loop_start, without_loop
from offbook.text.thinking import ThinkingFilter, strip_thinking
from offbook.types import ChatResponse, Ending

if TYPE_CHECKING:
    import httpx

    from offbook.types import ChatRequest

_PATH: Final = "/chat/completions"
_END: Final = "[DONE]"
"""The data of the event behind the last one."""
_LOOK_EVERY: Final = 200
"""Characters of a stream after which it is looked at again for a loop."""
_CUT: Final = "length"
_REST_SECONDS: Final = 0.05
"""How long the end of a stream may take after its last event."""
_COUNTED: Final = {"stream_options": {"include_usage": True}}
"""Asks a stream for its tokens; left out where the endpoint does not know it."""
_ABOUT_LIMIT: Final = ("max_tokens", "max_completion_tokens", "max_new_tokens", "completion")
"""By these words an endpoint says that the limit of an answer is more than the model can write, or
than its context holds beside the prompt."""
_BAD_REQUEST: Final = (400, 422)
_DISLIKES: Final = ("unsupported", "not support", "unrecognized", "unknown", "not permitted")

_WHOLE: Final = ("application/json", "text/html")
"""Types of what is no stream of events; a page is mostly that of a wrong address."""


class OpenAICompatible:
    """A model at an endpoint.

    Args:
        base_url: Address up to and without ``/chat/completions``.
        model: The model's name there.
        api_key: The key that the endpoint asks for; it goes nowhere else and is never shown.
        section: The section of the settings that it came from, for messages.
        timeout_seconds: How long a whole answer may take, and each piece of a stream.
        thinks: Whether the model is said to think aloud; otherwise its answers tell.
        rungs: Remembers how the endpoint takes structured prompts, and whether the model thinks.
        clients: Whose connections it uses.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str | None = None,
        *,
        section: str = "chat",
        timeout_seconds: float = 120.0,
        thinks: bool = False,
        rungs: RungMemory | None = None,
        clients: Clients = WITHOUT_OWNER,
    ) -> None:
        self.name, self.base_url = model, base_url.rstrip("/")
        self._place = Place(self.base_url, model, section, api_key, timeout_seconds)
        self._rungs = rungs or RungMemory()
        self._clients = clients
        self._renamed: dict[str, str | None] = {}
        self._thinks = thinks
        self._takes_limits = False
        self._too_high: float = inf
        self._thinks_first = False

    def __repr__(self) -> str:
        return f"OpenAICompatible({self.base_url!r}, {self.name!r})"

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer whole.

        Raises:
            PassingError: another try may help (429, 408, 5xx, time-out, no connection, a broken
                response).
            ModelError: it will not.
        """
        if request.schema is None:
            is_endless = request.limit is None and "max_tokens" not in request.parameters
            response = await (self._read(request) if is_endless else self._answer(request, "text"))
            if request.ended is not None:
                request.ended(response.ending)
            if loop_start(response.text) is not None:
                # Whoever waits for its end is told that it was cut; up to there it is a reply.
                response = replace(response, text=without_loop(response.text), finish_reason="stop")
        else:
            known = await self._rungs.get(self.base_url, self.name)
            response = await self._answer(request, known or RUNGS[0])
        return response

    async def _read(self, request: ChatRequest) -> ChatResponse:
        """Answer whole what nothing limits: as a stream, which ends where it runs into a loop."""
        text, thoughts, finish_reason, counts = "", "", None, Counts()
        calls: list[CallPiece] = []
        looked_at = 0
        async with aclosing(self._events(request)) as events:
            async for event in events:
                finish_reason, counts = event.finish_reason or finish_reason, event.counts or counts
                text, thoughts = text + event.content, thoughts + event.thought
                calls += event.calls
                if len(text) - looked_at >= _LOOK_EVERY:
                    looked_at = len(text)
                    if loop_start(text) is not None:
                        finish_reason = _CUT
                        break
        check_end(self._place, finish_reason, short=True)
        return ChatResponse(
            strip_thinking(text),
            finish_reason or "stop",
            thought=bool(thoughts),
            calls=calls_of(calls),
            **counts._asdict(),
        )

    async def _answer(self, request: ChatRequest, rung: Rung) -> ChatResponse:
        """Ask on a rung, or one below it; with the limit, or without one that is refused."""
        whole = await self._limit_of(request)
        limit, refusal = whole, ""
        while True:
            messages, form = body_on(rung, request)
            body = {"model": self.name, "messages": plain(messages)} | form
            try:
                answer = await self._post(request, body, limit | dict(request.parameters))
                break
            except ModelError as failure:
                if limit and self._refuses_limit(failure):
                    limit, refusal = {}, _refusal(failure)[1]
                elif form and _is_about_format(failure):
                    rung, limit = RUNGS[RUNGS.index(rung) + 1], whole
                else:
                    raise
            await _announce(request)
        self._takes_limits = self._takes_limits or bool(limit)
        if whole and not limit and not is_about_context_length(refusal):
            self._too_high = min(self._too_high, *whole.values())
        response = read_chat(self._place, answer.content, structured=request.schema is not None)
        if request.schema is not None:
            await self._rungs.put(self.base_url, self.name, rung)
        # Some think without saying so: nothing is left of the limit for an answer.
        in_silence = bool(limit) and not response.text and response.finish_reason == "length"
        if response.thought or in_silence:
            await self._rungs.note_thinking(self.base_url, self.name)
        return response

    async def _post(
        self,
        request: ChatRequest,
        body: Mapping[str, Any],
        parameters: Mapping[str, Any],
        *,
        stream: bool = False,
    ) -> httpx.Response:
        """Send a request, and again without a parameter that turns out not to be known there."""
        while True:
            known = {name: self._renamed.get(name, name) for name in parameters}
            names = {old: new for old, new in known.items() if new is not None}
            sent = {**body, **{new: parameters[old] for old, new in names.items()}}
            try:
                return await self._clients.post(self._place, _PATH, sent, stream=stream)
            except OffbookError:
                raise
            except Exception as error:
                failure = from_exception(self._place, error)
                failure.__cause__ = error
                if not self._adapts(failure, names):
                    raise failure from error
            await _announce(request)

    async def _limit_of(self, request: ChatRequest) -> dict[str, Any]:
        """The limit of the answer, as a parameter.

        Models that think aloud get none: thoughts count as the answer does, and nobody can say how
        many are too many.
        """
        limit = request.limit
        if limit is None or "max_tokens" in request.parameters or limit >= self._too_high:
            return {}
        if self._thinks or await self._rungs.thinks(self.base_url, self.name):
            return {}
        if self._renamed.get("max_tokens", "") is None:
            return {}  # the endpoint takes none
        return {"max_tokens": limit}

    def _refuses_limit(self, failure: ModelError) -> bool:
        """Whether the endpoint may take the request without the limit that is ours."""
        status, said = _refusal(failure)
        if status not in _BAD_REQUEST:
            return False
        if any(mark in said for mark in _ABOUT_LIMIT):
            return True
        # It may be a bare complaint, of one that has never taken a limit.
        bare = not isinstance(failure, InputRefused) and not names_format(said)
        return bare and not self._takes_limits

    def _adapts(self, failure: ModelError, names: Mapping[str, str]) -> bool:
        """Whether the endpoint refused a parameter that it can be asked without, from now on."""
        status, said = _refusal(failure)
        refused = next((old for old, name in names.items() if name in said), None)
        if status not in _BAD_REQUEST or refused is None:
            return False
        if not any(mark in said for mark in _DISLIKES):
            return False
        if names[refused] == "max_tokens":
            # Newer models of OpenAI know the length limit by another name only.
            self._renamed.setdefault(refused, "max_completion_tokens")
        else:
            self._renamed[refused] = None
        return True

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Answer in pieces of text; closing the iterator closes the connection.

        Raises:
            PassingError: the endpoint failed; before the first piece, another try may help.
            ModelError: it will not help.
            IncompleteAnswer: the length limit was reached; a loop ends it as a whole one.
            InputRefused: the endpoint withheld the rest.
            InvalidAnswer: thoughts were taken for the answer.
        """
        thinking = ThinkingFilter(inside=self._thinks_first)
        shown, finish_reason, counts = "", None, Counts()
        calls: list[CallPiece] = []
        looked_at, in_loop = 0, False
        async with aclosing(self._events(request)) as events:
            async for event in events:
                finish_reason = event.finish_reason or finish_reason
                counts = event.counts or counts
                calls += event.calls
                if request.heard is not None:
                    request.heard(event.thought + event.content)
                for part in thinking.feed(event.content):
                    if part is None:
                        self._learn_that_it_thinks(bool(shown))
                    else:
                        shown += part
                        yield part
                if len(shown) - looked_at >= _LOOK_EVERY:
                    looked_at = len(shown)
                    if loop_start(shown) is not None:
                        finish_reason, in_loop = _CUT, True  # up to there it is a reply
                        break
        if request.ended is not None and finish_reason is not None:
            request.ended(Ending(finish_reason, *counts, calls_of(calls)))
        check_end(
            self._place, finish_reason, short=in_loop or (bool(shown) and may_be_short(request))
        )
        self._thinks_first = self._thinks_first and thinking.tagged
        for part in thinking.finish():
            if part is not None:
                yield part

    def _learn_that_it_thinks(self, shown: bool) -> None:
        self._thinks_first = True
        if shown:
            raise InvalidAnswer(
                f"model {self.name!r} thought aloud: what was shown is not its answer",
                "ask again: from now on what it says before </think> is left out",
            )

    async def _events(self, request: ChatRequest) -> AsyncGenerator[StreamEvent, None]:
        """Pieces of content as the endpoint sends them, and why it ended where it says so."""
        body = {"model": self.name, "messages": plain(request.messages), "stream": True}
        parameters = {**request.parameters, **_COUNTED}
        response = await self._post(request, body, parameters, stream=True)
        try:
            # Each is closed here: what the collector closes, it closes when it comes to it.
            async with aclosing(response), aclosing(_data(response)) as coming:
                if response.headers.get("content-type", "").startswith(_WHOLE):
                    # The endpoint streams nothing: the answer comes whole, or is none.
                    answer = read_chat(self._place, await response.aread(), structured=False)
                    counts = Counts(*(getattr(answer, name) for name in Counts._fields))
                    calls = tuple(
                        CallPiece(place, call.id, call.name, call.arguments)
                        for place, call in enumerate(answer.calls)
                    )
                    yield StreamEvent(answer.text, answer.finish_reason, counts, calls=calls)
                    return
                async for data in coming:
                    yield read_event(data)
        except Exception as error:
            raise self._broken_off(error) from error

    def _broken_off(self, error: Exception) -> ModelError:
        failure = from_exception(self._place, error)
        if is_timeout(error):
            return failure
        message = f"the answer of model {self.name!r} broke off: {failure.message}"
        return PassingError(message, failure.hint)


async def _data(response: httpx.Response) -> AsyncGenerator[str, None]:
    """The data of the events of a stream; each is one line, as it is JSON."""
    rest = b""
    async with aclosing(response.aiter_bytes()) as chunks:  # type: ignore[type-var]
        async for chunk in chunks:
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                data = _data_of(line)
                if data == _END:
                    await _read_out(chunks)
                    return
                if data:
                    yield data
    data = _data_of(rest)
    if data and data != _END:
        yield data


def _data_of(line: bytes) -> str:
    """The data in a line of a stream; empty in comments, and in names and numbers of events."""
    name, _, value = line.partition(b":")
    return value.decode("utf-8", "replace").strip() if name == b"data" else ""


async def _read_out(chunks: AsyncIterator[bytes]) -> None:
    """Take what follows the last event, the end of the body: then the connection can be used again.

    The answer is whole by now, whatever happens here; where nothing comes the connection is closed.
    """
    with suppress(Exception):
        async with asyncio.timeout(_REST_SECONDS):
            await anext(chunks, None)


async def _announce(request: ChatRequest) -> None:
    """Say that another request goes out for the same answer."""
    if request.further is not None:
        await request.further()


def _is_about_format(failure: ModelError) -> bool:
    """Whether the endpoint may not know this way to ask for a structured answer."""
    return not isinstance(failure, InputRefused) and refuses_format(*_refusal(failure))


def _refusal(failure: ModelError) -> tuple[int, str]:
    """The status with which the endpoint refused, 0 where it did not, and its words, folded."""
    import openai

    error = failure.__cause__
    if not isinstance(error, openai.APIStatusError):
        return 0, ""
    return error.status_code, said_by(
        error.body if error.body is not None else error.response.text
    ).casefold()
