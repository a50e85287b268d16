"""What an ingestion would cost, without a call.

Takes: what would be read, and what the method needs.  Gives: calls, tokens and money.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from offbook.documents.chunking import make_splitter
from offbook.graph.character_node import told_of_character
from offbook.graph.loading import load_groups
from offbook.ingestion.estimated_chunks import by_chance
from offbook.ingestion.estimating_graph import estimate_graph
from offbook.ingestion.estimating_summaries import estimate_summaries
from offbook.ingestion.estimating_traits import estimate_judging
from offbook.ingestion.reports import Estimate
from offbook.ingestion.storing import splitter_arguments, stored_documents
from offbook.ingestion.summarizing import is_answered, profile_request
from offbook.language.encodings import token_counter
from offbook.language.tokens import count_tokens
from offbook.models.wrappers import OFFLINE_URL
from offbook.settings.model import BUILTIN
from offbook.stores import chunks, vectors
from offbook.types import Chunk, Document, TaskUsage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from offbook.documents.readers import ReadDocument
    from offbook.pipeline import Stage
    from offbook.types import Character

_EXTRACTION: Final = frozenset({"extract", "glean"})
"""What mentions cost: the steps of the graph before names are normalized."""
PROFILE_TOKENS: Final = 250
"""About what a profile of at most 180 words has."""


async def estimate_ingestion(
    stage: Stage, character: Character, readings: Sequence[ReadDocument]
) -> Estimate:
    """Count the calls that ``ingest`` would make now; in its place nothing is done.

    Raises:
        EmbedderMismatch: ``ingest`` would be refused: the vectors are by another embedder.
    """
    needs = stage.method.needs(stage.settings)
    before = await stage.store.read(lambda conn: stored_documents(conn, character.id))
    after = _after(before, readings)
    embedding = _Embedding(stage, character.id)
    if needs.vectors:
        await embedding.count(needs.chunkings, before, after)
    tasks: dict[str, TaskUsage] = {}
    offline = stage.extractor.base_url == OFFLINE_URL
    if not offline:
        if needs.graph or needs.mentions:
            of_graph = await estimate_graph(stage, character, after)
            tasks |= {n: task for n, task in of_graph.items() if needs.graph or n in _EXTRACTION}
        if needs.profile and after:
            described = await _described(stage, character, needs.graph, bool(tasks))
            tasks["profile"] = await _profile(stage, character, after, described)
        if needs.traits:
            tasks["index_traits"] = await estimate_judging(stage, character, after)
    if needs.summaries and not (offline and embedding.free):
        tree = await estimate_summaries(stage, character, after)
        for level in tree.embedded:
            embedding.add(level)
        if not offline:
            tasks["summarize_cluster"] = tree.usage
    return _priced(stage, {name: task for name, task in tasks.items() if task.calls}, embedding)


async def _described(stage: Stage, character: Character, graph: bool, changes: bool) -> str:
    """What the graph will say of the character; where it changes, only that it is something."""
    if not graph:
        return ""
    if changes:
        return character.name
    groups = await stage.store.read(lambda conn: load_groups(conn, character.id))
    return told_of_character(groups, character.name)


async def _profile(
    stage: Stage, character: Character, after: Sequence[Document], described: str
) -> TaskUsage:
    most = stage.settings.profile.budget_tokens
    request = profile_request(character, list(after), most, described)
    if await is_answered(stage.store, stage.extractor, request):
        return TaskUsage()
    count = token_counter(stage.settings.tokens.encoding)
    prompt_tokens = sum(count(message.content) for message in request.messages)
    return TaskUsage(1, prompt_tokens, PROFILE_TOKENS)


def _after(before: Sequence[Document], readings: Sequence[ReadDocument]) -> list[Document]:
    """The documents as they would be stored."""
    by_name = {document.name: document for document in before}
    for reading in readings:
        digest = hashlib.sha256(reading.text.encode("utf-8", "surrogatepass")).hexdigest()
        old = by_name.get(reading.name)
        if old is None and any(digest == known.digest for known in by_name.values()):
            continue
        if old is None or old.digest != digest:
            identity = old.id if old is not None else f"new {reading.name}"
            by_name[reading.name] = Document(identity, reading.name, reading.text, digest)
    return list(by_name.values())


class _Embedding:
    """Counts the requests and tokens of the texts that would be embedded."""

    def __init__(self, stage: Stage, character: str) -> None:
        self.calls = self.tokens = 0
        self._stage, self._character = stage, character
        self._batch = stage.settings.embed.batch
        self.free = stage.settings.embed.model == BUILTIN

    async def count(
        self, chunkings: Sequence[str], before: Sequence[Document], after: Sequence[Document]
    ) -> None:
        """Count for all documents as they would be stored."""
        unchanged = {document.id: document.digest for document in before}
        texts: list[str] = []
        for name in chunkings:
            stored = await self._stage.store.read(lambda conn, n=name: self._stored(conn, n))  # type: ignore[misc]
            if self.free:
                continue
            splitter = make_splitter(
                name, splitter_arguments(name, self._stage.settings), self._stand_in
            )
            for document in after:
                known = stored.get(document.id)
                same = unchanged.get(document.id) == document.digest
                if known is None or not same or known.parameters != splitter.parameters(document):
                    made = await asyncio.to_thread(splitter.split, document)
                else:
                    made = known.chunks
                done = known.embedded if known is not None else frozenset()
                texts += [chunk.text_with_headings for chunk in made if chunk.id not in done]
        self.add(texts)

    def _stored(self, conn: Connection, chunking: str) -> dict[str, _Stored]:
        """Document id -> how it is split and embedded now."""
        active = vectors.active_set(conn, self._character)
        if active is not None:
            vectors.check_embedder(active, self._character, self._stage.embedder.name)
        parameters = chunks.get_parameters(conn, self._character, chunking)
        split: dict[str, list[Chunk]] = {document: [] for document in parameters}
        for chunk in chunks.list_chunks(conn, self._character, chunking=chunking):
            split[chunk.document].append(chunk)
        missing = {chunk.id for of_one in split.values() for chunk in of_one}
        if active is not None:
            missing = set(vectors.missing_ids(conn, self._character, active.id, "chunk", chunking))
        return {
            document: _Stored(
                parameters[document],
                tuple(made),
                frozenset(chunk.id for chunk in made) - missing,
            )
            for document, made in split.items()
        }

    def _stand_in(self, texts: list[str]) -> NDArray[np.float32]:
        """Counts what a splitter would embed."""
        self.add(texts)
        return by_chance(texts)

    def add(self, texts: Sequence[str]) -> None:
        """Count texts that are embedded in requests of their own."""
        if not self.free:
            self.calls += -(-len(texts) // self._batch)
            self.tokens += sum(map(count_tokens, texts))


@dataclass(frozen=True, slots=True)
class _Stored:
    """A document under a chunking, as it is stored."""

    parameters: Mapping[str, Any]
    chunks: tuple[Chunk, ...]
    embedded: frozenset[str]


def _priced(stage: Stage, tasks: Mapping[str, TaskUsage], embedding: _Embedding) -> Estimate:
    calls, prompt_tokens, completion_tokens = (
        sum(getattr(task, name) for task in tasks.values())
        for name in ("calls", "prompt_tokens", "completion_tokens")
    )
    used = {stage.extractor.name: (prompt_tokens, completion_tokens)} if calls else {}
    if embedding.calls:
        prompt, completion = used.get(stage.embedder.name, (0, 0))
        used[stage.embedder.name] = (prompt + embedding.tokens, completion)
    prices = stage.settings.prices
    cost = None
    if prices and used.keys() <= prices.keys():
        cost = sum(
            prompt * prices[name].prompt + completion * prices[name].completion
            for name, (prompt, completion) in used.items()
        )
        cost /= 1_000_000
    return Estimate(calls, prompt_tokens, completion_tokens, cost, embedding.calls, dict(tasks))
