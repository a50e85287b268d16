"""What chunks reveal of the character, looked up for a question: guided selection without a call.

Takes: passages by similarity to a question, and the judgements that were stored at ingestion.
Gives: the passages in the order of their similarity and of what they reveal together, with the
verdicts. What a chunk reveals is compared with the question by the built-in embedder, whatever
embeds the chunks: these are a few sentences, and no call may be needed for them.
Source: ours (methods.md 2, "GS is a vector look-up").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from offbook.errors import IndexMissing
from offbook.models.builtin import embed_texts
from offbook.stores import chunk_attributes, jobs
from offbook.stores import chunks as chunk_rows

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.retrieval.passages import Passage
    from offbook.stores.chunk_attributes import ChunkJudgement
    from offbook.types import Character, Position


def check_traits(conn: Connection, character: Character, chunking: str) -> None:
    """Refuse to select where chunks would be passed over in silence.

    Chunks that no answer could be got for are not missed: that was reported.

    Raises:
        IndexMissing: some chunks were not judged yet.
    """
    missing = set(chunk_attributes.unjudged(conn, character.id, chunking))
    if missing:
        aside = jobs.list_jobs(conn, character.id, kind=jobs.TRAITS, statuses={"quarantined"})
        missing -= {job.subject for job in aside}
    if missing:
        total = chunk_rows.count(conn, character.id, chunking)
        raise IndexMissing(
            f"what {len(missing)} of {total} chunks of {character.name!r} reveal is not judged yet",
            f"build it: offbook ingest {character.id} --method amadeus --set amadeus.gs=indexed",
        )


def judgements_of(
    conn: Connection, character: str, passages: Sequence[Passage], until: Position | None
) -> dict[str, ChunkJudgement]:
    """Chunk id -> its judgement; of a chunk that a point in the story cuts there is none.

    What it reveals was read from the whole of it.
    """
    ids = [passage.chunk.id for passage in passages]
    found = chunk_attributes.get(conn, character, ids)
    if until is not None:
        whole = {chunk.id: chunk.end for chunk in chunk_rows.get_chunks(conn, character, ids)}
        for passage in passages:
            if whole.get(passage.chunk.id) != passage.chunk.end:
                found.pop(passage.chunk.id, None)
    return found


def by_bearing(
    question: str,
    passages: Sequence[Passage],
    judgements: Mapping[str, ChunkJudgement],
    share: float,
) -> list[Passage]:
    """The passages, those first whose text and attributes together are most like the question.

    Args:
        question: What is asked.
        passages: By similarity, best first; equal ones keep their order.
        judgements: By chunk.
        share: What the likest of the attributes counts for, from 0 to 1.
    """
    if not share or not passages:
        return list(passages)
    texts: list[str] = []
    owners: list[int] = []
    for place, passage in enumerate(passages):
        judgement = judgements.get(passage.chunk.id)
        told = judgement.attributes if judgement is not None and judgement.reveals else ()
        texts += [attribute.text for attribute in told]
        owners += [place] * len(told)
    bearing = [0.0] * len(passages)
    if texts:
        vectors = embed_texts([question, *texts])
        for owner, likeness in zip(owners, (vectors[1:] @ vectors[0]).tolist(), strict=True):
            bearing[owner] = max(bearing[owner], likeness)
    rank = [(1 - share) * p.score + share * near for p, near in zip(passages, bearing, strict=True)]
    order = sorted(range(len(passages)), key=lambda place: -rank[place])
    return [passages[place] for place in order]
