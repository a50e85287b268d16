"""English verbs as far as a change of person needs them.

Takes: single words.  Gives: whether a word can be a finite verb, and the form that goes with ``I``.
Source: ours; school grammar.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from offbook.text.grammar import AUXILIARIES
from offbook.text.word_lists import word_lists

_LISTS: Final = word_lists("offbook.text")

_IRREGULAR_FIRST: Final = {
    "is": "am",
    "has": "have",
    "does": "do",
    "isn't": "am not",
    "hasn't": "haven't",
    "doesn't": "don't",
    "dies": "die",
    "lies": "lie",
    "ties": "tie",
    "vies": "vie",
    "belies": "belie",
    "aches": "ache",
    "focuses": "focus",
    "quizzes": "quiz",
}
_ES_AFTER: Final = ("ss", "sh", "ch", "x", "zz", "o")
_VERBAL_ENDINGS: Final = ("ishes", "izes", "ises", "ifies", "ulates", "icates", "erates", "says")
_NO_VERB_IN_S: Final = _LISTS["no verb in s"]
_PAST: Final = _LISTS["past"]
_PARTICIPLES: Final = _LISTS["participles"]
_VERBS: Final = _LISTS["verbs"]


def first_person(verb: str) -> str:
    """The form of a lower-case finite verb that goes with ``I``; past forms stay as they are."""
    verb = verb.replace("’", "'")
    if (known := _IRREGULAR_FIRST.get(verb)) is not None:
        return known
    if not is_third_singular(verb):
        return verb
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    if verb.endswith("es") and verb[:-2].endswith(_ES_AFTER):
        return verb[:-2]
    return verb[:-1]


@lru_cache(maxsize=4096)
def is_third_singular(word: str) -> bool:
    """Whether a word *standing where a finite verb must stand* is in the third person singular."""
    word = word.replace("’", "'")
    if word in _IRREGULAR_FIRST:
        return True
    ends_well = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return ends_well and len(word) > 2 and word not in _NO_VERB_IN_S and word not in _PAST


@lru_cache(maxsize=4096)
def is_known_third(word: str) -> bool:
    """Whether a word is the third person singular of a common verb, wherever it stands."""
    return is_third_singular(word) and (
        word in _IRREGULAR_FIRST or word.endswith(_VERBAL_ENDINGS) or first_person(word) in _VERBS
    )


@lru_cache(maxsize=4096)
def is_past(word: str) -> bool:
    """Whether a word looks like a past form or a past participle."""
    if word in _PAST or word in _PARTICIPLES:
        return True
    return word.endswith("ed") and len(word) > 3 and word not in ("indeed", "hundred", "kindred")


@lru_cache(maxsize=4096)
def is_finite(word: str) -> bool:
    """Whether a word after a subject reads as that subject's verb."""
    word = word.replace("’", "'")
    return word in AUXILIARIES or word in _PAST or is_past(word) or is_known_third(word)


def is_base(word: str) -> bool:
    """Whether a word is the base form of a common verb."""
    return word in _VERBS
