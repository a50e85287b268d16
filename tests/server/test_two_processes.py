"""Two servers, one PostgreSQL: what is said to one is known to the other."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import httpx
import pytest

from tests.cli.texts import ADA
from tests.end_to_end.world import PROCESS
from tests.server.inside import done
from tests.waiting import PATIENCE_SECONDS

ONE = "/api/characters/ada-byrne"
TOLD = "My boat is called the Kittiwake, and she is painted green from bow to stern."


@asynccontextmanager
async def served(folder: Path, url: str) -> AsyncIterator[httpx.AsyncClient]:
    """`offbook serve` in a process of its own."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OFFBOOK_", "OPENAI_"))}
    own = {
        "OFFBOOK_HOME": str(folder),
        "OFFBOOK_DATABASE_URL": url,
        "OFFBOOK_CONFIG": str(folder / "none"),
    }
    process = await asyncio.create_subprocess_exec(
        *(*PROCESS, "serve", "--port", "0"),
        cwd=folder,
        env={**kept, **own},
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        address, said = None, [""]
        async with asyncio.timeout(2 * PATIENCE_SECONDS):  # all of offbook is loaded
            while address is None:
                line = (await process.stderr.readline()).decode()
                said.append(line)
                assert line, f"the server ended: {said}"
                address = re.search(r"http://127\.0\.0\.1:\d+", line)
        drained = asyncio.create_task(process.stderr.read())
        async with httpx.AsyncClient(base_url=address[0], timeout=PATIENCE_SECONDS) as client:
            yield client
    finally:
        process.terminate()
        await process.wait()
    await drained


@pytest.mark.long
async def test_a_turn_that_one_server_heard_is_recalled_by_the_other(
    tmp_path: Path, postgres_url: str
):
    async with AsyncExitStack() as stack:
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
        one, two = [
            await stack.enter_async_context(served(tmp_path / name, postgres_url))
            for name in ("one", "two")
        ]
        await done(one, "POST", "/api/characters", json={"name": "Ada Byrne"})
        # Either may do what was given to one of them; the other sees how far it is.
        given = {"documents": [{"name": "ada.md", "text": ADA}]}
        began = await done(one, "POST", f"{ONE}/documents", json=given)
        state = began
        async with asyncio.timeout(PATIENCE_SECONDS):
            while state["status"] not in ("done", "failed"):
                await asyncio.sleep(0.1)
                state = await done(two, "GET", f"{ONE}/ingestions/{began['id']}")
        assert state["status"] == "done", state["error"]
        await done(one, "POST", f"{ONE}/ask", json={"question": TOLD, "session": "harbour"})
        (turn,) = await done(two, "GET", f"{ONE}/sessions/harbour")
        assert turn["said"] == TOLD
        body = {"question": "What colour is the Kittiwake?", "method": "emotional"}
        memories: list[str] = []
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not memories:
                recalled = await done(two, "POST", f"{ONE}/recall", json=body)
                found = [item for item in recalled["context"] if item["kind"] == "memory"]
                memories = [item["text"] for item in found]
                await asyncio.sleep(0.1)
        assert any("Kittiwake" in text for text in memories)
