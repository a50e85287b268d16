"""What every store promises, on every engine."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from functools import partial

import pytest
from sqlalchemy import Connection, text

from offbook.errors import OffbookError, StoreFailed, UnknownName, UsageError
from offbook.protocols import Store
from offbook.stores import call_cache, characters, memories
from offbook.types import Character
from tests.waiting import PATIENCE_SECONDS, eventually


def count(conn: Connection) -> int:
    return len(characters.list_all(conn))


async def test_a_write_is_there_for_the_next_read(store: Store):
    made = await store.write(lambda c: characters.create(c, "Ada"))
    assert await store.read(lambda c: characters.require(c, "Ada")) == made


@pytest.mark.parametrize("broken", [False, True])
async def test_an_operation_that_fails_leaves_nothing_behind(store: Store, broken: bool):
    def half(conn: Connection) -> None:
        characters.create(conn, "Ada")
        if broken:
            conn.execute(text("INSERT INTO documents (id) VALUES ('x')"))
        raise ZeroDivisionError

    with pytest.raises(StoreFailed if broken else ZeroDivisionError):
        await store.write(half)
    assert await store.read(count) == 0
    await store.write(characters.create, "Bea")
    assert await store.read(count) == 1


async def test_a_read_cannot_write(store: Store):
    with pytest.raises(StoreFailed):
        await store.read(lambda c: characters.create(c, "Ada"))
    assert await store.read(count) == 0


async def test_a_read_sees_one_moment(store: Store):
    """What others write while an operation reads does not show in it."""
    loop = asyncio.get_running_loop()
    seen: list[int] = []

    if type(store).__name__ == "SqliteStore":
        began, written = threading.Event(), threading.Event()

        def twice(conn: Connection) -> None:
            seen.append(count(conn))
            began.set()
            assert written.wait(PATIENCE_SECONDS)
            seen.append(count(conn))

        reading = asyncio.ensure_future(store.read(twice))
        await loop.run_in_executor(None, began.wait)
        await store.write(lambda c: characters.create(c, "Ada"))
        written.set()
        await reading
    else:
        others: list[Character] = []

        def slowly(conn: Connection) -> None:
            seen.append(count(conn))
            while not others:  # the event loop goes on meanwhile
                conn.execute(text("SELECT pg_sleep(0.01)"))
            seen.append(count(conn))

        reading = asyncio.ensure_future(store.read(slowly))
        await eventually(lambda: seen)
        others.append(await store.write(lambda c: characters.create(c, "Ada")))
        await reading
    assert seen == [0, 0]
    assert await store.read(count) == 1


async def test_writes_at_once_do_not_lose_one_another(store: Store):
    character = (await store.write(lambda c: characters.create(c, "Ada"))).id
    before = await store.read(lambda c: characters.require(c, character).revision)
    await asyncio.gather(
        *(store.write(lambda c: characters.touch(c, character)) for _ in range(20))
    )
    assert await store.read(lambda c: characters.require(c, character).revision) == before + 20


async def test_a_cancelled_waiter_does_not_break_the_queue(store: Store):
    waiting = [
        asyncio.ensure_future(store.write(lambda c: characters.create(c, "Ada"))) for _ in range(9)
    ]
    await asyncio.sleep(0)
    for one in waiting[::2]:
        one.cancel()
    done = await asyncio.gather(*waiting, return_exceptions=True)
    finished = sum(isinstance(result, Character) for result in done)
    assert finished == 4
    assert await store.read(count) >= finished
    await store.write(lambda c: call_cache.put_rung(c, "u", "m", "text"))
    assert await store.read(lambda c: call_cache.get_form(c, "u", "m")) == ("text", False)


async def test_closing_finishes_what_is_queued_and_refuses_what_comes_after(store: Store):
    queued = [
        asyncio.ensure_future(store.write(lambda c: characters.touch(c, "nobody")))
        for _ in range(3)
    ]
    await asyncio.sleep(0)
    await store.close()
    results = await asyncio.gather(*queued, return_exceptions=True)
    assert all(isinstance(result, UnknownName) for result in results)
    with pytest.raises(StoreFailed, match="closed"):
        await store.write(count)
    with pytest.raises(StoreFailed, match="closed"):
        await store.read(count)
    await store.close()


async def test_a_text_that_no_engine_can_keep_is_refused_alike(store: Store):
    for bad in ("a\0b", "a\ud800b"):
        with pytest.raises(UsageError) as raised:
            await store.write(partial(characters.create, name=bad))
        assert raised.value.hint
    assert await store.read(count) == 0
    for bad in ("a\0b", "a\ud800b"):
        with suppress(UsageError):
            assert await store.read(memories.get, "ada", [bad]) == []


async def test_purging_leaves_what_is_there(store: Store):
    await store.write(lambda c: characters.create(c, "Ada"))
    await store.purge()
    assert await store.read(count) == 1


async def test_every_failure_says_how_to_mend_it(store: Store):
    with pytest.raises(OffbookError) as raised:
        await store.write(lambda c: c.execute(text("SELECT * FROM nowhere")))
    assert raised.value.hint
    assert "SELECT" not in str(raised.value)
