"""Conversations: chains of turns, each knowing what its reply rested on.

Takes: what was said and answered.  Gives: history. A turn's id is a hash over its parent's id and
its own words, so that a client that sends the whole history each time is recognized, repeated
storing changes nothing, and other answers to the same words stand side by side.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import Connection, delete, null, select, update

from offbook.errors import UnknownName, UsageError
from offbook.stores import memory_banks, principals
from offbook.stores.schema import conversations, turn_documents, turns
from offbook.stores.statements import batches, insert_missing, storable, timestamp

BEGINNING: Final = ""
"""In the place of a turn's parent: nothing was said before."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation and the turn that it has come to."""

    id: str
    principal: str
    head: str | None
    created: str
    updated: str


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn as it is stored; ``recall`` has the shape of ``recall --json``."""

    id: str
    parent: str | None
    ordinal: int
    said: str
    answered: str
    recall: Mapping[str, Any] | None
    at: str


def turn_id(parent: str | None, said: str, answered: str) -> str:
    """The id of a turn: SHA-256 over the parent's id and the words."""
    digest = hashlib.sha256()
    for part in (parent or "", said, answered):
        data = part.encode()
        digest.update(f"{len(data)}:".encode() + data)
    return digest.hexdigest()


def begin(
    conn: Connection, character: str, session: str, principal: str = principals.OWNER
) -> Conversation:
    """The conversation with this id, made when it is new, and its principal as well.

    Raises:
        UsageError: it belongs to somebody else.
    """
    storable(session)
    principals.add(conn, principals.Principal(principal))
    now = timestamp()
    row = {
        "character_id": character,
        "id": session,
        "principal_id": principal,
        "head": None,
        "created": now,
        "updated": now,
    }
    conn.execute(insert_missing(conn, conversations), row)
    found = get(conn, character, session)
    if found is None or found.principal != principal:
        raise UsageError(
            f"The session {session!r} belongs to somebody else.", "choose another --session"
        )
    return found


def get(conn: Connection, character: str, session: str) -> Conversation | None:
    """The conversation with this id."""
    found = _conversations(conn, character, conversations.c.id == session)
    return found[0] if found else None


def list_all(
    conn: Connection, character: str, *, principal: str | None = None
) -> list[Conversation]:
    """Conversations of a character, or of one principal with it, by id."""
    mine = [] if principal is None else [conversations.c.principal_id == principal]
    return _conversations(conn, character, *mine)


def add_turn(
    conn: Connection,
    character: str,
    session: str,
    said: str,
    answered: str,
    *,
    parent: str | None = None,
    recall: Mapping[str, Any] | None = None,
    rests_on: Iterable[str] | None = None,
    at: str | None = None,
) -> str:
    """Add a turn after ``parent`` (None: where the conversation has come to), and go there.

    Args:
        conn: Connection of a write.
        character: Id of the character.
        session: Id of a conversation that was begun.
        said: What the person said.
        answered: What the character answered.
        parent: Id of the turn before it; an earlier one makes a branch, ``BEGINNING`` another
            first turn.
        recall: What the reply rested on; what it names as skipped is not kept.
        rests_on: Ids of the documents that it rested on; by default those that ``recall`` names.
        at: ISO 8601 time; now by default.

    Returns:
        The id of the turn.

    Raises:
        UnknownName: there is no such conversation.
    """
    storable(said, answered)
    found = get(conn, character, session)
    if found is None:
        raise UnknownName(f"There is no session {session!r}.", f"offbook chat {character}")
    before = found.head if parent is None else (parent or None)
    turn = StoredTurn(
        id=turn_id(before, said, answered),
        parent=before,
        ordinal=_ordinal(conn, character, session, before),
        said=said,
        answered=answered,
        # Titles of what was skipped are text of documents that forgetting would not find here.
        recall=None if recall is None else {**recall, "skipped": []},
        at=at or timestamp(),
    )
    names = documents_of(recall) if rests_on is None else set(rests_on)
    _put(conn, character, session, turn, names)
    return turn.id


def history(
    conn: Connection, character: str, session: str, *, with_recall: bool = True
) -> list[StoredTurn]:
    """The turns from the first to where the conversation has come to, but for forgotten ones.

    What a reply rested on is longer than the reply: without it a long history is read quickly.
    """
    found = get(conn, character, session)
    turns_ = list_turns(conn, character, session, with_recall=with_recall)
    by_id = {turn.id: turn for turn in turns_}
    chain: list[StoredTurn] = []
    at = found.head if found else None
    while at is not None and at in by_id:
        chain.append(by_id[at])
        at = by_id[at].parent
    return [turn for turn in reversed(chain) if turn.said or turn.answered]


def list_turns(
    conn: Connection, character: str, session: str, *, with_recall: bool = True
) -> list[StoredTurn]:
    """All turns of a conversation, branches included, by depth."""
    c = turns.c
    recall = c.recall if with_recall else null()
    rows = conn.execute(
        select(c.id, c.parent, c.ordinal, c.said, c.answered, recall, c.at)
        .where(c.character_id == character, c.conversation_id == session)
        .order_by(c.ordinal, c.id)
    )
    return [StoredTurn(*row) for row in rows]


def first_said(conn: Connection, character: str, sessions: Collection[str]) -> dict[str, str]:
    """What was said first in conversations, by their ids; a greeting is not said to anybody."""
    c = turns.c
    rows = conn.execute(
        select(c.conversation_id, c.said)
        .where(c.character_id == character, c.conversation_id.in_(sessions))
        .where(c.ordinal <= 1, c.said != "")
        .order_by(c.ordinal.desc(), c.id)
    )
    return {str(session): str(said) for session, said in rows}  # the first of them stands last


def get_turn(conn: Connection, character: str, session: str, turn: str) -> StoredTurn | None:
    """One turn of a conversation, without what it rested on."""
    c = turns.c
    row = conn.execute(
        select(c.id, c.parent, c.ordinal, c.said, c.answered, null(), c.at).where(
            c.character_id == character, c.conversation_id == session, c.id == turn
        )
    ).one_or_none()
    return None if row is None else StoredTurn(*row)


def holds(conn: Connection, character: str, session: str, turn: str) -> bool:
    """Whether a conversation has a turn of this id."""
    return get_turn(conn, character, session, turn) is not None


def points(conn: Connection, character: str, session: str) -> dict[str, str]:
    """Id of a turn -> the point in the story at which it was held, where it was one."""
    return _noted(conn, character, session, turns.c.recall["as_of"].as_string())


def kept_out(conn: Connection, character: str, session: str) -> dict[str, str]:
    """Id of a turn -> why it did not become a memory, where that was noted."""
    return _noted(conn, character, session, turns.c.recall["remembered", "why"].as_string())


def _noted(conn: Connection, character: str, session: str, what: Any) -> dict[str, str]:
    c = turns.c
    rows = conn.execute(
        select(c.id, what).where(
            c.character_id == character, c.conversation_id == session, what.is_not(None)
        )
    )
    return {row[0]: row[1] for row in rows}


def documents_of(recall: Mapping[str, Any] | None) -> set[str]:
    """Ids of the documents that a recall names."""
    items = (recall or {}).get("context", ())
    return {source["document"] for item in items for source in item.get("sources", ())}


def memories_of(recall: Mapping[str, Any] | None) -> list[str]:
    """Ids of the memories that a recall names."""
    return [item["memory"] for item in (recall or {}).get("context", ()) if item.get("memory")]


def emptied(conn: Connection, character: str, session: str) -> set[str]:
    """Ids of the turns of a conversation whose words are forgotten."""
    c = turns.c
    here = c.character_id == character, c.conversation_id == session
    return set(conn.scalars(select(c.id).where(*here, c.said == "", c.answered == "")))


def documents_of_turns(
    conn: Connection, character: str, session: str, ids: Collection[str]
) -> set[str]:
    """Ids of the documents that turns of a conversation rested on; some may be forgotten."""
    return set().union(*documents_by_turn(conn, character, session, ids).values())


def documents_by_turn(
    conn: Connection, character: str, session: str, ids: Collection[str]
) -> dict[str, set[str]]:
    """The same for each turn; those that rested on none are left out."""
    c = turn_documents.c
    found: dict[str, set[str]] = {}
    for piece in batches(list(ids)):
        chosen = c.character_id == character, c.conversation_id == session, c.turn_id.in_(piece)
        for turn, document in conn.execute(select(c.turn_id, c.document_id).where(*chosen)):
            found.setdefault(turn, set()).add(document)
    return found


def remove(conn: Connection, character: str, session: str) -> bool:
    """Delete a conversation with its turns and what they taught; whether there was one."""
    gone = conn.execute(
        delete(conversations).where(
            conversations.c.character_id == character, conversations.c.id == session
        )
    )
    if gone.rowcount:
        memory_banks.clear(conn, character)
    return bool(gone.rowcount)


def _conversations(conn: Connection, character: str, *conditions: Any) -> list[Conversation]:
    c = conversations.c
    rows = conn.execute(
        select(c.id, c.principal_id, c.head, c.created, c.updated)
        .where(c.character_id == character, *conditions)
        .order_by(c.id)
    )
    return [Conversation(*row) for row in rows]


def _put(conn: Connection, character: str, session: str, turn: StoredTurn, names: set[str]) -> None:
    """Store a turn with its links to documents, and make it the conversation's head."""
    key = {"character_id": character, "conversation_id": session}
    conn.execute(insert_missing(conn, turns), {**key, **asdict(turn)})
    links = [{**key, "turn_id": turn.id, "document_id": name} for name in sorted(names)]
    if links:
        conn.execute(insert_missing(conn, turn_documents), links)
    conn.execute(
        update(conversations)
        .where(conversations.c.character_id == character, conversations.c.id == session)
        .values(head=turn.id, updated=turn.at)
    )


def _ordinal(conn: Connection, character: str, session: str, parent: str | None) -> int:
    if parent is None:
        return 0
    before: int | None = conn.execute(
        select(turns.c.ordinal).where(
            turns.c.character_id == character,
            turns.c.conversation_id == session,
            turns.c.id == parent,
        )
    ).scalar_one_or_none()
    if before is None:
        raise UnknownName(
            f"The session {session!r} has no turn {parent!r}.", "continue from a turn it has"
        )
    return before + 1
