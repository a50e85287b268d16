"""Vectors of relations and summaries made anew, after a change of embedder.

Takes: a vector set in the making, and the stored texts.  Gives: the vectors, and what the new
embedder refuses, which is put into quarantine and reported. Relations have vectors only where a
method needs them: where the old set has none, none are made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from offbook.ingestion.entity_vectors import GraphEmbedded, embed_missing, unembedded
from offbook.ingestion.mention_indexing import embedded_relation
from offbook.ingestion.reports import Steps
from offbook.stores import chunks, graph, jobs, summaries, vectors

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.ingestion.reports import ProgressListener
    from offbook.protocols import Embedder, Store
    from offbook.stores.vectors import Kind


@dataclass(frozen=True, slots=True)
class _Texts:
    """What is to be embedded by id, the document of each, and the kind of the jobs about it."""

    kind: Kind
    texts: Mapping[str, str]
    documents: Mapping[str, str]
    job: str


async def renew_vectors(
    store: Store,
    embedder: Embedder,
    character: str,
    batch: int,
    set_id: str,
    progress: ProgressListener,
) -> GraphEmbedded:
    """Fill a vector set with what it lacks of relations and summaries.

    Raises:
        EmbedderMismatch: the embedder changed its dimension.
        ModelError: the endpoint failed for good; what arrived is stored.
    """
    made, refused = 0, list[str]()
    for told in await store.read(lambda conn: _stored(conn, character)):
        steps = Steps(
            f"embedding {'relations' if told.kind == 'relation' else 'summaries'}", progress
        )
        steps.begin(len(told.texts))
        left = await embed_missing(
            store, embedder, character, told.kind, told.texts, batch, set_id=set_id, steps=steps
        )
        steps.end()
        made += len(told.texts) - len(left)
        refused += [subject for subject, _ in left]
        await store.write(lambda conn, t=told, r=dict(left): _note(conn, character, t, r))  # type: ignore[misc]
    return GraphEmbedded(made, tuple(refused))


def _stored(conn: Connection, character: str) -> Sequence[_Texts]:
    document = {chunk.id: chunk.document for chunk in chunks.list_chunks(conn, character)}
    found = summaries.list_all(conn, character)
    told = [
        _Texts(
            "summary",
            {summary.id: summary.text for summary in found},
            {summary.id: document[summary.chunks[0]] for summary in found},
            jobs.SUMMARIZE,
        )
    ]
    relations = graph.list_relations(conn, character)
    active = vectors.active_set(conn, character)
    ids = [relation.id for relation in relations]
    if active and vectors.which_have(conn, character, active.id, "relation", ids):
        told.append(
            _Texts(
                "relation",
                {relation.id: embedded_relation(relation) for relation in relations},
                {relation.id: document[relation.chunk] for relation in relations},
                jobs.MENTIONS,
            )
        )
    return told


def _note(conn: Connection, character: str, told: _Texts, refused: Mapping[str, str]) -> None:
    """What the old embedder refused is done; what the new one refuses is put aside."""
    jobs.finish(conn, character, told.job, list(told.texts))
    for subject, why in refused.items():
        reason = unembedded(told.texts[subject], why)
        jobs.enqueue(conn, character, told.job, [subject], document=told.documents[subject])
        jobs.quarantine(conn, character, told.job, [subject], reason)
