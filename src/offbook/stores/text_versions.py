"""Which documents and memories there are, and with which text.

Takes: names, as calls, turns and evaluated replies note whose text they hold.  Gives: a version of
each that is stored. What arrives late is compared by it: a model answers, and what its prompt held
may be forgotten or replaced by then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from sqlalchemy import BindParameter, Connection, bindparam, select

from offbook.stores.schema import documents, memory_fragments
from offbook.stores.statements import batches

_MEMORY: Final = "memory:"
# Built once: building a statement takes longer than running it, and calls wait for this one.
_IDS: Final[BindParameter[list[str]]] = bindparam("ids", expanding=True)
_DOCUMENTS: Final = select(documents.c.id, documents.c.digest).where(
    documents.c.character_id == bindparam("owner"), documents.c.id.in_(_IDS)
)
_MEMORIES: Final = select(memory_fragments.c.id).where(
    memory_fragments.c.character_id == bindparam("owner"), memory_fragments.c.id.in_(_IDS)
)


def memory_name(memory: str) -> str:
    """What stands for a memory where the names of documents are noted."""
    return f"{_MEMORY}{memory}"


def versions(conn: Connection, names: Iterable[str]) -> dict[str, str]:
    """The version of the text behind each name; those that are not stored lack.

    Args:
        conn: Connection of a read or write.
        names: ``character/document``, or a memory's name in the place of the document.
    """
    wanted: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        character, _, own = name.partition("/")
        wanted.setdefault(character, []).append(own)
    found: dict[str, str] = {}
    for character, mine in wanted.items():
        found.update((f"{character}/{name}", at) for name, at in _of(conn, character, mine).items())
    return found


def forgotten(conn: Connection, character: str, names: Collection[str]) -> set[str]:
    """Those of these names, without the character's, whose text is not stored."""
    return set(names) - _of(conn, character, list(dict.fromkeys(names))).keys()


def _of(conn: Connection, character: str, names: list[str]) -> dict[str, str]:
    ids = [name for name in names if not name.startswith(_MEMORY)]
    memories = [name.removeprefix(_MEMORY) for name in names if name.startswith(_MEMORY)]
    found: dict[str, str] = {}
    for piece in batches(ids):
        rows = conn.execute(_DOCUMENTS, {"owner": character, "ids": piece})
        found.update((name, digest) for name, digest in rows)
    for piece in batches(memories):
        # The words of a memory never change.
        here = conn.scalars(_MEMORIES, {"owner": character, "ids": piece})
        found.update((memory_name(name), name) for name in here)
    return found
