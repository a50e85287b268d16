"""What evaluated replies rested on, freed of documents and memories that are forgotten.

Takes: a document, or ids of memories.  Gives: how many cells held their text and have lost it; what
a judge wrote about it goes too. The replies themselves stay, unless they are to go as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Table, Text, cast, or_, select, update

from offbook.stores import evaluations, text_versions
from offbook.stores.evaluation_tables import cells, ratings
from offbook.stores.evaluations import CELL_KEY, RATING_KEY
from offbook.stores.statements import batches
from offbook.stores.text_versions import memory_name

FORGOTTEN: Final = "forgotten"
_IDS_AT_ONCE: Final = 100
"""Each is a condition of its own, and SQLite nests at most a thousand."""

Item = Mapping[str, Any]


def add_cells(conn: Connection, rows: Sequence[Item]) -> list[Item]:
    """Store finished cells, without what was forgotten while they were being answered.

    A reply may say over again what it rested on: one that came too late is not kept, and counts as
    failed.

    Returns:
        The rows as they are to be stored.
    """
    kept = [_still_supported(conn, row) for row in rows]
    evaluations.add_cells(conn, kept)
    return kept


def add_ratings(conn: Connection, rows: Sequence[Item]) -> None:
    """Store ratings; what a judge wrote of a text that is forgotten meanwhile is left out."""
    kept = [{**row, **_unquoted(row)} if _gone(conn, row) else row for row in rows]
    evaluations.add_ratings(conn, kept)


def _unquoted(row: Item) -> dict[str, Any]:
    """What is left of a judge's words, and of an answer that could not be used: its kind."""
    return {"analysis": "", "missing": row["missing"] and row["missing"].partition(":")[0]}


def _still_supported(conn: Connection, row: Item) -> Item:
    gone = _gone(conn, row)
    if not gone:
        return row

    def is_gone(item: Item) -> bool:
        held = {source["document"] for source in item["sources"]}
        if item["memory"] is not None:
            held.add(memory_name(item["memory"]))
        return not held or not gone.isdisjoint(held)

    context = [item for item in row["context"] if not is_gone(item)]
    lost = len(row["context"]) - len(context)
    return {**row, "context": context, "forgotten": lost, "reply": None, "error": FORGOTTEN}


def _gone(conn: Connection, row: Item) -> set[str]:
    return text_versions.forgotten(conn, row["character_id"], row["documents"])


def drop_document(
    conn: Connection, character: str, document: str, *, with_replies: bool = False
) -> int:
    """Take the text of a document out of the cells that rest on it.

    Args:
        conn: Connection of a write.
        character: Id of the character.
        document: Id of the document.
        with_replies: The replies go as well; the cells then count as failed.
    """

    def is_gone(item: Item) -> bool:
        # What names no source may have been made from any document.
        sources = item.get("sources") or ()
        held = any(source["document"] == document for source in sources)
        return held or not (sources or item.get("memory"))

    return _drop(conn, character, [document], is_gone, with_replies=with_replies)


def drop_memories(conn: Connection, character: str, ids: Sequence[str]) -> int:
    """Take the text of these memories out of the cells that recalled them."""
    gone = frozenset(ids)
    names = [memory_name(name) for name in dict.fromkeys(ids)]
    return _drop(conn, character, names, lambda item: item.get("memory") in gone)


def _drop(
    conn: Connection,
    character: str,
    names: Sequence[str],
    is_gone: Callable[[Item], bool],
    *,
    with_replies: bool = False,
) -> int:
    changed = 0
    for row in _resting(conn, cells, character, names, ("context", "forgotten", "reply", "error")):
        kept = [item for item in row["context"] if not is_gone(item)]
        lost = len(row["context"]) - len(kept)
        values: dict[str, Any] = {}
        if lost or not row["forgotten"]:
            # Also where no piece is left to take: a judge must not be asked about what remains.
            values = {"context": kept, "forgotten": row["forgotten"] + max(1, lost)}
        if row["error"] and ":" in row["error"]:
            # It quotes the answer that could not be used.
            values |= {"error": row["error"].partition(":")[0]}
        if with_replies and row["reply"] is not None:
            values |= {"reply": None, "error": FORGOTTEN}
        if values:
            _change(conn, cells, ("run_id", *CELL_KEY), row, values)
            changed += 1
    for row in _resting(conn, ratings, character, names, ("analysis", "missing")):
        left = _unquoted(row)
        if any(row[name] != value for name, value in left.items()):
            _change(conn, ratings, ("run_id", *RATING_KEY), row, left)
    return changed


def _resting(
    conn: Connection, table: Table, character: str, names: Sequence[str], more: Sequence[str]
) -> list[Item]:
    """The rows of a character whose noted documents are among ``names``."""
    wanted = frozenset(names)
    key = CELL_KEY if table is cells else RATING_KEY
    columns = [table.c[name] for name in ("run_id", *key, "documents", *more)]
    found: dict[tuple[Any, ...], Item] = {}
    for piece in batches(list(dict.fromkeys(names)), _IDS_AT_ONCE):
        text = cast(table.c.documents, Text)
        held = or_(*(text.contains(name, autoescape=True) for name in piece))
        chosen = select(*columns).where(table.c.character_id == character, held)
        for row in conn.execute(chosen).mappings():
            if not wanted.isdisjoint(row["documents"]):
                found[tuple(row[name] for name in ("run_id", *key))] = dict(row)
    return list(found.values())


def _change(
    conn: Connection, table: Table, key: Sequence[str], row: Item, values: Mapping[str, Any]
) -> None:
    here = [table.c[name] == row[name] for name in key]
    conn.execute(update(table).where(*here).values(**values))
