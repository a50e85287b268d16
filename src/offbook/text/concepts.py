"""Words that stand for one another when a person asks, and words that belong to any life.

Takes: search terms (see ``offbook.text.words``).  Gives: the related terms, and whether a term
is general, so that its absence from a text says little. Source: ours; the split into general and
specific follows RoleRAG (papers 000, 001), the word lists are ours and written without any corpus.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

from offbook.text.word_lists import word_lists
from offbook.text.words import fold, word_term

_LISTS: Final = word_lists("offbook.text")
_SHORTEST_GRADE: Final = 6
_ABSTRACT_ENDINGS: Final = ("ness", "ment", "ship", "hood", "ance", "ence")


@cache
def _related_words() -> Mapping[str, frozenset[str]]:
    """What is asked for, and words by which a text may speak of it."""
    return word_lists("offbook.text", "related.tsv")


@cache
def _related() -> dict[str, frozenset[str]]:
    related: dict[str, set[str]] = {}
    for asked_for, words in _related_words().items():
        head = word_term(asked_for)
        terms = set(map(word_term, words))
        for term in terms:
            # The head word asks for all of its kind; the others are at most as near as the head.
            related.setdefault(term, set()).add(head)
        related.setdefault(head, set()).update(terms)
    return {term: frozenset(others - {term, ""}) for term, others in related.items()}


def related_terms(term: str) -> frozenset[str]:
    """Terms by which a text may speak of what ``term`` asks for."""
    return _related().get(term, frozenset())


@cache
def _general() -> frozenset[str]:
    return frozenset(map(word_term, _LISTS["general"])) | {""}


@cache
def words_of_any_age() -> frozenset[str]:
    """The words of ``is_general`` and ``related_terms``, as they are listed."""
    return _LISTS["general"].union(_related_words(), *_related_words().values())


@cache
def _terms_of_any_age() -> frozenset[str]:
    return frozenset(map(word_term, words_of_any_age() | _LISTS["of any age"]))


def _term(word: str) -> str:
    return word_term(fold(word).partition("-")[0])


def is_of_any_age(word: str) -> bool:
    """Whether a folded word is general, or is met in any age in some form."""
    return _term(word) in _terms_of_any_age() or is_general(word)


@lru_cache(maxsize=1 << 14)
def is_general(word: str) -> bool:
    """Whether a folded word belongs to any life in any time, unlike a name or a device."""
    if len(word) > 7 and word.endswith(_ABSTRACT_ENDINGS):
        return True
    return _term(word) in _general() or any(
        term in _general() for form in ungraded(word) if (term := word_term(form))
    )


def ungraded(word: str) -> tuple[str, ...]:
    """What a word in -est may be the highest grade of: strong, large, big, happy."""
    if not word.endswith("est") or len(word) < _SHORTEST_GRADE:
        return ()
    stem = word[:-3]
    doubled = (stem[:-1],) if stem[-1] == stem[-2] else ()
    return (stem, f"{stem}e", *doubled, *((f"{stem[:-1]}y",) if stem.endswith("i") else ()))
