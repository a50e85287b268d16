"""How much sentences about a character bear on a question about how it is, without a call.

Takes: a question and sentences.  Gives: a number each, from which ``BEARS`` on a sentence bears on
the question. Source: ours: facets of personality that the question asks for and the sentence shows,
and likeness by the built-in embedder, whatever embeds the texts: these are a few sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from offbook.language.facets import facets_of_question, showing
from offbook.language.words import search_terms
from offbook.models.builtin import embed_texts

BEARS: Final = 1.2
"""More than one word that shows what is asked for, or one and a likeness to the question."""


def asks_for_facets(question: str) -> bool:
    """Whether it can be told what side of a person a question is about."""
    return bool(facets_of_question(search_terms(question)))


def bearing(question: str, sentences: Sequence[str]) -> list[float]:
    """How much each sentence bears on the question.

    Args:
        question: What somebody is asked, in any language; facets are known in English only.
        sentences: What is told of them.
    """
    if not sentences:
        return []
    asked = facets_of_question(search_terms(question))
    vectors = embed_texts([question, *sentences])
    likeness = (vectors[1:] @ vectors[0]).tolist()
    return [
        sum(asked.get(name, 0.0) * much for name, much in shown(sentence)) + near
        for sentence, near in zip(sentences, likeness, strict=True)
    ]


@lru_cache(maxsize=1 << 14)
def shown(sentence: str) -> tuple[tuple[str, float], ...]:
    """The facets that the words of a sentence show, and how much; a word of many facets less."""
    found: dict[str, float] = {}
    for term in set(search_terms(sentence)):
        about = showing().get(term, ())
        for facet in about:
            found[facet] = found.get(facet, 0.0) + len(about) ** -0.5
    return tuple(sorted(found.items()))
