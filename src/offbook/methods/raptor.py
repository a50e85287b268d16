"""RAPTOR: passages, and summaries of passages that are alike, searched on all levels together.

Takes: a question.  Gives: the chunks and summaries that are most like it, best first.
Paper: RAPTOR (Sarthi et al. 2024, arXiv 2401.18059), collapsed tree. Left out: reduction of
dimensions and soft clusters, in whose place stand clusters that an edit leaves alone
(``ingestion.clustering``), and the traversal of the tree, which the paper found to be worse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offbook.types import Needs

if TYPE_CHECKING:
    from offbook.methods.knowledge import Knowledge
    from offbook.settings import SettingsModel
    from offbook.types import Recall


class Raptor:
    """The nodes of a tree of summaries, whatever their level."""

    name = "raptor"

    def needs(self, settings: SettingsModel) -> Needs:
        """The chunks with their vectors, by which they are clustered, and the summaries."""
        return Needs((settings.raptor.splitter,), vectors=True, summaries=True)

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """What fits the question best, as much of it as the budget holds."""
        return knowledge.recall(self.name, question, await knowledge.search_tree(question))
