"""Which documents and memories there are, and with which text.

What arrives late is compared by it: a model answers, and what its prompt held may be forgotten or
replaced by then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from sqlalchemy import Connection, select

from offbook.stores.schema import documents, memory_fragments
from offbook.stores.statements import among, of

_MEMORY: Final = "memory:"


def memory_name(memory: str) -> str:
    """Return what stands for a memory where the names of documents are noted."""
    return f"{_MEMORY}{memory}"


def versions(conn: Connection, names: Iterable[str]) -> dict[str, str]:
    """Return the version of the text behind each name; those that are not stored lack.

    Args:
        conn: Connection of a read or write.
        names: ``character/document``, or a memory's name in the place of the document.
    """
    wanted: dict[str, list[str]] = {}
    for name in names:
        character, _, text = name.partition("/")
        wanted.setdefault(character, []).append(text)
    return {
        f"{character}/{name}": version
        for character, texts in wanted.items()
        for name, version in _versions_of(conn, character, texts).items()
    }


def forgotten(conn: Connection, character: str, names: Collection[str]) -> set[str]:
    """Return those of these names, without the character's, whose text is not stored."""
    return set(names) - _versions_of(conn, character, names).keys()


def _versions_of(conn: Connection, character: str, names: Collection[str]) -> dict[str, str]:
    stored = among(documents.c.id, [name for name in names if not name.startswith(_MEMORY)])
    chosen = select(documents.c.id, documents.c.digest).where(of(documents, character), stored)
    known = {row.id: row.digest for row in conn.execute(chosen)}
    memories = [name.removeprefix(_MEMORY) for name in names if name.startswith(_MEMORY)]
    if memories:
        felt = of(memory_fragments, character) & among(memory_fragments.c.id, memories)
        # The words of a memory never change.
        ids = conn.scalars(select(memory_fragments.c.id).where(felt))
        known.update((memory_name(memory), memory) for memory in ids)
    return known
