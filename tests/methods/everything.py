"""A model for all prompts of the ensemble, and a character with a graph, deeds and memories.

Takes: what the prompts are to answer.  Gives: a stage of the method ``ensemble``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from offbook import pipeline
from offbook.ingestion.as_of import at_point
from offbook.ingestion.remembering import Remembering
from offbook.ingestion.reports import unheard
from offbook.language.emotion_names import EMOTIONS
from offbook.pipeline import Stage
from offbook.prompts.emotion import EmotionsAnswer, EmotionScores
from offbook.prompts.question import QuestionEntity
from offbook.prompts.traits import Attributes, PassageAttribute, PassageAttributes, Revealing
from offbook.settings import SettingsModel
from offbook.stores import characters, memories
from offbook.types import MemoryFragment, Message, Recall
from offbook.wire import ChatRequest, ChatResponse
from tests.graph.world import Trigrams
from tests.ingestion.stage import read
from tests.methods.questions import QuestionModel, entity

PARTS = (
    "Ada Byrne keeps the light on Skerry Rock.",
    "Tom Byrne taught Ada Byrne to trim the lamp.",
    "Ada Byrne waited nine years for the boat and never asked.",
    "Maud Keane is a friend of Ada Byrne.",
    "Ada Byrne shared bread with Maud Keane.",
)
STORY = "# Ada Byrne\n\n" + "\n\n".join(f"## Part {n}\n\n{p}" for n, p in enumerate(PARTS)) + "\n"
TOLD = (
    ("Tom taught you to trim the lamp, did he?", "He did, and I was glad of it."),
    ("Your dog Rex barks at the boat.", "Let Rex bark; he is as old as the lamp."),
)


class Everything(QuestionModel):
    """Answers every prompt; ``broken`` names prompts that it answers with nonsense."""

    def __init__(self) -> None:
        super().__init__()
        self.failing: tuple[str, ...] = ()
        self.revealing: tuple[str, ...] = ("waited", "shared")

    @property
    def names(self) -> list[str]:
        """The prompts, in the order in which they were asked."""
        return [request.origin[0].name for request in self.asked if request.origin]

    async def complete(self, request: ChatRequest) -> ChatResponse:
        assert request.origin is not None
        prompt, inputs = request.origin
        if prompt.name in self.failing:
            self.asked.append(request)
            return ChatResponse("I would rather not.")
        value = self._value(prompt.name, inputs)
        if value is None:
            return await super().complete(request)
        self.asked.append(request)
        return ChatResponse(prompt.answer.write(value))

    def _value(self, name: str, inputs: Any) -> Any:
        if name == "reveals_trait":
            return Revealing(reveals=any(word in inputs.passage for word in self.revealing))
        if name == "index_traits":
            shown = any(word in inputs.passage for word in self.revealing)
            trait = PassageAttribute(kind="psychological_trait", text=inputs.passage)
            return PassageAttributes(reveals=shown, attributes=[trait] if shown else [])
        if name == "extract_attributes":
            return Attributes(belief_and_values="", psychological_traits="She is patient.")
        if name == "score_emotions":
            level = dict.fromkeys(EMOTIONS, 3)
            return EmotionsAnswer(
                items=[
                    EmotionScores(item=number, **level)
                    for number, _ in enumerate(inputs.utterances, 1)
                ]
            )
        return None


@dataclass
class Whole:
    """A character to put questions to."""

    store: Any
    model: Everything = field(default_factory=Everything)
    sections: dict[str, Any] = field(default_factory=dict)
    embedder: Any = field(default_factory=Trigrams)
    id: str = "ada-byrne"

    @property
    def stage(self) -> Stage:
        """The stage of the method ``ensemble``; each part of the story is a chunk."""
        usual: dict[str, dict[str, Any]] = {
            "amadeus": {"splitter": "markdown"},
            "ensemble": {"likeness": -1.0},
        }
        told = {name: {**part, **self.sections.get(name, {})} for name, part in usual.items()}
        settings = SettingsModel.model_validate({**self.sections, **told})
        model: Any = self.model
        return Stage(settings, self.store, model, model, model, self.embedder)

    async def create(self, text: str = STORY) -> Whole:
        """Make the character."""
        await self.store.write(lambda conn: characters.create(conn, "Ada Byrne"))
        readings = [read("a.md", text)]
        await pipeline.ingest(self.stage, self.id, readings, unheard, lambda: None)
        self.model.asked.clear()
        return self

    async def remember(self, *pairs: tuple[str, str], at: str | None = None) -> None:
        """Store, score and embed memories."""
        found = [MemoryFragment("", said, answered, at=at) for said, answered in pairs]
        found = [replace(f, id=memories.memory_id(f.said, f.answered)) for f in found]
        ids = await self.store.write(lambda conn: memories.add(conn, self.id, found))
        character = await self.store.read(lambda conn: characters.require(conn, self.id))
        await Remembering(self.stage, character, unheard).run(ids)
        self.model.asked.clear()

    async def recall(
        self,
        question: str,
        *entities: QuestionEntity,
        as_of: str | None = None,
        history: Sequence[Message] = (),
    ) -> Recall:
        """Recall, with the given entities as the answer to the boundary prompt."""
        self.model.entities = list(entities)
        character = await self.store.read(lambda conn: characters.require(conn, self.id))
        point = None
        if as_of is not None:
            character, point = await self.store.read(lambda conn: at_point(conn, character, as_of))
        return await pipeline.recall(self.stage, character, question, history, point)


__all__ = ["PARTS", "STORY", "TOLD", "Everything", "Whole", "entity"]
