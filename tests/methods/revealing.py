"""A model for AMADEUS's prompts that answers by the words of a passage, and a character to ask.

Takes: what a passage must hold to reveal something.  Gives: a stage of the method ``amadeus``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from offbook import pipeline
from offbook.ingestion.as_of import at_point
from offbook.ingestion.reports import unheard
from offbook.pipeline import Stage
from offbook.prompts.traits import Attributes, PassageAttribute, PassageAttributes, Revealing
from offbook.settings import SettingsModel
from offbook.stores import characters
from offbook.types import Message, Recall
from offbook.wire import ChatRequest, ChatResponse
from tests.graph.world import Trigrams
from tests.ingestion.stage import read
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
class Kept:
    """A character whose chunks are its story's sections, to put questions to."""

    store: Any
    model: Revealer
    amadeus: dict[str, Any] = field(default_factory=dict)
    sections: dict[str, Any] = field(default_factory=dict)
    id: str = "ada-byrne"

    @property
    def stage(self) -> Stage:
        """The stage of the method ``amadeus``, with the sections as chunks."""
        amadeus = {"splitter": "markdown", **self.amadeus}
        settings = SettingsModel.model_validate(
            {"method": "amadeus", "amadeus": amadeus, **self.sections}
        )
        model: Any = self.model
        return Stage(settings, self.store, model, model, model, Trigrams())

    async def create(self, *texts: tuple[str, str]) -> Kept:
        """Make the character of these documents."""
        await self.store.write(lambda conn: characters.create(conn, "Ada Byrne"))
        await self.ingest(*(texts or [("a.md", STORY)]))
        return self

    async def ingest(self, *texts: tuple[str, str]) -> list[Any]:
        """Add documents, or go on with those that are stored."""
        readings = [read(file, text) for file, text in texts]
        told = self.stage, self.id, readings, unheard, lambda: None
        reports, _ = await pipeline.ingest(*told)
        return reports

    async def recall(
        self, question: str, *, as_of: str | None = None, history: Sequence[Message] = ()
    ) -> Recall:
        """What the method recalls."""
        character = await self.store.read(lambda conn: characters.require(conn, self.id))
        point = None
        if as_of is not None:
            character, point = await self.store.read(lambda conn: at_point(conn, character, as_of))
        return await pipeline.recall(self.stage, character, question, history, point)
