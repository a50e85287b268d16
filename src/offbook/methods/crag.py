"""CRAG: retrieved passages are graded; a second source stands in where they do not answer.

Takes: a question.  Gives: what is relevant of the passages that answer it, and of a second source,
their sources narrowed to what is left.
Paper: Corrective RAG (Yan et al. 2024, arXiv 2401.15884), section 4. Left out: the trained
evaluator with its thresholds, whose place a model's grade takes, and web search, whose place the
character's other documents take (``crag.searcher``). By default grades name the relevant strips at
once, and the second source is filtered by words, so that refining costs no call; with
``crag.strips`` the best strips of all passages of a source are chosen, by one call a source.
``crag.rewrite`` takes LightRAG's prompt of keywords.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Final

from offbook.errors import AnswerError, InputRefused
from offbook.models.batching import run_all
from offbook.models.failures import why_without
from offbook.prompts.ask import RETRIES, ask
from offbook.prompts.retrieval import (
    GRADE_PASSAGE,
    QUESTION_KEYWORDS,
    SELECT_STRIPS,
    Grade,
    GradeInputs,
    KeywordsInputs,
    StripsInputs,
)
from offbook.retrieval.passages import place_of
from offbook.text.questions import weight_of
from offbook.text.sentences import Strip, sentences, strips_of
from offbook.text.words import search_terms, search_words
from offbook.types import IndexRequirements, Skipped

if TYPE_CHECKING:
    from offbook.methods.knowledge import Knowledge
    from offbook.protocols import ChatModel, Searcher
    from offbook.settings import SettingsModel
    from offbook.types import Character, ContextItem, Passage, Recall, Source


_GAP: Final = "\n\n"
"""What stands for strips that were left out; strips that touch keep what was between them."""


def recomposed(item: ContextItem, strips: Sequence[Strip]) -> ContextItem:
    """A piece of knowledge that holds these strips of it only, in their order.

    Its source, where it is one and of the same length as the text, becomes one a stretch.
    """
    runs = _runs(item.text, strips)
    text = _GAP.join(run.of(item.text) for run in runs)
    if (whole := place_of(item)) is None:
        return replace(item, text=text)
    sources = tuple(
        replace(whole, start=whole.start + run.start, end=whole.start + run.end) for run in runs
    )
    return replace(item, text=text, sources=sources)


def not_shown(
    item: ContextItem, strips: Sequence[Strip], shown: Sequence[Source]
) -> tuple[Strip, ...]:
    """The strips without the sentences that stand in a stretch of the document shown already.

    Chunks overlap, so that the same sentence may be relevant in two of them.
    """
    whole = place_of(item)
    of_document = (
        [] if whole is None else [each for each in shown if each.document == whole.document]
    )
    if whole is None or not of_document:
        return tuple(strips)

    def is_shown(start: int, end: int) -> bool:
        first, last = whole.start + start, whole.start + end
        return any(each.start <= first and last <= each.end for each in of_document)

    return tuple(
        Strip(start, end)
        for start, end in sentences(item.text)
        if any(strip.start <= start and end <= strip.end for strip in strips)
        and not is_shown(start, end)
    )


def sharing_words(
    text: str, question: str, character: str, sentences_each: int
) -> tuple[Strip, ...]:
    """The strips of a text that share a search term with a question.

    Where the question asks for things or names, words of any life do not count.
    """
    name_terms = set(search_terms(character))
    weights = {
        term: weight_of(word) for word, term in search_words(question) if term not in name_terms
    }
    telling = {term for term, weight in weights.items() if weight >= 1} or weights.keys()
    return tuple(
        strip
        for strip in strips_of(text, sentences_each)
        if not telling.isdisjoint(search_terms(strip.of(text)))
    )


def _runs(text: str, strips: Sequence[Strip]) -> list[Strip]:
    """The strips in order, those joined that only white space parts."""
    runs: list[Strip] = []
    for strip in sorted(set(strips), key=lambda strip: strip.start):
        if runs and not text[runs[-1].end : strip.start].strip():
            runs[-1] = Strip(runs[-1].start, strip.end)
        else:
            runs.append(strip)
    return runs


@dataclass(frozen=True, slots=True)
class GradedPassage:
    """A passage with its grade, and the strips of it that bear on the question, in order."""

    passage: Passage
    grade: Grade
    relevant: tuple[Strip, ...]


@dataclass(frozen=True, slots=True)
class Grading:
    """The grades for one question, in rank order.

    Args:
        graded: The passages that have one.
        ungraded: Those for which none could be got, and why.
    """

    graded: tuple[GradedPassage, ...]
    ungraded: tuple[tuple[Passage, str], ...] = ()

    @property
    def action(self) -> Grade | None:
        """Correct where one passage is, incorrect where all are; None where nothing was graded."""
        grades = {each.grade for each in self.graded}
        if not grades:
            return None
        if "correct" in grades:
            return "correct"
        return "incorrect" if grades == {"incorrect"} else "ambiguous"

    def of(self, grade: Grade) -> list[GradedPassage]:
        """The passages of a grade."""
        return [each for each in self.graded if each.grade == grade]


async def grade_passages(
    model: ChatModel,
    character: Character,
    question: str,
    passages: Sequence[Passage],
    *,
    sentences_each: int,
    retries: int = RETRIES,
) -> Grading:
    """Grade passages, all at once: one call each.

    Raises:
        ModelError: the endpoint failed for good.
        BudgetReached: the next call would go over the budget.
    """
    outcomes: dict[int, GradedPassage | str] = {}

    async def grade(place: int) -> None:
        passage = passages[place]
        chunk = passage.chunk
        strips = strips_of(chunk.text, sentences_each)
        texts = tuple(strip.of(chunk.text) for strip in strips)
        inputs = GradeInputs(character.name, question, chunk.heading_path, texts)
        documents = frozenset({f"{character.id}/{chunk.document}"})
        try:
            answer = await ask(model, GRADE_PASSAGE, inputs, documents=documents, retries=retries)
        except (AnswerError, InputRefused) as error:
            outcomes[place] = why_without(error)
            return
        relevant = tuple(strips[number - 1] for number in sorted(set(answer.relevant)))
        outcomes[place] = GradedPassage(passage, answer.grade, relevant)

    await run_all([partial(grade, place) for place in range(len(passages))])
    in_order = [(passages[place], outcomes[place]) for place in range(len(passages))]
    return Grading(
        tuple(each for _, each in in_order if isinstance(each, GradedPassage)),
        tuple((passage, each) for passage, each in in_order if isinstance(each, str)),
    )


_CALLED_FOR: Final[dict[str | None, str]] = {
    "ambiguous": "it stays open whether what was retrieved answers the question",
    "incorrect": "nothing that was retrieved answers the question",
    None: "nothing that was retrieved could be graded",
}
"""Why the second source is asked, by the action."""


class Crag:
    """Corrective retrieval: grade, refine, and search again where that is called for."""

    name = "crag"

    def needs(self, settings: SettingsModel) -> IndexRequirements:
        """The chunks of one splitter, and their vectors unless the search is by words alone."""
        return IndexRequirements(
            (settings.crag.splitter,), vectors=settings.retrieval.mode != "lexical"
        )

    async def recall(self, knowledge: Knowledge, question: str) -> Recall:
        """What answers the question, as far as it is found in either source."""
        from offbook import registry

        settings = knowledge.settings.crag
        # Before the first call: that there is no such source is told before anything is spent.
        source = registry.load("searcher", settings.searcher)
        # 1 -- the chunks that are most like the question ----------------------------------------
        passages = await knowledge.search(question, settings.splitter, settings.k)
        # 2 -- a grade each, side by side; with it the strips that bear on the question ----------
        grading = await grade_passages(
            knowledge.extractor_for(self.name),
            knowledge.character,
            knowledge.in_full(question),
            passages,
            sentences_each=settings.strip,
            retries=knowledge.settings.answers.retries,
        )
        # 3 -- unless one is correct, the second source is asked ---------------------------------
        refined, second = _Refined(), _Refined()
        for passage, why in grading.ungraded:
            refined.leave("knowledge", passage.chunk.heading_path, f"not graded: {why}")
        more: Sequence[ContextItem] = ()
        if grading.action != "correct" and settings.second:
            searcher: Searcher[Knowledge] = source()
            called_for = _CALLED_FOR[grading.action] if passages else "nothing was retrieved"
            why = f"{called_for}: {searcher.name!r} was asked (crag.searcher)"
            second.leave("knowledge", "the second source", why)
            query = await _rewritten(knowledge, question, second) if settings.rewrite else question
            more = await searcher.search(knowledge, query, passages, settings.second)
        # 4 -- both are refined: the strips that bear on the question are kept -------------------
        graded = [each for each in grading.graded if grading.action != "incorrect"]
        items = [knowledge.passage(each.passage) for each in graded]
        of_all, of_more = await _chosen(knowledge, question, [items, more])
        if not refined.keep_chosen(items, of_all):
            _refine(refined, knowledge, grading)
        second.shown = refined.shown
        if not second.keep_chosen(more, of_more):
            _filter(second, knowledge, question, more)
        # 5 -- within a budget that is divided ---------------------------------------------------
        return knowledge.divided_recall(
            self.name,
            question,
            {
                "knowledge": (settings.knowledge_share, refined.kept),
                "second source": (settings.second_share, second.kept),
            },
            skipped=[*refined.skipped, *second.skipped],
        )


async def _rewritten(knowledge: Knowledge, question: str, second: _Refined) -> str:
    """Rewrite a question as keywords, by one call (section 4); or leave it, and say why."""
    inputs = KeywordsInputs(knowledge.character.name, knowledge.in_full(question))
    retries = knowledge.settings.answers.retries
    try:
        answer = await ask(
            knowledge.extractor_for("crag"), QUESTION_KEYWORDS, inputs, retries=retries
        )
    except (AnswerError, InputRefused) as error:
        why = f"not rewritten, so searched by the question itself: {why_without(error)}"
        second.leave("knowledge", "keywords", why)
        return question
    words = dict.fromkeys([*answer.low_level, *answer.high_level])
    return " ".join(words) or question


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
        if new := not_shown(item, strips, self.shown):
            short = recomposed(item, new)
            self.kept.append(short)
            self.shown = [*self.shown, *short.sources]
        else:
            self.leave(item.kind, item.title, "what of it bears on the question is shown already")

    def keep_chosen(self, items: Sequence[ContextItem], chosen: _Chosen | str) -> bool:
        """Keep what was chosen over all passages, the best first; False where nothing was."""
        if isinstance(chosen, str):
            if chosen:
                self.leave("knowledge", "strips", f"not chosen over all passages: {chosen}")
            return False
        for place, strips in chosen.items():
            self.keep(items[place], strips)
        for place, item in enumerate(items):
            if place not in chosen:
                self.leave(
                    item.kind, item.title, "no strip of it is among the best of all passages"
                )
        return True

    def leave(self, kind: str, title: str, why: str) -> None:
        """Leave something out, with the reason."""
        self.skipped.append(Skipped(kind, title, why))


_Chosen = dict[int, list[Strip]]
"""Strips by the place of their passage, that of the best strip first."""


async def _chosen(
    knowledge: Knowledge, question: str, pools: Sequence[Sequence[ContextItem]]
) -> list[_Chosen | str]:
    """The best strips of all passages of each pool, side by side: one call each.

    In the place of what could not be chosen stands why; nothing where it was not to be
    (``crag.strips``).
    """
    settings = knowledge.settings.crag
    outcomes: list[_Chosen | str] = ["" for _ in pools]

    async def choose(number: int) -> None:
        items = pools[number]
        places = [(p, s) for p, i in enumerate(items) for s in strips_of(i.text, settings.strip)]
        texts = tuple(strip.of(items[place].text) for place, strip in places)
        sources = {source.document for item in items for source in item.sources}
        inputs = StripsInputs(
            knowledge.character.name, knowledge.in_full(question), texts, settings.strips
        )
        try:
            answer = await ask(
                knowledge.extractor_for("crag"),
                SELECT_STRIPS,
                inputs,
                documents=frozenset(f"{knowledge.character.id}/{one}" for one in sources),
                retries=knowledge.settings.answers.retries,
            )
        except (AnswerError, InputRefused) as error:
            outcomes[number] = why_without(error)
            return
        chosen: _Chosen = {}
        for each in list(dict.fromkeys(answer.best))[: settings.strips]:
            place, strip = places[each - 1]
            chosen.setdefault(place, []).append(strip)
        outcomes[number] = chosen

    if settings.strips:
        await run_all([partial(choose, number) for number, pool in enumerate(pools) if pool])
    return outcomes


def _refine(refined: _Refined, knowledge: Knowledge, grading: Grading) -> None:
    """Keep what is relevant of the passages, correct ones first; the others with the reason."""
    for each in (*grading.of("correct"), *grading.of("ambiguous"), *grading.of("incorrect")):
        item = knowledge.passage(each.passage)
        if each.grade == "incorrect":
            why = "graded incorrect: it does not help to answer the question"
            refined.leave(item.kind, item.title, why)
        elif not each.relevant:
            why = f"graded {each.grade}: no part of it bears on the question"
            refined.leave(item.kind, item.title, why)
        else:
            refined.keep(item, each.relevant)


def _filter(
    refined: _Refined, knowledge: Knowledge, question: str, items: Sequence[ContextItem]
) -> None:
    """Keep the strips of what a second source found that share words with the question."""
    full_question, sentences_each = knowledge.in_full(question), knowledge.settings.crag.strip
    for item in items:
        strips = sharing_words(item.text, full_question, knowledge.character.name, sentences_each)
        if strips:
            refined.keep(item, strips)
        else:
            why = "found by the second source; no part of it shares a word with the question"
            refined.leave(item.kind, item.title, why)


_LOOKED_AT: Final = 50
"""Unseen passages among which documents take turns; what fits the words less is not looked at."""


class OtherDocuments:
    """The second source: the character's other documents, and what of the same ones was not seen.

    Found by the question's own words, those of other documents and those of the same ones by turns.
    Differs from the paper (section 4, web search): nothing leaves the machine.
    """

    name = "documents"

    async def search(
        self, knowledge: Knowledge, question: str, passages: Sequence[Passage], most: int
    ) -> Sequence[ContextItem]:
        """Unseen passages by words; see the protocol."""
        chunking = knowledge.settings.crag.splitter
        deep = len(passages) + max(most, _LOOKED_AT)
        hits = await knowledge.search(question, chunking, deep, mode="lexical")
        known = {passage.chunk.id for passage in passages}
        drawn_on = {passage.chunk.document for passage in passages}
        new = [hit for hit in hits if hit.chunk.id not in known]
        others = [hit for hit in new if hit.chunk.document not in drawn_on]
        same = [hit for hit in new if hit.chunk.document in drawn_on]
        turns = chain.from_iterable(zip_longest(others, same))
        return [knowledge.passage(hit) for hit in turns if hit is not None][:most]
