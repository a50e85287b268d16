"""Memory fragments: what was said to the character and what it answered.

Their bank counts how far they have grown, apart from the character's revision: a finished turn adds
a memory, and must not make the indexes of the documents stale.
Paper: Emotional RAG (004), section II-B.2.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    LargeBinary,
    and_,
    delete,
    false,
    null,
    or_,
    select,
    true,
    type_coerce,
    update,
)

from offbook.stores import characters, jobs
from offbook.stores.schema import memory_banks, memory_fragments, turns, vectors
from offbook.stores.statements import (
    add_missing,
    among,
    columns_of,
    deleted,
    next_ordinal,
    of,
    put_rows,
    read_as,
    row_of,
)
from offbook.types import MemoryFragment

EVERYONE: Final = "*"
"""In the place of a principal: all of them. Who owns the database may look at all of it."""

_RENAMED: Final = {"session": "conversation_id", "turn": "turn_id", "principal": "principal_id"}


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What an index keeps of a fragment; ``vector`` are the bytes as the engine stores them.

    ``terms`` are those of its text, as the analyzer packed them.
    """

    id: str
    ordinal: int
    emotion: Mapping[str, Any] | None
    at: str | None
    turn: str | None
    kind: str | None
    superseded_by: str | None
    retired: int | None
    terms: bytes | None
    vector: bytes | None


@dataclass(frozen=True, slots=True)
class BankState:
    """What an index of the memories was made from.

    While ``cleared`` stays, nothing that was complete has changed or gone: an index goes on from
    where it stopped. An equal ``revision`` besides says that nothing has changed at all.
    """

    revision: int = 0
    cleared: int = 0


def memory_id(
    said: str, answered: str, *, principal: str | None = None, turn: str | None = None
) -> str:
    """Derive the id of a fragment from its words and owner, or from the turn that taught it.

    A turn's id is itself a hash over all that was said before it.
    """
    parts = [principal, turn] if turn is not None else [principal, said, answered]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def bank_state(conn: Connection, character: str) -> BankState:
    """Return the state of the bank now; both numbers are 0 where there was never a memory."""
    chosen = select(*memory_banks.c["revision", "cleared"])
    row = conn.execute(chosen.where(of(memory_banks, character))).one_or_none()
    return BankState() if row is None else BankState(*row)


def grow_bank(conn: Connection, character: str, *, cleared: bool = False) -> None:
    """Note that memories were added or completed, or that complete ones have changed or gone.

    Whoever adds does this first: the row is then theirs until the transaction ends, so that the
    numbers by which memories are ordered are given one transaction after another.
    """
    grown = memory_banks.c.revision + 1
    values = {"revision": grown, "cleared": grown} if cleared else {"revision": grown}
    statement = update(memory_banks).where(of(memory_banks, character)).values(**values)
    if not conn.execute(statement).rowcount:
        _make_bank(conn, character)
        conn.execute(statement)


def renew_bank(conn: Connection, character: str) -> None:
    """Begin anew, above anything that an index can have seen: the character came from a file."""
    _make_bank(conn, character)
    now = characters.first_revision()
    older = of(memory_banks, character) & (memory_banks.c.cleared < now)
    conn.execute(update(memory_banks).where(older).values(revision=now, cleared=now))


def _make_bank(conn: Connection, character: str) -> None:
    if characters.find(conn, character) is None:
        raise deleted(character)
    first = characters.first_revision()
    row = {"character_id": character, "revision": first, "cleared": first}
    add_missing(conn, memory_banks, [row])


def add(conn: Connection, character: str, fragments: Sequence[MemoryFragment]) -> list[str]:
    """Store fragments; one whose id is known stays as it is.

    Returns:
        The ids of those that are new, in their order.
    """
    if not fragments:
        return []
    grow_bank(conn, character)
    first = next_ordinal(conn, memory_fragments, character)
    known = {each.id for each in get(conn, character, [fragment.id for fragment in fragments])}
    new: dict[str, MemoryFragment] = {}
    for fragment in fragments:
        if fragment.id not in known:
            new.setdefault(fragment.id, fragment)
    rows = [
        {**row_of(fragment, **_RENAMED), "ordinal": ordinal}
        for ordinal, fragment in enumerate(new.values(), first)
    ]
    put_rows(conn, memory_fragments, character, rows)
    return list(new)


def list_memories(
    conn: Connection, character: str, *, principal: str | None = None
) -> list[MemoryFragment]:
    """List fragments, oldest first: all, or the authored ones and those of one principal."""
    return _fragments(conn, character, true() if principal is None else _visible(principal))


def get(conn: Connection, character: str, ids: Sequence[str]) -> list[MemoryFragment]:
    """Return fragments in the order of their ids; those that are gone are left out."""
    fragments = _fragments(conn, character, among(memory_fragments.c.id, ids))
    by_id = {fragment.id: fragment for fragment in fragments}
    return [by_id[name] for name in ids if name in by_id]


def mentioning(
    conn: Connection, character: str, words: Sequence[str], *, principal: str | None, most: int
) -> list[MemoryFragment]:
    """Return the youngest fragments, ``most`` at the most, that hold one of some words.

    The words may be in any case, and inside of longer ones. Seen are authored fragments, and those
    of the principal where one is named.
    """
    c = memory_fragments.c
    # SQLite knows the cases of plain letters only: "élise" is looked for as "Élise", too.
    forms = dict.fromkeys(form for word in words for form in (word, word.lower(), word.title()))
    texts = c.said, c.answered
    held = [text.icontains(form, autoescape=True) for form in forms for text in texts]
    heard = of(memory_fragments, character) & _visible(principal) & or_(false(), *held)
    chosen = select(c.id).where(heard)
    youngest = conn.scalars(chosen.order_by(c.ordinal.desc()).limit(most))
    return get(conn, character, youngest.all())


def score(conn: Connection, character: str, emotions: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Store emotions of fragments that have none yet.

    Returns:
        The ids of those that had none: another process may have been quicker.
    """
    lacking_one = memory_fragments.c.emotion.is_(None)
    scored: list[str] = []
    for name, emotion in emotions.items():
        chosen = of(memory_fragments, character, id=name) & lacking_one
        changed = update(memory_fragments).where(chosen).values(emotion=dict(emotion))
        if conn.execute(changed).rowcount:
            scored.append(name)
    if scored:
        grow_bank(conn, character)
    return scored


def remove(
    conn: Connection, character: str, ids: Sequence[str], *, principal: str | None = None
) -> list[str]:
    """Delete fragments with their vectors and jobs; where a principal is named, only theirs.

    Returns:
        The ids of those that were there.
    """
    c = memory_fragments.c
    there = [
        fragment
        for fragment in get(conn, character, list(dict.fromkeys(ids)))
        if principal is None or fragment.principal == principal
    ]
    gone = [fragment.id for fragment in there]
    if gone:
        chosen = of(memory_fragments, character) & among(memory_fragments.c.id, gone)
        conn.execute(delete(memory_fragments).where(chosen))
        grow_bank(conn, character, cleared=True)
        # Why turns of a conversation were not distilled may quote them.
        sessions = {fragment.session for fragment in there if fragment.session is not None}
        jobs.remove_subjects(conn, character, [*gone, *sessions])
        # What they superseded counts again, or is superseded by what superseded them.
        after = {fragment.id: fragment.superseded_by for fragment in there}
        before = select(c.superseded_by).distinct().where(of(memory_fragments, character))
        for name in conn.scalars(before.where(among(c.superseded_by, gone))).all():
            last: str | None = name
            visited: set[str | None] = set()
            while last in after and last not in visited:
                visited.add(last)
                last = after[last]
            values = (
                {"superseded_by": None, "retired": None}
                if last in (None, *visited)
                else {"superseded_by": last}
            )
            freed = of(memory_fragments, character, superseded_by=name)
            conn.execute(update(memory_fragments).where(freed).values(**values))
    return gone


def retire(
    conn: Connection, character: str, ids: Sequence[str], superseded_by: str | None = None
) -> None:
    """Note that statements stand for turns, or that a later statement supersedes earlier ones."""
    if ids:
        grow_bank(conn, character)
        chosen = of(memory_fragments, character) & among(memory_fragments.c.id, ids)
        values = {
            "retired": bank_state(conn, character).revision,
            "superseded_by": superseded_by,
        }
        conn.execute(update(memory_fragments).where(chosen).values(values))


def retired_since(conn: Connection, character: str, revision: int) -> dict[str, str | None]:
    """Map the fragments that were retired after a revision to what supersedes them."""
    c = memory_fragments.c
    chosen = select(c.id, c.superseded_by).where(of(memory_fragments, character))
    return {row[0]: row[1] for row in conn.execute(chosen.where(c.retired > revision))}


def set_terms(conn: Connection, character: str, terms: Mapping[str, bytes]) -> None:
    """Store the packed terms of fragments, by which they are found by their words."""
    for name, packed in terms.items():
        chosen = of(memory_fragments, character, id=name)
        conn.execute(update(memory_fragments).where(chosen).values(terms=packed))


def authored_emotions(
    conn: Connection, character: str
) -> list[tuple[str | None, Mapping[str, Any]]]:
    """Return ``at`` and the emotion of each authored fragment that is scored."""
    return [
        (fragment.at, fragment.emotion)
        for fragment in _fragments(conn, character, _visible(None))
        if fragment.emotion is not None
    ]


def felt_in(
    conn: Connection, character: str, session: str
) -> dict[str, tuple[Mapping[str, Any], str | None]]:
    """Map the turns of a conversation to their emotion, and when they were held; scored ones."""
    return {
        fragment.turn: (fragment.emotion, fragment.at)
        for fragment in _fragments(conn, character, memory_fragments.c.conversation_id == session)
        if fragment.emotion is not None and fragment.turn is not None
    }


def lacking(conn: Connection, character: str, set_id: str | None) -> list[str]:
    """List the ids of fragments without an emotion or a vector in a set, oldest first."""
    c, vector = memory_fragments.c, vectors["memory"]
    chosen = select(c.id).where(of(memory_fragments, character))
    if set_id is not None:
        chosen = chosen.join_from(memory_fragments, vector, _in_set(set_id), isouter=True)
        # What was only heard has no answer that an emotion could be of.
        is_heard = c.turn_id.is_not(None) & (c.answered == "")
        unscored = c.emotion.is_(None) & c.kind.is_(None) & ~is_heard
        chosen = chosen.where(or_(unscored, vector.c.subject_id.is_(None)))
    return list(conn.scalars(chosen.order_by(c.ordinal, c.id)))


def index_rows(
    conn: Connection,
    character: str,
    set_id: str | None,
    *,
    principal: str | None,
    after: int = -1,
    ids: Sequence[str] | None = None,
) -> list[IndexRow]:
    """Return what an index keeps, oldest first: authored fragments, and those of one principal.

    Without a set there are no vectors. Only fragments of an ordinal greater than ``after`` are
    returned, or those of some ids, whatever their ordinal.
    """
    c, table = memory_fragments.c, vectors["memory"]
    # As bytes: the matrix is then made in one pass instead of row by row.
    vector = null() if set_id is None else type_coerce(table.c.vector, LargeBinary)
    names = "id", "ordinal", "emotion", "at", "turn_id", "kind", "superseded_by", "retired", "terms"
    chosen = select(*memory_fragments.c[names], vector)
    if set_id is not None:
        chosen = chosen.join_from(memory_fragments, table, _in_set(set_id), isouter=True)
    chosen = chosen.where(of(memory_fragments, character), _visible(principal))
    chosen = chosen.where(c.ordinal > after if ids is None else among(c.id, ids))
    return read_as(conn, IndexRow, chosen.order_by(c.ordinal, c.id))


def told_at(conn: Connection, character: str) -> dict[str, str]:
    """Map fragments to the point in the story at which their turn was held, where it was one."""
    point = turns.c.recall["as_of"].as_string()
    chosen = select(memory_fragments.c.id, point).join_from(memory_fragments, turns)
    rows = conn.execute(chosen.where(of(memory_fragments, character), point.is_not(None)))
    return {row[0]: row[1] for row in rows}


def _visible(principal: str | None) -> ColumnElement[bool]:
    """Choose authored fragments, and those of one principal; None: nobody's."""
    if principal == EVERYONE:
        return true()
    owner = memory_fragments.c.principal_id
    return owner.is_(None) if principal is None else owner.is_(None) | (owner == principal)


def _in_set(set_id: str) -> ColumnElement[bool]:
    """Join fragments with their vectors in a set."""
    fragment, vector = memory_fragments.c, vectors["memory"].c
    return and_(
        vector.character_id == fragment.character_id,
        vector.subject_id == fragment.id,
        vector.set_id == set_id,
    )


def _fragments(
    conn: Connection, character: str, condition: ColumnElement[bool]
) -> list[MemoryFragment]:
    chosen = select(*columns_of(MemoryFragment, memory_fragments, **_RENAMED))
    c, owned = memory_fragments.c, of(memory_fragments, character)
    return read_as(conn, MemoryFragment, chosen.where(owned, condition).order_by(c.ordinal, c.id))
