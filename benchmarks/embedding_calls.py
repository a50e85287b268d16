"""How close embedding over the network comes to the time that the network itself takes.

Takes: a latency, texts, a batch size, a concurrency.  Gives: seconds and their ratio to
ceil(batches / concurrency) x latency, which is what the requests take if nothing else costs time.
The server is the loopback one of the tests, in a process of its own.

    python benchmarks/embedding_calls.py [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from offbook.models.clients import close_clients
from offbook.models.embedders import OpenAIEmbedder
from offbook.models.limits import Limiter, Limits
from offbook.models.metering import Meter

ROOT = Path(__file__).resolve().parents[1]
SENTENCE = "He crossed the harbour at dusk, and nobody on the quay knew his name. "


async def measure(port: int, told: argparse.Namespace) -> list[float]:
    """Seconds of each run; the first pays for loading the SDK and for its connections."""
    texts = [f"{n}. {SENTENCE * 8}" for n in range(told.chunks)]
    seconds = []
    for _ in range(told.runs):
        meter = Meter()
        embedder = OpenAIEmbedder(
            f"http://127.0.0.1:{port}/v1",
            "loopback",
            limiter=Limiter(Limits(concurrency=told.concurrency)),
            meter=meter,
            batch=told.batch,
        )
        started = time.perf_counter()
        vectors = await embedder.embed(texts, "document")
        seconds.append(time.perf_counter() - started)
        if vectors.shape != (told.chunks, told.dimension):
            sys.exit(f"got vectors of shape {vectors.shape}")
        if meter.usage().embed_calls != math.ceil(told.chunks / told.batch):
            sys.exit(f"made {meter.usage().embed_calls} calls")
    await close_clients()
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--chunks", type=int, default=1_000)
    parser.add_argument("--batch", type=int, default=64, help="texts in a request (embed.batch)")
    parser.add_argument("--concurrency", type=int, default=16, help="limits.concurrency")
    parser.add_argument("--latency-ms", type=float, default=200.0)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    told = parser.parse_args()
    command = [sys.executable, "-m", "tests.loopback.server", "--port", "0"]
    command += ["--latency-ms", str(told.latency_ms), "--dimension", str(told.dimension)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline().split()[1])
            seconds = asyncio.run(measure(port, told))
        finally:
            server.kill()
    batches = math.ceil(told.chunks / told.batch)
    ideal = math.ceil(batches / told.concurrency) * told.latency_ms / 1000
    figures = {
        "chunks": told.chunks,
        "batches": batches,
        "concurrency": told.concurrency,
        "latency_seconds": told.latency_ms / 1000,
        "ideal_seconds": ideal,
        "first_seconds": round(seconds[0], 3),
        "median_seconds": round(median(seconds), 3),
        "first_ratio": round(seconds[0] / ideal, 2),
        "median_ratio": round(median(seconds) / ideal, 2),
    }
    if told.json:
        print(json.dumps(figures))
    else:
        print("\n".join(f"{name:>16} {value}" for name, value in figures.items()))


if __name__ == "__main__":
    main()
