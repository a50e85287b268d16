"""Vanilla: the model alone, told only whom it plays.

Takes: a question.  Gives: an empty recall.
Paper: RoleRAG (001), section 4.1, the baseline without retrieval.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offbook.types import IndexRequirements

if TYPE_CHECKING:
    from offbook.methods.knowledge import Knowledge
    from offbook.settings import SettingsModel
    from offbook.types import Recall


class Vanilla:
    """No context at all."""

    name = "vanilla"

    def needs(self, settings: SettingsModel) -> IndexRequirements:
        """Nothing."""
        del settings
        return IndexRequirements(vectors=False)

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """An empty context."""
        return knowledge.recall(self.name, question, ())
