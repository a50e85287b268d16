"""Several `Offbook`s in one process: closing one leaves the calls of the others alone."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from pathlib import Path

import pytest

from offbook.app import Offbook
from tests import waiting
from tests.loopback import LoopbackServer


async def opened(home: Path, server: LoopbackServer, retries: int = 2) -> Offbook:
    """Open a home whose method asks the model once for each question, without documents."""
    return await Offbook.open(
        home=str(home),
        method="vanilla",
        chat__model="m",
        chat__base_url=server.base_url,
        limits__retries=retries,
    )


async def asked(book: Offbook, name: str) -> str:
    """Make a character and ask it a question."""
    await book.create(name)
    return (await book.ask(name, "Who are you?")).text


@pytest.mark.parametrize("other_home", ["same", "other"])
async def test_closing_one_leaves_the_calls_of_another_alone(
    tmp_path: Path, loopback: LoopbackServer, other_home: str
):
    first = await opened(tmp_path / "same", loopback)
    async with await opened(tmp_path / other_home, loopback) as second:
        await asked(first, "Ada")  # both have connections
        loopback.hold(path="/chat/completions")
        reply = asyncio.create_task(asked(second, "Tom"))
        await waiting.eventually(lambda: loopback.in_flight == 1)
        await first.close()
        await first.close()
        loopback.release()
        assert await reply
    assert loopback.count("/chat/completions") == 2, "one for each question"


@pytest.mark.parametrize("other_home", ["same", "other"])
def test_two_event_loops_in_two_threads_do_not_meet(tmp_path: Path, other_home: str):
    replies: Counter[str] = Counter()
    with LoopbackServer() as server:
        server.hold(path="/chat/completions")
        first_is_closed = threading.Event()

        async def first() -> None:
            async with await opened(tmp_path / "same", server) as book:
                await book.create("Ada")
            first_is_closed.set()

        async def second() -> None:
            async with await opened(tmp_path / other_home, server) as book:
                replies[await asked(book, "Tom")] += 1

        late = threading.Thread(target=lambda: asyncio.run(second()))
        late.start()
        waiting.until(lambda: server.in_flight == 1)
        asyncio.run(first())
        assert first_is_closed.is_set()
        server.release()
        late.join(waiting.PATIENCE_SECONDS)
        assert replies.total() == 1
        assert server.count("/chat/completions") == 1
