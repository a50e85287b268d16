"""Nothing blocks the event loop: while many are answered, it never stands still for long."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Match, Route

from offbook.models import builtin
from offbook.rules import dated, emotions
from offbook.rules import model as offline_model
from offbook.server.app import warm_routes
from offbook.server.openai import exchange, routes
from tests.loopback.server import LoopbackServer
from tests.server.openai.asking import ask, lines
from tests.server.served import MODEL, Served, settings_in, with_ada
from tests.waiting import PATIENCE_SECONDS

LATENCY_SECONDS = 1.6
"""How long the model takes: whoever waits for it in the loop is noticed on a slow machine too."""
WAIT_SECONDS = LATENCY_SECONDS / 2
WORK_SECONDS = 0.4
"""Of the processor: a step of a reply takes a twentieth of it, an import of the SDK takes twice."""
TICK_SECONDS = 0.005


class Stalls:
    """Watches an event loop from inside, and how punctual this machine is meanwhile.

    ``worked`` is what the longest step of the loop took of the processor.  ``waited`` is how late
    the loop came back at the most, less what a thread beside it that does nothing was late: other
    processes take the processor from both.
    """

    def __init__(self) -> None:
        self.late = self.worked = self.beside = 0.0
        self._stop = threading.Event()
        self._control = threading.Thread(target=self._tick, daemon=True)

    @property
    def waited(self) -> float:
        return self.late - 2 * self.beside

    async def begin(self) -> None:
        """Watch the running loop until told to stop."""
        self._control.start()
        self._watching = asyncio.create_task(self._watch())

    def stop(self) -> None:
        self._stop.set()
        self._control.join()

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        while not self._stop.is_set():
            before, worked = loop.time(), time.thread_time()
            await asyncio.sleep(TICK_SECONDS)
            self.late = max(self.late, loop.time() - before - TICK_SECONDS)
            self.worked = max(self.worked, time.thread_time() - worked)

    def _tick(self) -> None:
        while not self._stop.is_set():
            before = time.monotonic()
            time.sleep(TICK_SECONDS)
            self.beside = max(self.beside, time.monotonic() - before - TICK_SECONDS)


@pytest.fixture
def computed_anew():
    """What replies compute once in a process is computed by this test."""
    for once in (dated._separator, emotions._centres):
        once.cache_clear()


# The embedded model computes what an endpoint answers otherwise: emotions, names, whole replies.
@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "model"),
    [("vanilla", "m"), ("naive", "m"), ("emotional", "offline"), ("ensemble", "offline")],
)
@pytest.mark.usefixtures("computed_anew")
def test_no_step_of_a_reply_holds_up_the_others(tmp_path, method, model):
    stalls = Stalls()
    with LoopbackServer(latency_seconds=LATENCY_SECONDS) as endpoint:
        asyncio.run(with_ada(settings_in(tmp_path, method=method)))
        told = {"method": method, "chat__model": model}
        if model != "offline":
            told["chat__base_url"] = endpoint.base_url
        server = Served(settings_in(tmp_path, **told))
        server.app.get("/watch")(stalls.begin)
        with server, ThreadPoolExecutor(12) as pool:
            httpx.get(f"{server.root}/watch", timeout=PATIENCE_SECONDS).raise_for_status()
            jobs: list[Future[Any]] = [
                pool.submit(lines, server, f"Tell me of storm {n}.") for n in range(8)
            ]
            jobs += [pool.submit(ask, server, f"Tell me of gale {n}.") for n in range(4)]
            for job in jobs:
                job.result()
            stalls.stop()
    assert stalls.worked < WORK_SECONDS
    assert stalls.waited < WAIT_SECONDS


@pytest.mark.parametrize("method", ["naive", "emotional", "ensemble"])
def test_what_computes_for_long_does_so_in_another_thread(tmp_path, monkeypatch, method):
    worked: dict[str, set[int]] = {"rules": set(), "vectors": set(), "loop": set()}

    def noted(function: Callable[..., Any], what: str) -> Callable[..., Any]:
        def noting(*args: Any) -> Any:
            worked[what].add(threading.get_ident())
            return function(*args)

        return noting

    async def loop() -> None:
        worked["loop"].add(threading.get_ident())

    asyncio.run(with_ada(settings_in(tmp_path, method=method)))
    monkeypatch.setattr(offline_model, "_by_rule", noted(offline_model._by_rule, "rules"))
    monkeypatch.setattr(builtin, "embed_texts", noted(builtin.embed_texts, "vectors"))
    server = Served(settings_in(tmp_path, method=method))
    server.app.get("/loop")(loop)
    with server:
        httpx.get(f"{server.root}/loop", timeout=PATIENCE_SECONDS).raise_for_status()
        ask(server, "What did you do at the lighthouse, and were you afraid?")
    assert worked["rules"]
    assert worked["vectors"]
    assert not worked["loop"] & (worked["rules"] | worked["vectors"])


def test_a_large_request_is_read_where_long_work_is_done(tmp_path, monkeypatch):
    where = dict.fromkeys(("read_messages", "kind_of", "wishes_of"), exchange)
    steps = {"read_body": routes, **where}
    worked: dict[str, list[str]] = {name: [] for name in steps}

    def noted(name: str) -> Callable[..., Any]:
        function = getattr(steps[name], name)

        def noting(*args: Any, **options: Any) -> Any:
            worked[name].append(threading.current_thread().name)
            return function(*args, **options)

        return noting

    asyncio.run(with_ada(settings_in(tmp_path)))
    for name in worked:
        monkeypatch.setattr(steps[name], name, noted(name))
    with Served(settings_in(tmp_path)) as server:
        ask(server, "Who taught you?")
        ask(server, "word " * (exchange.LARGE // 5), "Ay.", "Who taught you?")
    for threads in worked.values():
        small, large = threads
        assert not small.startswith("offbook-work")
        assert large.startswith("offbook-work")


FIRST_REPLY = """
import asyncio, json, sys
from pathlib import Path
import httpx
from offbook.server.app import create_app
from offbook.settings import load_settings

async def run(home, base_url, model):
    flags = {"home": home, "method": "naive", "chat.model": "m", "chat.base_url": base_url}
    app = create_app(load_settings(flags, {}, Path(home), Path(home) / "none"))
    async with app.router.lifespan_context(app):
        before = set(sys.modules)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            said = [{"role": "user", "content": "Who are you?"}]
            body = {"model": model, "messages": said, "stream": True}
            answer = await client.post("/v1/chat/completions", json=body, timeout=120)
        print(json.dumps([answer.status_code, sorted(set(sys.modules) - before)]))

asyncio.run(run(*sys.argv[1:]))
"""


@pytest.mark.long
def test_the_first_reply_loads_nothing_of_weight(tmp_path):
    asyncio.run(with_ada(settings_in(tmp_path)))
    with LoopbackServer() as endpoint:
        told = [str(tmp_path / "home"), endpoint.base_url, MODEL]
        done = subprocess.run(
            [sys.executable, "-c", FIRST_REPLY, *told], check=True, capture_output=True, text=True
        )
    status, loaded = json.loads(done.stdout)
    assert status == 200
    roots = {name.partition(".")[0] for name in loaded}
    assert not roots & {"aiohttp", "fastapi", "httpx", "jinja2", "numpy", "openai", "sqlalchemy"}
    assert not [name for name in loaded if name.startswith("offbook.")]


def test_every_route_is_asked_whether_it_is_meant():
    asked: list[str] = []

    class Noting(Route):
        def matches(self, scope):
            asked.append(self.path)
            found = super().matches(scope)
            assert found[0] is Match.NONE
            return found

    app = Starlette(routes=[Noting("/first", repr), Noting("/{second}/third", repr)])
    warm_routes(app)
    assert asked == ["/first", "/{second}/third"]
