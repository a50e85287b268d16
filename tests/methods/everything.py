"""A model for all prompts of the ensemble, and a character with a graph, deeds and memories.

Takes: what the prompts are to answer.  Gives: a stage of the method ``ensemble``.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

from offbook.ingestion.memories import Remembering
from offbook.ingestion.reports import unheard
from offbook.models.failures import PassingError
from offbook.prompts.emotion import EmotionsAnswer, EmotionScores
from offbook.prompts.traits import Attributes, PassageAttribute, PassageAttributes, Revealing
from offbook.stores import memories
from offbook.text.emotion_names import EMOTIONS
from offbook.types import ChatRequest, ChatResponse, MemoryFragment
from tests.graph.world import Trigrams
from tests.methods.questions import QuestionModel, entity
from tests.methods.world import World

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
        self.down: tuple[str, ...] = ()
        self.delay_seconds = 0.0
        self.revealing: tuple[str, ...] = ("waited", "shared")

    @property
    def names(self) -> list[str]:
        """The prompts, in the order in which they were asked."""
        return [request.origin[0].name for request in self.asked if request.origin]

    async def complete(self, request: ChatRequest) -> ChatResponse:
        assert request.origin is not None
        prompt, inputs = request.origin
        if prompt.name in self.down:
            raise PassingError("no connection to the endpoint", unreachable=True)
        if prompt.name in self.failing:
            self.asked.append(request)
            return ChatResponse("I would rather not.")
        if prompt.name == "understand_question":
            self.in_flight += 1
            self.peak = max(self.peak, self.in_flight)
            await asyncio.sleep(self.delay_seconds)
            self.in_flight -= 1
        value = self._value(prompt.name, inputs)
        if value is None:
            return await super().complete(request)
        self.asked.append(request)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        await asyncio.sleep(0)
        self.in_flight -= 1
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
class Whole(World):
    """A character to put questions to."""

    store: Any
    model: Everything = field(default_factory=Everything)
    sections: dict[str, Any] = field(default_factory=dict)
    embedder: Any = field(default_factory=Trigrams)

    def in_force(self) -> dict[str, Any]:
        """The method ``ensemble``; each part of the story is a chunk."""
        usual: dict[str, dict[str, Any]] = {
            "amadeus": {"splitter": "markdown"},
            "ensemble": {"likeness": -1.0, "gs": "live", "ae": True},
        }
        told = {name: {**part, **self.sections.get(name, {})} for name, part in usual.items()}
        return {**self.sections, **told}

    async def made(self) -> Whole:
        """Make the character of the story; what that asked is forgotten."""
        await self.create(("a.md", STORY))
        self.model.asked.clear()
        return self

    async def remember(self, *pairs: tuple[str, str], at: str | None = None) -> None:
        """Store, score and embed memories."""
        found = [MemoryFragment("", said, answered, at=at) for said, answered in pairs]
        found = [replace(f, id=memories.memory_id(f.said, f.answered)) for f in found]
        ids = await self.store.write(memories.add, self.id, found)
        await Remembering(self.runtime, await self.character(), unheard).run(ids)
        self.model.asked.clear()


__all__ = ["PARTS", "STORY", "TOLD", "Everything", "Whole", "entity"]
