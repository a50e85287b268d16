"""Turns that rest on a document which is forgotten: how many, what they lose, or that they go.

Takes: a document, also one that is gone.  Gives: counts. A turn rests on a document where its
recall named it, where it recalled a memory of such a turn, and where it says a sentence of the
document over again that such a turn of its conversation said before it. Source: ours.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sqlalchemy import Connection, delete, func, select, tuple_, update

from offbook.language.tokens import WIDE
from offbook.stores import conversation_states, jobs, memory_banks, recalled_text
from offbook.stores.conversations import list_turns
from offbook.stores.schema import documents, memory_fragments, turn_documents, turns
from offbook.stores.statements import batches, insert_missing

RUN_WORDS: Final = 6
"""So many words in a row are said over again, and are no chance."""
_WORDS: Final = re.compile(f"[{WIDE}]|[^\\W_{WIDE}]+")

Place = tuple[str, str]
"""Ids of a conversation and of one of its turns."""


def resting_on(conn: Connection, character: str, document: str) -> tuple[int, int]:
    """How many turns rest on a document, and how many memories those turns taught."""
    return _counted(conn, character, _resting(conn, character, document))


def remove_resting_on(conn: Connection, character: str, document: str) -> tuple[int, int]:
    """Delete the words of the turns that rest on a document, and the memories they taught.

    An empty link stays in each turn's place, so that the turns after it keep theirs.

    Returns:
        How many turns and memories went.
    """
    found = _resting(conn, character, document)
    counts = _counted(conn, character, found)
    for session, turn in found:
        taught = (
            memory_fragments.c.character_id == character,
            memory_fragments.c.conversation_id == session,
            memory_fragments.c.turn_id == turn,
        )
        ids = conn.scalars(select(memory_fragments.c.id).where(*taught)).all()
        jobs.remove_subjects(conn, character, ids)
        conn.execute(delete(memory_fragments).where(*taught))
        _rewrite(conn, character, session, turn, {"said": "", "answered": "", "recall": None})
        # It may hold the words of that turn: it is made anew of those that stay.
        conversation_states.forget(conn, character, session)
    recalled_text.drop_summaries(conn, character, [session for session, _ in found])
    if found:
        memory_banks.clear(conn, character)
    c = turn_documents.c
    conn.execute(
        delete(turn_documents).where(c.character_id == character, c.document_id == document)
    )
    return counts


def scrub(conn: Connection, character: str, document: str) -> tuple[int, int]:
    """Take a document's text out of what the turns say they rested on; their words stay.

    It stays noted that they rest on it, so that they can still be taken along.

    Returns:
        How many turns and memories rest on it.
    """
    name = conn.execute(
        select(documents.c.name).where(
            documents.c.character_id == character, documents.c.id == document
        )
    ).scalar_one_or_none()
    found = _resting(conn, character, document)
    for session, turn in found:
        recall = conn.execute(
            select(turns.c.recall).where(
                turns.c.character_id == character,
                turns.c.conversation_id == session,
                turns.c.id == turn,
            )
        ).scalar_one()
        if recall is not None:
            cleaned = _without(recall, {document, name})
            _rewrite(conn, character, session, turn, {"recall": cleaned})
    key = {"character_id": character, "document_id": document}
    rows = [{**key, "conversation_id": session, "turn_id": turn} for session, turn in found]
    if rows:
        conn.execute(insert_missing(conn, turn_documents), rows)
    return _counted(conn, character, found)


def _counted(conn: Connection, character: str, found: list[Place]) -> tuple[int, int]:
    pairs = tuple_(memory_fragments.c.conversation_id, memory_fragments.c.turn_id)
    taught = 0
    for piece in batches(found):
        taught += conn.execute(
            select(func.count())
            .select_from(memory_fragments)
            .where(memory_fragments.c.character_id == character, pairs.in_(piece))
        ).scalar_one()
    return len(found), taught


def _resting(conn: Connection, character: str, document: str) -> list[Place]:
    c = turn_documents.c
    rows = conn.execute(
        select(c.conversation_id, c.turn_id).where(
            c.character_id == character, c.document_id == document
        )
    )
    noted: dict[str, set[str]] = defaultdict(set)
    for session, turn in rows:
        noted[session].add(turn)
    text = conn.execute(
        select(documents.c.text).where(
            documents.c.character_id == character, documents.c.id == document
        )
    ).scalar_one_or_none()
    said = _runs(text or "") if noted else set()
    for session in noted if said else ():
        noted[session] |= _repeating(conn, character, session, noted[session], said)
    return sorted((session, turn) for session, found in noted.items() for turn in found)


def _repeating(
    conn: Connection, character: str, session: str, resting: Iterable[str], said: set[str]
) -> set[str]:
    """Turns that say over again what a turn before them has from the document.

    Args:
        conn: Connection of a read.
        character: Id of the character.
        session: The conversation.
        resting: Turns of it that rest on the document.
        said: What the document says.
    """
    found, told = set(resting), set[str]()
    for turn in list_turns(conn, character, session, with_recall=False):
        own = said & (_runs(turn.said) | _runs(turn.answered))
        if turn.id in found or not told.isdisjoint(own):
            found.add(turn.id)
            told |= own
    return found


def _runs(text: str) -> set[str]:
    """All that a text says, as words in a row."""
    words = _WORDS.findall(text.casefold())
    return {" ".join(words[at : at + RUN_WORDS]) for at in range(len(words) - RUN_WORDS + 1)}


def _rewrite(
    conn: Connection, character: str, session: str, turn: str, values: dict[str, Any]
) -> None:
    conn.execute(
        update(turns)
        .where(
            turns.c.character_id == character,
            turns.c.conversation_id == session,
            turns.c.id == turn,
        )
        .values(**values)
    )


def _without(recall: Mapping[str, Any], names: set[str | None]) -> dict[str, Any]:
    """``recall`` without what was, or may have been, made from a document of these names."""
    kept: list[Any] = []
    skipped = list(recall.get("skipped", ()))
    for item in recall.get("context", ()):
        sources = item.get("sources", ())
        if sources and names.isdisjoint(source["document"] for source in sources):
            kept.append(item)
        else:
            skipped.append({"kind": item["kind"], "title": "", "why": "forgotten"})
    return {**recall, "context": kept, "skipped": skipped, "boundary": None}
