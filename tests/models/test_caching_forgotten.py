"""What was forgotten while a model answered does not come back with its answer."""

from __future__ import annotations

import asyncio

import pytest

from offbook.models.caching import Cached
from offbook.stores import characters, memories, text_versions
from offbook.stores import documents as stored_texts
from offbook.stores.text_versions import memory_name
from offbook.types import MemoryFragment
from tests.models.fakes import Scripted, request
from tests.models.test_caching import cache, documents, put_text, stored, texts
from tests.waiting import eventually

__all__ = ["cache", "texts"]  # fixtures


def forget_a(conn):
    return stored_texts.remove(conn, "ada", "a.md")


def forget_ada(conn):
    characters.remove(conn, "ada")


def replace_a(conn):
    put_text(conn, "ada", "a.md", "She never lived.")


def forget_and_replace_a(conn):
    forget_a(conn)
    replace_a(conn)


def move_a(conn):
    stored_texts.set_order(conn, "ada", ["b.md", "a.md"])


def put_it_again(conn):
    forget_a(conn)
    put_text(conn, "ada", "a.md", "She was born.")


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize(
    ("meanwhile", "kept"),
    [
        (forget_a, False),
        (forget_ada, False),
        (replace_a, False),
        (forget_and_replace_a, False),
        (move_a, True),
        (put_it_again, True),
    ],
)
async def test_an_answer_is_kept_only_while_all_that_its_prompt_held_is_stored(
    sqlite_store, cache, meanwhile, kept
):
    model = Scripted("She was born.")
    model.gate = asyncio.Event()
    sent = request(documents=frozenset({"ada/a.md", "bo/a.md"}))
    first = asyncio.create_task(Cached(model, cache).complete(sent))
    await eventually(lambda: model.in_flight)
    await sqlite_store.write(meanwhile)
    model.gate.set()
    assert (await first).text == "She was born."
    assert (await stored(sqlite_store, sent, model) is not None) == kept
    assert await documents(sqlite_store) == ({"ada/a.md", "bo/a.md"} if kept else set())


@pytest.mark.usefixtures("texts")
async def test_an_answer_about_a_memory_goes_with_it(sqlite_store, cache):
    fragment = MemoryFragment("m1", "Hello", "Good day.")
    await sqlite_store.write(lambda conn: memories.add(conn, "ada", [fragment]))
    sent = request(documents=frozenset({f"ada/{memory_name('m1')}", "ada/a.md"}))
    model = Scripted("Good day.", "Good day.")
    model.gate = asyncio.Event()
    first = asyncio.create_task(Cached(model, cache).complete(sent))
    await eventually(lambda: model.in_flight)
    await sqlite_store.write(lambda conn: memories.remove(conn, "ada", ["m1"]))
    model.gate.set()
    await first
    assert await stored(sqlite_store, sent, model) is None
    await sqlite_store.write(lambda conn: memories.add(conn, "ada", [fragment]))
    await Cached(model, cache).complete(sent)
    assert await stored(sqlite_store, sent, model) is not None


@pytest.mark.usefixtures("texts")
async def test_an_answer_that_others_joined_is_kept_only_while_their_texts_are_stored_too(
    sqlite_store, cache
):
    model = Scripted("She was born.")
    model.gate = asyncio.Event()
    cached = Cached(model, cache)
    names = ({"bo/a.md"}, {"ada/a.md"})
    both = [
        asyncio.create_task(cached.complete(request(documents=frozenset(each)))) for each in names
    ]
    await eventually(lambda: model.in_flight)
    await sqlite_store.write(forget_a)
    model.gate.set()
    assert {(await each).text for each in both} == {"She was born."}
    assert await stored(sqlite_store, request(), model) is None


@pytest.mark.usefixtures("texts")
async def test_one_who_finds_a_stored_answer_about_a_text_that_is_gone_has_it_forgotten(
    sqlite_store, cache
):
    cached = Cached(Scripted("She was born."), cache)
    await cached.complete(request(documents=frozenset({"bo/a.md"})))
    await sqlite_store.write(forget_a)
    found = await cached.complete(request(documents=frozenset({"ada/a.md", "bo/a.md"})))
    assert found.cached
    assert await stored(sqlite_store, request(), Scripted()) is None


@pytest.mark.usefixtures("texts")
async def test_answers_that_arrive_together_have_their_texts_looked_up_once(
    sqlite_store, cache, monkeypatch
):
    looked_up: list[set[str]] = []
    look_up = text_versions.versions

    def noting(conn, names):
        looked_up.append(set(names))
        return look_up(conn, names)

    monkeypatch.setattr("offbook.stores.text_versions.versions", noting)
    model = Scripted(by=lambda sent: sent.messages[0].content)
    model.gate = asyncio.Event()
    cached, names = Cached(model, cache), frozenset({"ada/a.md"})
    asked = [
        asyncio.create_task(cached.complete(request(f"Is it {n}?", documents=names)))
        for n in range(16)
    ]
    await eventually(lambda: model.in_flight == 16)
    before = len(looked_up)
    assert 1 <= before <= 2
    model.gate.set()
    await asyncio.gather(*asked)
    # The first answer goes alone, and all that arrive meanwhile go together.
    assert len(looked_up) - before <= 4
    looked_up.clear()
    await cached.complete(request("And this, which names no text?"))
    assert looked_up == [set()]
