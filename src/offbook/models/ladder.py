"""The ladder of structured answers: json_schema, else json_object, else plain text.

Takes: a request and a rung.  Gives: what is sent for it; and a memory of the rung that worked.
Source: ours (contract.md, "Talking to model endpoints").
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, get_args

from offbook.prompts.answers import describe_schema
from offbook.types import Message
from offbook.wire import ChatRequest

if TYPE_CHECKING:
    from offbook.protocols import Store

Rung = Literal["json_schema", "json_object", "text"]
RUNGS: Final[tuple[Rung, ...]] = get_args(Rung)

_MARKS: Final = ("response_format", "json_schema", "json_object", "structured output", "grammar")
_ABOUT_FORMAT: Final = frozenset({404, 405, 415, 500, 501})
_REFUSALS: Final = frozenset({400, 422, 501})


class RungMemory(Protocol):
    """Remembers which rung worked at an endpoint."""

    async def get(self, base_url: str, model: str) -> Rung | None:
        """The rung that worked last, or None."""
        ...

    async def put(self, base_url: str, model: str, rung: Rung) -> None:
        """Remember the rung."""
        ...


class RungsInProcess:
    """Remembers while the process lasts."""

    def __init__(self) -> None:
        self._rungs: dict[tuple[str, str], Rung] = {}

    async def get(self, base_url: str, model: str) -> Rung | None:
        """The rung that worked last, or None."""
        return self._rungs.get((base_url, model))

    async def put(self, base_url: str, model: str, rung: Rung) -> None:
        """Remember the rung."""
        self._rungs[base_url, model] = rung


class RungsInStore:
    """Remembers in the database, and asks it once a process."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known = RungsInProcess()
        self._asked: set[tuple[str, str]] = set()
        self._asking = asyncio.Lock()

    async def get(self, base_url: str, model: str) -> Rung | None:
        """The rung that worked last, or None."""
        if (base_url, model) not in self._asked:
            async with self._asking:  # the others of the first calls wait for its answer
                if (base_url, model) not in self._asked:
                    await self._look_up(base_url, model)
        return await self._known.get(base_url, model)

    async def _look_up(self, base_url: str, model: str) -> None:
        from offbook.stores import endpoints

        stored = await self._store.read(lambda c: endpoints.get_rung(c, base_url, model))
        if stored in RUNGS:
            await self._known.put(base_url, model, stored)
        self._asked.add((base_url, model))

    async def put(self, base_url: str, model: str, rung: Rung) -> None:
        """Remember the rung; what is known already is not stored again."""
        from offbook.stores import endpoints

        if await self._known.get(base_url, model) == rung:
            return
        await self._known.put(base_url, model, rung)
        self._asked.add((base_url, model))
        await self._store.write(lambda c: endpoints.put_rung(c, base_url, model, rung))


def refuses_format(status: int, said: str) -> bool:
    """Whether an error response may mean that the form of structured answers is not known there.

    A 400 or 422 need not say so: many servers answer with a bare complaint. The next rung tells.
    """
    if status in _REFUSALS:
        return True
    folded = said.casefold()
    return status in _ABOUT_FORMAT and any(mark in folded for mark in _MARKS)


def body_on(rung: Rung, request: ChatRequest) -> tuple[Sequence[Message], dict[str, Any]]:
    """Messages and ``response_format`` for a structured request on ``rung``."""
    if request.schema is None:
        return request.messages, {}
    if rung == "json_schema":
        name = str(request.schema.get("title", "answer"))
        shape = {"name": name, "strict": True, "schema": dict(request.schema)}
        return request.messages, {"response_format": {"type": "json_schema", "json_schema": shape}}
    told = describe_schema(request.schema)
    *before, last = request.messages
    messages = request.messages
    if told not in last.content:
        messages = (*before, replace(last, content=f"{last.content}\n\n{told}"))
    if rung == "json_object":
        return messages, {"response_format": {"type": "json_object"}}
    return messages, {}
