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
    or_,
    select,
    tuple_,
    update,
)

from offbook.stores import (
    call_cache,
    characters,
    conversations,
    memories,
    memory_statements,
    turn_evidence,
)
from offbook.stores.evaluations import CELL_KEY, FORGOTTEN, RATING_KEY, unquoted
from offbook.stores.schema import (
    cells,
    documents,
    memory_fragments,
    ratings,
    turn_documents,
    turns,
)
from offbook.stores.schema import conversations as conversations_table
from offbook.stores.statements import add_missing, batches, mark_unpurged, of
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
    places = _resting(conn, character, document)
    return len(places), len(_taught(conn, character, places))


def remove_resting_on(conn: Connection, character: str, document: str) -> tuple[int, int]:
    """Delete the words of the turns that rest on a document, and the memories they taught.

    An empty link stays in each turn's place, so that the turns after it keep theirs.

    Returns:
        How many turns and memories went.
    """
    places = _resting(conn, character, document)
    passed_on = _passed_on(conn, character, places)
    counts = [_empty(conn, who, where) for who, where in passed_on.items()]
    noted = of(turn_documents, character, document_id=document)
    conn.execute(delete(turn_documents).where(noted))
    turn_evidence.forget_document(conn, character, document)
    return sum(number for number, _ in counts), sum(number for _, number in counts)


def _empty(conn: Connection, character: str, places: Sequence[Place]) -> tuple[int, int]:
    """Delete the words of turns and what they taught; how many turns and memories went."""
    taught = _taught(conn, character, places)
    forget_memories(conn, character, taught, with_replies=True)
    empty = {"said": "", "answered": "", "recall": None}
    for session, turn in places:
        here = of(turns, character, conversation_id=session, id=turn)
        conn.execute(update(turns).where(here).values(empty))
    for session in {session for session, _ in places}:
        # It may hold the words of those turns: it is made anew of the others.
        conversations.forget_state(conn, character, session)
        _drop(conn, character, turns.c.conversation_id == session, _is_summary)
    return len(places), len(taught)


def _passed_on(conn: Connection, character: str, places: Sequence[Place]) -> dict[str, list[Place]]:
    """Map characters to their turns that rest on these: heard in a scene, or said after hearing."""
    reached: dict[str, set[Place]] = {character: set(places)}
    waiting = [(character, list(places))]
    while waiting:
        for other, heard in _heard_elsewhere(conn, *waiting.pop()).items():
            new = {*heard, *_said_after(conn, other, heard)} - reached.setdefault(other, set())
            reached[other] |= new
            if new:
                waiting.append((other, sorted(new)))
    return {who: sorted(where) for who, where in reached.items()}


def _said_after(conn: Connection, character: str, heard: Sequence[Place]) -> set[Place]:
    """Find turns that recalled what was heard, or say it over again in that conversation."""
    places, taught = set[Place](), set(_taught(conn, character, heard))
    c = turns.c
    for piece in batches(sorted(taught), _IDS_AT_ONCE):
        chosen = select(c.conversation_id, c.id, c.recall).where(of(turns, character))
        for session, turn, recall in conn.execute(chosen.where(_holding(c.recall, piece))):
            if not taught.isdisjoint(item.get("memory") for item in recall.get("context", ())):
                places.add((session, turn))
    for session in {session for session, _ in heard}:
        names = {turn for place, turn in heard if place == session}
        said = set[str]()
        for name in names:
            stored = conversations.get_turn(conn, character, session, name)
            said |= _runs("" if stored is None else stored.said)
        places |= {(session, one) for one in _repeating(conn, character, session, names, said)}
    return places


def _heard_elsewhere(
    conn: Connection, character: str, places: Sequence[Place]
) -> dict[str, list[Place]]:
    """Map the others of a scene to the turns in which they heard what was answered in these."""
    heard: dict[str, list[Place]] = defaultdict(list)
    c, name = turns.c, characters.require(conn, character).name
    for session, turn in places:
        stored = conversations.get_turn(conn, character, session, turn)
        if stored is None or not stored.answered or not conversations.is_scene(session):
            continue
        same = (c.conversation_id == session) & (c.speaker == name) & (c.said == stored.answered)
        chosen = select(c.character_id, c.id).where(same, c.character_id != character)
        for other, id_ in conn.execute(chosen):
            heard[other].append((session, id_))
    return heard


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
    add_missing(conn, turn_documents, rows)
    turn_evidence.forget_document(conn, character, document)
    return len(places), len(_taught(conn, character, places))


def forget_memories(
    conn: Connection, character: str, ids: Collection[str], *, with_replies: bool = False
) -> list[str]:
    """Delete memories, and take their text out of every turn and evaluated reply that recalled it.

    With the memory of a turn go the statements that only it supports. ``with_replies`` those
    replies go as well; their cells then count as failed. The caller purges the store afterwards.

    Returns:
        The ids of the memories that were there.
    """
    places = [
        (one.session, one.turn)
        for one in memories.get(conn, character, list(ids))
        if one.session is not None and one.turn is not None and one.kind is None
    ]
    ids = [*dict.fromkeys([*ids, *memory_statements.take_support(conn, character, places)])]
    gone = frozenset(ids)

    def is_gone(item: Item) -> bool:
        return item.get("memory") in gone

    names = [memory_name(memory) for memory in gone]
    _drop_from_cells(conn, character, names, is_gone, with_replies=with_replies)
    for name in names:
        call_cache.forget_documents(conn, character, name)
    for piece in batches(list(gone), _IDS_AT_ONCE):
        _drop(conn, character, _holding(turns.c.recall, piece), is_gone)
    mark_unpurged(conn)
    return memories.remove(conn, character, ids)


def remove_turn(conn: Connection, character: str, session: str, turn: str) -> None:
    """Delete the words of a turn, and what it taught wherever it was recalled.

    An empty link stays in its place. The caller purges the store afterwards.
    """
    for who, where in _passed_on(conn, character, [(session, turn)]).items():
        _empty(conn, who, where)
    turn_evidence.forget_unnamed(conn, character)


def remove_conversation(conn: Connection, character: str, session: str) -> bool:
    """Delete a conversation with its turns, and what they taught wherever it was recalled.

    That of a scene goes from all who took part in it.

    Returns:
        Whether there was one. The caller purges the store afterwards.
    """
    talk = conversations.get(conn, character, session)
    if talk is None:
        return False
    others = (
        conversations.participants(conn, talk) if conversations.is_scene(session) else [character]
    )
    gone = [_remove_conversation(conn, each, session) for each in others]
    return all(gone)


def _remove_conversation(conn: Connection, character: str, session: str) -> bool:
    c = turns.c
    chosen_turns = select(c.id).where(of(turns, character, conversation_id=session))
    places = [(session, turn) for turn in conn.scalars(chosen_turns)]
    forget_memories(conn, character, _taught(conn, character, places))
    chosen = delete(conversations_table).where(of(conversations_table, character, id=session))
    was_there = bool(conn.execute(chosen).rowcount)
    turn_evidence.forget_unnamed(conn, character)
    return was_there


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
) -> None:
    """Take items out of what turns recalled, and set further ``values`` of it."""
    c = turns.c
    chosen = select(c.conversation_id, c.id, c.recall).where(of(turns, character), condition)
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


def _taught(conn: Connection, character: str, places: Sequence[Place]) -> list[str]:
    """List the ids of the memories that turns have taught, and that no others support."""
    c = memory_fragments.c
    pairs = tuple_(c.conversation_id, c.turn_id)
    chosen = select(c.id).where(of(memory_fragments, character), c.kind.is_(None))
    taught = [
        memory
        for piece in batches(places)
        for memory in conn.scalars(chosen.where(pairs.in_(piece)))
    ]
    return [*taught, *memory_statements.supported_only(conn, character, places)]


def _resting(conn: Connection, character: str, document: str) -> list[Place]:
    chosen = select(*turn_documents.c["conversation_id", "turn_id"])
    here = of(turn_documents, character, document_id=document)
    noted: dict[str, set[str]] = defaultdict(set)
    for session, turn in conn.execute(chosen.where(here)):
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

    ``resting`` are turns that rest on the document, and ``said`` is all that it says.
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
) -> None:
    """Take the text of a document out of the evaluated replies that rest on it.

    ``with_replies`` the replies go as well; their cells then count as failed.
    """

    def is_gone(item: Item) -> bool:
        # What names no source may have been made from any document.
        sources = item.get("sources") or ()
        held = any(source["document"] == document for source in sources)
        return held or not (sources or item.get("memory"))

    _drop_from_cells(conn, character, [document], is_gone, with_replies=with_replies)


def _drop_from_cells(
    conn: Connection,
    character: str,
    names: Sequence[str],
    is_gone: Callable[[Item], bool],
    *,
    with_replies: bool,
) -> None:
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
    for row in _rows_resting_on(conn, ratings, character, names):
        _change(conn, ratings, RATING_KEY, row, unquoted(row))


def _rows_resting_on(
    conn: Connection, table: Table, character: str, names: Sequence[str]
) -> list[Item]:
    """Return the rows of a character whose noted documents are among ``names``."""
    chosen = select(table).where(of(table, character))
    return [
        dict(row)
        for piece in batches(names, _IDS_AT_ONCE)
        for row in conn.execute(chosen.where(_holding(table.c.documents, piece))).mappings()
        if not set(piece).isdisjoint(row["documents"])
    ]


def _change(
    conn: Connection, table: Table, key: Sequence[str], row: Item, values: Mapping[str, Any]
) -> None:
    conditions = [table.c[name] == row[name] for name in ("run_id", *key)]
    conn.execute(update(table).where(*conditions).values(**values))
