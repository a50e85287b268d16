"""A model that answers after 50 ms and then gives a token at even intervals, as bare as can be."""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

T = TypeVar("T")

LATENCY_SECONDS: Final = 0.05
NAME: Final = "loopback"
WORD: Final = b"word "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=10)
    parser.add_argument("--tokens-per-second", type=float, default=10.0)
    told = parser.parse_args()
    serve_model(told.tokens, told.tokens_per_second)


@contextmanager
def model(tokens: int, tokens_per_second: float) -> Iterator[str]:
    """The address of the model, a process of its own."""
    command = [sys.executable, __file__, "--tokens", str(tokens)]
    command += ["--tokens-per-second", str(tokens_per_second)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            word, _, port = process.stdout.readline().partition(" ")
            if word != "READY":
                sys.exit("the model did not start")
            yield f"http://127.0.0.1:{int(port)}/v1"
        finally:
            process.kill()


def serve_model(tokens: int, tokens_per_second: float) -> None:
    """The model: 50 ms, then a token at even intervals; as bare as a server can be."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await _read_request(reader):
                await _stream(writer, tokens, tokens_per_second)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=1024)
        print(f"READY {server.sockets[0].getsockname()[1]}", flush=True)
        await server.serve_forever()

    asyncio.run(run())


async def _read_request(reader: asyncio.StreamReader) -> bool:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = next(
        (int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"content-length:")), 0
    )
    await reader.readexactly(length)
    return True


async def _stream(writer: asyncio.StreamWriter, tokens: int, per_second: float) -> None:
    begun = time.perf_counter() + LATENCY_SECONDS
    await asyncio.sleep(LATENCY_SECONDS)
    writer.write(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    for number in range(tokens):
        writer.write(_TOKEN)
        await writer.drain()
        await asyncio.sleep(max(0.0, begun + (number + 1) / per_second - time.perf_counter()))
    writer.write(_END)
    await writer.drain()


def _event(delta: Any, reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    shape = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": NAME}
    return _chunk(f"data: {json.dumps({**shape, 'choices': [choice]})}\n\n".encode())


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


_TOKEN: Final = _event({"content": WORD.decode()})
_END: Final = _event({}, "stop") + _chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"


if __name__ == "__main__":
    main()
