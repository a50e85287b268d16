"""Lorebooks at a question: pieces of knowledge for whatever method answers.

Takes: a character and a question in its conversation.  Gives: the entries that belong to it, within
a budget of their own, and what was left out and why. Which these are the wing ``cards`` says.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from offbook import registry
from offbook.retrieval.search import IndexCache
from offbook.types import ContextItem, LoreEntries, LoreFile, Skipped

if TYPE_CHECKING:
    from offbook.protocols import Lore, Store
    from offbook.stores.connection import Connection
    from offbook.types import Character

KIND: Final = "knowledge"
_KEPT: Final = 32
"""Characters whose books stay loaded; a server rarely has more that talk at once."""

_loaded: IndexCache[str, Lore | None] = IndexCache(_KEPT)


async def lore_of(store: Store, character: Character) -> Lore | None:
    """Load the lorebooks of a character, ready for questions; None where it has none."""

    async def load() -> Lore | None:
        files = await store.read(_files, character.id)
        if not files:
            return None
        from offbook.models.builtin import embed_texts

        made: Lore = await asyncio.to_thread(
            registry.load("lore", "world_info"), character, files, embed_texts
        )
        return made

    return await _loaded.get(store, character.id, character.revision, load)


def _files(conn: Connection, character: str) -> list[LoreFile]:
    """Return the lorebooks of a character, a card's own in front."""
    from offbook.stores import cards, documents

    books = [file for file in cards.list_files(conn, character) if file.kind != "card"]
    books.sort(key=lambda file: file.kind != "card_lorebook")
    stored = [documents.require(conn, character, file.document) for file in books]
    return [
        LoreFile(file.raw, document.id, document.text, document.ordinal)
        for file, document in zip(books, stored, strict=True)
    ]


def beside(
    lore: LoreEntries, context: Sequence[ContextItem]
) -> tuple[tuple[ContextItem, ...], tuple[Skipped, ...]]:
    """Join what a method found and what lorebooks say to the same, no words twice.

    A passage that says no more than an entry gives way to it: the entry has a name and a reason.
    """
    entries = [_plain(item.text) for item in lore.items]
    items: list[ContextItem] = []
    skipped = list(lore.skipped)
    for item in context:
        if item.kind == KIND and any(_plain(item.text) in words for words in entries):
            skipped.append(Skipped(KIND, item.title, "an entry of a lorebook says all of it"))
        else:
            items.append(item)
    shown = [_plain(item.text) for item in items if item.kind == KIND]
    for item in lore.items:
        words = _plain(item.text)
        if any(words in text for text in shown):
            skipped.append(Skipped(KIND, item.title, "all of it stands in what is shown"))
        else:
            items.append(item)
            shown.append(words)
    return tuple(items), tuple(skipped)


def _plain(text: str) -> str:
    return " ".join(text.split())
