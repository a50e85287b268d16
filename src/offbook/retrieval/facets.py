"""Facets of personality and value: how a person asks about them, and in which deeds they show.

Takes: a question and sentences about a character.  Gives: a number each, from which ``BEARS`` on a
sentence bears on the question, without a call: by facets that the question asks for and the
sentence shows, and by likeness of the built-in embedder, whatever embeds the texts. Source: ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from offbook.models.builtin import embed_texts
from offbook.text.words import search_terms, word_term

_TABLE: Final = Path(__file__).parent / "facets.tsv"


@dataclass(frozen=True, slots=True)
class Facet:
    """A side of a person.

    Args:
        name: What it is called.
        asked: Search terms by which a question is about it.
        shown: Search terms by which a sentence shows it, one way or the other.
        is_belief: Whether it is a value rather than a trait.
    """

    name: str
    asked: frozenset[str]
    shown: frozenset[str]
    is_belief: bool


@cache
def facets() -> tuple[Facet, ...]:
    """Read the table of facets."""
    lines = _TABLE.read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return tuple(
        Facet(name.rstrip("*"), _terms(asking), _terms(showing_it), name.endswith("*"))
        for name, asking, showing_it in rows
    )


def _terms(words: str) -> frozenset[str]:
    return frozenset(map(word_term, words.split())) - {""}


def facets_of_question(terms: Iterable[str]) -> dict[str, float]:
    """Name of a facet -> how much of the question asks for it, from 0 to 1.

    A word that asks for many facets says little about each of them.
    """
    question_terms = set(terms)
    weights: dict[str, float] = {}
    for term in question_terms:
        about = _asking().get(term, ())
        for facet in about:
            weights[facet] = weights.get(facet, 0.0) + 1.0 / len(about)
    most = max(weights.values(), default=0.0)
    return {facet: share / most for facet, share in weights.items()}


@cache
def _asking() -> dict[str, tuple[str, ...]]:
    return _facets_by_term((facet.name, facet.asked) for facet in facets())


@cache
def showing() -> dict[str, tuple[str, ...]]:
    """Search term -> the facets that it shows; to be called patient shows patience, too."""
    return _facets_by_term((facet.name, facet.shown | facet.asked) for facet in facets())


def _facets_by_term(terms: Iterable[tuple[str, frozenset[str]]]) -> dict[str, tuple[str, ...]]:
    names: dict[str, list[str]] = {}
    for name, words in terms:
        for word in words:
            names.setdefault(word, []).append(name)
    return {word: tuple(facets_of_word) for word, facets_of_word in names.items()}


@cache
def beliefs() -> frozenset[str]:
    """Names of the facets that are values."""
    return frozenset(facet.name for facet in facets() if facet.is_belief)


BEARS: Final = 1.2
"""More than one word that shows what is asked for, or one and a likeness to the question."""


def asks_for_facets(question: str) -> bool:
    """Whether it can be told what side of a person a question is about."""
    return bool(facets_of_question(search_terms(question)))


def bearing(question: str, sentences: Sequence[str]) -> list[float]:
    """How much each sentence bears on the question."""
    if not sentences:
        return []
    wanted_facets = facets_of_question(search_terms(question))
    vectors = embed_texts([question, *sentences])
    likeness = (vectors[1:] @ vectors[0]).tolist()
    return [
        sum(wanted_facets.get(name, 0.0) * much for name, much in shown(sentence)) + near
        for sentence, near in zip(sentences, likeness, strict=True)
    ]


@lru_cache(maxsize=1 << 14)
def shown(sentence: str) -> tuple[tuple[str, float], ...]:
    """The facets that the words of a sentence show, and how much; a word of many facets less."""
    weights: dict[str, float] = {}
    for term in set(search_terms(sentence)):
        about = showing().get(term, ())
        for facet in about:
            weights[facet] = weights.get(facet, 0.0) + len(about) ** -0.5
    return tuple(sorted(weights.items()))
