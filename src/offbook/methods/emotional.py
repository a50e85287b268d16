"""Emotional RAG: memories that are near the question in meaning and were felt alike.

Takes: a question.  Gives: the summary, where there is one, and the k memories that fit it best.
Paper: Emotional RAG (004), section II; k = 10. ``default`` counts emotions from neutral and lets
the mood of the conversation have a part; ``faithful`` does neither.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from offbook.types import ContextItem, IndexRequirements

if TYPE_CHECKING:
    from offbook.methods.knowledge import Knowledge
    from offbook.settings import SettingsModel
    from offbook.types import Recall


class Emotional:
    """Memories by meaning and emotion."""

    name = "emotional"

    def needs(self, settings: SettingsModel) -> IndexRequirements:
        """Memories that are scored and have vectors; nothing of the documents."""
        del settings
        return IndexRequirements(vectors=False, memories=True)

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """The k memories of the configured strategy."""
        # 1 -- meaning and emotion of the question, side by side --------------------------------
        felt = await knowledge.feel(question)
        # 2 -- what was said before that is near it in both -------------------------------------
        near = await knowledge.memories(felt)
        # 3 -- who the character is, where that was written down ---------------------------------
        summary: list[ContextItem] = []
        if knowledge.character.profile:
            text, grounds = await knowledge.profile()
            summary = knowledge.summary(text, grounds)
        # 4 -- within the budget ----------------------------------------------------------------
        settings = knowledge.settings.emotional
        recalled = knowledge.divided_recall(
            self.name,
            question,
            {
                "profile": (settings.profile_share, summary),
                "memories": (settings.memory_share, near.items),
            },
            skipped=near.skipped,
        )
        return replace(recalled, emotion=felt.emotion)
