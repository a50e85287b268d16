"""A model for AMADEUS's prompts that answers by the words of a passage, and a character to ask.

Takes: what a passage must hold to reveal something.  Gives: a stage of the method ``amadeus``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from offbook.prompts.traits import Attributes, PassageAttribute, PassageAttributes, Revealing
from tests.graph.world import Trigrams
from tests.methods.world import Answering, World

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


class Revealer(Answering):
    """Says that a passage reveals something where it holds one of some words.

    Args:
        words: The words.
        broken: Prompts, or passages, that it answers with nonsense.
    """

    def __init__(self, *words: str, broken: Sequence[str] = ()) -> None:
        super().__init__(broken)
        self.words = words

    def answers(self, inputs: Any) -> dict[str, Any]:
        text = getattr(inputs, "passage", "")
        reveals = any(word in text for word in self.words)
        shown = [PassageAttribute(kind="psychological_trait", text=text)] if reveals else []
        return {
            "reveals_trait": lambda: Revealing(reveals=reveals),
            "index_traits": lambda: PassageAttributes(reveals=reveals, attributes=shown),
            "extract_attributes": lambda: Attributes(
                belief_and_values="She holds that a light is owed.",
                psychological_traits=f"Seen in {len(inputs.passages)} passages.",
            ),
            "profile": lambda: "Ada Byrne keeps a light.",
            "reply": lambda: "So it is.",
        }


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
