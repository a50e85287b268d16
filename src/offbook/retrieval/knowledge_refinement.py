"""Knowledge refinement: of a passage only what bears on the question, with its place.

Takes: a piece of knowledge and the strips of it that are relevant, or a question whose words tell
which are.  Gives: the piece without the others, its sources narrowed to what is left.
Paper: CRAG (arXiv 2401.15884), section 4, knowledge refinement ("decompose-then-recompose").
The trained evaluator that scores each strip is replaced by the call that grades the passage; what
a second source finds is filtered by words, without a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from offbook.language.questions import weight_of
from offbook.language.sentences import sentences
from offbook.language.strips import Strip, strips_of
from offbook.language.words import search_terms, search_words
from offbook.retrieval.placed_text import place_of

if TYPE_CHECKING:
    from offbook.types import ContextItem, Source

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

    Args:
        item: A piece of knowledge.
        strips: Those of it that are relevant.
        shown: The stretches that pieces before it hold.
    """
    whole = place_of(item)
    own = [] if whole is None else [each for each in shown if each.document == whole.document]
    if whole is None or not own:
        return tuple(strips)

    def is_shown(start: int, end: int) -> bool:
        first, last = whole.start + start, whole.start + end
        return any(each.start <= first and last <= each.end for each in own)

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

    Args:
        text: A passage.
        question: What is asked.
        character: The character's name, whose words ask for nothing.
        sentences_each: The most sentences that a strip has.
    """
    own = set(search_terms(character))
    asked = {term: weight_of(word) for word, term in search_words(question) if term not in own}
    telling = {term for term, weight in asked.items() if weight >= 1} or asked.keys()
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
