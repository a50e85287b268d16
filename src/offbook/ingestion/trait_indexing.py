"""What each chunk reveals of the character, judged once, each answer stored as it arrives.

Takes: a character, a model.  Gives: judgements in the store; what no answer could be got for is
put into quarantine, and tried again next time.
Source: ours (methods.md 2): the judgement of AMADEUS (003), section 4.2, made at ingestion.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from offbook.errors import AnswerError, InputRefused
from offbook.ingestion.reports import Progress, ProgressListener
from offbook.models.side_by_side import run_all
from offbook.prompts.ask import ask
from offbook.prompts.traits import INDEX_TRAITS, PassageAttributes, PassageInputs
from offbook.stores import characters, chunk_attributes, chunks, jobs
from offbook.stores.chunk_attributes import ChunkJudgement, StoredAttribute

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.pipeline import Stage
    from offbook.types import Chunk

JOB: Final = jobs.TRAITS
"""The kind of the jobs that judge a chunk."""


@dataclass(slots=True)
class TraitIndexing:
    """One run over the chunks that were not judged yet.

    Args:
        stage: The store, the extractor and the settings.
        character: Id of the character.
        progress: Told after every chunk.
    """

    stage: Stage
    character: str
    progress: ProgressListener
    refused: list[str] = field(default_factory=list)
    _name: str = ""
    _done: int = 0
    _total: int = 0
    _arrived: list[ChunkJudgement] = field(default_factory=list)
    _storing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self) -> None:
        """Judge what is missing; ``refused`` names the chunks that were put aside.

        Raises:
            ModelError: the endpoint failed for good; what arrived is stored.
            BudgetReached: likewise.
        """
        pending = await self.stage.store.write(self._pending)
        self._total = len(pending)
        await run_all([partial(self.judge, chunk) for chunk in pending])

    def _pending(self, conn: Connection) -> list[Chunk]:
        self._name = characters.require(conn, self.character).name
        splitter = self.stage.settings.amadeus.splitter
        missing = set(chunk_attributes.unjudged(conn, self.character, splitter))
        every = chunks.list_chunks(conn, self.character, chunking=splitter)
        found = [chunk for chunk in every if chunk.id in missing]
        wordless = [chunk.id for chunk in found if not has_words(chunk)]
        nothing = [ChunkJudgement(name, reveals=False) for name in wordless]
        chunk_attributes.put(conn, self.character, nothing)
        pending = [chunk for chunk in found if has_words(chunk)]
        for document in dict.fromkeys(chunk.document for chunk in pending):
            ids = [chunk.id for chunk in pending if chunk.document == document]
            jobs.enqueue(conn, self.character, JOB, ids, document=document)
            jobs.start(conn, self.character, JOB, ids)
        return pending

    async def judge(self, chunk: Chunk) -> None:
        """Ask about one chunk, and keep the answer or put the chunk aside."""
        retries = self.stage.settings.answers.retries
        documents = frozenset({f"{self.character}/{chunk.document}"})
        try:
            answer = await ask(
                self.stage.extractor,
                INDEX_TRAITS,
                trait_inputs(self._name, chunk),
                documents=documents,
                retries=retries,
            )
        except (AnswerError, InputRefused) as error:
            reason = error.message
            await self.stage.store.write(
                lambda conn: jobs.quarantine(conn, self.character, JOB, [chunk.id], reason)
            )
            self.refused.append(chunk.id)
            self._tell()
        else:
            await self._keep(judgement_in(chunk, answer))

    async def _keep(self, judgement: ChunkJudgement) -> None:
        """Store what arrived; what arrives during a transaction is kept together in the next."""
        self._arrived.append(judgement)
        async with self._storing:
            batch, self._arrived = self._arrived, []
            if batch:
                await self.stage.store.write(lambda conn: self._store(conn, batch))
                self._done += len(batch)
                self._tell()

    def _store(self, conn: Connection, batch: Sequence[ChunkJudgement]) -> None:
        chunk_attributes.put(conn, self.character, batch)
        jobs.finish(conn, self.character, JOB, [judgement.chunk for judgement in batch])

    def _tell(self) -> None:
        self.progress(Progress("judging chunks", self._done + len(self.refused), self._total))


def trait_inputs(name: str, chunk: Chunk) -> PassageInputs:
    """What the prompt is told of a chunk."""
    return PassageInputs(name, chunk.heading_path, chunk.text)


def judgement_in(chunk: Chunk, answer: PassageAttributes) -> ChunkJudgement:
    """The judgement of an answer, its texts as every database can keep them, each once."""
    told = {
        (part.kind, text): StoredAttribute(part.kind, text)
        for part in answer.attributes
        if (text := _clean(part.text))
    }
    return ChunkJudgement(chunk.id, answer.reveals, tuple(told.values()))


def has_words(chunk: Chunk) -> bool:
    """Whether there is anything to judge: a row of stars reveals nothing, and costs no call."""
    return any(character.isalnum() for character in chunk.text)


def _clean(text: str) -> str:
    kept = " ".join(text.replace("\0", "\ufffd").split())
    return kept.encode("utf-8", "replace").decode("utf-8")
