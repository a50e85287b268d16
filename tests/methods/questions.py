"""A model for questions to a character with a graph, and a book that uses it.

Takes: what the boundary prompts are to answer.  Gives: a stage whose graph prompts are answered by
rules, and whose questions are answered as a test tells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from offbook.prompts.question import (
    Feeling,
    QuestionAnalysis,
    QuestionEntities,
    QuestionEntity,
    QuestionInputs,
    Understanding,
    Unknown,
)
from offbook.types import ChatRequest, ChatResponse, Recall
from tests.graph.rules_model import RulesModel
from tests.graph.world import Trigrams
from tests.methods.world import World

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
        self.premise = ""
        self.feelings: list[Feeling] = []
        self.broken = False
        self.raw: ChatResponse | None = None
        """What the small call is answered in place of all that."""

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
            "understand_question": lambda: Understanding(
                query=self.context,
                unknown=[
                    Unknown(name=each.name, reason=each.reason)
                    for each in self.entities
                    if not each.known
                ],
                premise=self.premise,
                feelings=self.feelings,
            ),
            "profile": lambda: "Ada Byrne keeps a light.",
            "reply": lambda: "So it is.",
        }
        if prompt.name not in answers:
            return await super().complete(request)
        self.asked.append(request)
        if self.broken and prompt.name != "reply" and prompt.name != "profile":
            return ChatResponse("I would rather not.")
        if self.raw is not None and prompt.name == "understand_question":
            return self.raw
        return ChatResponse(prompt.answer.write(answers[prompt.name]()))


@dataclass
class Asked(World):
    """A character with a graph, to put questions to."""

    store: Any
    model: QuestionModel
    settings: dict[str, Any] = field(default_factory=dict)
    embedder: Any = field(default_factory=Trigrams)

    def in_force(self) -> dict[str, Any]:
        return {"method": "rolerag", **self.settings}


def kinds(recall: Recall) -> dict[str, list[str]]:
    """Titles by kind."""
    found: dict[str, list[str]] = {}
    for item in recall.context:
        found.setdefault(item.kind, []).append(item.title)
    return found
