"""What the first reply needs is there before the first request is taken."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

from starlette.applications import Starlette
from starlette.routing import Match, Route

from offbook.server.warming import warm_routes
from tests.loopback.server import LoopbackServer
from tests.server.served import MODEL, settings_in, with_ada

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
