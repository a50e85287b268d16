"""An endpoint to measure against, and a record of what was sent to it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import httpx
from openai import AsyncOpenAI

from offbook.models.clients import WITHOUT_OWNER
from offbook.models.embedders import OpenAIEmbedder
from offbook.models.failures import PassingError
from offbook.models.metering import Meter
from offbook.models.openai_compatible import OpenAICompatible
from offbook.models.wrappers import Wrapped

T = TypeVar("T")

_ASKED: Final[ContextVar[float]] = ContextVar("_ASKED")
"""When the call was asked for that a request is sent for."""


class Sent(NamedTuple):
    """A request: when it was asked for, where it went, and what it said."""

    asked: float
    path: str
    body: dict[str, Any]


@contextmanager
def served(program: Path, folder: Path, options: Sequence[str]) -> Iterator[str]:
    """The address of a server that runs as a process of its own; its log lies in ``folder``."""
    command = [sys.executable, str(program), "--log", str(folder / "calls.jsonl"), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            word, _, port = process.stdout.readline().partition(" ")
            if word != "READY":
                sys.exit(f"{program.name} did not start: {' '.join(command)}")
            yield f"http://127.0.0.1:{int(port)}/v1"
        finally:
            process.kill()


def phase(base_url: str, name: str) -> None:
    """Have what follows logged under a name, where the server knows phases."""
    address = base_url.removesuffix("/v1") + "/admin/phase"
    told = json.dumps({"phase": name}).encode()
    request = urllib.request.Request(address, told, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=10):
        pass


@dataclass(slots=True)
class Traffic:
    """Requests of this process: chat and embeddings alike.

    ``refusals`` are the moments of answers 429, in seconds since the first request; ``calls`` are
    the moments at which calls were asked for and answered, ``requests`` what was sent for them.
    """

    sent: list[float] = field(default_factory=list)
    refusals: list[float] = field(default_factory=list)
    in_flight: int = 0
    peak: int = 0
    calls: list[tuple[float, float]] = field(default_factory=list)
    requests: list[Sent] = field(default_factory=list)

    @property
    def waits(self) -> int:
        """Length of the longest chain of calls that waited for one another, embeddings among them.

        Of intervals the longest chain is found by taking the earliest end first.
        """
        return len(self._ends())

    def rounds(self) -> list[list[Sent]]:
        """The requests by how many calls of that chain had been answered when they were asked."""
        ends = self._ends()
        found: dict[int, list[Sent]] = {}
        for request in self.requests:
            before = sum(end <= request.asked for end in ends)
            found.setdefault(before, []).append(request)
        return [found[before] for before in sorted(found)]

    def _ends(self) -> list[float]:
        ends: list[float] = []
        for asked, answered in sorted(self.calls, key=lambda call: call[1]):
            if not ends or asked >= ends[-1]:
                ends.append(answered)
        return ends

    def refused_later(self, after_seconds: float = 1.0) -> float:
        """Share of the requests sent after the first second that were answered 429."""
        start = min(self.sent, default=0.0)
        late = [moment for moment in self.sent if moment - start > after_seconds]
        refused = [moment for moment in self.refusals if moment - start > after_seconds]
        return len(refused) / len(late) if late else 0.0

    async def follow(self, send: Callable[[], Awaitable[T]]) -> T:
        """The outcome of a request, counted."""
        began = time.monotonic()
        self.sent.append(began)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            return await send()
        except PassingError as error:
            if error.throttled:
                self.refusals.append(began)
            raise
        finally:
            self.in_flight -= 1


@contextmanager
def recorded() -> Iterator[Traffic]:
    """While it lasts, what this process sends to endpoints is counted."""
    traffic = Traffic()
    chat: Any = OpenAICompatible._post
    vectors: Any = OpenAIEmbedder._send
    embed: Any = OpenAIEmbedder.embed
    complete: Any = Wrapped.complete
    waited: Any = Meter.waited
    post: Any = AsyncOpenAI.post

    def count(send: Any) -> Any:
        async def counted(self: Any, *told: Any, **options: Any) -> Any:
            return await traffic.follow(lambda: send(self, *told, **options))

        return counted

    async def embedded(self: Any, texts: Sequence[str], kind: Any) -> Any:
        _ASKED.set(time.monotonic())
        try:
            return await embed(self, texts, kind)
        finally:
            if texts:
                traffic.calls.append((_ASKED.get(), time.monotonic()))

    async def completed(self: Any, request: Any) -> Any:
        _ASKED.set(time.monotonic())
        return await complete(self, request)

    def noted(self: Meter, task: str, submitted: float, finished: float) -> None:
        waited(self, task, submitted, finished)
        traffic.calls.append((submitted, finished))

    async def posted(self: Any, path: str, **told: Any) -> Any:
        traffic.requests.append(Sent(_ASKED.get(), path, told["body"]))
        return await post(self, path, **told)

    _set(count(chat), count(vectors), embedded, completed, noted, posted)
    try:
        yield traffic
    finally:
        _set(chat, vectors, embed, complete, waited, post)


def _set(*values: Any) -> None:
    places = (
        (OpenAICompatible, "_post"),
        (OpenAIEmbedder, "_send"),
        (OpenAIEmbedder, "embed"),
        (Wrapped, "complete"),
        (Meter, "waited"),
        (AsyncOpenAI, "post"),
    )
    for (place, name), value in zip(places, values, strict=True):
        setattr(place, name, value)


async def bare(rounds: Sequence[Sequence[Sent]], base_url: str, concurrency: int) -> float:
    """Seconds that the same requests take, round by round, with nothing done but to send them.

    Over the product's own connections: no program that makes these calls by the SDK goes below.
    """
    client, turn = WITHOUT_OWNER.of(base_url, "none"), asyncio.Semaphore(concurrency)

    async def send(request: Sent) -> None:
        async with turn:
            response = await client.post(request.path, cast_to=httpx.Response, body=request.body)
            json.loads(response.content)

    try:
        began = time.perf_counter()
        for requests in rounds:
            await asyncio.gather(*map(send, requests))
        return time.perf_counter() - began
    finally:
        await WITHOUT_OWNER.close()
