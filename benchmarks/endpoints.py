"""An endpoint to measure against, and a record of what was sent to it.

Takes: a server program that prints ``READY <port>``.  Gives: its address; and of this process's
requests how many there were, how many at once, which had to wait for which, and who was refused.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from offbook.models.embedders import OpenAIEmbedder
from offbook.models.failures import PassingError
from offbook.models.metering import Chain, Meter
from offbook.models.openai_compatible import OpenAICompatible

T = TypeVar("T")


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

    ``refusals`` are the moments of answers 429, in seconds since the first request; ``waits`` is
    the longest chain of calls that waited for one another, embeddings among them.
    """

    sent: list[float] = field(default_factory=list)
    refusals: list[float] = field(default_factory=list)
    in_flight: int = 0
    peak: int = 0
    chain: Chain = field(default_factory=Chain)

    @property
    def waits(self) -> int:
        """Length of the longest chain."""
        return self.chain.length

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
    chat: Any = OpenAICompatible._send
    vectors: Any = OpenAIEmbedder._send
    embed: Any = OpenAIEmbedder.embed
    waited: Any = Meter.waited

    def count(send: Any) -> Any:
        async def counted(self: Any, *told: Any) -> Any:
            return await traffic.follow(lambda: send(self, *told))

        return counted

    async def embedded(self: Any, texts: Sequence[str], kind: Any) -> Any:
        submitted = time.monotonic()
        try:
            return await embed(self, texts, kind)
        finally:
            if texts:
                traffic.chain.add(submitted, time.monotonic())

    def noted(self: Meter, task: str, submitted: float, finished: float) -> None:
        waited(self, task, submitted, finished)
        traffic.chain.add(submitted, finished)

    _set(chat=count(chat), vectors=count(vectors), embed=embedded, waited=noted)
    try:
        yield traffic
    finally:
        _set(chat=chat, vectors=vectors, embed=embed, waited=waited)


def _set(*, chat: Any, vectors: Any, embed: Any, waited: Any) -> None:
    for place, name, value in (
        (OpenAICompatible, "_send", chat),
        (OpenAIEmbedder, "_send", vectors),
        (OpenAIEmbedder, "embed", embed),
        (Meter, "waited", waited),
    ):
        setattr(place, name, value)
