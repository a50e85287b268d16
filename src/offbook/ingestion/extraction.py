"""What is made of each chunk alone: entities and relations by a model, terms without one.

What no answer could be got for goes into quarantine.
Paper: RoleRAG (001), section 3.1. All chunks are asked about at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from offbook.errors import AnswerError, InputRefused
from offbook.graph.mentions import find_mentions
from offbook.ingestion.reports import Steps, begin_jobs
from offbook.models.batching import run_all
from offbook.models.beside import worked_out
from offbook.names.identity import name_key
from offbook.prompts.ask import ask
from offbook.prompts.extraction import Extraction as ExtractionAnswer
from offbook.prompts.extraction import ExtractionInputs, extraction
from offbook.retrieval.search import ANALYZER, encode_terms
from offbook.stores import chunks, graph, jobs
from offbook.types import Chunk, RawEntity, RawRelation

if TYPE_CHECKING:
    from offbook.ingestion.reports import ProgressListener
    from offbook.models.batching import Asking
    from offbook.protocols import Store
    from offbook.settings.model import GraphSettings
    from offbook.stores.connection import Connection


_AT_ONCE: Final = 512
"""Chunks that are read and written together."""


async def index_terms(store: Store, character: str) -> None:
    """Make the terms for lexical search that chunks lack, or have of an older analyzer."""
    while pending := await store.read(chunks.without_terms, character, ANALYZER, _AT_ONCE):
        texts = [chunk.text_with_headings for chunk in pending]
        packed = [await worked_out(encode_terms, text) for text in texts]
        terms = {chunk.id: blob for chunk, blob in zip(pending, packed, strict=True)}
        await store.write(chunks.set_terms, character, ANALYZER, terms)


@dataclass(slots=True)
class Extraction:
    """One run over the chunks that were not extracted yet.

    Args:
        store: Where results go.
        character: Id of the character.
        pending: The chunks, from :func:`unextracted`.
        asking: The extractor.
        settings: What is looked for.
        progress: Called after every chunk.
    """

    store: Store
    character: str
    pending: Sequence[Chunk]
    asking: Asking
    settings: GraphSettings
    progress: ProgressListener
    _steps: Steps = field(init=False)

    def __post_init__(self) -> None:
        self._steps = Steps("extracting", self.progress)

    async def run(self) -> None:
        """Ask about every chunk, and store the answer or put the chunk aside.

        Raises:
            ModelError: the endpoint failed for good.
            BudgetReached: the next call would go over the budget.
        """
        if not self.pending:
            return
        await self.store.write(begin_jobs, self.character, jobs.EXTRACT, self.pending)
        self._steps.begin(len(self.pending))
        await run_all([partial(self._extract, chunk) for chunk in self.pending])

    async def _extract(self, chunk: Chunk) -> None:
        types = tuple(self.settings.entity_types)
        asking, model = self.asking, self.asking.model
        documents = asking.documents([chunk.id])
        inputs = ExtractionInputs(asking.character, chunk.heading_path, chunk.text, types)
        try:
            answer = await ask(
                model, extraction(types), inputs, documents=documents, retries=asking.retries
            )
            if self.settings.gleaning:
                known = tuple(clean(entity.name) for entity in answer.entities)
                missed = await ask(
                    model,
                    extraction(types, "glean"),
                    replace(inputs, found=known),
                    documents=documents,
                    retries=asking.retries,
                )
                answer = ExtractionAnswer(
                    entities=[*answer.entities, *missed.entities],
                    relations=[*answer.relations, *missed.relations],
                )
        except (AnswerError, InputRefused) as error:
            await self.store.write(
                jobs.quarantine, self.character, jobs.EXTRACT, [chunk.id], error.message
            )
        else:
            mentions, relations = read_extraction(chunk, answer)
            await self.store.write(self._put, chunk, mentions, relations)
        self._steps.add(1)

    def _put(
        self,
        conn: Connection,
        chunk: Chunk,
        mentions: Sequence[RawEntity],
        relations: Sequence[RawRelation],
    ) -> None:
        graph.put_raw_entities(conn, self.character, mentions)
        graph.put_relations(conn, self.character, relations)
        jobs.finish(conn, self.character, jobs.EXTRACT, [chunk.id])


def unextracted(conn: Connection, character: str, every: Iterable[Chunk]) -> list[Chunk]:
    """List the chunks that no answer is stored for and that may mention somebody."""
    done = {
        job.subject for job in jobs.list_jobs(conn, character, kind=jobs.EXTRACT, statuses={"done"})
    }
    return [chunk for chunk in every if chunk.id not in done and has_words(chunk)]


def read_extraction(
    chunk: Chunk, answer: ExtractionAnswer
) -> tuple[list[RawEntity], list[RawRelation]]:
    """Make raw entities and relations of an answer, with the place of each name in the chunk.

    An entity that is listed twice is one mention with both descriptions. A relation's end that is
    not listed becomes a mention of its own, without a type: a name is not lost because a model
    forgot to list it.
    """
    listed: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for entity in answer.entities:
        name, kind = clean(entity.name), clean(entity.type)
        _, descriptions = listed.setdefault((name_key(name) or name, kind), (name, []))
        descriptions.append(clean(entity.description))
    known = {key for key, _ in listed}
    relations: list[RawRelation] = []
    for relation in answer.relations:
        a, b = clean(relation.source), clean(relation.target)
        text, strength, place = clean(relation.description), relation.strength, len(relations)
        identity = _id(chunk.id, "r", place, a, b)
        relations.append(RawRelation(identity, chunk.id, place, a, b, text, float(strength)))
        for name in (a, b):
            if (key := name_key(name) or name) not in known:
                _, descriptions = listed.setdefault((key, ""), (name, []))
                descriptions.append(text)
    spans = find_mentions(chunk.text, [name for name, _ in listed.values()])
    mentions = []
    for place, ((_, kind), (name, descriptions)) in enumerate(listed.items()):
        start, end = spans[name] or (None, None)
        text = " ".join(dict.fromkeys(text for text in descriptions if text))
        identity = _id(chunk.id, "e", place, name, kind)
        mentions.append(RawEntity(identity, chunk.id, place, name, kind, text, start, end))
    return mentions, relations


def clean(text: str) -> str:
    """Put a text on one line, without what some database cannot store."""
    line = " ".join(text.replace("\0", "\ufffd").split())
    return line.encode("utf-8", "replace").decode("utf-8")


def has_words(chunk: Chunk) -> bool:
    """Tell whether there is anything to ask about: a row of stars costs no call."""
    return any(map(str.isalnum, chunk.text))


def _id(*parts: object) -> str:
    text = "\0".join(str(part) for part in parts)
    return hashlib.blake2b(text.encode(), digest_size=10).hexdigest()
