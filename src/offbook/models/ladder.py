"""The ladder of structured answers: json_schema, else json_object, else plain text.

Takes: a request and a rung.  Gives: what is sent for it; and a memory of the rung that worked, and
of models that think aloud.
Source: ours.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from offbook.prompts.prompt import describe_schema
from offbook.types import ChatRequest, Message

if TYPE_CHECKING:
    from offbook.protocols import Store

Rung = Literal["json_schema", "json_object", "text"]
RUNGS: Final[tuple[Rung, ...]] = get_args(Rung)

_MARKS: Final = ("response_format", "json_schema", "json_object", "structured output", "grammar")
_ABOUT_FORMAT: Final = frozenset({404, 405, 415, 500, 501})
_REFUSALS: Final = frozenset({400, 422, 501})


class RungMemory:
    """Remembers how a model at an endpoint is asked: in the process, and in a database.

    Args:
        store: Is asked once a process; None: what is learned goes with the process.
    """

    def __init__(self, store: Store | None = None) -> None:
        self._store = store
        self._rungs: dict[tuple[str, str], Rung] = {}
        self._thinking: set[tuple[str, str]] = set()
        self._looked_up: set[tuple[str, str]] = set()
        self._looking_up = asyncio.Lock()

    async def get(self, base_url: str, model: str) -> Rung | None:
        """Return the rung that worked last, or None."""
        await self._look_up(base_url, model)
        return self._rungs.get((base_url, model))

    async def thinks(self, base_url: str, model: str) -> bool:
        """Tell whether the model is known to think aloud."""
        await self._look_up(base_url, model)
        return (base_url, model) in self._thinking

    async def put(self, base_url: str, model: str, rung: Rung) -> None:
        """Remember the rung; what is known already is not stored again."""
        from offbook.stores import call_cache

        if await self.get(base_url, model) != rung:
            self._rungs[base_url, model] = rung
            if self._store is not None:
                await self._store.write(lambda c: call_cache.put_rung(c, base_url, model, rung))

    async def note_thinking(self, base_url: str, model: str) -> None:
        """Remember that it thinks aloud; what is known already is not stored again."""
        from offbook.stores import call_cache

        if not await self.thinks(base_url, model):
            self._thinking.add((base_url, model))
            if self._store is not None:
                await self._store.write(lambda c: call_cache.put_thinking(c, base_url, model))

    async def _look_up(self, base_url: str, model: str) -> None:
        if self._store is None or (base_url, model) in self._looked_up:
            return
        from offbook.stores import call_cache

        async with self._looking_up:  # the others of the first calls wait for its answer
            if (base_url, model) in self._looked_up:
                return
            rung, thinks = await self._store.read(lambda c: call_cache.get_form(c, base_url, model))
            if rung in RUNGS:
                self._rungs[base_url, model] = rung
            if thinks:
                self._thinking.add((base_url, model))
            self._looked_up.add((base_url, model))


def refuses_format(status: int, said: str) -> bool:
    """Whether an error response may mean that the form of structured answers is not known there.

    A 400 or 422 need not say so: many servers answer with a bare complaint. The next rung tells.
    """
    return status in _REFUSALS or (status in _ABOUT_FORMAT and names_format(said))


def names_format(said: str) -> bool:
    """Whether an error response speaks of the form of structured answers."""
    return any(mark in said.casefold() for mark in _MARKS)


def body_on(rung: Rung, request: ChatRequest) -> tuple[Sequence[Message], dict[str, Any]]:
    """Messages and ``response_format`` for a structured request on ``rung``."""
    if request.schema is None:
        return request.messages, {}
    if rung == "json_schema":
        name = str(request.schema.get("title", "answer"))
        shape = {"name": name, "strict": True, "schema": dict(request.schema)}
        return request.messages, {"response_format": {"type": "json_schema", "json_schema": shape}}
    shape_in_words = describe_schema(request.schema)
    *before, last = request.messages
    messages = request.messages
    if shape_in_words not in last.content:
        messages = (*before, replace(last, content=f"{last.content}\n\n{shape_in_words}"))
    if rung == "json_object":
        return messages, {"response_format": {"type": "json_object"}}
    return messages, {}
