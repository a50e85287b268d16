"""A model for questions to a character with a graph, and a book that uses it.

Takes: what the boundary prompts are to answer.  Gives: a stage whose graph prompts are answered by
rules, and whose questions are answered as a test tells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from offbook import pipeline
from offbook.ingestion.as_of import at_point
from offbook.ingestion.reports import unheard
from offbook.pipeline import Stage
from offbook.prompts.question import (
    QuestionAnalysis,
    QuestionEntities,
    QuestionEntity,
    QuestionInputs,
)
from offbook.settings import SettingsModel
from offbook.stores import characters
from offbook.types import Message, Recall
from offbook.wire import ChatRequest, ChatResponse
from tests.graph.rules_model import RulesModel
from tests.graph.world import Trigrams
from tests.ingestion.stage import read

STORY = (
    "# Ada Byrne\n\nAda Byrne keeps the light on Skerry Rock. Tom Byrne taught Ada Byrne to trim"
    " the lamp. Maud Keane is a friend of Ada Byrne. Ada Byrne likes Maud Keane and Jem Dolan.\n"
)
LATER = (
    "# The letter\n\nTom Byrne is none other than Black Finn. Black Finn left a chest for Ada"
    " Byrne. Nora Quill brought a lantern.\n"
)


def entity(
    name: str,
    *,
    known: bool = True,
    specific: bool = True,
    reason: str = "r",
    kind: str = "character",
) -> QuestionEntity:
    """An entity of an answer."""
    return QuestionEntity.model_validate(
        {"name": name, "type": kind, "known": known, "specific": specific, "reason": reason}
    )


class QuestionModel(RulesModel):
    """Rules for the graph, and given answers for questions; replies say what they were told."""

    def __init__(self, *entities: QuestionEntity, context: str = "") -> None:
        super().__init__()
        self.entities = list(entities)
        self.context = context
        self.broken = False

    @property
    def inputs(self) -> QuestionInputs:
        """What the last question prompt was told."""
        found = [r.origin[1] for r in self.asked if r.origin and "quest" in r.origin[0].name]
        inputs: QuestionInputs = found[-1]
        return inputs

    async def complete(self, request: ChatRequest) -> ChatResponse:
        assert request.origin is not None
        prompt, _ = request.origin
        answers: dict[str, Callable[[], Any]] = {
            "analyse_question": lambda: QuestionAnalysis(
                context=self.context, entities=self.entities
            ),
            "hypothetical_context": lambda: self.context or "She would say so.",
            "question_entities": lambda: QuestionEntities(entities=self.entities),
            "profile": lambda: "Ada Byrne keeps a light.",
            "reply": lambda: "So it is.",
        }
        if prompt.name not in answers:
            return await super().complete(request)
        self.asked.append(request)
        if self.broken and prompt.name != "reply" and prompt.name != "profile":
            return ChatResponse("I would rather not.")
        return ChatResponse(prompt.answer.write(answers[prompt.name]()))


@dataclass
class Asked:
    """A character with a graph, to put questions to."""

    store: Any
    model: QuestionModel
    settings: dict[str, Any] = field(default_factory=dict)
    embedder: Any = field(default_factory=Trigrams)

    @property
    def stage(self) -> Stage:
        """The stage of the method ``rolerag``."""
        settings = SettingsModel.model_validate({"method": "rolerag", **self.settings})
        model: Any = self.model
        return Stage(settings, self.store, model, model, model, self.embedder)

    async def create(self, *texts: tuple[str, str], name: str = "Ada Byrne") -> Asked:
        """Make the character of these documents."""
        made = await self.store.write(lambda conn: characters.create(conn, name))
        self.id = made.id
        readings = [read(file, text) for file, text in texts]
        await pipeline.ingest(self.stage, made.id, readings, unheard, lambda: None)
        return self

    async def recall(
        self,
        question: str,
        *entities: QuestionEntity,
        context: str = "",
        as_of: str | None = None,
        history: Sequence[Message] = (),
    ) -> Recall:
        """Recall, with the given answer to the boundary prompt."""
        self.model.entities, self.model.context = list(entities), context
        character = await self.store.read(lambda conn: characters.require(conn, self.id))
        point = None
        if as_of is not None:
            character, point = await self.store.read(lambda conn: at_point(conn, character, as_of))
        return await pipeline.recall(self.stage, character, question, history, point)


def kinds(recall: Recall) -> dict[str, list[str]]:
    """Titles by kind."""
    found: dict[str, list[str]] = {}
    for item in recall.context:
        found.setdefault(item.kind, []).append(item.title)
    return found
