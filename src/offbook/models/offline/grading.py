"""The offline grade of a passage: whether its strips hold what a question asks for.

Takes: a question and the strips of one passage.  Gives: a grade, and the strips that bear on it.
Source: ours. A passage is correct where the offline reply would answer from it, ambiguous where it
speaks of what is asked for most, or is like the question in meaning; else incorrect.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from offbook.language.questions import Question, read_question
from offbook.language.words import search_terms, words
from offbook.models.builtin import embed_texts
from offbook.models.offline.evidence import Evidence, gather
from offbook.models.offline.reply import GENERAL_MATCHED, MATCHED, SUPPORT
from offbook.models.offline.wide_scripts import language_of
from offbook.prompts.grading import Grade, GradeInputs, PassageGrade
from offbook.types import ContextItem

_LIKE: Final = 0.25
"""The likeness from which a strip may bear on a question with which it shares no word: far above
what sentences on different subjects have."""
_WIDE_SUPPORT: Final = 0.3
"""The share of a question's pairs of characters that a strip has which answers it."""
_NEAR: Final = 0.5
"""Strips that hold at least so much of what the best one holds are relevant, too."""
_LEANS: Final = re.compile(
    r"\W*(?:he|she|it|they|him|her|his|its|their|this|that|these|those|there|then)\b", re.IGNORECASE
)


def grade_passage(inputs: GradeInputs) -> PassageGrade:
    """The grade, and the numbers of the strips that bear on the question."""
    if language_of(inputs.question) != "en":
        grade, shares = _by_pairs(inputs)
    else:
        grade, shares = _by_evidence(inputs)
    best = max(shares, default=0.0)
    if grade == "incorrect" or best <= 0:
        return PassageGrade(relevant=[], grade="ambiguous" if grade == "correct" else grade)
    near = [place for place, share in enumerate(shares) if share >= _NEAR * best]
    return PassageGrade(relevant=_with_antecedents(inputs.strips, near), grade=grade)


def _by_evidence(inputs: GradeInputs) -> tuple[Grade, list[float]]:
    """The grade by the rules of the offline reply, and how much each strip holds."""
    question = read_question(inputs.question, frozenset(words(inputs.character)))
    evidence = gather([ContextItem("knowledge", inputs.headings, s, 0.0) for s in inputs.strips])
    if not question.terms:
        return _of_the_character(inputs)
    shares = _matched(evidence, question, len(inputs.strips))
    support, best = evidence.support(question.terms), max(shares, default=0.0)
    unknown = question.names and not any(map(evidence.knows, question.names))
    specific = len(question.terms) == 1 or any(term.weight >= 1 for term in question.terms)
    least = MATCHED if specific else GENERAL_MATCHED
    if support >= SUPPORT and best >= least and not unknown:
        return "correct", shares
    weight = max(term.weight for term in question.terms)
    heaviest = (term for term in question.terms if term.weight == weight)
    if best > 0 and not unknown and (support >= SUPPORT or any(map(evidence.holds, heaviest))):
        return "ambiguous", shares
    likeness = _likeness(inputs.question, inputs.strips)
    if not unknown and max(likeness, default=0.0) >= _LIKE:
        return "ambiguous", likeness
    return "incorrect", shares


def _of_the_character(inputs: GradeInputs) -> tuple[Grade, list[float]]:
    """A question that asks for nothing but the character: what speaks of it by its name."""
    own = set(search_terms(inputs.character))
    shares = [float(not own.isdisjoint(search_terms(strip))) for strip in inputs.strips]
    if any(shares):
        return "correct", shares
    return "ambiguous", [1.0] * len(shares)


def _matched(evidence: Evidence, question: Question, count: int) -> list[float]:
    """The largest share of the question's terms that a sentence of each strip holds."""
    shares = [0.0] * count
    for hit in evidence.hits(question):
        place = evidence.sentences[hit.index].item
        shares[place] = max(shares[place], hit.matched)
    return shares


def _by_pairs(inputs: GradeInputs) -> tuple[Grade, list[float]]:
    """The same for scripts without blanks: the share of the question's search terms."""
    asked = set(search_terms(inputs.question)) - set(search_terms(inputs.character))
    if not asked:
        return _of_the_character(inputs)
    shares = [len(asked & set(search_terms(strip))) / len(asked) for strip in inputs.strips]
    best = max(shares, default=0.0)
    if best >= _WIDE_SUPPORT:
        return "correct", shares
    return ("ambiguous" if best > 0 else "incorrect"), shares


def _likeness(question: str, strips: Sequence[str]) -> list[float]:
    vectors = embed_texts([question, *strips])
    found: list[float] = (vectors[1:] @ vectors[0]).tolist()
    return found


def _with_antecedents(strips: Sequence[str], places: Sequence[int]) -> list[int]:
    """The numbers of strips, and of those before them that a "he" or "then" leans on."""
    found = set(places)
    for place in places:
        if place and _LEANS.match(strips[place]):
            found.add(place - 1)
    return [place + 1 for place in sorted(found)]
