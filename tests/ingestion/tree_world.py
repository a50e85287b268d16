"""A character whose tree of summaries is built in a test.

Takes: a store.  Gives: documents added, replaced, put in order and deleted, the tree that there is
then, and what was asked for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from offbook import pipeline
from offbook.ingestion.profile import at_point
from offbook.ingestion.reports import unheard
from offbook.ingestion.summary_tree import TreeBuilding
from offbook.models.batching import note_call
from offbook.prompts.summaries import ClusterInputs, ClusterSummary
from offbook.runtime import Runtime
from offbook.settings import SettingsModel
from offbook.stores import characters, documents, summaries
from offbook.stores.summaries import Summary
from offbook.types import ChatRequest, ChatResponse, Recall
from tests.ingestion.runtime import Embedding, read
from tests.models.fakes import Scripted


class Summarizer(Scripted):
    """A model that summarizes a cluster by the last words of its passages.

    Args:
        fail: Is called with each request, before it is answered; may raise, or give an answer.
    """

    def __init__(self, fail: Callable[[ChatRequest], str | None] = lambda _: None) -> None:
        super().__init__(by=self._answer, name="summarizer")
        self._fail = fail

    @property
    def told(self) -> list[ClusterInputs]:
        """What was to be summarized."""
        return [request.origin[1] for request in self.requests if request.origin]

    async def complete(self, request: ChatRequest) -> ChatResponse:
        note_call()  # as the limiter does
        return await super().complete(request)

    def _answer(self, request: ChatRequest) -> str:
        bad = self._fail(request)
        if bad is not None:
            return bad
        assert request.origin is not None
        prompt, inputs = request.origin
        parts = [" ".join(passage.split()[-4:]) for passage in inputs.passages]
        return str(prompt.answer.write(ClusterSummary(summary=" / ".join(parts))))


@dataclass
class TreeWorld:
    """A character, and the tree over its chunks; each section is a chunk."""

    store: Any
    character: str = "keeper"
    model: Summarizer = field(default_factory=Summarizer)
    embedder: Any = field(default_factory=Embedding)
    raptor: dict[str, Any] = field(default_factory=lambda: {"size": 2})
    sections: dict[str, Any] = field(default_factory=dict)

    @property
    def runtime(self) -> Runtime:
        """The stage of the method ``raptor``."""
        told = {"method": "raptor", "raptor": {"splitter": "markdown", **self.raptor}}
        settings = SettingsModel.model_validate({**told, **self.sections})
        model: Any = self.model
        return Runtime(settings, self.store, model, model, model, self.embedder)

    async def create(self) -> TreeWorld:
        """Make the character."""
        await self.store.write(lambda conn: characters.create(conn, self.character))
        return self

    async def put(self, name: str, text: str) -> Any:
        """Add or replace a document, and build; the report."""
        return await self.ingest([read(name, text)])

    async def ingest(self, readings: Sequence[Any] = (), order: Sequence[str] = ()) -> Any:
        """Build; the report."""
        told = self.runtime, self.character, readings, unheard, lambda: None, order
        reports, _ = await pipeline.ingest(*told)
        return reports

    async def remove(self, name: str) -> None:
        """Delete a document, and build."""
        info = await self.store.read(lambda c: documents.require(c, self.character, name))
        await self.store.write(lambda c: documents.remove(c, self.character, info.id))
        await TreeBuilding(self.runtime, self.character, unheard).run()

    async def order(self, names: Sequence[str]) -> None:
        """Put the documents in this order, and build."""
        if names:
            await self.ingest(order=names)

    async def picture(self) -> Any:
        """What there is, comparable between characters."""
        built = await self.store.read(lambda c: summaries.built(c, self.character))
        found = await self.summaries()
        return found, built if found else None

    async def summaries(self) -> list[Summary]:
        """All that are stored."""
        found: list[Summary] = await self.store.read(
            lambda c: summaries.list_all(c, self.character)
        )
        return found

    async def recall(self, question: str, as_of: str | None = None) -> Recall:
        """What is retrieved."""
        character = await self.store.read(lambda c: characters.require(c, self.character))
        point = None
        if as_of is not None:
            character, point = await self.store.read(lambda c: at_point(c, character, as_of))
        return await pipeline.recall(self.runtime, character, question, point=point)
