"""What chunks reveal of the character, looked up for a question: guided selection without a call.

Takes: passages by similarity to a question, and the judgements that were stored at ingestion.
Gives: a verdict each: yes where the chunk reveals something, and that bears on the question.
Source: ours (methods.md 2, "GS is a vector look-up").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from offbook.errors import IndexMissing
from offbook.models.trait_bearing import BEARS, asks_for_facets, bearing
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


def verdicts_for(
    question: str, passages: Sequence[Passage], judgements: Mapping[str, ChunkJudgement]
) -> list[bool | None]:
    """Whether each passage reveals something that bears on a question, by what was stored of it.

    Where it cannot be told what a question asks for (which it can in English only), whatever is
    revealed bears on it, and the nearest passages that reveal something are selected.

    Args:
        question: What is asked.
        passages: By similarity, best first.
        judgements: By chunk.

    Returns:
        One for each passage; None where nothing was stored.
    """
    told = [judgements.get(passage.chunk.id) for passage in passages]
    if not asks_for_facets(question):
        return [None if judgement is None else judgement.reveals for judgement in told]
    texts: list[str] = []
    owners: list[int] = []
    for place, judgement in enumerate(told):
        attributes = judgement.attributes if judgement is not None and judgement.reveals else ()
        texts += [attribute.text for attribute in attributes]
        owners += [place] * len(attributes)
    much = bearing(question, texts)
    bears = {owner for owner, share in zip(owners, much, strict=True) if share >= BEARS}
    return [
        None if judgement is None else judgement.reveals and place in bears
        for place, judgement in enumerate(told)
    ]
