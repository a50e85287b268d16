"""How long a run of an evaluation takes beside its bound, and what it asks again after kill -9.

    python benchmarks/evaluation.py [--cells 2000] [--latency-ms 200] [--concurrency 32] [--json]
    python benchmarks/evaluation.py --kill [--cells 400]
    python benchmarks/evaluation.py --cells 20000 --latency-ms 0    (memory)

The method is `vanilla` (--method takes another, which is built first), the judge rates one metric:
two calls a cell. Server and command run as processes of their own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from processes import OFFBOOK, environment, timed

ROOT: Final = Path(__file__).resolve().parents[1]
CALLS: Final = 2
"""Of a cell: the reply, and one rating."""


@contextmanager
def served(latency_ms: float, log: Path) -> Iterator[str]:
    """The loopback server in a process of its own; it notes the question of every request."""
    command = [sys.executable, __file__, "--serve", str(latency_ms), str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            word, _, port = process.stdout.readline().partition(" ")
            if word != "READY":
                sys.exit("the loopback server did not start")
            yield f"http://127.0.0.1:{int(port)}/v1"
        finally:
            process.kill()


def serve(latency_ms: float, log: Path) -> None:
    """Answer replies and judgements after the latency; a line a request goes into the log."""
    sys.path.insert(0, str(ROOT))
    import asyncio

    import uvicorn

    counted = {"calls": 0, "in_flight": 0, "peak": 0}
    judgement = json.dumps({"analysis": "It answers the question.", "rating": 1})

    with log.open("ab", buffering=0) as out:

        async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
            if scope["path"] == "/stats":
                await _respond(send, json.dumps(counted).encode())
                return
            body = b""
            more = True
            while more:
                message = await receive()
                body += message.get("body", b"")
                more = message.get("more_body", False)
            counted["calls"] += 1
            counted["in_flight"] += 1
            counted["peak"] = max(counted["peak"], counted["in_flight"])
            try:
                await asyncio.sleep(latency_ms / 1000)
            finally:
                counted["in_flight"] -= 1
            # Noted when it is answered: what was in flight at a kill has no line.
            judged = b'"json_schema"' in body
            out.write(_mark(body, judged) + b"\n")
            text = judgement if judged else "I keep the light, and I count the ships."
            await _respond(send, _completion(text))

        config = uvicorn.Config(
            app, log_config=None, log_level="critical", lifespan="off", ws="none", port=0
        )
        server = uvicorn.Server(config)

        def announce() -> None:
            while not server.started:
                time.sleep(0.01)
            port = server.servers[0].sockets[0].getsockname()[1]
            print(f"READY {port}", flush=True)

        threading.Thread(target=announce, daemon=True).start()
        server.run()


def _mark(body: bytes, judged: bool) -> bytes:
    """The number of the question, and which metric is asked about."""
    import hashlib

    found = body.find(b"question number ")
    number = body[found + 16 : found + 26].split(b" ")[0] if found >= 0 else b"?"
    return number + b" " + (hashlib.sha256(body).hexdigest()[:12].encode() if judged else b"reply")


def _completion(text: str) -> bytes:
    shape = {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 200, "completion_tokens": 20, "total_tokens": 220},
    }
    return json.dumps(shape).encode()


async def _respond(send: Any, body: bytes) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def stats(base_url: str) -> dict[str, int]:
    address = base_url.removesuffix("/v1") + "/stats"
    with urllib.request.urlopen(address, timeout=10) as answer:
        found: dict[str, int] = json.load(answer)
    return found


def prepare(folder: Path, cells: int) -> tuple[dict[str, str], Path]:
    """A home with a character, and a file of questions."""
    env = environment(folder / "home")
    file = folder / "questions.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for number in range(cells):
            row = {"id": f"q{number}", "question": f"This is question number {number} of many?"}
            out.write(json.dumps(row) + "\n")
    timed([*OFFBOOK, "create", "Keeper"], env, folder)
    return env, file


def command(told: argparse.Namespace, base_url: str, file: Path) -> list[str]:
    return [
        *OFFBOOK,
        *("eval", "run", "file", "--path", str(file), "--character", "Keeper", "--metric", "ke"),
        *("--method", told.method, "--model", "m", "--base-url", base_url),
        *("--concurrency", str(told.concurrency), "--json"),
    ]


def measure(told: argparse.Namespace, folder: Path) -> dict[str, Any]:
    env, file = prepare(folder, told.cells)
    if told.document:
        ingest = [*OFFBOOK, "ingest", "Keeper", str(told.document), "--method", told.method]
        timed(ingest, env, folder)
    with served(told.latency_ms, folder / "log") as base_url:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        report, memory = run(command(told, base_url, file), env, folder)
        seconds = time.perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        counted = stats(base_url)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    calls = counted["calls"]
    bound = calls * told.latency_ms / 1000 / told.concurrency
    return {
        "cells": report["cells"]["stored"],
        "failed": report["cells"]["failed"],
        "calls": calls,
        "concurrency": told.concurrency,
        "peak_in_flight": counted["peak"],
        "latency_ms": told.latency_ms,
        "seconds": round(seconds, 2),
        "run_seconds": round(report["usage"]["seconds"], 2),
        "bound_seconds": round(bound, 2),
        "ratio": round(seconds / bound, 3) if bound else None,
        "run_ratio": round(report["usage"]["seconds"] / bound, 3) if bound else None,
        "processor_ms_per_call": round(1000 * processor / max(1, calls), 2),
        "processor_ms_per_cell": round(1000 * processor / max(1, told.cells), 2),
        "peak_memory_mb": round(memory / 1024, 1),
    }


def run(words: list[str], env: Mapping[str, str], folder: Path) -> tuple[dict[str, Any], int]:
    """What a command printed, and its greatest memory in kB."""
    with (folder / "out").open("w+b") as out, (folder / "err").open("w+b") as errors:
        process = subprocess.Popen(words, env=dict(env), cwd=folder, stdout=out, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        if process.returncode:
            sys.exit(f"ended with {process.returncode}: {errors.read().decode()[-2000:]}")
        report: dict[str, Any] = json.loads(out.read())
    return report, used.ru_maxrss


def kill_and_go_on(told: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Kill a run in the middle, run the same command again, and count what was answered twice."""
    env, file = prepare(folder, told.cells)
    log = folder / "log"
    with served(told.latency_ms, log) as base_url:
        words = command(told, base_url, file)
        process = subprocess.Popen(
            words, env=env, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while stats(base_url)["calls"] < told.cells:
            if process.poll() is not None:
                sys.exit("the run was over before it was killed")
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        time.sleep(2 * told.latency_ms / 1000)
        killed_after = stats(base_url)["calls"]
        report, _ = run(words, env, folder)
        calls = stats(base_url)["calls"]
    answered = Counter(log.read_bytes().split(b"\n")[:-1])
    twice = sum(count - 1 for count in answered.values())
    return {
        "cells": report["cells"]["stored"],
        "killed_after_calls": killed_after,
        "calls": calls,
        "needed": told.cells * CALLS,
        "asked_again": calls - told.cells * CALLS,
        "answered_twice": twice,
        "concurrency": told.concurrency,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, default=2000)
    parser.add_argument("--latency-ms", type=float, default=200.0)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--method", default="vanilla")
    parser.add_argument("--document", type=Path, help="a text for a method that needs one")
    parser.add_argument("--kill", action="store_true", help="kill -9 in the middle, then go on")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.serve:
        serve(float(told.serve[0]), Path(told.serve[1]))
        return
    with tempfile.TemporaryDirectory() as made:
        found = (kill_and_go_on if told.kill else measure)(told, Path(made))
    if told.json:
        print(json.dumps(found, indent=2))
    else:
        for name, value in found.items():
            print(f"{name:24} {value}")


if __name__ == "__main__":
    main()
