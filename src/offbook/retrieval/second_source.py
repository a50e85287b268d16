"""The second source of corrective retrieval: what the character's own texts hold elsewhere.

Takes: a question, and the passages that did not answer it.  Gives: passages that were not seen yet,
found by words; those of other documents and those of the same ones by turns.
Paper: CRAG (arXiv 2401.15884), section 4, web search. Differs: the paper searches the web, with
keywords that a model writes; a character knows what its texts say, so that by default nothing else
is searched, by the question's own words, and nothing leaves the machine.
"""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from offbook.methods.knowledge import Knowledge
    from offbook.retrieval.passages import Passage
    from offbook.types import ContextItem

_LOOKED_AT: Final = 50
"""Unseen passages among which documents take turns; what fits the words less is not looked at."""


class OtherDocuments:
    """The character's other documents, and what of the same ones was not retrieved."""

    name = "documents"

    async def search(
        self, knowledge: Knowledge, question: str, seen: Sequence[Passage], most: int
    ) -> Sequence[ContextItem]:
        """Unseen passages by words; see the protocol."""
        chunking = knowledge.settings.crag.splitter
        deep = len(seen) + max(most, _LOOKED_AT)
        hits = await knowledge.search(question, chunking, deep, mode="lexical")
        known = {passage.chunk.id for passage in seen}
        drawn_on = {passage.chunk.document for passage in seen}
        new = [hit for hit in hits if hit.chunk.id not in known]
        others = [hit for hit in new if hit.chunk.document not in drawn_on]
        same = [hit for hit in new if hit.chunk.document in drawn_on]
        turns = chain.from_iterable(zip_longest(others, same))
        return [knowledge.passage(hit) for hit in turns if hit is not None][:most]
