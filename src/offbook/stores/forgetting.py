"""Taking what is forgotten out of turns, memories and evaluated replies that rested on it.

A turn rests on a document where its recall named it, where it recalled a memory of such a turn, and
where it says a sentence of the document over again that such a turn of its conversation said before
it. Source: ours.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    Text,
    cast,
    delete,
    func,
    or_,
    select,
    tuple_,
    update,
)

from offbook.stores import call_cache, conversations, jobs, memories
from offbook.stores.evaluations import CELL_KEY, FORGOTTEN, RATING_KEY, unquoted
from offbook.stores.schema import (
    cells,
    documents,
    memory_fragments,
    ratings,
    turn_documents,
    turns,
)
from offbook.stores.statements import batches, insert_missing, of
from offbook.stores.text_versions import memory_name
from offbook.text.tokens import WIDE

RUN_WORDS: Final = 6
"""So many words in a row are said over again, and are no chance."""
_WORDS: Final = re.compile(f"[{WIDE}]|[^\\W_{WIDE}]+")
_IDS_AT_ONCE: Final = 100
"""Each is a condition of its own, and SQLite nests at most a thousand."""

Item = Mapping[str, Any]
Place = tuple[str, str]
"""Ids of a conversation and of one of its turns."""


def resting_on(conn: Connection, character: str, document: str) -> tuple[int, int]:
    """Count the turns that rest on a document, also one that is gone, and what they taught."""
    return _counted(conn, character, _resting(conn, character, document))


def remove_resting_on(conn: Connection, character: str, document: str) -> tuple[int, int]:
    """Delete the words of the turns that rest on a document, and the memories they taught.

    An empty link stays in each turn's place, so that the turns after it keep theirs.

    Returns:
        How many turns and memories went.
    """
    places = _resting(conn, character, document)
    counts = _counted(conn, character, places)
    empty = {"said": "", "answered": "", "recall": None}
    for session, turn in places:
        taught = of(memory_fragments, character, conversation_id=session, turn_id=turn)
        ids = conn.scalars(select(memory_fragments.c.id).where(taught)).all()
        jobs.remove_subjects(conn, character, ids)
        conn.execute(delete(memory_fragments).where(taught))
        here = of(turns, character, conversation_id=session, id=turn)
        conn.execute(update(turns).where(here).values(empty))
        # It may hold the words of that turn: it is made anew of those that stay.
        conversations.forget_state(conn, character, session)
    # Running summaries tell of forgotten turns.
    for session in {session for session, _ in places}:
        _drop(conn, character, turns.c.conversation_id == session, _is_summary)
    if places:
        memories.grow_bank(conn, character, cleared=True)
    noted = of(turn_documents, character, document_id=document)
    conn.execute(delete(turn_documents).where(noted))
    return counts


def scrub(conn: Connection, character: str, document: str) -> tuple[int, int]:
    """Take a document's text out of what the turns say they rested on; their words stay.

    It stays noted that they rest on it, so that they can still be taken along.

    Returns:
        How many turns and memories rest on it.
    """
    name = conn.scalar(select(documents.c.name).where(of(documents, character, id=document)))
    names = {document, name}

    def is_gone(item: Item) -> bool:
        """Tell whether it was, or may have been, made from the document."""
        sources = item.get("sources", ())
        return not sources or not names.isdisjoint(source["document"] for source in sources)

    places = _resting(conn, character, document)
    for session, turn in places:
        here = (turns.c.conversation_id == session) & (turns.c.id == turn)
        _drop(conn, character, here, is_gone, boundary=None)
    key = {"character_id": character, "document_id": document}
    rows = [{**key, "conversation_id": session, "turn_id": turn} for session, turn in places]
    if rows:
        conn.execute(insert_missing(conn, turn_documents), rows)
    return _counted(conn, character, places)


def drop_memories(conn: Connection, character: str, ids: Collection[str]) -> int:
    """Take the text of these memories out of every turn that recalled them.

    And out of evaluated replies, with what a judge answered about these.

    Returns:
        How many turns have lost it.
    """
    gone = frozenset(ids)

    def is_gone(item: Item) -> bool:
        return item.get("memory") in gone

    _drop_from_cells(conn, character, [memory_name(memory) for memory in gone], is_gone)
    for memory in gone:
        call_cache.forget_documents(conn, character, memory_name(memory))
    changed: set[Place] = set()
    for piece in batches(list(gone), _IDS_AT_ONCE):
        changed |= _drop(conn, character, _holding(turns.c.recall, piece), is_gone)
    return len(changed)


def _is_summary(item: Item) -> bool:
    """Tell a memory that is no stored one: it is what the conversation was summed up as."""
    return item["kind"] == "memory" and not item.get("memory") and not item.get("sources")


def _holding(column: ColumnElement[Any], names: Sequence[str]) -> ColumnElement[bool]:
    """Choose the rows whose JSON holds one of some names, and perhaps others."""
    text = cast(column, Text)
    return or_(*(text.contains(name, autoescape=True) for name in names))


def _drop(
    conn: Connection,
    character: str,
    condition: ColumnElement[bool],
    is_gone: Callable[[Item], bool],
    **values: Any,
) -> set[Place]:
    """Take items out of what turns recalled, and set further ``values`` of it."""
    c = turns.c
    chosen = select(c.conversation_id, c.id, c.recall).where(of(turns, character), condition)
    changed: set[Place] = set()
    for session, turn, recall in conn.execute(chosen.where(c.recall.is_not(None))).all():
        items = recall.get("context", ())
        left = [item for item in items if not is_gone(item)]
        if len(left) == len(items) and not values:
            continue
        out = [{"kind": i["kind"], "title": "", "why": FORGOTTEN} for i in items if is_gone(i)]
        skipped = [*recall.get("skipped", ()), *out]
        here = of(turns, character, conversation_id=session, id=turn)
        freed = {**recall, "context": left, "skipped": skipped, **values}
        conn.execute(update(turns).where(here).values(recall=freed))
        changed.add((session, turn))
    return changed


def _counted(conn: Connection, character: str, places: list[Place]) -> tuple[int, int]:
    pairs = tuple_(memory_fragments.c.conversation_id, memory_fragments.c.turn_id)
    counted = select(func.count()).select_from(memory_fragments)
    taught = sum(
        conn.execute(counted.where(of(memory_fragments, character), pairs.in_(piece))).scalar_one()
        for piece in batches(places)
    )
    return len(places), taught


def _resting(conn: Connection, character: str, document: str) -> list[Place]:
    rows = conn.execute(
        select(*turn_documents.c["conversation_id", "turn_id"]).where(
            of(turn_documents, character, document_id=document)
        )
    )
    noted: dict[str, set[str]] = defaultdict(set)
    for session, turn in rows:
        noted[session].add(turn)
    text = conn.scalar(select(documents.c.text).where(of(documents, character, id=document)))
    said = _runs(text or "") if noted else set()
    for session in noted if said else ():
        noted[session] |= _repeating(conn, character, session, noted[session], said)
    return sorted((session, turn) for session, names in noted.items() for turn in names)


def _repeating(
    conn: Connection, character: str, session: str, resting: Iterable[str], said: set[str]
) -> set[str]:
    """Find the turns that say over again what a turn before them has from the document.

    Args:
        conn: Connection of a read.
        character: Id of the character.
        session: The conversation.
        resting: Turns of it that rest on the document.
        said: What the document says.
    """
    names, passed_on = set(resting), set[str]()
    for turn in conversations.list_turns(conn, character, session, with_recall=False):
        repeated = said & (_runs(turn.said) | _runs(turn.answered))
        if turn.id in names or not passed_on.isdisjoint(repeated):
            names.add(turn.id)
            passed_on |= repeated
    return names


def _runs(text: str) -> set[str]:
    """Return all that a text says, as words in a row."""
    words = _WORDS.findall(text.casefold())
    starts = range(len(words) - RUN_WORDS + 1)
    return {" ".join(words[start : start + RUN_WORDS]) for start in starts}


def drop_document_from_cells(
    conn: Connection, character: str, document: str, *, with_replies: bool = False
) -> int:
    """Take the text of a document out of the evaluated replies that rest on it.

    Args:
        conn: Connection of a write.
        character: Id of the character.
        document: Id of the document.
        with_replies: The replies go as well; the cells then count as failed.

    Returns:
        How many cells have lost it.
    """

    def is_gone(item: Item) -> bool:
        # What names no source may have been made from any document.
        sources = item.get("sources") or ()
        held = any(source["document"] == document for source in sources)
        return held or not (sources or item.get("memory"))

    return _drop_from_cells(conn, character, [document], is_gone, with_replies=with_replies)


def _drop_from_cells(
    conn: Connection,
    character: str,
    names: Sequence[str],
    is_gone: Callable[[Item], bool],
    *,
    with_replies: bool = False,
) -> int:
    changed = 0
    for row in _rows_resting_on(conn, cells, character, names):
        left = [item for item in row["context"] if not is_gone(item)]
        lost = len(row["context"]) - len(left)
        values: dict[str, Any] = {}
        if lost or not row["forgotten"]:
            # Also where no piece is left to take: a judge must not be asked about what remains.
            values = {"context": left, "forgotten": row["forgotten"] + max(1, lost)}
        if row["error"] and ":" in row["error"]:
            # It quotes the answer that could not be used.
            values |= {"error": row["error"].partition(":")[0]}
        if with_replies and row["reply"] is not None:
            values |= {"reply": None, "error": FORGOTTEN}
        if values:
            _change(conn, cells, CELL_KEY, row, values)
            changed += 1
    for row in _rows_resting_on(conn, ratings, character, names):
        _change(conn, ratings, RATING_KEY, row, unquoted(row))
    return changed


def _rows_resting_on(
    conn: Connection, table: Table, character: str, names: Sequence[str]
) -> list[Item]:
    """Return the rows of a character whose noted documents are among ``names``."""
    gone = frozenset(names)
    rows = [
        row
        for piece in batches(names, _IDS_AT_ONCE)
        for row in conn.execute(
            select(table).where(of(table, character), _holding(table.c.documents, piece))
        ).mappings()
    ]
    return [dict(row) for row in rows if not gone.isdisjoint(row["documents"])]


def _change(
    conn: Connection, table: Table, key: Sequence[str], row: Item, values: Mapping[str, Any]
) -> None:
    here = [table.c[name] == row[name] for name in ("run_id", *key)]
    conn.execute(update(table).where(*here).values(**values))
