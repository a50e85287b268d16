"""Calls that were paid for once are not paid for again: the cache in the database.

Takes: chat requests.  Gives: stored answers, or answers that are stored as they arrive.
Equal calls in flight are one call.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from offbook.errors import BudgetReached, ModelError
from offbook.prompts.prompt import read_answer
from offbook.stores.connection import to_the_end
from offbook.types import ChatResponse

if TYPE_CHECKING:
    from offbook.protocols import ChatModel, Store
    from offbook.stores.call_cache import CachedCall
    from offbook.stores.connection import Connection
    from offbook.types import ChatRequest


def call_key(base_url: str, model: str, request: ChatRequest) -> str:
    """SHA-256 of everything that decides the answer."""
    prompt = request.origin[0] if request.origin else None
    parts = {
        "base_url": base_url,
        "model": model,
        "parameters": dict(request.parameters),
        "schema": request.schema,
        "messages": [[message.role, message.content] for message in request.messages],
        "prompt": [prompt.name, prompt.version] if prompt else None,
        "sample": request.sample,
    }
    text = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"), default=list)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(slots=True)
class _Flight:
    """A call that is being made, and who waits for it."""

    task: asyncio.Task[ChatResponse]
    documents: set[str]
    waiters: int = 0

    @property
    def over(self) -> bool:
        """Whether it is too late to join."""
        return self.task.done() or self.task.cancelling() > 0


class CallCache:
    """The stored calls of one home, and those in flight; one for the process.

    Args:
        store: Where answers are kept.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._flights: dict[str, _Flight] = {}

    async def answer(
        self,
        backend: ChatModel,
        request: ChatRequest,
        ask: Callable[[ChatRequest], Awaitable[ChatResponse]],
    ) -> ChatResponse:
        """The stored answer of ``backend``, or the one that ``ask`` gets, which is then stored.

        An answer is stored when the prompt's own reader takes it, and never otherwise. The answer
        to a repeated question is stored under the first question too, so that a second run finds
        it at once.
        """
        requests = [request] if request.retry_of is None else [request, request.retry_of]
        keys = [call_key(backend.base_url, backend.name, each) for each in requests]
        while True:
            flight = self._flights.get(keys[0])
            if flight is None or flight.over:
                documents = set(request.documents)
                task = asyncio.create_task(self._fetch(keys, request, ask, documents))
                return await self._wait_for(self._begun(keys[0], task, documents), request)
            try:
                return replace(await self._wait_for(flight, request), cached=True)
            except BudgetReached:
                # It was the budget of whoever made the call: another may still make it.
                continue

    async def _wait_for(self, flight: _Flight, request: ChatRequest) -> ChatResponse:
        """The answer of a flight, for one that wants it, too."""
        flight.documents |= request.documents
        flight.waiters += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiters -= 1
            if flight.waiters == 0 and not flight.task.done():
                flight.task.cancel()
                # What has arrived is stored before the caller goes on and closes the store.
                await asyncio.wait({flight.task})

    def _begun(self, key: str, task: asyncio.Task[ChatResponse], documents: set[str]) -> _Flight:
        """Let others join a call while it is in flight."""
        flight = self._flights[key] = _Flight(task, documents)

        def land(task: asyncio.Task[ChatResponse]) -> None:
            if self._flights.get(key) is flight:
                del self._flights[key]
            if not task.cancelled():
                # Every waiter got it; when all are gone, nobody is left to be told.
                task.exception()

        flight.task.add_done_callback(land)
        return flight

    async def _fetch(
        self,
        keys: Sequence[str],
        request: ChatRequest,
        ask: Callable[[ChatRequest], Awaitable[ChatResponse]],
        documents: set[str],
    ) -> ChatResponse:
        """Return the answer; ``documents`` grows while others join, and all of them are noted."""
        from offbook.stores import call_cache, text_versions

        call, versions = await self._store.read(
            lambda connection: (
                call_cache.get(connection, keys[0]),
                text_versions.versions(connection, request.documents),
            )
        )
        response = _response_of(call, request)
        if call is not None and response is not None:
            noted = call.documents
        else:
            response, noted = await ask(request), frozenset(documents)
            if not _is_usable(request, response):
                return response
            await to_the_end(self._keep(keys, request, response, noted, versions))
        # Forgetting any document that the prompt held has to find this answer. Nothing is awaited
        # between the last look and the end: whoever joins later makes a call of their own.
        while not documents <= noted:
            noted = frozenset(documents)
            await to_the_end(self._link(keys, noted))
        return response

    async def _keep(
        self,
        keys: Sequence[str],
        request: ChatRequest,
        response: ChatResponse,
        documents: frozenset[str],
        versions: Mapping[str, str],
    ) -> None:
        """Store an answer, unless what its prompt held is forgotten or replaced by now.

        ``versions`` are those of the documents of the request when it was looked up. Of those who
        joined later only that they are there is asked: an equal prompt holds equal text.
        """
        from offbook.stores import call_cache, text_versions

        prompt = request.origin[0].label if request.origin else ""

        def write(connection: Connection) -> None:
            now = text_versions.versions(connection, documents)
            if any(now.get(name) != versions.get(name) for name in request.documents):
                return
            if any(name not in now for name in documents):
                return
            for key in keys:
                call_cache.put(
                    connection,
                    key,
                    prompt=prompt,
                    text=response.text,
                    prompt_tokens=response.prompt_tokens,
                    completion_tokens=response.completion_tokens,
                    documents=documents,
                )

        await self._store.write(write)

    async def _link(self, keys: Sequence[str], documents: frozenset[str]) -> None:
        from offbook.stores import call_cache

        await self._store.write(lambda connection: call_cache.link(connection, keys, documents))


def _response_of(call: CachedCall | None, request: ChatRequest) -> ChatResponse | None:
    """Return a stored answer, where there is one that the prompt still takes."""
    if call is None:
        return None
    response = ChatResponse(
        call.text, "stop", call.prompt_tokens, call.completion_tokens, cached=True
    )
    return response if _is_usable(request, response) else None


def _is_usable(request: ChatRequest, response: ChatResponse) -> bool:
    try:
        read_answer(request, response)
    except ModelError:
        return False
    return True
