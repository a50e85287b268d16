"""Time to the first token by method, and guided selection against bare calls of the SDK.

    python benchmarks/latency.py [--latency-ms 200] [--token-ms 10] [--methods naive ...] [--json]

The character is the demo's, the questions are its own; each is asked once, so that nothing comes
from the cache. The loopback server answers no to every judgement: all amadeus.n chunks are looked
at, and to the ensemble's small call as many tokens as models do. Embeddings are answered by the
same server, after the same latency; they are no calls.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
VARIANTS: Final[dict[str, dict[str, Any]]] = {
    "amadeus:live": {"amadeus__gs": "live"},
    "amadeus:indexed": {"amadeus__gs": "indexed"},
}
"""Methods that are measured in several ways, and the settings of each."""
SMALL: Final = {
    "query": "letter to the Bonapartists, Villefort burned it, denounced by Danglars and Fernand",
    "unknown": [{"name": "aeroplane", "reason": "invented decades after the end of his story"}],
    "premise": "",
    "feelings": [{"emotion": "sadness", "strength": 5}],
}
"""An answer to the ensemble's small call: 64 tokens; a plain question takes half of them."""


@dataclass(frozen=True, slots=True)
class FirstToken:
    """What one method took until the first piece of a reply: medians over the questions."""

    method: str
    waits: float
    calls: float
    embed_calls: float
    first_token_ms: float
    slowest_ms: float


@dataclass(frozen=True, slots=True)
class Selecting:
    """One selection that looks at every chunk, and bare calls beside it, in milliseconds."""

    looked_at: int
    concurrency: int
    selection_ms: float
    bare_ms: float
    ratio: float
    selection_all_ms: Sequence[float]
    bare_all_ms: Sequence[float]


class Server:
    """The loopback server in a process of its own; its latency can be changed while it runs."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self._process = process
        self.base_url = f"http://127.0.0.1:{port}/v1"

    def wait(self, latency_ms: float, token_ms: float = 0) -> None:
        """Answer after so many milliseconds from now on, and so many more a token."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{latency_ms} {token_ms}\n")
        self._process.stdin.flush()
        self._process.stdout.readline()


@contextmanager
def served() -> Iterator[Server]:
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        try:
            assert process.stdout is not None
            word, _, port = process.stdout.readline().partition(" ")
            if word != "READY":
                sys.exit("the loopback server did not start")
            yield Server(process, int(port))
        finally:
            process.kill()


def serve() -> None:
    """Run the server until the process is ended; each line of standard input is a latency."""
    sys.path.insert(0, str(ROOT))
    from tests.loopback import LoopbackServer, schema_in
    from tests.loopback.graph import answer_about_a_graph

    def answer(body: Mapping[str, Any]) -> Any:
        is_small = (schema_in(body) or {}).get("title") == "Understanding"
        return json.dumps(SMALL) if is_small else answer_about_a_graph(body)

    with LoopbackServer(answer=answer, dimension=64) as server:

        def listen() -> None:
            for line in sys.stdin:
                latency, token = map(float, line.split())
                server.latency_seconds, server.token_seconds = latency / 1000, token / 1000
                print("done", flush=True)

        threading.Thread(target=listen, daemon=True).start()
        print(f"READY {server.port}", flush=True)
        threading.Event().wait()


def measured_names() -> list[str]:
    """The registered methods, those with variants as their variants."""
    from offbook import registry

    found: list[str] = []
    for name in registry.names("method"):
        variants = [variant for variant in VARIANTS if variant.partition(":")[0] == name]
        found += variants or [name]
    return found


async def first_tokens(
    names: Sequence[str], flags: Mapping[str, Any], server: Server | None, told: argparse.Namespace
) -> list[FirstToken]:
    """Each method in turn: built without latency, warmed by one question, then measured."""
    from offbook import Offbook, demo

    questions = [row.question for row in demo.questions()][: told.questions + 1]
    found: list[FirstToken] = []
    for name in names:
        # A home each: an answer that another method paid for would be no call.
        home = str(Path(flags["home"]) / name.replace(":", "-"))
        own = {"home": home, "method": name.partition(":")[0]}
        chosen = {**flags, **own, **VARIANTS.get(name, {})}
        async with await Offbook.open(**chosen) as book:
            if server is not None:
                server.wait(0)
            character, _ = await book.demo_character()
            if server is not None:
                server.wait(told.latency_ms, told.token_ms)
            seconds, usages = [], []
            for question in questions:
                talk = await book.session(character.id, keep=False)
                started, first = time.perf_counter(), 0.0
                async for _ in talk.say(question):
                    first = first or time.perf_counter() - started
                assert talk.last is not None
                seconds.append(first)
                usages.append(talk.last.usage)
        found.append(
            FirstToken(
                name,
                median(usage.round_trips for usage in usages[1:]),
                median(usage.calls for usage in usages[1:]),
                median(usage.embed_calls for usage in usages[1:]),
                round(1000 * median(seconds[1:]), 1),
                round(1000 * max(seconds[1:]), 1),
            )
        )
    return found


async def selecting(
    flags: Mapping[str, Any], server: Server | None, told: argparse.Namespace
) -> Selecting:
    """Guided selection and bare calls in turn, each on questions of its own."""
    from offbook import Offbook
    from offbook.methods import amadeus
    from offbook.methods.knowledge import Knowledge
    from offbook.prompts.ask import request_of
    from offbook.prompts.traits import REVEALS_TRAIT, PassageInputs

    ours: list[float] = []
    bare: list[float] = []
    own = {"home": str(Path(flags["home"]) / "selecting"), "method": "amadeus"}
    async with await Offbook.open(**{**flags, **own, "limits__concurrency": 16}) as book:
        if server is not None:
            server.wait(0)
        character, _ = await book.demo_character()
        found = await book.find(character.id)
        runtime = book.runtime(found.dimension)
        seen = Knowledge(
            found, runtime.settings, runtime.store, runtime.embedder, (), runtime.extractor
        )
        question, settings = "Could you wait for years to get what you want?", runtime.settings
        ranked = await seen.search(question, settings.amadeus.splitter, settings.amadeus.n)
        if server is not None:
            server.wait(told.latency_ms)
        looked_at = 0
        client = _client(runtime.extractor.base_url)
        for turn in range(told.runs + 1):
            question = f"Could you wait {turn + 2} years to get what you want?"
            started = time.perf_counter()
            selection = await amadeus.select(seen, question, ranked, "live")
            ours.append(time.perf_counter() - started)
            looked_at = selection.looked_at
            bodies = [
                request_of(
                    REVEALS_TRAIT,
                    PassageInputs(found.name, p.chunk.heading_path, p.chunk.text, f"{question} "),
                )
                for p in ranked[:looked_at]
            ]
            bare.append(await _bare(client, runtime.extractor.name, bodies, 16))
        await client.close()
    ms = [[round(1000 * one, 1) for one in each[1:]] for each in (ours, bare)]
    return Selecting(
        looked_at,
        16,
        median(ms[0]),
        median(ms[1]),
        round(median(ms[0]) / median(ms[1]), 3),
        ms[0],
        ms[1],
    )


def _client(base_url: str) -> Any:
    import openai

    return openai.AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0)


async def _bare(client: Any, model: str, requests: Sequence[Any], concurrency: int) -> float:
    """Seconds of plain SDK calls with the bodies that these requests have on the wire."""
    from offbook.models.ladder import RUNGS, body_on
    from offbook.models.responses import plain

    room = asyncio.Semaphore(concurrency)
    bodies = []
    for request in requests:
        messages, form = body_on(RUNGS[0], request)
        bodies.append({"messages": plain(messages), **form, **request.parameters})

    async def call(body: dict[str, Any]) -> None:
        async with room:
            answer = await client.chat.completions.create(model=model, **body)
            assert answer.choices[0].message.content

    started = time.perf_counter()
    await asyncio.gather(*map(call, bodies))
    return time.perf_counter() - started


async def run(server: Server | None, told: argparse.Namespace) -> dict[str, Any]:
    base_url = told.base_url or (server.base_url if server is not None else None)
    model = {"chat__model": told.model, "chat__base_url": base_url, "chat__context_tokens": 128_000}
    with tempfile.TemporaryDirectory() as home:
        flags = {"home": home, **model, "embed__model": told.embed_model}
        rows = await first_tokens(told.methods or measured_names(), flags, server, told)
        figure = await selecting(flags, server, told)
    return {
        "latency_ms": told.latency_ms if server is not None else None,
        "questions": told.questions,
        "first_token": [asdict(row) for row in rows],
        "guided_selection": asdict(figure),
    }


def table(shape: Mapping[str, Any]) -> str:
    rows = shape["first_token"]
    names = list(rows[0]) if rows else []
    lines = [f"latency {shape['latency_ms']} ms a call, {shape['questions']} questions", ""]
    lines += ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]
    lines += ["| " + " | ".join(str(row[name]) for name in names) + " |" for row in rows]
    gs = shape["guided_selection"]
    lines += [
        "",
        f"guided selection, {gs['looked_at']} looked at, {gs['concurrency']} side by side: "
        f"{gs['selection_ms']} ms; as many bare calls: {gs['bare_ms']} ms; ratio {gs['ratio']}",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--latency-ms", type=float, default=200.0)
    parser.add_argument("--token-ms", type=float, default=0.0, help="of answers that are no stream")
    parser.add_argument("--methods", nargs="*", help="default: all that there are")
    parser.add_argument("--questions", type=int, default=9, help="for each method")
    parser.add_argument("--runs", type=int, default=9, help="selections, and rounds of bare calls")
    parser.add_argument("--base-url", help="an endpoint in the place of the loopback server")
    parser.add_argument("--model", default="loopback")
    parser.add_argument("--embed-model", default="loopback", help="`builtin`: no embedding calls")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    told = parser.parse_args()
    if told.serve:
        serve()
        return
    if told.base_url:
        shape = asyncio.run(run(None, told))
    else:
        with served() as server:
            shape = asyncio.run(run(server, told))
    print(json.dumps(shape, indent=2) if told.json else table(shape))


if __name__ == "__main__":
    main()
