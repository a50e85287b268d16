"""Which documents and memories there are, and with which text.

Takes: names, as calls, turns and evaluated replies note whose text they hold.  Gives: a version of
each that is stored. What arrives late is compared by it: a model answers, and what its prompt held
may be forgotten or replaced by then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from sqlalchemy import Connection, select

from offbook.stores.schema import documents, memory_fragments
from offbook.stores.statements import batches

_MEMORY: Final = "memory:"


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
    d, m = documents.c, memory_fragments.c
    for piece in batches(ids):
        chosen = select(d.id, d.digest).where(d.character_id == character, d.id.in_(piece))
        found.update((name, digest) for name, digest in conn.execute(chosen))
    for piece in batches(memories):
        # The words of a memory never change.
        here = select(m.id).where(m.character_id == character, m.id.in_(piece))
        found.update((memory_name(name), name) for name in conn.scalars(here))
    return found
