"""A character to put questions to, whatever the method: what the worlds of single methods share.

Takes: documents, settings, a model that answers as a test tells.  Gives: recalls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from offbook import pipeline
from offbook.ingestion.profile import at_point
from offbook.ingestion.reports import unheard
from offbook.methods.knowledge import Knowledge
from offbook.runtime import Runtime
from offbook.settings import SettingsModel
from offbook.stores import characters
from offbook.types import Character, ChatRequest, ChatResponse, Message, Recall
from tests.ingestion.runtime import read
from tests.models.fakes import Scripted


class Answering(Scripted):
    """Answers each prompt as a subclass says; nonsense where it is ``broken``.

    Args:
        broken: Prompts, or words of passages, that it answers with nonsense.
    """

    def __init__(self, broken: Sequence[str] = ()) -> None:
        super().__init__(by=self._answer)
        self.broken = tuple(broken)
        self.fail: Callable[[ChatRequest], object] = lambda request: None

    @property
    def asked(self) -> list[str]:
        """Names of the prompts, in the order in which they were asked."""
        return [request.origin[0].name for request in self.requests if request.origin]

    def inputs(self, prompt: str) -> list[Any]:
        """The inputs of each question of this name."""
        return [r.origin[1] for r in self.requests if r.origin and r.origin[0].name == prompt]

    def answers(self, inputs: Any) -> Mapping[str, Callable[[], Any]]:
        """What each prompt is answered with."""
        raise NotImplementedError

    def _answer(self, request: ChatRequest) -> str | ChatResponse | BaseException:
        assert request.origin is not None
        prompt, inputs = request.origin
        try:
            self.fail(request)
        except Exception as error:
            return error
        text = "\n".join([getattr(inputs, "passage", ""), *getattr(inputs, "strips", ())])
        if prompt.name in self.broken or any(words in text for words in self.broken):
            return "I would rather not."
        return str(prompt.answer.write(self.answers(inputs)[prompt.name]()))


class World:
    """A store, a model for every role, an embedder; a subclass says which settings are in force."""

    store: Any
    model: Any
    embedder: Any
    id: str = "ada-byrne"

    def in_force(self) -> Mapping[str, Any]:
        """The settings by section."""
        raise NotImplementedError

    @property
    def runtime(self) -> Runtime:
        """The stage of the method."""
        settings = SettingsModel.model_validate(self.in_force())
        return Runtime(settings, self.store, self.model, self.model, self.model, self.embedder)

    async def create(self, *texts: tuple[str, str], name: str = "Ada Byrne") -> Self:
        """Make the character of these documents."""
        made = await self.store.write(characters.create, name)
        self.id = made.id
        await self.ingest(*texts)
        return self

    async def ingest(self, *texts: tuple[str, str]) -> list[Any]:
        """Add documents, or go on with those that are stored."""
        readings = [read(file, text) for file, text in texts]
        reports, _ = await pipeline.ingest(self.runtime, self.id, readings, unheard, lambda: None)
        return reports

    async def character(self) -> Character:
        """The character as it is stored."""
        found: Character = await self.store.read(characters.require, self.id)
        return found

    async def knowledge(self, extractor: Any = None) -> Knowledge:
        """What a method sees of it."""
        runtime, character = self.runtime, await self.character()
        return Knowledge(
            character, runtime.settings, self.store, runtime.embedder, extractor=extractor
        )

    async def recall(
        self,
        question: str,
        *entities: Any,
        context: str = "",
        as_of: str | None = None,
        history: Sequence[Message] = (),
    ) -> Recall:
        """What the method recalls, with the given answer to the boundary prompt, if it has one."""
        if hasattr(self.model, "entities"):
            self.model.entities, self.model.context = list(entities), context
        character, point = await self.character(), None
        if as_of is not None:
            character, point = await self.store.read(at_point, character, as_of)
        return await pipeline.recall(self.runtime, character, question, history, point)
