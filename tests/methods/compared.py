"""A model for the prompts of CRAG and Adaptive-RAG that does as it is told, and whom to ask.

Takes: words that make a passage correct or ambiguous, a route, searches.  Gives: recalls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from offbook.prompts.retrieval import (
    BestStrips,
    Complexity,
    Grade,
    Keywords,
    NextStep,
    PassageGrade,
)
from offbook.types import Recall
from tests.graph.world import Trigrams
from tests.methods.world import Answering, World

DEEDS = (
    "Ada keeps the lamp of the tower. She oils it at dusk. The rock is grey.",
    "Tom Keane taught Ada to trim the lamp. He lived in Cork.",
    "The lamp burns oil from Galway.",
    "Ada has a lamp by her bed, and a cat.",
)
LATER = (
    "Maud Dolan sold the lamp oil.",
    "A sloop came in with bread.",
)


def document(name: str, deeds: Sequence[str]) -> str:
    """A document of which ``markdown`` makes a chunk a deed."""
    return f"# {name}\n\n" + "\n\n".join(f"## Year {n}\n\n{deed}" for n, deed in enumerate(deeds))


TEXTS = {"a.md": document("Ada Byrne", DEEDS), "b.md": document("Later", LATER)}
QUESTION = "Who taught you to trim the lamp?"


class Told(Answering):
    """Answers by the words of the passages, or as it is told.

    Args:
        correct: Words of passages that are correct; the strips that hold one are relevant.
        ambiguous: Words of those that are ambiguous.
        route: How many retrievals a question takes.
        searches: What is missing after each step; then it is enough.
        broken: Prompts, or words of passages, that it answers with nonsense.
        best: Words of the strips that are chosen over all passages, the best first.
    """

    def __init__(
        self,
        *,
        correct: Sequence[str] = (),
        ambiguous: Sequence[str] = (),
        route: str = "one",
        searches: Sequence[str] = (),
        broken: Sequence[str] = (),
        best: Sequence[str] = (),
    ) -> None:
        super().__init__(broken)
        self.best = tuple(best)
        self.words: dict[Grade, tuple[str, ...]] = {
            "correct": tuple(correct),
            "ambiguous": tuple(ambiguous),
        }
        self.route, self.searches = route, tuple(searches)

    def answers(self, inputs: Any) -> dict[str, Any]:
        return {
            "grade_passage": lambda: self._grade(inputs.strips),
            "select_strips": lambda: self._select(inputs.strips),
            "classify_question": lambda: Complexity.model_validate({"retrievals": self.route}),
            "next_step": lambda: self._step(len(inputs.searched) - 1),
            "question_keywords": lambda: Keywords(high_level=["trimming"], low_level=["lamp"]),
            "reply": lambda: "So it is.",
        }

    def _grade(self, strips: Sequence[str]) -> PassageGrade:
        for grade, words in self.words.items():
            numbers = [n for n, s in enumerate(strips, 1) if any(word in s for word in words)]
            if numbers:
                return PassageGrade(relevant=numbers, grade=grade)
        return PassageGrade(relevant=[], grade="incorrect")

    def _select(self, strips: Sequence[str]) -> BestStrips:
        numbers = [n for word in self.best for n, s in enumerate(strips, 1) if word in s]
        return BestStrips(best=numbers)

    def _step(self, step: int) -> NextStep:
        if step < len(self.searches):
            return NextStep(
                thought=f"So it was {self.searches[step]}.",
                enough=False,
                search=self.searches[step],
            )
        return NextStep(thought="", enough=True, search="")


@dataclass
class Asked(World):
    """A character of two documents, and a method that is asked about it."""

    store: Any
    model: Told
    method: str
    sections: dict[str, dict[str, Any]] = field(default_factory=dict)
    embedder: Any = field(default_factory=Trigrams)

    def in_force(self) -> dict[str, Any]:
        """The method, with the sections of documents as chunks."""
        own = {"splitter": "markdown", **self.sections.get(self.method, {})}
        return {"method": self.method, **self.sections, self.method: own}

    async def made(self) -> Asked:
        """Make the character of its documents; no call is made for it."""
        await self.create(*TEXTS.items())
        assert self.model.requests == []
        return self


def texts(recall: Recall) -> list[str]:
    """The texts of the context, in order."""
    return [item.text for item in recall.context]


def told_places(recall: Recall) -> list[str]:
    """What the documents hold at each source of the context, in order."""
    names = {"a-md": "a.md", "b-md": "b.md"}
    return [
        TEXTS[names[source.document]][source.start : source.end]
        for item in recall.context
        for source in item.sources
    ]
