"""How an endpoint is asked: as many calls at once as allowed, no more, and none waits in vain."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.end_to_end.world import World
from tests.loopback import LoopbackServer
from tests.loopback.gate import PATIENCE_SECONDS
from tests.waiting import eventually

CHUNKS = 60


def indexed(world: World, server: LoopbackServer, chunks: int, *flags: str) -> None:
    """An ingestion, one text a call."""
    world.set("naive.splitter=markdown", "embed.batch=1")
    world.done("create", "Keeper")
    sections = [f"## Year {n}\n\nIn year {n} a ship came in, number {n}." for n in range(chunks)]
    document = world.write("light.md", "\n\n".join(sections))
    told = world.done("ingest", "Keeper", document, "--json", *flags).json
    assert told["documents"][0]["chunks"] == chunks == server.count("/embeddings")


@pytest.mark.parametrize("concurrency", [16, 3])
def test_as_many_calls_as_allowed_and_never_more(world, server, concurrency):
    chunks = CHUNKS if concurrency == 16 else 12
    # Every call but those of the last round waits until all places are taken.
    server.gather(*[concurrency] * (chunks // concurrency))
    indexed(world, server, chunks, "--concurrency", str(concurrency))
    assert server.peak_in_flight == concurrency
    longest = max(request.finished - request.started for request in server.requests)
    assert longest < PATIENCE_SECONDS, "no place was left empty"


def test_a_slow_call_holds_up_no_other(world, server, monkeypatch):
    plain = LoopbackServer._wait
    calls = itertools.count()

    async def wait(self, *told: Any) -> None:
        if next(calls) == 0:  # this one is answered when it alone is left
            await eventually(lambda: server.count() == 24 and server.in_flight == 1)
        await plain(self, *told)

    monkeypatch.setattr(LoopbackServer, "_wait", wait)
    indexed(world, server, 24, "--concurrency", "4")
    slow, *others = server.requests
    assert all(other.finished < slow.finished for other in others)
