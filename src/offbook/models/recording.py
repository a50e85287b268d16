"""Calls on file: a recorder that writes them down, and a replayer that answers from them.

Takes: chat requests.  Gives: JSON lines of requests and answers, or the answers again. The replayer
is strict: a request that was not recorded raises, and is told from the nearest one that was.
"""

from __future__ import annotations

import difflib
import json
import re
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from offbook.errors import ModelError
from offbook.wire import ChatResponse

if TYPE_CHECKING:
    from offbook.protocols import ChatModel
    from offbook.wire import ChatRequest

_KEYS: Final = re.compile(r"\b(?:sk|pk|key|gsk|hf)[-_][A-Za-z0-9_-]{16,}\b")


def _shape(request: ChatRequest) -> dict[str, Any]:
    """What identifies a request in a recording."""
    return {
        "prompt": request.origin[0].label if request.origin else None,
        "messages": [[message.role, message.content] for message in request.messages],
        "parameters": dict(request.parameters),
        "schema": request.schema,
        "sample": request.sample,
    }


class Recorder:
    """Passes requests on and writes them down with their answers.

    Args:
        inner: Who answers.
        file: JSON lines are added at its end.
        secrets: Texts that must not get into the file; what looks like a key is left out anyway.
    """

    def __init__(self, inner: ChatModel, file: Path, secrets: Iterable[str] = ()) -> None:
        self._inner = inner
        self._file = file
        self._secrets = [secret for secret in secrets if secret]

    @property
    def name(self) -> str:
        """The model's name."""
        return self._inner.name

    @property
    def base_url(self) -> str:
        """Where it answers."""
        return self._inner.base_url

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer whole, and write it down."""
        response = await self._inner.complete(request)
        answer = asdict(replace(response, read=None))
        del answer["read"]  # what came over the wire, not what became of it
        self._write(request, answer)
        return response

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Answer in pieces, and write them down when all have come."""
        pieces: list[str] = []
        async with aclosing(self._inner.stream(request)) as stream:  # type: ignore[type-var]
            async for piece in stream:
                pieces.append(piece)
                yield piece
        self._write(request, {"pieces": pieces})

    def _write(self, request: ChatRequest, answer: dict[str, Any]) -> None:
        line = json.dumps({"request": _shape(request), "response": answer}, ensure_ascii=False)
        for secret in self._secrets:
            line = line.replace(json.dumps(secret)[1:-1], "***")
        with self._file.open("a", encoding="utf-8") as file:
            file.write(_KEYS.sub("***", line) + "\n")


class Replayer:
    """Answers recorded requests; equal ones in the order in which they were recorded.

    Args:
        file: What a recorder wrote.
        name: The model's name.
        base_url: Where it claims to answer.
    """

    def __init__(self, file: Path, name: str = "replayed", base_url: str = "replay:") -> None:
        self._name, self._base_url, self._file = name, base_url, file
        self._answers: dict[str, deque[dict[str, Any]]] = defaultdict(deque)
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                self._answers[_key(record["request"])].append(record["response"])

    @property
    def name(self) -> str:
        """The model's name."""
        return self._name

    @property
    def base_url(self) -> str:
        """Where it claims to answer."""
        return self._base_url

    async def complete(self, request: ChatRequest) -> ChatResponse:
        """The recorded answer.

        Raises:
            ModelError: there is none, or no further one.
        """
        answer = self._next(request)
        if "pieces" in answer:
            return ChatResponse("".join(answer["pieces"]))
        return ChatResponse(**answer)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """The recorded pieces."""
        answer = self._next(request)
        for piece in answer.get("pieces") or [answer["text"]]:
            yield piece

    def _next(self, request: ChatRequest) -> dict[str, Any]:
        # Through the same redaction as the file: a key in a message was left out there as well.
        key = _key(json.loads(_KEYS.sub("***", json.dumps(_shape(request), ensure_ascii=False))))
        answers = self._answers.get(key)
        if answers is None:
            near = difflib.get_close_matches(key, self._answers, 1, 0.0)
            raise ModelError(
                f"a request was not recorded: {key[:300]}",
                f"the nearest that was: {_difference(key, near[0])}"
                if near
                else f"{str(self._file)!r} holds no request",
            )
        if not answers:
            raise ModelError(
                f"a request comes more often than it was recorded: {key[:300]}",
                "record again, or number the samples",
            )
        return answers.popleft()


def _key(shape: dict[str, Any]) -> str:
    return json.dumps(shape, ensure_ascii=False, sort_keys=True)


def _difference(wanted: str, near: str) -> str:
    """Where two requests part, with a little around it."""
    pairs = zip(wanted, near, strict=False)
    at = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(wanted), len(near)))
    start = max(0, at - 40)
    return f"...{near[start : at + 60]}... where this has ...{wanted[start : at + 60]}..."
