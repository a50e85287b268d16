"""CRAG: retrieved passages are graded; a second source stands in where they do not answer.

Takes: a question.  Gives: what is relevant of the passages that answer it, and of a second source.
Paper: Corrective RAG (Yan et al. 2024, arXiv 2401.15884), section 4. Left out: the trained
evaluator, whose place a model's grade takes (which names the relevant strips at once, so that
refining costs no call), and web search, whose place the character's other documents take
(``crag.searcher``); the second source is filtered by words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from offbook.types import Needs, Skipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from offbook.language.strips import Strip
    from offbook.methods.knowledge import Knowledge
    from offbook.protocols import Searcher
    from offbook.retrieval.retrieval_evaluator import Grading
    from offbook.settings import SettingsModel
    from offbook.types import ContextItem, Recall, Source

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
        from offbook import registry
        from offbook.retrieval.retrieval_evaluator import grade_passages

        settings = knowledge.settings.crag
        # Before the first call: that there is no such source is told before anything is spent.
        source = registry.load("searcher", settings.searcher)
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
        refined = _refined(knowledge, grading)
        # 4 -- unless one is correct, the second source is asked ---------------------------------
        second = _Refined(shown=refined.shown)
        if grading.action != "correct" and settings.second:
            searcher: Searcher = source()
            called_for = _CALLED_FOR[grading.action] if found else "nothing was retrieved"
            why = f"{called_for}: {searcher.name!r} was asked (crag.searcher)"
            second.leave("knowledge", "the second source", why)
            more = await searcher.search(knowledge, question, found, settings.second)
            _filter(second, knowledge, question, more)
        # 5 -- within a budget that is divided ---------------------------------------------------
        return knowledge.divided_recall(
            self.name,
            question,
            {"knowledge": refined.kept, "second source": second.kept},
            {"knowledge": settings.knowledge_share, "second source": settings.second_share},
            skipped=[*refined.skipped, *second.skipped],
        )


@dataclass(slots=True)
class _Refined:
    """What is left of passages, and why the rest is not; a sentence is shown once.

    Chunks overlap: ``shown`` are the stretches of documents that are in the context already.
    """

    kept: list[ContextItem] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    shown: list[Source] = field(default_factory=list)

    def keep(self, item: ContextItem, strips: Sequence[Strip]) -> None:
        """Keep these strips of a passage, but for what is shown already."""
        from offbook.retrieval.knowledge_refinement import not_shown, recomposed

        if new := not_shown(item, strips, self.shown):
            short = recomposed(item, new)
            self.kept.append(short)
            self.shown = [*self.shown, *short.sources]
        else:
            self.leave(item.kind, item.title, "what of it bears on the question is shown already")

    def leave(self, kind: str, title: str, why: str) -> None:
        """Leave something out, with the reason."""
        self.skipped.append(Skipped(kind, title, why))


def _refined(knowledge: Knowledge, grading: Grading) -> _Refined:
    """What is relevant of the passages, correct ones first; the others with the reason."""
    found = _Refined()
    for each in (*grading.of("correct"), *grading.of("ambiguous"), *grading.of("incorrect")):
        item = knowledge.passage(each.passage)
        if each.grade == "incorrect":
            why = "graded incorrect: it does not help to answer the question"
            found.leave(item.kind, item.title, why)
        elif not each.relevant:
            why = f"graded {each.grade}: no part of it bears on the question"
            found.leave(item.kind, item.title, why)
        else:
            found.keep(item, each.relevant)
    for passage, why in grading.ungraded:
        found.leave("knowledge", passage.chunk.heading_path, f"not graded: {why}")
    return found


def _filter(
    found: _Refined, knowledge: Knowledge, question: str, items: Sequence[ContextItem]
) -> None:
    """Keep the strips of what a second source found that share words with the question."""
    from offbook.retrieval.knowledge_refinement import sharing_words

    asked, sentences_each = knowledge.in_full(question), knowledge.settings.crag.strip
    for item in items:
        strips = sharing_words(item.text, asked, knowledge.character.name, sentences_each)
        if strips:
            found.keep(item, strips)
        else:
            why = "found by the second source; no part of it shares a word with the question"
            found.leave(item.kind, item.title, why)
