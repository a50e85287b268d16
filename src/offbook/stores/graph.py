"""The graph's raw material: what chunks mention, which mentions are one, how they relate.

Raw entities and relations live as long as the chunk that states them, and what a model said about
whole groups and merged descriptions as long as all the chunks that it is made from.
Paper: RoleRAG (001), section 3.2; the unit here is the raw entity, not the name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from sqlalchemy import Connection, Select, Table, delete, func, select

from offbook.stores import characters, jobs, vectors
from offbook.stores.schema import (
    chunkings,
    chunks,
    decisions,
    documents,
    entity_groups,
    entity_members,
    graph_answers,
    raw_entities,
    relations,
)
from offbook.stores.statements import (
    among,
    columns_of,
    of,
    put_rows,
    read_as,
    row_of,
    timestamp,
)
from offbook.types import Decision, RawEntity, RawRelation

PERSON: Final = "person"
"""Who decided, where it was no model and no rule."""

AnswerKind = Literal["split", "merge", "who_is_who"]
SPLIT: Final[AnswerKind] = "split"
MERGE: Final[AnswerKind] = "merge"
WHO_IS_WHO: Final[AnswerKind] = "who_is_who"


@dataclass(frozen=True, slots=True)
class EntityGroup:
    """Raw entities that are one and the same, under their canonical name."""

    id: str
    name: str
    type: str
    description: str
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphAnswer:
    """An answer; ``answer`` is JSON, ``chunks`` are the ids of the chunks that it was made from."""

    kind: AnswerKind
    key: str
    answer: Mapping[str, Any]
    chunks: tuple[str, ...]


def put_raw_entities(conn: Connection, character: str, entities: Sequence[RawEntity]) -> None:
    """Store what chunks mention; one with the same id is replaced."""
    if entities:
        rows = [row_of(entity, chunk="chunk_id") for entity in entities]
        put_rows(conn, raw_entities, character, rows)
        characters.touch(conn, character)


def list_raw_entities(conn: Connection, character: str) -> list[RawEntity]:
    """List raw entities in reading order."""
    chosen = select(*columns_of(RawEntity, raw_entities, chunk="chunk_id"))
    return read_as(conn, RawEntity, _in_reading_order(chosen, raw_entities, character))


def put_relations(conn: Connection, character: str, stated: Sequence[RawRelation]) -> None:
    """Store relations as chunks state them; one with the same id is replaced."""
    if stated:
        put_rows(conn, relations, character, [row_of(each, chunk="chunk_id") for each in stated])
        characters.touch(conn, character)


def list_relations(conn: Connection, character: str) -> list[RawRelation]:
    """List relations as chunks state them, in reading order."""
    chosen = select(*columns_of(RawRelation, relations, chunk="chunk_id"))
    return read_as(conn, RawRelation, _in_reading_order(chosen, relations, character))


def put_groups(conn: Connection, character: str, groups: Sequence[EntityGroup]) -> None:
    """Store groups with their members; a member of another group moves to its new one."""
    if not groups:
        return
    rows = [row_of(group) for group in groups]
    members = [
        {"raw_entity_id": member, "group_id": row["id"]}
        for row in rows
        for member in row.pop("members")
    ]
    put_rows(conn, entity_groups, character, rows)
    replaced = among(entity_members.c.group_id, [group.id for group in groups])
    conn.execute(delete(entity_members).where(of(entity_members, character), replaced))
    put_rows(conn, entity_members, character, members)
    characters.touch(conn, character)


def list_groups(conn: Connection, character: str) -> list[EntityGroup]:
    """List groups by id, their members in order of id."""
    members: dict[str, list[str]] = {}
    for member, group in group_of(conn, character).items():
        members.setdefault(group, []).append(member)
    chosen = select(*entity_groups.c["id", "name", "type", "description"])
    rows = conn.execute(chosen.where(of(entity_groups, character)).order_by(entity_groups.c.id))
    return [
        EntityGroup(group, name, kind, description, tuple(members.get(group, ())))
        for group, name, kind, description in rows
    ]


def group_of(conn: Connection, character: str) -> dict[str, str]:
    """Map the id of each raw entity that is in a group to the id of the group."""
    chosen = select(*entity_members.c["raw_entity_id", "group_id"])
    ordered = chosen.where(of(entity_members, character)).order_by(entity_members.c.raw_entity_id)
    return dict(conn.execute(ordered).all())


def count_ungrouped(conn: Connection, character: str) -> int:
    """Count the raw entities that belong to no group: normalization was interrupted."""
    counted = select(func.count()).select_from(raw_entities.outerjoin(entity_members))
    lacking = entity_members.c.group_id.is_(None)
    return conn.execute(counted.where(of(raw_entities, character), lacking)).scalar_one()


def remove_groups(conn: Connection, character: str, ids: Sequence[str]) -> None:
    """Delete groups with their vectors; their raw entities stay, without a group."""
    chosen = of(entity_groups, character) & among(entity_groups.c.id, ids)
    conn.execute(delete(entity_groups).where(chosen))
    characters.touch(conn, character)


def put_decisions(conn: Connection, character: str, made: Sequence[Decision]) -> None:
    """Store who is the same as whom; one with the same id is replaced."""
    if made:
        rows = [{**row_of(each), "created": each.created or timestamp()} for each in made]
        put_rows(conn, decisions, character, rows)
        characters.touch(conn, character)


def list_decisions(conn: Connection, character: str, *, by: str | None = None) -> list[Decision]:
    """List decisions by id; ``by`` leaves only those of one source, such as ``PERSON``."""
    which = of(decisions, character) if by is None else of(decisions, character, by=by)
    chosen = select(*columns_of(Decision, decisions)).where(which)
    return read_as(conn, Decision, chosen.order_by(decisions.c.id))


def remove_decisions(conn: Connection, character: str, ids: Sequence[str]) -> int:
    """Delete decisions; the number of those that were there."""
    chosen = of(decisions, character) & among(decisions.c.id, ids)
    removed = conn.execute(delete(decisions).where(chosen)).rowcount
    if removed:
        characters.touch(conn, character)
    return removed


def put_answers(conn: Connection, character: str, answers: Sequence[GraphAnswer]) -> None:
    """Store answers of a model; one to the same question is replaced."""
    put_rows(conn, graph_answers, character, [row_of(answer) for answer in answers])


def list_answers(conn: Connection, character: str) -> list[GraphAnswer]:
    """List all answers of a model about the graph."""
    chosen = select(*columns_of(GraphAnswer, graph_answers)).where(of(graph_answers, character))
    return read_as(conn, GraphAnswer, chosen.order_by(*graph_answers.c["kind", "key"]))


def is_answer(kind: str, answer: Mapping[str, Any]) -> bool:
    """Check that ``answer`` has the shape of this kind, so that what reads it can rely on that."""
    if kind == MERGE:
        return answer.keys() == {"name", "description"} and _are_texts(answer.values())
    if kind == WHO_IS_WHO:
        return _is_who_is_who(answer)
    if kind != SPLIT or answer.keys() != {"names", "parts", "reason"}:
        return False
    names, parts = answer["names"], answer["parts"]
    if not (isinstance(names, list) and _are_texts([*names, answer["reason"]])):
        return False
    if not (isinstance(parts, list) and all(isinstance(part, list) and part for part in parts)):
        return False
    numbers = [number for part in parts for number in part]
    whole = all(type(number) is int for number in numbers)
    return whole and sorted(numbers) == list(range(len(names)))


def _is_who_is_who(answer: Mapping[str, Any]) -> bool:
    return answer.keys() == {"same", "several"} and all(
        isinstance(part, dict) and isinstance(part.get("reason"), str) and _are_numbers(part)
        for parts in answer.values()
        for part in (parts if isinstance(parts, list) else [None])
    )


def _are_numbers(part: Mapping[str, Any]) -> bool:
    if part.keys() == {"reason", "names", "sentences"}:
        lists = [part["names"], part["sentences"]]
    elif part.keys() == {"reason", "number", "bearers"} and isinstance(part["bearers"], list):
        lists = [[part["number"]], *part["bearers"]]
    else:
        return False
    return all(isinstance(one, list) and all(type(n) is int for n in one) for one in lists)


def _are_texts(values: Iterable[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


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
    resting = [e for e in list_answers(conn, character) if not gone.isdisjoint(e.chunks)]
    if any(each.kind == WHO_IS_WHO for each in resting):
        # A reason may quote whatever was shown; the next run derives them anew.
        derived = [e.id for e in list_decisions(conn, character) if e.by == WHO_IS_WHO]
        remove_decisions(conn, character, derived)
    chosen = of(graph_answers, character) & among(
        graph_answers.c.key, [each.key for each in resting]
    )
    conn.execute(delete(graph_answers).where(chosen))
    if mentions:
        jobs.remove_kind(conn, character, jobs.GRAPH)
    _shrink_groups(conn, character, mentions)


def _of_chunks(conn: Connection, table: Table, character: str, ids: Sequence[str]) -> set[str]:
    """Return the ids of the rows of ``table`` that belong to these chunks."""
    chosen = of(table, character) & among(table.c.chunk_id, ids)
    return set(conn.scalars(select(table.c.id).where(chosen)))


def _forget_decisions(conn: Connection, character: str, gone: set[str], mentions: set[str]) -> None:
    resting: list[str] = []
    shrunk: list[Decision] = []
    for decision in list_decisions(conn, character):
        rests = not gone.isdisjoint(decision.evidence)
        if {decision.a, decision.b} & mentions or (rests and decision.by != PERSON):
            resting.append(decision.id)
        elif rests:
            left = tuple(chunk for chunk in decision.evidence if chunk not in gone)
            shrunk.append(replace(decision, evidence=left))
    remove_decisions(conn, character, resting)
    put_decisions(conn, character, shrunk)


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


def _in_reading_order(statement: Select[Any], table: Table, character: str) -> Select[Any]:
    """Order rows of ``table`` by document, chunk and their own ordinals."""
    joined = table.join(chunks).join(chunkings).join(documents)
    chosen = statement.select_from(joined).where(of(table, character))
    by_chunk = chosen.order_by(*documents.c["ordinal", "id"], *chunks.c["chunking", "ordinal"])
    return by_chunk.order_by(*table.c["ordinal", "id"])
