"""Conversations: chains of turns, each knowing what its reply rested on, and what they came to.

A turn's id is a hash over its parent's id and
its own words, so that a client that sends the whole history each time is recognized, repeated
storing changes nothing, and other answers to the same words stand side by side.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import Connection, delete, exists, null, select, update

from offbook.errors import UnknownName, UsageError
from offbook.stores import jobs, principals, turn_evidence
from offbook.stores.schema import conversation_states, conversations, turn_documents, turns
from offbook.stores.statements import (
    add_missing,
    among,
    columns_of,
    of,
    put_rows,
    read_as,
    row_of,
    storable,
    timestamp,
)

BEGINNING: Final = ""
"""In the place of a turn's parent: nothing was said before."""

SCENE: Final = "scene:"
"""Begins the names of conversations that several characters have together."""


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
    """A turn as it is stored; ``recall`` has the shape of ``recall --json``.

    ``speaker`` is who said it, empty: the person. Without an answer it was only heard.
    """

    id: str
    parent: str | None
    ordinal: int
    said: str
    answered: str
    recall: Mapping[str, Any] | None
    at: str
    speaker: str = ""

    @property
    def is_unanswered(self) -> bool:
        """Whether the character heard it and has not answered it."""
        return bool(self.said) and not self.answered


@dataclass(frozen=True, slots=True)
class OtherTurn:
    """A turn of another branch.

    ``is_regenerated`` says that it answers the same words after the same history, and that nobody
    has gone on from it.
    """

    id: str
    said: str
    answered: str
    is_regenerated: bool


@dataclass(frozen=True, slots=True)
class ConversationState:
    """The mood as its owner wrote it; ``summarized`` is the last turn that ``summary`` covers."""

    mood: Mapping[str, Any] | None = None
    summary: str | None = None
    summarized: str | None = None


def turn_id(parent: str | None, said: str, answered: str, speaker: str = "") -> str:
    """Derive the id of a turn: SHA-256 over the parent's id, the words, and whose they are."""
    digest = hashlib.sha256()
    for part in (parent or "", said, answered, *([speaker] if speaker else [])):
        data = part.encode()
        digest.update(f"{len(data)}:".encode() + data)
    return digest.hexdigest()


def begin(
    conn: Connection, character: str, session: str, principal: str = principals.OWNER
) -> Conversation:
    """Return the conversation with this id, made when it is new, and its principal as well.

    Raises:
        UsageError: it belongs to somebody else.
    """
    storable(session)
    principals.add(conn, principal)
    now = timestamp()
    row = {
        "character_id": character,
        "id": session,
        "principal_id": principal,
        "head": None,
        "created": now,
        "updated": now,
    }
    add_missing(conn, conversations, [row])
    stored = get(conn, character, session)
    if stored is None or stored.principal != principal:
        raise UsageError(
            f"The session {session!r} belongs to somebody else.", "choose another --session"
        )
    return stored


def get(conn: Connection, character: str, session: str) -> Conversation | None:
    """Return the conversation with this id."""
    stored = _conversations(conn, character, id=session)
    return stored[0] if stored else None


def list_all(
    conn: Connection, character: str, *, principal: str | None = None
) -> list[Conversation]:
    """List conversations of a character, or of one principal with it, by id."""
    if principal is None:
        return _conversations(conn, character)
    return _conversations(conn, character, principal_id=principal)


def rename(conn: Connection, character: str, session: str, new: str) -> None:
    """Give a conversation another id; what hangs on it goes along.

    Raises:
        UsageError: another has it.
    """
    storable(new)
    if get(conn, character, new) is not None:
        raise UsageError(f"there is a session {new!r} already", "choose another name")
    chosen = update(conversations).where(of(conversations, character, id=session))
    conn.execute(chosen.values(id=new))
    jobs.rename_subject(conn, character, jobs.DISTIL, session, new)


def is_scene(session: str) -> bool:
    """Tell whether a conversation is one of several characters, by its id."""
    return session.rpartition("/")[2].startswith(SCENE)


def participants(conn: Connection, talk: Conversation) -> list[str]:
    """List the ids of all characters that have a conversation of this id and principal."""
    c = conversations.c
    same = (c.id == talk.id) & (c.principal_id == talk.principal)
    return list(conn.scalars(select(c.character_id).where(same).order_by(c.character_id)))


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
    added: str | None = None,
    speaker: str = "",
) -> str:
    """Add a turn after ``parent`` (None: where the conversation has come to), and go there.

    An earlier parent makes a branch, ``BEGINNING`` another first turn. Of ``recall`` it is not kept
    what was skipped; ``rests_on`` are ids of documents, by default those that ``recall`` names, and
    ``added`` is an ISO 8601 time, by default now.

    Returns:
        The id of the turn.

    Raises:
        UnknownName: there is no such conversation.
    """
    storable(said, answered, speaker)
    conversation = get(conn, character, session)
    if conversation is None:
        raise UnknownName(f"There is no session {session!r}.", f"offbook chat {character}")
    before = conversation.head if parent is None else (parent or None)
    stored = None
    if recall is not None:
        # Titles of what was skipped are text of documents that forgetting would not find here.
        stored = turn_evidence.as_places(conn, character, {**recall, "skipped": []})
    turn = StoredTurn(
        id=turn_id(before, said, answered, speaker),
        parent=before,
        ordinal=_ordinal(conn, character, session, before),
        said=said,
        answered=answered,
        recall=stored,
        at=added or timestamp(),
        speaker=speaker,
    )
    key = {"character_id": character, "conversation_id": session}
    add_missing(conn, turns, [{**key, **row_of(turn)}])
    names = documents_of(recall) if rests_on is None else set(rests_on)
    links = [{**key, "turn_id": turn.id, "document_id": name} for name in sorted(names)]
    add_missing(conn, turn_documents, links)
    chosen = update(conversations).where(of(conversations, character, id=session))
    conn.execute(chosen.values(head=turn.id, updated=turn.at))
    return turn.id


def history(
    conn: Connection,
    character: str,
    session: str,
    *,
    until: str | None = None,
    with_recall: bool = True,
) -> list[StoredTurn]:
    """Return the turns from the first to ``until``, but for forgotten ones.

    That is by default the conversation's head. What a reply rested on is longer than the reply:
    without it a long history is read quickly.
    """
    conversation = get(conn, character, session)
    stored = list_turns(conn, character, session, with_recall=with_recall)
    by_id = {turn.id: turn for turn in stored}
    chain: list[StoredTurn] = []
    name = until or (conversation.head if conversation else None)
    while name is not None and name in by_id:
        chain.append(by_id[name])
        name = by_id[name].parent
    return [turn for turn in reversed(chain) if turn.said or turn.answered]


def list_turns(
    conn: Connection, character: str, session: str, *, with_recall: bool = True
) -> list[StoredTurn]:
    """List all turns of a conversation, branches included, by depth."""
    return _turns(conn, character, with_recall=with_recall, conversation_id=session)


def first_said(conn: Connection, character: str, sessions: Collection[str]) -> dict[str, str]:
    """Return what was said first in conversations, by id; a greeting is not said to anybody."""
    c = turns.c
    chosen = select(c.conversation_id, c.said).where(of(turns, character), c.said != "")
    chosen = chosen.where(among(c.conversation_id, sessions), c.ordinal <= 1)
    rows = conn.execute(chosen.order_by(c.ordinal.desc(), c.id))
    return {str(session): str(said) for session, said in rows}  # the first of them stands last


def holding(conn: Connection, character: str, words: str) -> set[str]:
    """Return the ids of the conversations in which words were said or answered."""
    c = turns.c
    there = c.said.icontains(words, autoescape=True) | c.answered.icontains(words, autoescape=True)
    chosen = select(c.conversation_id).where(of(turns, character), there).distinct()
    return set(conn.scalars(chosen))


def get_turn(conn: Connection, character: str, session: str, turn: str) -> StoredTurn | None:
    """Return one turn of a conversation, without what it rested on."""
    stored = _turns(conn, character, with_recall=False, conversation_id=session, id=turn)
    return stored[0] if stored else None


def other_turns(conn: Connection, character: str, session: str, turn: str) -> list[OtherTurn]:
    """List the turns that stand as deep in a conversation as ``turn``, in other branches of it."""
    this, c, following = get_turn(conn, character, session, turn), turns.c, turns.alias()
    if this is None:
        return []
    goes_on = exists().where(
        following.c.character_id == c.character_id,
        following.c.conversation_id == c.conversation_id,
        following.c.parent == c.id,
    )
    deep = of(turns, character, conversation_id=session, ordinal=this.ordinal) & (c.id != turn)
    rows = conn.execute(select(c.id, c.parent, c.said, c.answered, goes_on).where(deep))
    before = this.parent, this.said
    return [
        OtherTurn(id_, said, answered, (parent, said) == before and not continued)
        for id_, parent, said, answered, continued in rows
    ]


def holds(conn: Connection, character: str, session: str, turn: str) -> bool:
    """Tell whether a conversation has a turn of this id."""
    return get_turn(conn, character, session, turn) is not None


def points(conn: Connection, character: str, session: str) -> dict[str, str]:
    """Map turns to the point in the story at which they were held, where it was one."""
    return _noted(conn, character, session, turns.c.recall["as_of"].as_string())


def kept_out(conn: Connection, character: str, session: str) -> dict[str, str]:
    """Map turns to why they did not become a memory, where that was noted."""
    return _noted(conn, character, session, turns.c.recall["remembered", "why"].as_string())


def recalls(
    conn: Connection, character: str, session: str, ids: Collection[str]
) -> dict[str, Mapping[str, Any]]:
    """Map turns of a conversation to what their replies rested on, where that is kept."""
    c = turns.c
    chosen = select(c.id, c.recall).where(of(turns, character, conversation_id=session))
    rows = conn.execute(chosen.where(among(c.id, ids), c.recall.is_not(None)))
    return turn_evidence.in_words(conn, character, {row[0]: row[1] for row in rows})


def _noted(conn: Connection, character: str, session: str, note: Any) -> dict[str, str]:
    chosen = select(turns.c.id, note).where(of(turns, character, conversation_id=session))
    return {row[0]: row[1] for row in conn.execute(chosen.where(note.is_not(None)))}


def documents_of(recall: Mapping[str, Any] | None) -> set[str]:
    """Return the ids of the documents that a recall names."""
    items = (recall or {}).get("context", ())
    return {source["document"] for item in items for source in item.get("sources", ())}


def memories_of(recall: Mapping[str, Any] | None) -> list[str]:
    """Return the ids of the memories that a recall names."""
    return [item["memory"] for item in (recall or {}).get("context", ()) if item.get("memory")]


def emptied(conn: Connection, character: str, session: str) -> set[str]:
    """Return the ids of the turns of a conversation whose words are forgotten."""
    chosen = of(turns, character, conversation_id=session, said="", answered="")
    return set(conn.scalars(select(turns.c.id).where(chosen)))


def documents_of_turns(
    conn: Connection, character: str, session: str, ids: Collection[str]
) -> set[str]:
    """Return the ids of documents that turns of a conversation rested on, forgotten or not."""
    return set().union(*documents_by_turn(conn, character, session, ids).values())


def documents_by_turn(
    conn: Connection, character: str, session: str, ids: Collection[str]
) -> dict[str, set[str]]:
    """Return the same for each turn; those that rested on none are left out."""
    c = turn_documents.c
    chosen = of(turn_documents, character, conversation_id=session) & among(c.turn_id, ids)
    named: dict[str, set[str]] = {}
    for turn, document in conn.execute(select(c.turn_id, c.document_id).where(chosen)):
        named.setdefault(turn, set()).add(document)
    return named


def get_state(conn: Connection, character: str, session: str) -> ConversationState:
    """Return what a conversation has come to; empty where nothing was kept yet."""
    here = of(conversation_states, character, conversation_id=session)
    chosen = select(*columns_of(ConversationState, conversation_states)).where(here)
    return next(iter(read_as(conn, ConversationState, chosen)), ConversationState())


def set_mood(conn: Connection, character: str, session: str, mood: Mapping[str, Any]) -> None:
    """Keep a mood; the conversation must exist."""
    _put_state(conn, character, session, replace(get_state(conn, character, session), mood=mood))


def set_summary(
    conn: Connection, character: str, session: str, summary: str, summarized: str
) -> None:
    """Keep a summary of all turns up to ``summarized``; the conversation must exist."""
    mood = get_state(conn, character, session).mood
    _put_state(conn, character, session, ConversationState(mood, summary, summarized))


def forget_state(conn: Connection, character: str, session: str) -> None:
    """Delete the state: words of a turn that is forgotten may be in it."""
    here = of(conversation_states, character, conversation_id=session)
    conn.execute(delete(conversation_states).where(here))


def _put_state(conn: Connection, character: str, session: str, state: ConversationState) -> None:
    row = {"conversation_id": session, **row_of(state)}
    put_rows(conn, conversation_states, character, [row])


def _conversations(conn: Connection, character: str, **values: str) -> list[Conversation]:
    chosen = select(*columns_of(Conversation, conversations, principal="principal_id"))
    ordered = chosen.where(of(conversations, character, **values)).order_by(conversations.c.id)
    return read_as(conn, Conversation, ordered)


def _turns(
    conn: Connection, character: str, *, with_recall: bool, **values: str
) -> list[StoredTurn]:
    c = turns.c
    recall = c.recall if with_recall else null()
    chosen = select(c.id, c.parent, c.ordinal, c.said, c.answered, recall, c.at, c.speaker)
    here = chosen.where(of(turns, character, **values))
    stored = read_as(conn, StoredTurn, here.order_by(c.ordinal, c.id))
    recalled = {turn.id: turn.recall for turn in stored if turn.recall is not None}
    recalled = turn_evidence.in_words(conn, character, recalled)
    return [replace(turn, recall=recalled.get(turn.id)) for turn in stored]


def _ordinal(conn: Connection, character: str, session: str, parent: str | None) -> int:
    if parent is None:
        return 0
    before = get_turn(conn, character, session, parent)
    if before is None:
        raise UnknownName(
            f"The session {session!r} has no turn {parent!r}.", "continue from a turn it has"
        )
    return before.ordinal + 1
