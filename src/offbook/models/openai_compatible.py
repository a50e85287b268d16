"""A chat model behind an OpenAI-compatible endpoint: hosted, or a server of one's own.

Takes: a chat request.  Gives: its answer, whole or in pieces, without thoughts.
It asks once: trying again, limits, the cache and metering are ``wrappers.wrap``'s.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
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
    Counts,
    StreamEvent,
    check_end,
    ending_of,
    plain,
    read_chat,
    read_event,
)
from offbook.prompts.prompt import may_be_short
from offbook.text.thinking import ThinkingFilter
from offbook.types import Ending

if TYPE_CHECKING:
    import httpx

    from offbook.types import ChatRequest, ChatResponse

_PATH: Final = "/chat/completions"
_END: Final = "[DONE]"
"""The data of the event behind the last one."""
_REST_SECONDS: Final = 0.05
"""How long the end of a stream may take after its last event."""
_COUNTED: Final = {"stream_options": {"include_usage": True}}
"""Asks a stream for its tokens; left out where the endpoint does not know it."""
_ABOUT_LIMIT: Final = ("max_tokens", "max_completion_tokens", "max_new_tokens", "completion")
"""By these words an endpoint says that the limit of an answer is more than the model can write, or
than its context holds beside the prompt."""
_DISLIKES: Final = ("unsupported", "not support", "unrecognized", "unknown", "not permitted")


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
        self._place = Place(base_url.rstrip("/"), model, section, api_key, timeout_seconds)
        self._rungs = rungs or RungMemory()
        self._clients = clients
        self._renamed: dict[str, str | None] = {}
        self._thinks = thinks
        self._takes_limits = False
        self._too_high: float = inf
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
        return await self._descend(known, request)

    async def _descend(self, known: Rung | None, request: ChatRequest) -> ChatResponse:
        """Try the known rung, then the ones below it."""
        rungs = RUNGS[RUNGS.index(known or RUNGS[0]) :]
        sent = 0
        for rung in rungs:
            try:
                response = await self._send(rung, request, sent)
            except _FormatRefusedError as error:
                sent = error.requests
                continue
            if rung != known:
                await self._rungs.put(self.base_url, self.name, rung)
            return response
        raise AssertionError("the last rung has no form to refuse")

    async def _send(self, rung: Rung, request: ChatRequest, before: int) -> ChatResponse:
        """Send the request on a rung, after ``before`` others for the same answer."""
        messages, form = body_on(rung, request)
        limit = await self._limit_of(request)
        values = limit | dict(request.parameters)
        names = self._names(values)
        parameters = {name: values[old] for old, name in names.items()}
        body = {"model": self.name, "messages": plain(messages)} | parameters | form
        try:
            answer = await self._clients.post(self._place, _PATH, body)
        except OffbookError:
            raise
        except Exception as error:
            failure = self._failure(error, names)
            if limit and self._refuses_limit(error, failure):
                response = await self._send(rung, replace(request, limit=None), before + 1)
                if not is_about_context_length(_said(error)):
                    self._too_high = min(self._too_high, *limit.values())
                return response
            if form and _is_about_format(error, failure):
                raise _FormatRefusedError(before + 1) from error
            failure.requests = before + 1
            raise failure from error
        self._takes_limits = self._takes_limits or bool(limit)
        structured = request.schema is not None
        response = read_chat(
            self._place, answer.content, structured=structured, requests=before + 1
        )
        # Some think without saying so: nothing is left of the limit for an answer.
        in_silence = bool(limit) and not response.text and response.finish_reason == "length"
        if response.thought or in_silence:
            await self._rungs.note_thinking(self.base_url, self.name)
        return response

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

    def _refuses_limit(self, error: Exception, failure: ModelError) -> bool:
        """Whether the endpoint may take the request without the limit that is ours."""
        import openai

        if not isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError):
            return False
        if isinstance(failure, PassingError):
            return False
        said = _said(error).casefold()
        if any(mark in said for mark in _ABOUT_LIMIT):
            return True
        # It may be a bare complaint, of one that has never taken a limit.
        bare = not isinstance(failure, InputRefused) and not names_format(said)
        return bare and not self._takes_limits

    def _failure(self, error: Exception, names: Mapping[str, str]) -> ModelError:
        """The failure for an exception of the SDK, when parameters were sent under ``names``."""
        failure = from_exception(self._place, error)
        if self._adapts(error, names):
            return PassingError(failure.message, failure.hint, at_once=True)
        return failure

    def _names(self, parameters: Iterable[str]) -> dict[str, str]:
        """Under which names these parameters are sent, of those that are."""
        names = {name: self._renamed.get(name, name) for name in parameters}
        return {old: new for old, new in names.items() if new is not None}

    def _adapts(self, error: Exception, names: Mapping[str, str]) -> bool:
        """Whether the endpoint refused a parameter that it can be asked without, from now on."""
        import openai

        if not isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError):
            return False
        said = _said(error).casefold()
        refused = next((old for old, name in names.items() if name in said), None)
        if refused is None or not any(mark in said for mark in _DISLIKES):
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
        wished = {**request.parameters, **_COUNTED}
        names = self._names(wished)
        parameters = {name: wished[old] for old, name in names.items()}
        body = {"model": self.name, "messages": plain(request.messages), "stream": True}
        try:
            response = await self._clients.post(self._place, _PATH, body | parameters, stream=True)
            # Each is closed here: what the collector closes, it closes when it comes to it.
            async with aclosing(response), aclosing(_data(response)) as coming:
                async for data in coming:
                    yield read_event(data)
        except OffbookError:
            raise
        except Exception as error:
            raise self._broken_off(error, names) from error

    def _broken_off(self, error: Exception, names: Mapping[str, str]) -> ModelError:
        import httpx
        import openai

        failure = self._failure(error, names)
        timeouts = TimeoutError, httpx.TimeoutException
        if isinstance(error, (openai.APIStatusError, openai.APIConnectionError, *timeouts)):
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
    """The endpoint does not know this way to ask for a structured answer.

    Args:
        requests: How many were sent so far.
    """

    def __init__(self, requests: int) -> None:
        super().__init__()
        self.requests = requests
