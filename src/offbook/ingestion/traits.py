"""What each chunk reveals of the character, judged once, each answer stored as it arrives.

Source: ours: the judgement of AMADEUS (003), section 4.2, made at ingestion; docs/amadeus.md,
"Live, indexed, off".
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from offbook.errors import AnswerError, InputRefused
from offbook.ingestion.extraction import clean, has_words
from offbook.ingestion.reports import Steps, begin_jobs
from offbook.models.batching import run_all
from offbook.prompts.ask import ask
from offbook.prompts.traits import INDEX_TRAITS, PassageAttributes, PassageInputs
from offbook.stores import characters, chunks, jobs
from offbook.stores.chunks import ChunkJudgement, StoredAttribute

if TYPE_CHECKING:
    from offbook.ingestion.reports import ProgressListener
    from offbook.runtime import Runtime
    from offbook.stores.connection import Connection
    from offbook.types import Chunk


async def index_traits(runtime: Runtime, character: str, progress: ProgressListener) -> None:
    """Judge the chunks that were not judged yet; those without a usable answer are put aside.

    Raises:
        ModelError: the endpoint failed for good; what arrived is stored.
        BudgetReached: likewise.
    """
    steps = Steps("judging chunks", progress)

    def begin(conn: Connection) -> tuple[str, list[Chunk]]:
        splitter = runtime.settings.amadeus.splitter
        missing = set(chunks.unjudged(conn, character, splitter))
        unjudged = [
            chunk
            for chunk in chunks.list_chunks(conn, character, chunking=splitter)
            if chunk.id in missing
        ]
        wordless = [
            ChunkJudgement(chunk.id, reveals=False) for chunk in unjudged if not has_words(chunk)
        ]
        chunks.put_judgements(conn, character, wordless)
        pending = [chunk for chunk in unjudged if has_words(chunk)]
        begin_jobs(conn, character, jobs.TRAITS, pending)
        return characters.require(conn, character).name, pending

    async def judge(chunk: Chunk) -> None:
        try:
            answer = await ask(
                runtime.extractor,
                INDEX_TRAITS,
                PassageInputs(name, chunk.heading_path, chunk.text),
                documents=frozenset({f"{character}/{chunk.document}"}),
                retries=runtime.settings.answers.retries,
            )
        except (AnswerError, InputRefused) as error:
            await runtime.store.write(
                jobs.quarantine, character, jobs.TRAITS, [chunk.id], error.message
            )
        else:
            await runtime.store.write(put, _judgement(chunk, answer))
        steps.add(1)

    def put(conn: Connection, judgement: ChunkJudgement) -> None:
        chunks.put_judgements(conn, character, [judgement])
        jobs.finish(conn, character, jobs.TRAITS, [judgement.chunk])

    name, pending = await runtime.store.write(begin)
    steps.begin(len(pending))
    await run_all([partial(judge, chunk) for chunk in pending])


def _judgement(chunk: Chunk, answer: PassageAttributes) -> ChunkJudgement:
    """Make the judgement of an answer, each of its texts once."""
    attributes = {
        (part.kind, text): StoredAttribute(part.kind, text)
        for part in answer.attributes
        if (text := clean(part.text))
    }
    return ChunkJudgement(chunk.id, answer.reveals, tuple(attributes.values()))
