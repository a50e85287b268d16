"""A model for AMADEUS's prompts that answers by the words of a passage, and a character to ask.

Takes: what a passage must hold to reveal something.  Gives: a stage of the method ``amadeus``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from offbook.prompts.traits import Attributes, PassageAttribute, PassageAttributes, Revealing
from offbook.types import ChatRequest, ChatResponse, Message, Recall
from tests.graph.world import Trigrams
from tests.methods.world import World
from tests.models.fakes import Scripted

DEEDS = (
    "She waited nine years for the boat and never asked.",
    "The rock has a tower of grey stone.",
    "She shared her bread with the keeper of the other light.",
    "The lamp burns oil.",
    "She waited patiently all night for the fog.",
    "There are forty steps.",
    "She told no one what the letter said.",
)
STORY = "# Ada Byrne\n\n" + "\n\n".join(f"## Year {n}\n\n{d}" for n, d in enumerate(DEEDS)) + "\n"


class Revealer(Scripted):
    """Says that a passage reveals something where it holds one of some words.

    Args:
        words: The words.
        broken: Prompts, or passages, that it answers with nonsense.
    """

    def __init__(self, *words: str, broken: Sequence[str] = ()) -> None:
        super().__init__(by=self._answer)
        self.words, self.broken = words, tuple(broken)
        self.fail: Callable[[ChatRequest], object] = lambda request: None

    @property
    def asked(self) -> list[str]:
        """Names of the prompts, in the order in which they were asked."""
        return [request.origin[0].name for request in self.requests if request.origin]

    def _answer(self, request: ChatRequest) -> str | ChatResponse | BaseException:
        assert request.origin is not None
        prompt, inputs = request.origin
        try:
            self.fail(request)
        except Exception as error:
            return error
        text = getattr(inputs, "passage", "")
        if prompt.name in self.broken or any(b in text for b in self.broken):
            return "I would rather not."
        reveals = any(word in text for word in self.words)
        answers: dict[str, Any] = {
            "reveals_trait": lambda: Revealing(reveals=reveals),
            "index_traits": lambda: PassageAttributes(
                reveals=reveals,
                attributes=[PassageAttribute(kind="psychological_trait", text=text)]
                if reveals
                else [],
            ),
            "extract_attributes": lambda: Attributes(
                belief_and_values="She holds that a light is owed.",
                psychological_traits=f"Seen in {len(inputs.passages)} passages.",
            ),
            "profile": lambda: "Ada Byrne keeps a light.",
            "reply": lambda: "So it is.",
        }
        return str(prompt.answer.write(answers[prompt.name]()))


@dataclass
class Kept(World):
    """A character whose chunks are its story's sections, to put questions to."""

    store: Any
    model: Revealer
    amadeus: dict[str, Any] = field(default_factory=dict)
    sections: dict[str, Any] = field(default_factory=dict)
    embedder: Any = field(default_factory=Trigrams)

    def in_force(self) -> dict[str, Any]:
        return {
            "method": "amadeus",
            "amadeus": {"splitter": "markdown", **self.amadeus},
            **self.sections,
        }

    async def made(self) -> Kept:
        """Make the character of the story."""
        return await self.create(("a.md", STORY))

    async def recall(
        self, question: str, *, as_of: str | None = None, history: Sequence[Message] = ()
    ) -> Recall:
        """What the method recalls."""
        return await self.asked(question, as_of, history)
