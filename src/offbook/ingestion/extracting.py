"""Entities and relations of every chunk that has none yet.

Takes: a character, a model.  Gives: raw entities and relations for the store, with the place in the
chunk where each name was found; what no answer could be got for goes into quarantine.
Paper: RoleRAG (001), section 3.1. All chunks are asked about at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from offbook.errors import AnswerError, InputRefused
from offbook.graph.equal_names import name_key
from offbook.graph.mentions import find_mentions
from offbook.ingestion.reports import Progress, ProgressListener
from offbook.models.side_by_side import run_all
from offbook.prompts.extraction import Extraction, ExtractionInputs, extraction
from offbook.stores import graph, jobs
from offbook.types import Chunk, RawEntity, RawRelation

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from offbook.ingestion.later_writes import LaterWrites
    from offbook.models.asking import Asking
    from offbook.settings.model import GraphSettings

JOB: Final = "extract"
"""The kind of the jobs that extract a chunk."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one chunk mentions, ready to be stored."""

    chunk: Chunk
    entities: tuple[RawEntity, ...]
    relations: tuple[RawRelation, ...]


@dataclass(slots=True)
class Extracting:
    """One run over the chunks that were not extracted yet.

    Args:
        pending: These, from :func:`unextracted`.
        later: Where results go.
        asking: The extractor.
        character: Id of the character.
        settings: What is looked for.
        progress: Told after every chunk.
        heard: Given the mentions of a chunk while others are asked about.
    """

    pending: Sequence[Chunk]
    later: LaterWrites
    asking: Asking
    character: str
    settings: GraphSettings
    progress: ProgressListener
    heard: Callable[[Sequence[RawEntity]], Awaitable[object]] | None = None
    found: list[RawEntity] = field(init=False, default_factory=list)
    refused: list[str] = field(init=False, default_factory=list)
    _done: int = 0

    async def run(self) -> None:
        """Extract what is missing.

        ``found`` are the mentions, in no order; ``refused`` names the chunks that were put aside.

        Raises:
            ModelError: the endpoint failed for good; what arrived is among the later writes.
            BudgetReached: likewise.
        """
        if self.pending:
            self.later.add(self._note)
        await run_all([_job(self, chunk) for chunk in self.pending])

    def _note(self, conn: Connection) -> None:
        for document in dict.fromkeys(chunk.document for chunk in self.pending):
            ids = [chunk.id for chunk in self.pending if chunk.document == document]
            jobs.enqueue(conn, self.character, JOB, ids, document=document)
            jobs.start(conn, self.character, JOB, ids)

    async def extract(self, chunk: Chunk) -> None:
        """Ask about one chunk, and keep the answer or put the chunk aside."""
        try:
            answer = await self._ask(chunk)
        except (AnswerError, InputRefused) as error:
            reason = error.message
            self.later.add(
                lambda conn: jobs.quarantine(conn, self.character, JOB, [chunk.id], reason)
            )
            self.refused.append(chunk.id)
            self._tell()
        else:
            await self._keep(found_in(chunk, answer))

    async def _ask(self, chunk: Chunk) -> Extraction:
        types = tuple(self.settings.entity_types)
        inputs = extraction_inputs(self.asking.character, chunk, types)
        first = await self.asking.ask(extraction(types), inputs, [chunk.id])
        if not self.settings.gleaning:
            return first
        names = tuple(clean(entity.name) for entity in first.entities)
        again = ExtractionInputs(
            self.asking.character, chunk.heading_path, chunk.text, types, names
        )
        missed = await self.asking.ask(extraction(types, "glean"), again, [chunk.id])
        return Extraction(
            entities=[*first.entities, *missed.entities],
            relations=[*first.relations, *missed.relations],
        )

    async def _keep(self, found: Found) -> None:
        self.later.add(lambda conn: self._store(conn, found))
        self.found += found.entities
        if self.heard is not None:
            await self.heard(found.entities)
        self._done += 1
        self._tell()

    def _store(self, conn: Connection, found: Found) -> None:
        graph.put_raw_entities(conn, self.character, found.entities)
        graph.put_relations(conn, self.character, found.relations)
        jobs.finish(conn, self.character, JOB, [found.chunk.id])

    def _tell(self) -> None:
        self.progress(Progress("extracting", self._done + len(self.refused), len(self.pending)))


def unextracted(conn: Connection, character: str, every: Iterable[Chunk]) -> list[Chunk]:
    """The chunks that no answer is stored for and that may mention somebody."""
    done = {job.subject for job in jobs.list_jobs(conn, character, kind=JOB, statuses={"done"})}
    return [chunk for chunk in every if chunk.id not in done and has_words(chunk.text)]


def found_in(chunk: Chunk, answer: Extraction) -> Found:
    """Raw entities and relations of an answer.

    An entity that is listed twice is one mention with both descriptions. A relation's end that is
    not listed becomes a mention of its own, without a type: a name is not lost because a model
    forgot to list it.
    """
    told: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for entity in answer.entities:
        name, kind = clean(entity.name), clean(entity.type)
        _, descriptions = told.setdefault((name_key(name) or name, kind), (name, []))
        descriptions.append(clean(entity.description))
    known = {key for key, _ in told}
    relations = []
    for relation in answer.relations:
        source, target = clean(relation.source), clean(relation.target)
        description = clean(relation.description)
        relations.append((source, target, description, float(relation.strength)))
        for end in (source, target):
            if (key := name_key(end) or end) not in known:
                _, descriptions = told.setdefault((key, ""), (end, []))
                descriptions.append(description)
    places = find_mentions(chunk.text, [name for name, _ in told.values()])
    mentions = [
        _mention(chunk, place, name, kind, descriptions, places[name])
        for place, ((_, kind), (name, descriptions)) in enumerate(told.items())
    ]
    return Found(
        chunk,
        tuple(mentions),
        tuple(
            RawRelation(_id(chunk.id, "r", place, a, b), chunk.id, place, a, b, text, strength)
            for place, (a, b, text, strength) in enumerate(relations)
        ),
    )


def _mention(
    chunk: Chunk,
    place: int,
    name: str,
    kind: str,
    descriptions: Sequence[str],
    span: tuple[int, int] | None,
) -> RawEntity:
    start, end = span if span is not None else (None, None)
    told = " ".join(dict.fromkeys(text for text in descriptions if text))
    identity = _id(chunk.id, "e", place, name, kind)
    return RawEntity(identity, chunk.id, place, name, kind, told, start, end)


def clean(text: str) -> str:
    """On one line, and what every database can keep."""
    kept = " ".join(text.replace("\0", "\ufffd").split())
    return kept.encode("utf-8", "replace").decode("utf-8")


def extraction_inputs(name: str, chunk: Chunk, types: tuple[str, ...]) -> ExtractionInputs:
    """What the first look at a chunk is told."""
    return ExtractionInputs(name, chunk.heading_path, chunk.text, types)


def has_words(text: str) -> bool:
    """A rule of dashes or a row of stars mentions nobody, and costs no call."""
    return any(character.isalnum() for character in text)


def _id(*parts: object) -> str:
    told = "\0".join(str(part) for part in parts)
    return hashlib.blake2b(told.encode(), digest_size=10).hexdigest()


def _job(run: Extracting, chunk: Chunk) -> Callable[[], Awaitable[None]]:
    return lambda: run.extract(chunk)
