"""A run that another process works on: whoever asks over the network learns no more than that."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import httpx

from offbook.stores import evaluations
from offbook.stores.leases import Owner
from tests.server.inside import bearer, client_of, opened
from tests.waiting import PATIENCE_SECONDS

ASKED = {
    "questions": [{"question": "Who taught you to trim the lamp?", "id": "q1"}],
    "characters": ["Ada Byrne"],
    "methods": ["vanilla"],
}


async def ended(client: httpx.AsyncClient, asked: dict[str, Any]) -> dict[str, Any]:
    """The job of a run, as its last event has it."""
    began = await client.post("/api/evaluation/runs", json=asked)
    assert began.status_code == 202, began.text
    stream = await client.get(f"{began.headers['location']}/events", timeout=PATIENCE_SECONDS)
    found: dict[str, Any] = json.loads(stream.text.rpartition("event: end\ndata: ")[2])
    return found


async def test_neither_the_owner_nor_others_are_told_which_process_it_is(tmp_path: Path):
    async with opened(tmp_path) as book:
        await book.create("Ada Byrne")
        async with client_of(book) as client:
            run = (await ended(client, ASKED))["run"]
            other = Owner("another", "the-host-of-another", os.getpid())
            late = time.time() + 3_600  # it has given a sign of life, however slow this machine is
            taken = await book.store.write(lambda c: evaluations.take(c, run, other, late))
            assert taken is None
            refused = [await ended(client, {**ASKED, "resume": run})]
        key = await bearer(book, right="admin")
        async with client_of(book, **key) as client:
            refused.append(await ended(client, {**ASKED, "resume": run}))
    for job in refused:
        assert job["status"] == "failed"
        assert job["error"] == {
            "kind": "usage",
            "message": f"another process works on the run {run!r}",
            "hint": "wait until it has ended",
        }
