"""Keywords of a question by rules: its names, and the words that carry its subject.

Takes: the inputs of the prompt ``question_keywords``.  Gives: names as low-level, other words of
the subject as high-level keywords; a level that would be empty has those of the other.
Source: ours; LightRAG (arXiv 2410.05779), section 3.2, asks a model.
"""

from __future__ import annotations

from typing import Final

from offbook.language.questions import read_question
from offbook.language.words import fold, words
from offbook.models.offline.question_names import names_in_question
from offbook.prompts.keywords import Keywords, KeywordsInputs

_MOST: Final = 6


def question_keywords(inputs: KeywordsInputs) -> Keywords:
    """Keywords of both levels."""
    own = frozenset(words(inputs.character))
    read = read_question(inputs.question, own)
    named = [named.name for named in names_in_question(inputs.question, lambda word: False)]
    low = _distinct([*read.names, *named])
    taken = {word for name in low for word in words(name)}
    subjects = [t.word for t in read.terms if t.weight >= 1 and fold(t.word) not in taken]
    high = _distinct(subjects)
    return Keywords(high_level=high or low, low_level=low or high)


def _distinct(texts: list[str]) -> list[str]:
    """Each once, the first ones."""
    return list({fold(text): text for text in reversed(texts)}.values())[::-1][:_MOST]
