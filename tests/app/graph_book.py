"""An open home whose character has a graph, made by the rules of ``tests.graph.rules_model``.

Takes: a folder, texts.  Gives: an ``Offbook`` whose calls a test can count and let fail.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from offbook.app import Offbook
from offbook.models.metering import Meter
from offbook.models.wrappers import wrap
from offbook.runtime import Runtime
from tests.app.homes import opened, text
from tests.graph.rules_model import RulesModel
from tests.graph.world import Trigrams

STORY = {
    "one.md": "Ana Bell meets Bo. Ana Bell left Cora Dunn.",
    "two.md": "Cora meets Sparrow. Bo fears Sparrow.",
}


class GraphBook:
    """The home, the model that answers, and what was asked.

    Args:
        book: The open home.
        model: Who answers; a test may put another in its place.
    """

    def __init__(self, book: Offbook, model: RulesModel) -> None:
        self.book, self.model = book, model

    @classmethod
    async def made(cls, folder: Path, story: Mapping[str, str] = STORY, **flags: Any) -> GraphBook:
        """A home with a character whose graph is built; flags are those of ``opened``."""
        found = cls(await opened(folder, method="rolerag", **flags), RulesModel())
        found._stand_in()
        await found.book.create("Keeper")
        await found.ingest(story)
        return found

    def _stand_in(self) -> None:
        wiring = self.book.wiring

        def runtime(dimension: int | None = None, meter: Meter | None = None) -> Runtime:
            limiter = wiring.limiters.of(self.model.base_url)
            asked = wrap(
                self.model, meter=meter or self.book.meter, limiter=limiter, cache=wiring.cache
            )
            settings = self.book.settings.values
            return Runtime(settings, self.book.store, asked, asked, asked, Trigrams())

        self.book.runtime = runtime  # type: ignore[method-assign]

    async def ingest(self, story: Mapping[str, str]) -> Any:
        """Add or replace documents."""
        return await self.book.ingest_texts("keeper", [text(*item) for item in story.items()])

    async def entities(self) -> dict[str, list[str]]:
        """Canonical name -> aliases."""
        rows = await self.book.show("keeper", "entities")
        return {row["name"]: row["aliases"] for row in rows}

    async def decisions(self, **wanted: Any) -> list[dict[str, Any]]:
        """The decisions with these values."""
        rows: list[dict[str, Any]] = await self.book.show("keeper", "decisions")
        return [row for row in rows if wanted.items() <= row.items()]

    def forget_calls(self) -> None:
        """Count from here."""
        self.model.asked.clear()
