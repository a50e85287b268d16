"""What is still to be asked about texts that are extracted already, without a call.

Takes: the mentions, decisions and answers that are stored.  Gives: how many questions each task
has open. An indexing that was killed between two steps goes on from there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from offbook.graph.entity_normalization import Ledger, outlook
from offbook.graph.merging import Merged, merges_of, next_step, raw_graph
from offbook.ingestion.entity_vectors import embedded
from offbook.ingestion.graph_building import normalization_rules, stored_splits
from offbook.ingestion.raw_vectors import raw_matrix
from offbook.models.asking import tokens_of
from offbook.prompts.same_entity import LinkedGroup
from offbook.settings.model import BUILTIN
from offbook.stores import graph, graph_answers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.graph.merging import Merge
    from offbook.pipeline import Stage
    from offbook.types import Chunk, Decision, RawEntity, RawRelation


@dataclass(frozen=True, slots=True)
class Questions:
    """How many questions a task has, and about how many tokens they have themselves."""

    count: int = 0
    tokens: int = 0

    @classmethod
    def of(cls, lines: Iterable[str]) -> Questions:
        """Questions by their lines in a prompt."""
        told = [tokens_of(line) for line in lines]
        return cls(len(told), sum(told))


@dataclass(frozen=True, slots=True)
class Outstanding:
    """What is open.

    Args:
        questions: By task, as far as what is decided tells.
        unsettled_characters: Length of the texts of which a mention is still to be judged: how
            many groups have to be verified and merged there depends on answers nobody knows.
        unembedded: Whether mentions have no vector yet, so that not all pairs are known.
    """

    questions: Mapping[str, Questions]
    unsettled_characters: int
    unembedded: bool


@dataclass(frozen=True, slots=True)
class _Stored:
    """What earlier runs have left."""

    entities: Sequence[RawEntity]
    relations: Sequence[RawRelation]
    decisions: Sequence[Decision]
    answers: Sequence[graph_answers.GraphAnswer]
    matrix: NDArray[np.float32] | None


async def outstanding(stage: Stage, character: str, extracted: Mapping[str, Chunk]) -> Outstanding:
    """What building the graph has still to ask about these chunks.

    Args:
        stage: The settings, the store and the embedder.
        character: Id of the character.
        extracted: The chunks that have been extracted and that will stay, by id.
    """
    stored = await stage.store.read(lambda conn: _read(conn, character, extracted))
    matrix = await _completed(stage, stored)
    rules = normalization_rules(stage.settings.graph)
    ledger = Ledger(stored.decisions, stored_splits(stored.answers))
    ahead = outlook(stored.entities, matrix, rules, ledger, verified=stage.settings.graph.verify)
    groups = [[stored.entities[row] for row in rows] for rows in ahead.groups]
    merges = _unmerged(merges_of(raw_graph(groups, stored.relations)), stored.answers)
    blank = _without_vector(stored.entities, matrix)
    unsettled = {question.entity.chunk for question in ahead.questions}
    unsettled |= {entity.chunk for entity in blank}
    return Outstanding(
        {
            "same_entity": Questions.of(q.comparison.line() for q in ahead.questions),
            "verify_group": Questions.of(LinkedGroup(c.members).line() for c in ahead.unverified),
            "merge_entities": Questions.of(_told(m) for m in merges if m.kind == "entity"),
            "merge_relations": Questions.of(_told(m) for m in merges if m.kind == "relation"),
        },
        sum(len(extracted[chunk].text) for chunk in unsettled),
        bool(blank),
    )


def _told(merge: Merge) -> str:
    return " | ".join(merge.descriptions)


def _read(conn: Connection, character: str, extracted: Collection[str]) -> _Stored:
    entities = [e for e in graph.list_raw_entities(conn, character) if e.chunk in extracted]
    return _Stored(
        entities,
        [r for r in graph.list_relations(conn, character) if r.chunk in extracted],
        graph.list_decisions(conn, character),
        graph_answers.list_all(conn, character),
        raw_matrix(conn, character, entities),
    )


async def _completed(stage: Stage, stored: _Stored) -> NDArray[np.float32] | None:
    """The vectors, with those that the embedded embedder makes without a call."""
    if stage.settings.embed.model != BUILTIN:
        return stored.matrix
    missing = _without_vector(stored.entities, stored.matrix)
    if not missing:
        return stored.matrix
    made = await stage.embedder.embed(
        [embedded(e.name, e.description) for e in missing], "document"
    )
    if stored.matrix is None:
        return made
    rows = {entity.id: row for row, entity in enumerate(stored.entities)}
    stored.matrix[[rows[entity.id] for entity in missing]] = made
    return stored.matrix


def _without_vector(
    entities: Sequence[RawEntity], matrix: NDArray[np.float32] | None
) -> list[RawEntity]:
    if matrix is None:
        return list(entities)
    return [entity for row, entity in enumerate(entities) if not matrix[row].any()]


def _unmerged(merges: Sequence[Merge], answers: Sequence[graph_answers.GraphAnswer]) -> list[Merge]:
    known = {
        a.key: Merged(a.answer["name"], a.answer["description"])
        for a in answers
        if a.kind == graph_answers.MERGE
    }
    return [part for m in merges for part in next_step(m, known) if part.key not in known]
