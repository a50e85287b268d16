"""CRAG: retrieved passages are graded; a second source stands in where they do not answer.

Takes: a question.  Gives: what is relevant of the passages that answer it, and of a second source.
Paper: Corrective RAG (Yan et al. 2024, arXiv 2401.15884), section 4. Left out: the trained
evaluator, whose place a model's grade takes (which names the relevant strips at once, so that
refining costs no call), and web search, whose place the character's other documents take
(``crag.searcher``); the second source is filtered by words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from offbook.types import Needs, Skipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from offbook.methods.knowledge import Knowledge
    from offbook.protocols import Searcher
    from offbook.retrieval.passages import Passage
    from offbook.retrieval.retrieval_evaluator import Grading
    from offbook.settings import SettingsModel
    from offbook.types import ContextItem, Recall

_CALLED_FOR: Final[dict[str | None, str]] = {
    "ambiguous": "it stays open whether what was retrieved answers the question",
    "incorrect": "nothing that was retrieved answers the question",
    None: "nothing that was retrieved could be graded",
}
"""Why the second source is asked, by the action."""


class Crag:
    """Corrective retrieval: grade, refine, and search again where that is called for."""

    name = "crag"

    def needs(self, settings: SettingsModel) -> Needs:
        """The chunks of one splitter, and their vectors unless the search is by words alone."""
        return Needs((settings.crag.splitter,), vectors=settings.retrieval.mode != "lexical")

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """What answers the question, as far as it is found in either source."""
        from offbook.retrieval.retrieval_evaluator import grade_passages

        settings = knowledge.settings.crag
        # 1 -- the chunks that are most like the question ----------------------------------------
        found = await knowledge.search(question, settings.splitter, settings.k)
        # 2 -- a grade each, side by side; with it the strips that bear on the question ----------
        grading = await grade_passages(
            knowledge.asked_by(self.name),
            knowledge.character,
            knowledge.in_full(question),
            found,
            sentences_each=settings.strip,
            retries=knowledge.settings.answers.retries,
        )
        # 3 -- correct and ambiguous ones are refined, the others are left out -------------------
        refined, skipped = _refined(knowledge, grading)
        # 4 -- unless one is correct, the second source is asked ---------------------------------
        second: list[ContextItem] = []
        if grading.action != "correct" and settings.second:
            second, left = await _second_source(knowledge, question, found, grading)
            skipped += left
        # 5 -- within a budget that is divided ---------------------------------------------------
        return knowledge.divided_recall(
            self.name,
            question,
            {"knowledge": refined, "second source": second},
            {"knowledge": settings.knowledge_share, "second source": settings.second_share},
            skipped=skipped,
        )


def _refined(knowledge: Knowledge, grading: Grading) -> tuple[list[ContextItem], list[Skipped]]:
    """What is relevant of the passages, correct ones first; the others with the reason."""
    from offbook.retrieval.knowledge_refinement import recomposed

    kept: list[ContextItem] = []
    skipped: list[Skipped] = []
    for each in (*grading.of("correct"), *grading.of("ambiguous"), *grading.of("incorrect")):
        item = knowledge.passage(each.passage)
        if each.grade == "incorrect":
            why = "graded incorrect: it does not help to answer the question"
            skipped.append(Skipped(item.kind, item.title, why))
        elif not each.relevant:
            why = f"graded {each.grade}: no part of it bears on the question"
            skipped.append(Skipped(item.kind, item.title, why))
        else:
            kept.append(recomposed(item, each.relevant))
    skipped += [
        Skipped("knowledge", passage.chunk.heading_path, f"not graded: {why}")
        for passage, why in grading.ungraded
    ]
    return kept, skipped


async def _second_source(
    knowledge: Knowledge, question: str, seen: Sequence[Passage], grading: Grading
) -> tuple[list[ContextItem], list[Skipped]]:
    """What the configured searcher finds, of that the strips that share words with the question."""
    from offbook import registry
    from offbook.retrieval.knowledge_refinement import recomposed, sharing_words

    settings, asked = knowledge.settings.crag, knowledge.in_full(question)
    searcher: Searcher = registry.load("searcher", settings.searcher)()
    found = await searcher.search(knowledge, question, seen, settings.second)
    kept: list[ContextItem] = []
    called_for = _CALLED_FOR[grading.action] if seen else "nothing was retrieved"
    why = f"{called_for}: {searcher.name!r} was asked (crag.searcher)"
    skipped = [Skipped("knowledge", "the second source", why)]
    for item in found:
        strips = sharing_words(item.text, asked, knowledge.character.name, settings.strip)
        if strips:
            kept.append(recomposed(item, strips))
        else:
            why = "found by the second source; no part of it shares a word with the question"
            skipped.append(Skipped(item.kind, item.title, why))
    return kept, skipped
