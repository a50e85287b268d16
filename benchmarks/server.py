"""What the server adds to the model: time to the first token, load, memory, processor per token.

    python benchmarks/server.py [--seconds 20] [--runs 3] [--streams 64] [--new-per-second 5]
                                [--tokens-per-second 10] [--open 500] [--json]

The model answers after 50 ms and gives a token every 1/10 s. New streams come at even intervals;
each lasts as long as keeps ``--streams`` open. The method is vanilla, so that nothing is retrieved;
turns are stored, as they are in use. Generator, model and server are processes of their own. A run
in which the generator lagged more than 5 ms at its 99th percentile is void, and says so; so does
what was running beside it (the load average of the machine, of processes that ran or waited).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final, cast

from steady_model import NAME, WORD, model

ALLOWED_LAG_MS: Final = 5.0
_DONE: Final = b"[DONE]"
_KEPT: Final = 200
"""Bytes of a stream that are kept, for what a failure has said."""


@dataclass(frozen=True, slots=True)
class Load:
    """What is put on an address."""

    seconds: float
    streams: int
    new_per_second: float
    tokens_per_second: float

    @property
    def tokens(self) -> int:
        """Tokens of a stream, so many that ``streams`` are open at a time."""
        return max(1, round(self.streams / self.new_per_second * self.tokens_per_second))


@dataclass(slots=True)
class Seen:
    """What came back; times in milliseconds."""

    first_token_ms: list[float] = field(default_factory=list)
    lag_ms: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    tokens: int = 0
    most_open: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """One address under load."""

    address: str
    streams: int
    errors: int
    error: str | None
    most_open: int
    tokens: int
    median_ms: float
    p99_ms: float
    lag_p99_ms: float
    load_average: float
    cpu_ms_per_token: float | None
    void: bool


def main() -> None:
    told = _arguments()
    load = Load(told.seconds, told.streams, told.new_per_second, told.tokens_per_second)
    with (
        tempfile.TemporaryDirectory() as folder,
        model(load.tokens, load.tokens_per_second) as direct,
        offbook(Path(folder), direct) as (served, process),
    ):
        pairs = []
        for _ in range(told.runs):
            pairs.append((measured(direct, load), measured(served, load, process)))
            _say(pairs[-1])
        found: dict[str, Any] = {
            "load": asdict(load),
            "pairs": [[asdict(run) for run in pair] for pair in pairs],
            "added_median_ms": median(b.median_ms - a.median_ms for a, b in pairs),
            "added_p99_ms": median(b.p99_ms - a.p99_ms for a, b in pairs),
        }
        if told.open:
            found["open"] = opened(served, process, told.open)
    print(json.dumps(found) if told.json else _shown(found))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--streams", type=int, default=64)
    parser.add_argument("--new-per-second", type=float, default=5.0)
    parser.add_argument("--tokens-per-second", type=float, default=10.0)
    parser.add_argument("--open", type=int, default=0, help="streams at once, for memory")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


# -- processes -----------------------------------------------------------------------------------


@contextmanager
def offbook(folder: Path, base_url: str) -> Iterator[tuple[str, int]]:
    """The address of ``offbook serve`` in front of the model, and its process."""
    environment = {name: value for name, value in os.environ.items() if "OFFBOOK" not in name}
    environment |= {
        "OFFBOOK_HOME": str(folder / "home"),
        "OFFBOOK_METHOD": "vanilla",
        "OFFBOOK_CHAT_MODEL": NAME,
        "OFFBOOK_CHAT_BASE_URL": base_url,
    }
    program = "from offbook.cli.main import run; run()"
    command = [sys.executable, "-c", program]
    run = {"env": environment, "cwd": folder}
    subprocess.run([*command, "create", NAME], check=True, capture_output=True, **run)  # type: ignore[call-overload]
    serving = [*command, "serve", "--port", "0"]
    log = folder / "log.txt"
    with (
        log.open("w") as out,
        subprocess.Popen(serving, stderr=out, stdout=out, **run) as process,  # type: ignore[call-overload]
    ):
        try:
            yield _address_in(log, process), process.pid
        finally:
            process.terminate()


def _address_in(log: Path, process: subprocess.Popen[str]) -> str:
    ends = time.monotonic() + 60
    while time.monotonic() < ends and process.poll() is None:
        _, found, rest = log.read_text().partition("serving at ")
        if found and "Ctrl-C ends it" in rest:
            return rest.split("/v1", 1)[0] + "/v1"
        time.sleep(0.05)
    sys.exit(f"the server did not start:\n{log.read_text()}")


# -- load ----------------------------------------------------------------------------------------


def measured(base_url: str, load: Load, process: int | None = None) -> Run:
    before = None if process is None else cpu_seconds(process)
    seen = asyncio.run(_put(base_url, load))
    used = None if process is None or before is None else cpu_seconds(process) - before
    lag = quantile(seen.lag_ms, 0.99)
    return Run(
        address="model" if process is None else "offbook",
        streams=len(seen.first_token_ms),
        errors=len(seen.errors),
        error=seen.errors[0] if seen.errors else None,
        most_open=seen.most_open,
        tokens=seen.tokens,
        median_ms=round(quantile(seen.first_token_ms, 0.5), 2),
        p99_ms=round(quantile(seen.first_token_ms, 0.99), 2),
        lag_p99_ms=round(lag, 2),
        load_average=round(os.getloadavg()[0], 2),
        cpu_ms_per_token=None if used is None else round(1000 * used / max(1, seen.tokens), 4),
        void=lag > ALLOWED_LAG_MS,
    )


async def _put(base_url: str, load: Load) -> Seen:
    """Open streams at even intervals; those of the beginning, before all are open, do not count."""
    seen = Seen()
    ramp = load.streams / load.new_per_second
    begun, tasks = time.perf_counter(), []
    watch = asyncio.create_task(_lag(seen, begun + ramp))
    for number in range(round((ramp + load.seconds) * load.new_per_second)):
        due = begun + number / load.new_per_second
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        counts = due - begun >= ramp
        tasks.append(asyncio.create_task(_one(base_url, number, seen, due if counts else None)))
        seen.most_open = max(seen.most_open, sum(not task.done() for task in tasks))
    watch.cancel()
    await asyncio.gather(*tasks)
    return seen


async def _lag(seen: Seen, start: float) -> None:
    """How late the generator itself is."""
    while True:
        due = time.perf_counter() + 0.01
        await asyncio.sleep(0.01)
        if time.perf_counter() >= start:
            seen.lag_ms.append(1000 * (time.perf_counter() - due))


async def _one(base_url: str, number: int, seen: Seen, due: float | None) -> None:
    """One stream; ``due`` is when it should have begun, where its first token counts."""
    host, _, port = base_url.removeprefix("http://").removesuffix("/v1").partition(":")
    said = [{"role": "user", "content": f"Tell me of storm number {number}."}]
    body = json.dumps({"model": NAME, "stream": True, "messages": said}).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: {host}:{port}\r\n"
    head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    loop = asyncio.get_running_loop()
    try:
        reading = partial(_Reading, head.encode() + body, seen, due)
        transport, protocol = await loop.create_connection(reading, host, int(port))
        await protocol.ended
        transport.close()
    except OSError as error:
        seen.errors.append(str(error))


class _Reading(asyncio.Protocol):
    """Reads a stream as bytes where they arrive.

    All tokens come at once, every tenth of a second: what the generator takes for each is taken
    from whom it measures.
    """

    def __init__(self, request: bytes, seen: Seen, due: float | None) -> None:
        self.ended = asyncio.get_running_loop().create_future()
        self._request, self._seen, self._due = request, seen, due
        self._tail, self._words = b"", 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.Transport", transport).write(self._request)

    def data_received(self, data: bytes) -> None:
        words = (self._tail[1 - len(WORD) :] + data).count(WORD)
        self._words += words
        if words and self._due is not None:
            self._seen.first_token_ms.append(1000 * (time.perf_counter() - self._due))
            self._due = None
        self._seen.tokens += words
        self._tail = (self._tail + data)[-_KEPT:]
        if _DONE in self._tail + data and not self.ended.done():
            if self._words:
                self.ended.set_result(None)
            else:
                self.ended.set_exception(ConnectionError(f"no token, but {self._said()}"))

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_exception(ConnectionError(f"{exc}, after {self._said()}"))

    def _said(self) -> str:
        return repr(self._tail.decode(errors="replace"))


def opened(base_url: str, process: int, streams: int) -> dict[str, Any]:
    """What ``streams`` open at once take: opened within two seconds, read to their ends."""
    load = Load(1.0, streams, streams / 2, 10.0)
    _raise_file_limit(4 * streams)
    seen = asyncio.run(_all_at_once(base_url, load, streams))
    return {
        "streams": streams,
        "most_open": seen.most_open,
        "errors": len(seen.errors),
        "memory_mb": round(peak_memory_mb(process), 1),
    }


async def _all_at_once(base_url: str, load: Load, streams: int) -> Seen:
    seen = Seen()
    tasks = []
    for number in range(streams):
        tasks.append(asyncio.create_task(_one(base_url, 10_000 + number, seen, None)))
        await asyncio.sleep(1 / load.new_per_second)
    seen.most_open = sum(not task.done() for task in tasks)
    await asyncio.gather(*tasks)
    return seen


def _raise_file_limit(files: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(files, hard), hard))


# -- figures -------------------------------------------------------------------------------------


def cpu_seconds(process: int) -> float:
    """Processor time of a process so far, of user and system together (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_memory_mb(process: int) -> float:
    """The most memory that a process has held (Linux)."""
    status = Path(f"/proc/{process}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that this share of the values does not exceed; NaN of none."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else float("nan")


def _say(pair: tuple[Run, Run]) -> None:
    for run in pair:
        sys.stderr.write(f"{run}\n")


def _shown(found: dict[str, Any]) -> str:
    rows = [
        f"{run['address']:8} median {run['median_ms']:8.1f} ms   p99 {run['p99_ms']:8.1f} ms   "
        f"lag {run['lag_p99_ms']:5.1f} ms   load {run['load_average']:4.1f}   "
        f"errors {run['errors']}   "
        f"cpu {run['cpu_ms_per_token'] or '-'} ms/token{'   VOID' if run['void'] else ''}"
        for pair in found["pairs"]
        for run in pair
    ]
    rows.append(
        f"added    median {found['added_median_ms']:8.1f} ms   p99 {found['added_p99_ms']:8.1f} ms"
    )
    if "open" in found:
        rows.append(json.dumps(found["open"]))
    return "\n".join(rows)


if __name__ == "__main__":
    main()
