"""What a model said about whole groups and merged descriptions, kept by what was asked.

Takes: answers with the chunks whose text they hold.  Gives: them back; none is asked for twice.
An answer goes with the first of its chunks: it may not outlive the text that it is made from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import Connection, delete, select

from offbook.stores.schema import graph_answers
from offbook.stores.statements import batches, upsert

Kind = Literal["split", "merge"]
SPLIT: Final[Kind] = "split"
MERGE: Final[Kind] = "merge"


@dataclass(frozen=True, slots=True)
class GraphAnswer:
    """An answer; ``answer`` is JSON, ``chunks`` are the ids of the chunks that it was made from."""

    kind: Kind
    key: str
    answer: Mapping[str, Any]
    chunks: tuple[str, ...]


def put(conn: Connection, character: str, answers: Sequence[GraphAnswer]) -> None:
    """Store answers; one to the same question is replaced."""
    if answers:
        rows = [
            {
                "character_id": character,
                "kind": answer.kind,
                "key": answer.key,
                "answer": dict(answer.answer),
                "chunks": list(answer.chunks),
            }
            for answer in answers
        ]
        conn.execute(upsert(conn, graph_answers), rows)


def list_all(conn: Connection, character: str) -> list[GraphAnswer]:
    """All answers of a character."""
    c = graph_answers.c
    rows = conn.execute(
        select(c.kind, c.key, c.answer, c.chunks)
        .where(c.character_id == character)
        .order_by(c.kind, c.key)
    )
    return [GraphAnswer(row.kind, row.key, row.answer, tuple(row.chunks)) for row in rows]


def forget_chunks(conn: Connection, character: str, ids: Iterable[str]) -> None:
    """Delete the answers that hold text of these chunks."""
    gone, c = set(ids), graph_answers.c
    if not gone:
        return
    found = conn.execute(select(c.key, c.chunks).where(c.character_id == character)).all()
    keys = [row.key for row in found if not gone.isdisjoint(row.chunks)]
    for piece in batches(keys):
        conn.execute(delete(graph_answers).where(c.character_id == character, c.key.in_(piece)))


def is_answer(kind: str, answer: Mapping[str, Any]) -> bool:
    """Whether ``answer`` has the shape of this kind, so that what reads it can rely on that."""
    if kind == MERGE:
        return answer.keys() == {"name", "description"} and _texts(answer.values())
    if kind != SPLIT or answer.keys() != {"names", "parts", "reason"}:
        return False
    names, parts = answer["names"], answer["parts"]
    if not (isinstance(names, list) and _texts([*names, answer["reason"]])):
        return False
    if not (isinstance(parts, list) and all(isinstance(part, list) and part for part in parts)):
        return False
    numbers = [number for part in parts for number in part]
    whole = all(type(number) is int for number in numbers)
    return whole and sorted(numbers) == list(range(len(names)))


def _texts(values: Iterable[Any]) -> bool:
    return all(isinstance(value, str) for value in values)
