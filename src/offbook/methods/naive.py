"""Naive RAG: the k chunks that are most like the question.

Takes: a question.  Gives: k chunks with their heading paths, best first.
Paper: AMADEUS (003), section 5.1, with k = 3; RoleRAG (001), section 4.1, with k = 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offbook.types import IndexRequirements

if TYPE_CHECKING:
    from offbook.methods.knowledge import Knowledge
    from offbook.settings import SettingsModel
    from offbook.types import Recall


class Naive:
    """Top-k chunks, nothing else."""

    name = "naive"

    def needs(self, settings: SettingsModel) -> IndexRequirements:
        """The chunks of one splitter, and their vectors unless the search is by words alone."""
        return IndexRequirements(
            (settings.naive.splitter,), vectors=settings.retrieval.mode != "lexical"
        )

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """The top-k chunks as pieces of knowledge."""
        settings = knowledge.settings.naive
        resolved = knowledge.addressed(question)
        hits = await knowledge.search(resolved, settings.splitter, settings.k)
        return knowledge.recall(self.name, question, [knowledge.passage(hit) for hit in hits])
