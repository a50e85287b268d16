"""How the character is, told by the character: what was inferred of it, where that is asked.

Takes: the question, the evidence, and the attributes among it.  Gives: at most three sentences in
the first person that bear on the question, the nearest first; none where none does. Source: ours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from offbook.language import grammar
from offbook.language.questions import Question
from offbook.language.words import fold
from offbook.models.offline.evidence import Evidence
from offbook.models.offline.telling import Telling, is_said
from offbook.models.trait_bearing import BEARS, asks_for_facets, bearing
from offbook.types import ContextItem

_SENTENCES: Final = 3
_WORDS: Final = 60
_SURE: Final = 0.55
_YOU: Final = re.compile(r"\b(?:you|your|yourself)\b", re.IGNORECASE)
_DIRECT: Final = re.compile(r"\W*(?:can|could|would|will|do|should|are|must) you\b", re.IGNORECASE)
_HAVING: Final = re.compile(
    r"\W*(?:(?:do|did) you (?:ever |still )?(?:have|own|keep)|have you (?:got|any)|had you)"
    r"(?: (?:an?|any|many|some|got))* (\w+)",
    re.IGNORECASE,
)
"""Asks for people whom somebody has, which is no way to be."""
_PEOPLE: Final = grammar.word_set("children enemies people family")
_DEGREE: Final = re.compile(r"\bhow (?!(?:do|did|would|could|can|should|will|are|were|have) )\w+\b")
"""Asks how good, how well, how far: for a fact."""
_KINDS: Final = frozenset(("yes_no", "opinion", "why", "how"))
"""Kinds of questions that ask how somebody is."""


def tell_leanings(
    question: Question,
    evidence: Evidence,
    telling: Telling,
    attributes: Sequence[ContextItem],
    said: str,
) -> list[str]:
    """The sentences to say.

    Args:
        question: What is asked; one that asks for no side of a person is answered otherwise.
        evidence: All that the reply may rest on.
        telling: Turns its sentences into speech.
        attributes: The items that say how the character is.
        said: Everything that the character has said before; it is said again where nothing else
            bears on the question.
    """
    if not attributes or not _asks_how_it_is(question):
        return []
    told = " ".join(" ".join(item.text.split()) for item in attributes)
    # A sentence that stands in a passage as well is told from there, where "he" has a meaning.
    places = [
        place
        for place, sentence in enumerate(evidence.sentences)
        if not sentence.is_heading and " ".join(sentence.text.split()) in told
    ]
    much = bearing(question.text, [evidence.sentences[place].text for place in places])
    order = sorted(zip((-share for share in much), places, strict=True))
    bearing_on_it = (place for less, place in order if -less >= BEARS / 2)
    spoken = [text for place in bearing_on_it if (text := _spoken(telling, place))]
    return _first([text for text in spoken if not is_said(text, said)] or spoken)


def _first(spoken: Sequence[str]) -> list[str]:
    """The first of some sentences, as many as one says aloud."""
    found: list[str] = []
    for text in spoken:
        if len(found) == _SENTENCES:
            break
        if sum(len(told.split()) for told in (*found, text)) <= _WORDS:
            found.append(text)
    return found


def _asks_how_it_is(question: Question) -> bool:
    """Whether it is about the character itself, and not about a fact."""
    if not _YOU.search(question.text) or not asks_for_facets(question.text):
        return False
    having = _HAVING.match(question.text)
    if _DEGREE.search(fold(question.text)) or (having and _is_person(fold(having.group(1)))):
        return False
    return question.kind in _KINDS or _DIRECT.match(question.text) is not None


def _is_person(word: str) -> bool:
    nouns = grammar.PERSON_NOUNS | _PEOPLE
    return word in nouns or word.removesuffix("s") in nouns


def _spoken(telling: Telling, place: int) -> str:
    """A sentence as the character says it; empty where it is about others, or hangs in the air."""
    told = telling.told(place)
    if not told.about or told.dangling or told.certainty < _SURE:
        return ""
    return telling.speech(place)
