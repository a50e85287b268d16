"""A chat model behind an OpenAI-compatible endpoint: hosted, or a server of one's own.

Takes: a chat request.  Gives: its answer, whole or in pieces, without thoughts.
It asks once: trying again, limits, the cache and metering are ``wrappers.wrap``'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any, Final

from offbook.errors import InputRefused, InvalidAnswer, ModelError, OffbookError
from offbook.models.clients import client_for, client_timeout, is_timeout
from offbook.models.event_streams import END, EventData
from offbook.models.failures import PassingError, Place, from_exception, said_by
from offbook.models.ladder import RUNGS, Rung, RungMemory, RungsInProcess, body_on, refuses_format
from offbook.models.responses import (
    Counts,
    StreamEvent,
    check_end,
    ending_of,
    plain,
    read_chat,
    read_event,
)
from offbook.models.thinking import ThinkingFilter
from offbook.prompts.answers import may_be_short
from offbook.wire import Ending

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from offbook.wire import ChatRequest, ChatResponse

_PROBE_PATIENCE_SECONDS: Final = 0.004
"""Longer than an endpoint near by takes to refuse; one far away refuses a few calls more, once,
which costs less than a whole answer's time does at every first use."""
_REST_SECONDS: Final = 0.05
"""How long the end of a stream may take after its last event."""
_COUNTED: Final = {"stream_options": {"include_usage": True}}
"""Asks a stream for its tokens; left out where the endpoint does not know it."""
_DISLIKES: Final = ("unsupported", "not support", "unrecognized", "unknown", "not permitted")


class OpenAICompatible:
    """A model at an endpoint.

    Args:
        base_url: Address up to and without ``/chat/completions``.
        model: The model's name there.
        api_key: The key that the endpoint asks for; it goes nowhere else and is never shown.
        section: The section of the settings that it came from, for messages.
        timeout_seconds: How long a whole answer may take, and each piece of a stream.
        rungs: Remembers how the endpoint takes structured prompts.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str | None = None,
        *,
        section: str = "chat",
        timeout_seconds: float = 120.0,
        rungs: RungMemory | None = None,
    ) -> None:
        self._place = Place(base_url.rstrip("/"), model, section, api_key, timeout_seconds)
        self._rungs = rungs or RungsInProcess()
        self._probing: asyncio.Event | None = None
        self._renamed: dict[str, str | None] = {}
        self._thinks_first = False

    @property
    def name(self) -> str:
        """The model's name."""
        return self._place.model

    @property
    def base_url(self) -> str:
        """Where it answers."""
        return self._place.base_url

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
            response = await self._send("text", request, 0)
            if request.ended is not None:
                request.ended(ending_of(response))
            return response
        known = await self._rungs.get(self.base_url, self.name)
        if known is None:
            await self._let_the_first_probe()
            known = await self._rungs.get(self.base_url, self.name)
        try:
            return await self._descend(known, request)
        finally:
            if self._probing is not None:
                self._probing.set()

    async def _let_the_first_probe(self) -> None:
        """Let one structured request find the rung, so that not all are refused at once.

        Refusals come at once while answers may take long: the others wait for a moment only.
        """
        if self._probing is None:
            self._probing = asyncio.Event()
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(_PROBE_PATIENCE_SECONDS):
                await self._probing.wait()

    async def _descend(self, known: Rung | None, request: ChatRequest) -> ChatResponse:
        """Try the known rung, then the ones below it."""
        rungs = RUNGS[RUNGS.index(known or RUNGS[0]) :]
        for refused, rung in enumerate(rungs):
            try:
                response = await self._send(rung, request, refused)
            except _FormatRefusedError:
                continue
            if rung != known:
                await self._rungs.put(self.base_url, self.name, rung)
            return response
        raise AssertionError("the last rung has no form to refuse")

    async def _send(self, rung: Rung, request: ChatRequest, before: int) -> ChatResponse:
        """Send the request.

        Args:
            rung: How a structured answer is asked for.
            request: The request.
            before: Requests that were sent for it so far.
        """
        messages, form = body_on(rung, request)
        parameters = self._parameters(request.parameters)
        try:
            async with asyncio.timeout(self._place.timeout_seconds):
                # Not `chat.completions.create`: that walks over every argument and its type,
                # which takes as long as all else that the SDK does for a call.
                raw: Any = await self._client().post(
                    "/chat/completions",
                    cast_to=object,
                    body={"model": self.name, "messages": plain(messages)} | parameters | form,
                    options={"headers": {"X-Stainless-Raw-Response": "true"}},
                )
                content = raw.http_response.content
        except OffbookError:
            raise
        except Exception as error:
            failure = self._failure(error, [n for n in request.parameters if n in parameters])
            if form and _is_about_format(error, failure):
                raise _FormatRefusedError from error
            failure.requests = before + 1
            raise failure from error
        return read_chat(
            self._place, content, structured=request.schema is not None, requests=before + 1
        )

    def _client(self) -> AsyncOpenAI:
        return client_for(self._place.base_url, self._place.api_key)

    def _failure(self, error: Exception, own: Sequence[str]) -> ModelError:
        """The failure for an exception of the SDK.

        Args:
            error: What it raised.
            own: Names of parameters that were sent under their own names.
        """
        failure = from_exception(self._place, error)
        if self._adapts(error, own):
            return PassingError(failure.message, failure.hint, at_once=True)
        return failure

    def _parameters(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        names = {name: self._renamed.get(name, name) for name in parameters}
        return {new: parameters[old] for old, new in names.items() if new is not None}

    def _adapts(self, error: Exception, own: Sequence[str]) -> bool:
        """Whether the endpoint refused a parameter that it can be asked without, from now on."""
        import openai

        if not isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError):
            return False
        said = _said(error).casefold()
        refused = next((name for name in own if name in said), None)
        if refused is None or not any(mark in said for mark in _DISLIKES):
            return False
        # Newer models of OpenAI know the length limit by another name only.
        self._renamed[refused] = "max_completion_tokens" if refused == "max_tokens" else None
        return True

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Answer in pieces of text; closing the iterator closes the connection.

        Raises:
            PassingError: the endpoint failed; before the first piece, another try may help.
            ModelError: it will not help.
            IncompleteAnswer: the length limit was reached.
            InputRefused: the endpoint withheld the rest.
            InvalidAnswer: thoughts were taken for the answer.
        """
        thinking = ThinkingFilter(inside=self._thinks_first)
        shown, finish_reason, counts = False, None, Counts()
        async with aclosing(self._events(request)) as events:
            async for event in events:
                finish_reason = event.finish_reason or finish_reason
                counts = event.counts or counts
                if request.heard is not None:
                    request.heard(event.thought + event.content)
                for part in thinking.feed(event.content):
                    if part is None:
                        self._learn_that_it_thinks(shown)
                    else:
                        shown = True
                        yield part
        if request.ended is not None and finish_reason is not None:
            request.ended(Ending(finish_reason, *counts))
        check_end(self._place, finish_reason, short=shown and may_be_short(request))
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
        seconds = self._place.timeout_seconds
        wished = {**request.parameters, **_COUNTED}
        parameters = self._parameters(wished)
        try:
            async with asyncio.timeout(seconds):
                response = await self._opened(request, parameters)
            # Each is closed here: what the collector closes, it closes when it comes to it.
            async with (
                aclosing(response),
                aclosing(response.aiter_bytes()) as chunks,
                aclosing(_data(chunks)) as coming,
            ):
                async for data in coming:
                    yield read_event(data)
        except OffbookError:
            raise
        except Exception as error:
            own = [name for name in wished if name in parameters]
            raise self._broken_off(error, own) from error

    async def _opened(self, request: ChatRequest, parameters: Mapping[str, Any]) -> Any:
        """The response to a request for a stream, not read yet."""
        from openai import AsyncStream

        # Each piece in its time: the connection keeps watch, once and not anew for each piece.
        patience = client_timeout(read=self._place.timeout_seconds)
        body = {"model": self.name, "messages": plain(request.messages), "stream": True}
        raw: Any = await self._client().post(
            "/chat/completions",
            cast_to=object,
            body=body | dict(parameters),
            options={"headers": {"X-Stainless-Raw-Response": "true"}, "timeout": patience},
            stream=True,
            stream_cls=AsyncStream[object],
        )
        return raw.http_response

    def _broken_off(self, error: Exception, own: Sequence[str]) -> ModelError:
        import openai

        if is_timeout(error):
            error = TimeoutError()
        failure = self._failure(error, own)
        if isinstance(error, openai.APIStatusError | openai.APIConnectionError | TimeoutError):
            return failure
        message = f"the answer of model {self.name!r} broke off: {failure.message}"
        return PassingError(message, failure.hint)


async def _data(chunks: AsyncGenerator[bytes, None]) -> AsyncGenerator[str, None]:
    """The data of the events of a stream."""
    events = EventData()
    async for chunk in chunks:
        for data in events.feed(chunk):
            if data.strip() == END:
                await _read_out(chunks)
                return
            yield data
    for data in events.finish():
        if data.strip() != END:
            yield data


async def _read_out(chunks: AsyncGenerator[bytes, None]) -> None:
    """Take what follows the last event, the end of the body: then the connection can be used again.

    The answer is whole by now, whatever happens here; where nothing comes the connection is closed.
    """
    with suppress(Exception):
        async with asyncio.timeout(_REST_SECONDS):
            await anext(chunks, None)


def _is_about_format(error: Exception, failure: ModelError) -> bool:
    """Whether the endpoint may not know this way to ask for a structured answer."""
    import openai

    otherwise = isinstance(failure, PassingError) and failure.at_once
    if otherwise or isinstance(failure, InputRefused):
        return False
    return isinstance(error, openai.APIStatusError) and refuses_format(
        error.status_code, _said(error)
    )


def _said(error: Any) -> str:
    """What the endpoint said in an error of the SDK with a status."""
    return said_by(error.body if error.body is not None else error.response.text)


class _FormatRefusedError(Exception):
    """The endpoint does not know this way to ask for a structured answer."""
