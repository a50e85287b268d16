"""LightRAG: entities by what the question names, relations by what it is about, and their chunks.

Takes: a question.  Gives: entities and relations with what is next to them, and source chunks.
Paper: LightRAG (Guo et al. 2024, arXiv 2410.05779). One person under two names is two nodes: names
are not normalized. Left out: keys of relations that a model makes up, summaries of descriptions by
a model (they are put together up to a length), and the vector search for chunks of later versions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from offbook.errors import AnswerError, InputRefused
from offbook.models.failures import why_without
from offbook.types import ContextItem, Needs, Skipped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from offbook.methods.knowledge import Knowledge
    from offbook.prompts.keywords import Keywords
    from offbook.settings import SettingsModel
    from offbook.types import Recall


class LightRag:
    """Dual-level retrieval from a graph in which every name is a node."""

    name = "lightrag"

    def needs(self, settings: SettingsModel) -> Needs:
        """Entities and relations as chunks state them, with their vectors."""
        del settings
        return Needs(("graph",), vectors=False, mentions=True)

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """What the graph says at both levels, and the chunks that it is from."""
        from offbook.retrieval.dual_level import find_mentions

        settings = knowledge.settings.lightrag
        index = await knowledge.mentions()
        # 1 -- keywords of two levels ----------------------------------------------------------
        full = knowledge.in_full(question)
        keywords, left = await _keywords(knowledge, full)
        low, high = await _vectors(knowledge, keywords, full)
        # 2 -- entities, relations, and one step further ---------------------------------------
        found = find_mentions(index, low, high, settings, knowledge.count)
        if not found.entities and not found.relations:
            why = "nothing that the texts mention is like what is asked"
            left.append(Skipped("entity", "entities and relations", why))
        # 3 -- the chunks that most of it is from ----------------------------------------------
        ids = list(found.chunks)[: settings.source_chunks]
        passages = await knowledge.chunks(ids)
        chunks = [replace(p, score=found.chunks[p.sources[0].chunk]) for p in passages]
        # 4 -- within a budget that is divided -------------------------------------------------
        kinds: dict[str, list[ContextItem]] = {
            "entities": found.entities,
            "relations": found.relations,
            "chunks": chunks,
        }
        shares = {
            "entities": settings.entity_share,
            "relations": settings.relation_share,
            "chunks": settings.chunk_share,
        }
        return knowledge.divided_recall(self.name, question, kinds, shares, skipped=left)


async def _keywords(knowledge: Knowledge, question: str) -> tuple[Keywords | None, list[Skipped]]:
    """The keywords of the question; or why there are none, and it is searched by as it stands."""
    from offbook.prompts.ask import ask
    from offbook.prompts.keywords import QUESTION_KEYWORDS, KeywordsInputs

    inputs = KeywordsInputs(knowledge.character.name, question)
    model, most = knowledge.asked_by("lightrag"), knowledge.settings.answers.retries
    try:
        return await ask(model, QUESTION_KEYWORDS, inputs, retries=most), []
    except (AnswerError, InputRefused) as error:
        why = f"none were found, the question itself is searched by: {why_without(error)}"
        return None, [Skipped("entity", "the keywords", why)]


async def _vectors(
    knowledge: Knowledge, keywords: Keywords | None, question: str
) -> tuple[NDArray[np.float32] | None, NDArray[np.float32] | None]:
    """The vectors of both levels, in one request; None for a level without keywords.

    A question without any is searched by as it stands. Where that says nothing ("Who are you?"),
    it is about whom it is put to.
    """
    low = ", ".join(filter(str.strip, keywords.low_level)) if keywords else ""
    high = ", ".join(filter(str.strip, keywords.high_level)) if keywords else ""
    if low or high:
        texts = [text for text in dict.fromkeys((low, high)) if text]
        matrix = await knowledge.embedder.embed(texts, "query")
        made = dict(zip(texts, matrix, strict=True))
        return made.get(low), made.get(high)
    whole, own = await knowledge.embedder.embed([question, knowledge.character.name], "query")
    return (whole, whole) if whole.any() else (own, None)
