"""What turns rested on: kept as places, read as the words that they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from sqlalchemy import Text, cast, func, select

from offbook.protocols import Store
from offbook.stores import characters, conversations, documents, export, forgetting
from offbook.stores.schema import former_passages, turns
from offbook.types import ContextItem, ContextKind, Document, Source

LAMP = "Tom taught Ada to trim the lamp."
SECRET = "The key lies under the flat stone."
TEXT = f"{LAMP}\n{SECRET}\n" + "The sea is wide. " * 6_000
NOW = f"A new beginning. {LAMP}\n"


def item(text: str, start: int, end: int, kind: ContextKind = "knowledge") -> dict[str, Any]:
    return asdict(ContextItem(kind, "Ada", text, 1.0, (Source("a-md", "", start, end),)))


WHOLE = item(TEXT, 0, len(TEXT), "profile")
OF_LAMP = item(LAMP, 0, len(TEXT))
SAID_OTHERWISE = item("Ada was taught by Tom.", 0, len(TEXT), "entity")


def version(text: str) -> Document:
    return Document("a-md", "a.md", text, sha256(text.encode()).hexdigest())


async def talked(store: Store, *contexts: list[dict[str, Any]]) -> Store:
    await store.write(characters.create, "Ada")
    await store.write(documents.put, "ada", version(TEXT))
    await store.write(conversations.begin, "ada", "s")
    for number, context in enumerate(contexts):
        recall = {"context": context, "skipped": [], "as_of": None}
        await store.write(conversations.add_turn, "ada", "s", f"q{number}", "a", recall=recall)
    return store


async def recalls(store: Store) -> list[Mapping[str, Any]]:
    kept = await store.read(conversations.history, "ada", "s")
    return [turn.recall for turn in kept if turn.recall is not None]


async def context(store: Store) -> list[list[Any]]:
    return [[piece["text"] for piece in each["context"]] for each in await recalls(store)]


async def stored_chars(store: Store) -> int:
    chosen = select(func.sum(func.length(cast(turns.c.recall, Text))))
    return await store.read(lambda conn: conn.scalar(chosen))


async def former(store: Store) -> list[str]:
    return await store.read(lambda conn: sorted(conn.scalars(select(former_passages.c.text))))


async def test_a_text_in_front_of_every_turn_is_stored_once(store: Store):
    await talked(store, *[[WHOLE, OF_LAMP]] * 20)
    assert await context(store) == [[TEXT, LAMP]] * 20
    assert await stored_chars(store) < 20 * 1_000


async def test_the_other_fields_and_words_of_no_document_are_kept_as_they_are(store: Store):
    await talked(store, [OF_LAMP, SAID_OTHERWISE])
    (recall,) = await recalls(store)
    assert [dict(piece) for piece in recall["context"]] == [
        {**piece, "sources": list(map(dict, piece["sources"]))}
        for piece in (OF_LAMP, SAID_OTHERWISE)
    ]
    (turn,) = await store.read(conversations.list_turns, "ada", "s", with_recall=False)
    assert await store.read(conversations.recalls, "ada", "s", [turn.id]) == {turn.id: recall}


async def test_after_an_edit_turns_show_the_words_as_they_were(store: Store):
    await talked(store, [OF_LAMP, SAID_OTHERWISE], [OF_LAMP])
    for text in (NOW, "Nothing of it."):
        await store.write(documents.put, "ada", version(text))
        assert await context(store) == [[LAMP, SAID_OTHERWISE["text"]], [LAMP]]
    # Of the old text what a turn rested on is kept, once, and nothing else.
    assert await former(store) == [LAMP]
    new = item(LAMP, 0, len(NOW))
    await store.write(documents.put, "ada", version(NOW))
    recall = {"context": [new], "skipped": []}
    await store.write(conversations.add_turn, "ada", "s", "later", "a", recall=recall)
    assert (await context(store))[-1] == [LAMP]


async def test_with_the_document_its_words_go_from_turns_and_earlier_texts(store: Store):
    await talked(store, [WHOLE, SAID_OTHERWISE])
    await store.write(documents.put, "ada", version(NOW))
    assert await former(store) == [TEXT]
    await store.write(documents.remove, "ada", "a-md")
    assert await context(store) == [[]]
    assert await former(store) == []


async def test_with_the_last_conversation_that_names_them_earlier_texts_go(store: Store):
    await talked(store, [OF_LAMP])
    await store.write(documents.put, "ada", version(NOW))
    await store.write(conversations.begin, "ada", "other")
    await store.write(forgetting.remove_conversation, "ada", "other")
    assert await former(store) == [LAMP]
    await store.write(forgetting.remove_conversation, "ada", "s")
    assert await former(store) == []


async def test_another_character_on_the_source_keeps_what_its_turns_showed(store: Store):
    await talked(store, [OF_LAMP])
    await store.write(characters.create, "Tom", on_source_of="ada")
    await store.write(documents.put, "tom", version(NOW))
    assert await context(store) == [[LAMP]]


async def test_words_that_are_stored_nowhere_are_noted(store: Store):
    await talked(store, [OF_LAMP])
    await store.write(documents.put, "ada", version(NOW))
    await store.write(lambda conn: conn.execute(former_passages.delete()))
    (recall,) = await recalls(store)
    assert recall["context"] == []
    assert [each["title"] for each in recall["skipped"]] == ["Ada"]


async def test_a_file_takes_earlier_texts_along_and_a_file_without_talk_leaves_them(
    store: Store, tmp_path
):
    await talked(store, [OF_LAMP])
    await store.write(documents.put, "ada", version(NOW))
    with_talk, without = tmp_path / "talk.zip", tmp_path / "plain.zip"
    await store.read(export.export_character, "ada", with_talk, with_conversations=True)
    await store.read(export.export_character, "ada", without)
    await store.write(export.import_character, without, replace=True)
    assert await context(store) == [[LAMP]]
    await store.write(export.import_character, with_talk, replace=True)
    assert await context(store) == [[LAMP]]
    await store.write(characters.remove, "ada")
    await store.write(export.import_character, with_talk)
    assert await context(store) == [[LAMP]]
