"""Profile: the model is told one paragraph about the character.

Takes: a question.  Gives: the summary that was written at ingestion, whatever the question.
Paper: RoleRAG (001), section 4.1, where a summary of the page stands before every question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offbook.types import IndexRequirements

if TYPE_CHECKING:
    from offbook.methods.knowledge import Knowledge
    from offbook.settings import SettingsModel
    from offbook.types import Recall


class Profile:
    """One paragraph, the same for every question."""

    name = "profile"

    def needs(self, settings: SettingsModel) -> IndexRequirements:
        """The summary."""
        del settings
        return IndexRequirements(vectors=False, profile=True)

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """The summary as the only piece of context."""
        text, grounds = await knowledge.profile()
        return knowledge.recall(self.name, question, knowledge.summary(text, grounds))
