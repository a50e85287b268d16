"""A character with some of everything, for tests of the stores."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import Connection, func, select

from offbook.stores import (
    characters,
    chunks,
    conversations,
    documents,
    graph,
    jobs,
    memories,
    summaries,
    vectors,
)
from offbook.stores.chunks import ChunkJudgement, StoredAttribute
from offbook.stores.evaluations import StoredRun
from offbook.stores.graph import EntityGroup, GraphAnswer
from offbook.stores.schema import metadata
from offbook.stores.summaries import Summary
from offbook.types import (
    Chunk,
    Decision,
    Document,
    MemoryFragment,
    RawEntity,
    RawRelation,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


def document(name: str, text: str) -> Document:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Document(name, name, text, digest, added="2026-01-01T00:00:00+00:00")


def split(
    doc: Document, chunking: str = "acts", headings: Sequence[str] = ("Life",)
) -> list[Chunk]:
    """A chunk a line; ids derived from the line, as the real splitters do."""
    found, start = [], 0
    for ordinal, line in enumerate(doc.text.split("\n")):
        key = hashlib.sha256(f"{doc.id}/{chunking}/{line}".encode()).hexdigest()[:16]
        end = start + len(line)
        found.append(Chunk(key, doc.id, chunking, ordinal, start, end, tuple(headings), line))
        start = end + 1
    return found


def matrix(rows: int, dimension: int = 4, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((rows, dimension)).astype(np.float32)


def entities_of(chunk: Chunk, count: int = 2) -> list[RawEntity]:
    return [
        RawEntity(f"{chunk.id}:{n}", chunk.id, n, f"Name {n}", "character", f"of {chunk.text}")
        for n in range(count)
    ]


def add_document(
    conn: Connection, character: str, name: str, text: str, *, extract: bool = False
) -> list[Chunk]:
    """Store a document with its chunks, their vectors and, perhaps, what is extracted."""
    doc = document(name, text)
    documents.put(conn, character, doc)
    made = split(doc)
    chunks.replace_chunks(conn, character, doc.id, "acts", {"l_max": 40}, made)
    active = vectors.use_set(conn, character, "hash", 4)
    ids = [chunk.id for chunk in made]
    vectors.put_vectors(conn, character, active.id, "chunk", ids, matrix(len(ids)))
    jobs.enqueue(conn, character, "extract", ids, document=doc.id)
    if extract:
        extract_chunks(conn, character, made)
    return made


def extract_chunks(conn: Connection, character: str, made: Sequence[Chunk]) -> None:
    for chunk in made:
        graph.put_raw_entities(conn, character, entities_of(chunk))
        relation = RawRelation(
            f"{chunk.id}:r", chunk.id, 0, "Name 0", "Name 1", chunk.text, 7.5, ("a tie",)
        )
        graph.put_relations(conn, character, [relation])
        jobs.finish(conn, character, "extract", [chunk.id])


def build_character(conn: Connection, name: str = "Ada Lovelace") -> str:
    """A character with some of everything that can be exported; returns its id."""
    character = characters.create(conn, name, settings={"method": "naive", "api_key": "sk-1"}).id
    made = add_document(conn, character, "life.md", "She was born.\nShe wrote.", extract=True)
    add_document(conn, character, "works.md", "Note G. – 音楽\nLetters.")
    chunks.set_terms(conn, character, "bm25.v1", {made[0].id: b"\x00\x01\xff"})
    mentions = [entity.id for chunk in made for entity in entities_of(chunk)]
    group = EntityGroup("g1", "Name 0", "character", "merged", (mentions[0], mentions[2]))
    graph.put_groups(conn, character, [group])
    active = vectors.use_set(conn, character, "hash", 4)
    vectors.put_vectors(conn, character, active.id, "entity", ["g1"], matrix(1, seed=1))
    vectors.put_vectors(conn, character, active.id, "raw_entity", mentions, matrix(4, seed=2))
    trait = StoredAttribute("psychological_trait", "She waits for years: 债。")
    judged = ChunkJudgement(made[0].id, reveals=True, attributes=(trait,))
    chunks.put_judgements(conn, character, [judged, ChunkJudgement(made[1].id, reveals=False)])
    summary = Summary("s1", 1, "She was born and wrote.", (made[0].id,), (made[0].id,))
    summaries.put(conn, character, [summary])
    summaries.note_built(conn, character, "these")
    vectors.put_vectors(conn, character, active.id, "summary", ["s1"], matrix(1, seed=4))
    relation = f"{made[0].id}:r"
    vectors.put_vectors(conn, character, active.id, "relation", [relation], matrix(1, seed=5))
    decision = Decision(
        "d1", mentions[0], mentions[2], True, "same_entity.v1", "same name", (made[0].id,)
    )
    by_hand = Decision("d2", "Ada", "Augusta", True, "person", "")
    graph.put_decisions(conn, character, [decision, by_hand])
    answers = [
        GraphAnswer("merge", "m", {"name": "Name 0", "description": "merged"}, (made[0].id,)),
        GraphAnswer(
            "split", "s", {"names": ["A", "B"], "parts": [[1], [0]], "reason": "two"}, (made[1].id,)
        ),
    ]
    graph.put_answers(conn, character, answers)
    jobs.quarantine(conn, character, "extract", [made[1].id], "the answer was cut off")
    fragment = MemoryFragment(
        memories.memory_id("Hello", "Good day."), "Hello", "Good day.", {"joy": 6}
    )
    memories.add(conn, character, [fragment])
    vectors.put_vectors(conn, character, active.id, "memory", [fragment.id], matrix(1, seed=3))
    characters.set_profile(
        conn, character, "A mathematician.", voice=["Quite so."], documents=["life.md"]
    )
    return character


def talk(conn: Connection, character: str, session: str = "s1", on: str = "life.md") -> str:
    """A conversation of one turn that rests on a document, and the memory that it left."""
    conversations.begin(conn, character, session)
    source = {"document": on, "chunk": "c", "start": 0, "end": 3}
    item = {
        "kind": "knowledge",
        "title": "t",
        "text": "She was born.",
        "score": 1.0,
        "sources": [source],
    }
    recall = {"context": [item], "skipped": [], "boundary": None}
    turn = conversations.add_turn(conn, character, session, "When?", "Long ago.", recall=recall)
    made = memories.memory_id("When?", "Long ago.", principal="owner", turn=turn)
    fragment = MemoryFragment(
        made, "When?", "Long ago.", session=session, turn=turn, principal="owner"
    )
    memories.add(conn, character, [fragment])
    return turn


RUN = StoredRun("demo-1", "demo", "2026-01-01", "running", 1, {"a": 1}, {"j": "u"}, {})


def cell(question: str, **changes: Any) -> dict[str, Any]:
    row = {
        "run_id": "demo-1",
        "subject": "Ada",
        "question": question,
        "variant": "naive",
        "repeat": 0,
        "character_id": "ada",
        "reply": f"About {question}.",
        "error": None,
        "verdict": None,
        "fallback": None,
        "selected": None,
        "forgotten": 0,
        "finished": "2026-01-01",
        "usage": {},
        "documents": [],
        "context": [],
    }
    return {**row, **changes}


def rating(unit: str, judge: str = "j", **changes: Any) -> dict[str, Any]:
    row = {
        "run_id": "demo-1",
        "subject": "Ada",
        "variant": "naive",
        "repeat": 0,
        "metric": "ke",
        "unit": unit,
        "judge": judge,
        "sample": 0,
        "character_id": "ada",
        "value": 7.0,
        "missing": None,
        "person": None,
        "person_name": "",
        "person_note": "",
        "documents": [],
        "analysis": "It is right.",
    }
    return {**row, **changes}


def item(text: str, *, document: str | None = None, memory: str | None = None) -> dict[str, Any]:
    """A piece of a context; without a document it is a memory, or what was summed up."""
    source = {"document": document, "chunk": "c", "start": 0, "end": 0}
    sources = [] if document is None else [source]
    kind = "memory" if document is None else "knowledge"
    return {"kind": kind, "title": text, "text": text, "memory": memory, "sources": sources}


def count_rows(conn: Connection) -> dict[str, int]:
    """How many rows each table has that has any."""
    tables = metadata.sorted_tables
    counts = {t.name: conn.scalar(select(func.count()).select_from(t)) or 0 for t in tables}
    return {name: number for name, number in counts.items() if number}
