from __future__ import annotations

from functools import partial

from sqlalchemy import Connection

from offbook.protocols import Store
from offbook.stores import call_cache, characters, documents
from tests.stores import data

put = partial(call_cache.put, prompt="profile.v1", prompt_tokens=3, completion_tokens=2)


def put_texts(conn: Connection) -> None:
    for character, name in (("a", "d"), ("b", "e/f")):
        characters.create(conn, character)
        documents.put(conn, character, data.document(name, "She was born."))


async def test_an_answer_comes_back_as_it_was_put_until_another_replaces_it(store: Store):
    for text, names in (("yes", frozenset[str]()), ("no", frozenset({"a/d", "a/e"}))):
        await store.write(put, "k", text=text, documents=names)
        found = await store.read(call_cache.get, "k")
        assert found is not None
        assert (found.prompt, found.text, found.documents) == ("profile.v1", text, names)
        assert (found.prompt_tokens, found.completion_tokens) == (3, 2)


async def test_forgetting_a_document_forgets_only_the_answers_that_saw_it(store: Store):
    for key, names in {"1": {"a/d/e.md"}, "2": {"a/other", "a/d/e.md"}, "3": {"b/d/e.md"}}.items():
        documents = frozenset(names)
        await store.write(put, key=key, text="x", documents=documents)
    assert await store.write(call_cache.forget_documents, "a", "d/e.md") == 2
    left = [await store.read(call_cache.get, key=key) for key in "123"]
    assert [bool(found) for found in left] == [False, False, True]


async def test_an_answer_that_was_found_with_another_document_goes_with_that_one_too(store: Store):
    await store.write(put_texts)
    await store.write(put, "1", text="x", documents=frozenset({"a/d"}))
    await store.write(call_cache.link, ["1", "gone"], frozenset({"a/d", "b/e/f"}))
    found = await store.read(call_cache.get, "1")
    assert found is not None
    assert found.documents == {"a/d", "b/e/f"}
    assert await store.write(call_cache.forget_documents, "b", "e/f") == 1
    assert await store.read(call_cache.get, "1") is None


async def test_an_answer_that_is_found_by_a_text_that_is_gone_is_forgotten(store: Store):
    await store.write(put_texts)
    await store.write(put, "1", text="x", documents=frozenset({"a/d"}))
    await store.write(call_cache.link, ["1"], frozenset({"a/d", "b/gone"}))
    assert await store.read(call_cache.get, "1") is None
