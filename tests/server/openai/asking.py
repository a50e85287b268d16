"""Requests of tests, and what came back.

Takes: a server.  Gives: events of a stream, replies, what is stored.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any

import httpx

from offbook.app import Offbook
from offbook.stores import conversations, memories
from tests.server.served import MODEL, Served
from tests.waiting import PATIENCE_SECONDS

QUESTION = "Who taught you to trim the lamp?"


def body(*messages: Any, **more: Any) -> dict[str, Any]:
    """A request; plain texts are what the person and the character said in turn."""
    roles = ("user", "assistant")
    told = [
        {"role": roles[place % 2], "content": each} if isinstance(each, str) else each
        for place, each in enumerate(messages or (QUESTION,))
    ]
    return {"model": MODEL, "messages": told, **more}


def ask(server: Served, *messages: Any, headers: Any = None, **more: Any) -> dict[str, Any]:
    """The completion."""
    with httpx.Client(base_url=server.root, timeout=PATIENCE_SECONDS) as client:
        response = client.post(
            "/v1/chat/completions", json=body(*messages, **more), headers=headers
        )
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def said(completion: dict[str, Any], index: int = 0) -> str:
    """The reply."""
    text: str = completion["choices"][index]["message"]["content"]
    return text


def lines(server: Served, *messages: Any, **more: Any) -> list[str]:
    """The lines of a stream, blank ones included."""
    with httpx.Client(base_url=server.root, timeout=PATIENCE_SECONDS) as client:
        asked = body(*messages, stream=True, **more)
        with client.stream("POST", "/v1/chat/completions", json=asked) as response:
            assert response.status_code == 200, response.read()
            return list(response.iter_lines())


def chunks(stream: Iterable[str]) -> list[dict[str, Any]]:
    """The chunks among the lines of a stream."""
    data = [line.removeprefix("data: ") for line in stream if line.startswith("data: ")]
    return [json.loads(each) for each in data if each != "[DONE]"]


def stored(server: Served, principal: str | None = None) -> list[list[tuple[str, str]]]:
    """The conversations that are stored, each from its first turn to where it has come to."""

    async def look() -> list[list[tuple[str, str]]]:
        async with await Offbook.open(server.settings) as book:
            known = await book.store.read(conversations.list_all, MODEL, principal=principal)
            found = []
            for talk in known:
                history = await book.store.read(conversations.history, MODEL, talk.id)
                found.append([(turn.said, turn.answered) for turn in history])
            return found

    return asyncio.run(look())


def remembered(server: Served) -> list[tuple[str, str]]:
    """What conversations have taught."""

    async def look() -> list[tuple[str, str]]:
        async with await Offbook.open(server.settings) as book:
            found = await book.store.read(memories.list_memories, MODEL)
            return [(each.said, each.answered) for each in found if each.session is not None]

    return asyncio.run(look())
