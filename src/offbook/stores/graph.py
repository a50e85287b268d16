"""The graph's raw material: what chunks mention, which mentions are one, how they relate.

Takes: raw entities, groups, decisions and relations.  Gives: them back in reading order. Raw
entities and relations live as long as the chunk that states them.
Paper: RoleRAG (001), section 3.2; the unit here is the raw entity, not the name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Connection, Select, Table, delete, func, select

from offbook.stores import characters, graph_answers, jobs, vectors
from offbook.stores.schema import (
    chunks,
    decisions,
    documents,
    entity_groups,
    entity_members,
    raw_entities,
    relations,
)
from offbook.stores.statements import batches, storable, timestamp, upsert, upsert_plain
from offbook.types import Decision, EntityGroup, RawEntity, RawRelation

PERSON: Final = "person"
"""Who decided, where it was no model and no rule."""


def put_raw_entities(conn: Connection, character: str, entities: Sequence[RawEntity]) -> None:
    """Store what chunks mention; one with the same id is replaced."""
    if not entities:
        return
    for entity in entities:
        storable(entity.name, entity.type, entity.description)
    rows = [
        (character, e.id, e.chunk, e.ordinal, e.name, e.type, e.description, e.start, e.end)
        for e in entities
    ]
    upsert_plain(conn, raw_entities, rows)
    characters.touch(conn, character)


def list_raw_entities(
    conn: Connection, character: str, *, chunk: str | None = None
) -> list[RawEntity]:
    """Raw entities in reading order."""
    c = raw_entities.c
    statement = select(c.id, c.chunk_id, c.ordinal, c.name, c.type, c.description, c.start, c.end)
    rows = conn.execute(_in_reading_order(statement, raw_entities, character, chunk))
    return [RawEntity(*row) for row in rows]


def put_relations(conn: Connection, character: str, found: Sequence[RawRelation]) -> None:
    """Store relations as chunks state them; one with the same id is replaced."""
    if not found:
        return
    for relation in found:
        storable(relation.source, relation.target, relation.description)
    rows = [
        (character, r.id, r.chunk, r.ordinal, r.source, r.target, r.description, r.strength)
        for r in found
    ]
    upsert_plain(conn, relations, rows)
    characters.touch(conn, character)


def list_relations(
    conn: Connection, character: str, *, chunk: str | None = None
) -> list[RawRelation]:
    """Relations as chunks state them, in reading order."""
    c = relations.c
    statement = select(c.id, c.chunk_id, c.ordinal, c.source, c.target, c.description, c.strength)
    rows = conn.execute(_in_reading_order(statement, relations, character, chunk))
    return [RawRelation(*row) for row in rows]


def put_groups(conn: Connection, character: str, groups: Sequence[EntityGroup]) -> None:
    """Store groups with their members; a member of another group moves to its new one."""
    if not groups:
        return
    for group in groups:
        storable(group.name, group.type, group.description)
    rows = [(character, g.id, g.name, g.type, g.description) for g in groups]
    upsert_plain(conn, entity_groups, rows)
    for piece in batches([group.id for group in groups]):
        conn.execute(
            delete(entity_members).where(
                entity_members.c.character_id == character, entity_members.c.group_id.in_(piece)
            )
        )
    members = [(character, member, group.id) for group in groups for member in group.members]
    if members:
        upsert_plain(conn, entity_members, members)
    characters.touch(conn, character)


def list_groups(conn: Connection, character: str) -> list[EntityGroup]:
    """Groups by id, their members in order of id."""
    member = entity_members.c
    members: dict[str, list[str]] = {}
    for row in conn.execute(
        select(member.group_id, member.raw_entity_id)
        .where(member.character_id == character)
        .order_by(member.raw_entity_id)
    ):
        members.setdefault(row.group_id, []).append(row.raw_entity_id)
    c = entity_groups.c
    rows = conn.execute(
        select(c.id, c.name, c.type, c.description)
        .where(c.character_id == character)
        .order_by(c.id)
    )
    return [EntityGroup(*row, members=tuple(members.get(row.id, ()))) for row in rows]


def group_of(conn: Connection, character: str) -> dict[str, str]:
    """Id of each raw entity that is in a group -> id of the group."""
    member = entity_members.c
    statement = select(member.raw_entity_id, member.group_id)
    rows = conn.execute(statement.where(member.character_id == character))
    return {row.raw_entity_id: row.group_id for row in rows}


def count_ungrouped(conn: Connection, character: str) -> int:
    """How many raw entities belong to no group: normalization was interrupted."""
    raw, member = raw_entities.c, entity_members.c
    same = (member.character_id == raw.character_id) & (member.raw_entity_id == raw.id)
    found: int = conn.execute(
        select(func.count())
        .select_from(raw_entities.outerjoin(entity_members, same))
        .where(raw.character_id == character, member.group_id.is_(None))
    ).scalar_one()
    return found


def remove_groups(conn: Connection, character: str, ids: Sequence[str]) -> None:
    """Delete groups with their vectors; their raw entities stay, without a group."""
    c = entity_groups.c
    for piece in batches(ids):
        conn.execute(delete(entity_groups).where(c.character_id == character, c.id.in_(piece)))
    characters.touch(conn, character)


def put_decisions(conn: Connection, character: str, made: Sequence[Decision]) -> None:
    """Store who is the same as whom; one with the same id is replaced."""
    if not made:
        return
    for decision in made:
        storable(decision.a, decision.b, decision.by, decision.reason)
    conn.execute(
        upsert(conn, decisions),
        [
            {
                "character_id": character,
                "id": decision.id,
                "a": decision.a,
                "b": decision.b,
                "same": decision.same,
                "by": decision.by,
                "reason": decision.reason,
                "evidence": list(decision.evidence),
                "created": decision.created or timestamp(),
            }
            for decision in made
        ],
    )
    characters.touch(conn, character)


def list_decisions(conn: Connection, character: str, *, by: str | None = None) -> list[Decision]:
    """Decisions by id; ``by`` leaves only those of one source, such as ``PERSON``."""
    c = decisions.c
    statement = select(c.id, c.a, c.b, c.same, c.by, c.reason, c.evidence, c.created)
    statement = statement.where(c.character_id == character).order_by(c.id)
    rows = conn.execute(statement if by is None else statement.where(c.by == by))
    return [Decision(*row[:6], evidence=tuple(row.evidence), created=row.created) for row in rows]


def remove_decisions(conn: Connection, character: str, ids: Sequence[str]) -> int:
    """Delete decisions; the number of those that were there."""
    c, removed = decisions.c, 0
    for piece in batches(ids):
        removed += conn.execute(
            delete(decisions).where(c.character_id == character, c.id.in_(piece))
        ).rowcount
    if removed:
        characters.touch(conn, character)
    return removed


def forget_chunks(conn: Connection, character: str, ids: Sequence[str]) -> None:
    """Delete decisions and answers that rest on these chunks, and groups that only they support.

    To be called before the chunks themselves are deleted, which takes raw entities and relations
    along. What a person decided on names stays. A group that loses one of several members loses
    its description, which was made from all of them. Why a question about the graph stayed open
    may quote the text; the next run asks it again.
    """
    gone = set(ids)
    if not gone:
        return
    mentions = _of_chunks(conn, raw_entities, character, ids)
    # What is noted about a mention or relation quotes it.
    noted = mentions | _of_chunks(conn, relations, character, ids)
    jobs.remove_subjects(conn, character, sorted(noted))
    _forget_decisions(conn, character, gone, mentions)
    graph_answers.forget_chunks(conn, character, gone)
    if mentions:
        jobs.remove_kind(conn, character, jobs.GRAPH)
    _shrink_groups(conn, character, mentions)


def _of_chunks(
    conn: Connection, table: Table, character: str, chunk_ids: Sequence[str]
) -> set[str]:
    """Ids of the rows of ``table`` that belong to these chunks."""
    c, found = table.c, set[str]()
    for piece in batches(list(chunk_ids)):
        found.update(
            conn.scalars(select(c.id).where(c.character_id == character, c.chunk_id.in_(piece)))
        )
    return found


def _forget_decisions(conn: Connection, character: str, gone: set[str], mentions: set[str]) -> None:
    resting: list[str] = []
    kept: list[Decision] = []
    for decision in list_decisions(conn, character):
        rests = not gone.isdisjoint(decision.evidence)
        if {decision.a, decision.b} & mentions or (rests and decision.by != PERSON):
            resting.append(decision.id)
        elif rests:
            left = tuple(chunk for chunk in decision.evidence if chunk not in gone)
            kept.append(replace(decision, evidence=left))
    remove_decisions(conn, character, resting)
    put_decisions(conn, character, kept)


def _shrink_groups(conn: Connection, character: str, gone: set[str]) -> None:
    """Take mentions out of their groups; name and description may not outlive their source."""
    touched = [g for g in list_groups(conn, character) if not gone.isdisjoint(g.members)]
    if not touched:
        return
    vectors.remove_vectors(conn, character, "entity", [group.id for group in touched])
    remove_groups(conn, character, [g.id for g in touched if gone.issuperset(g.members)])
    homes = {member: group for group in touched for member in group.members if member not in gone}
    left: dict[str, list[RawEntity]] = {}
    for item in list_raw_entities(conn, character):
        if item.id in homes:
            left.setdefault(homes[item.id].id, []).append(item)
    smaller = []
    for mentions in left.values():
        group, first = homes[mentions[0].id], mentions[0]
        name = group.name if group.name in {item.name for item in mentions} else first.name
        members = tuple(item.id for item in mentions)
        smaller.append(EntityGroup(group.id, name, first.type, "", members))
    put_groups(conn, character, smaller)


def _in_reading_order(
    statement: Select[Any], table: Table, character: str, chunk: str | None
) -> Select[Any]:
    """Rows of ``table`` in the order of documents, chunks and their own ordinals."""
    c = table.c
    ordered = (
        statement.join_from(
            table, chunks, (chunks.c.character_id == c.character_id) & (chunks.c.id == c.chunk_id)
        )
        .join(
            documents,
            (documents.c.character_id == chunks.c.character_id)
            & (documents.c.id == chunks.c.document_id),
        )
        .where(c.character_id == character)
        .order_by(
            documents.c.ordinal,
            documents.c.id,
            chunks.c.chunking,
            chunks.c.ordinal,
            c.ordinal,
            c.id,
        )
    )
    return ordered if chunk is None else ordered.where(c.chunk_id == chunk)
