"""Words that tell what kind of thing a name names.

Takes: nothing.  Gives: sets of lower-case words: heads of the names of places, events, bodies and
works, countries and cities, given names. Source: ours; general vocabulary, no book's people.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from offbook.names.nicknames import is_given
from offbook.names.titles import TITLES as OTHER_TITLES
from offbook.text.english_words import is_english
from offbook.text.grammar import (
    FEMALE_TITLES,
    FUNCTION,
    LANGUAGES,
    MALE_TITLES,
    PERSON_NOUNS,
    TITLES,
)
from offbook.text.word_lists import word_lists
from offbook.text.words import ENGLISH, fold

_LISTS: Final = word_lists("offbook.rules")

PERSON_TITLES: Final = (
    frozenset(OTHER_TITLES) | TITLES | MALE_TITLES | FEMALE_TITLES | _LISTS["more person titles"]
)
BARE_TITLES: Final = PERSON_TITLES - _LISTS["titles never bare"]
"""Titles that may stand for a person by themselves behind an article: "the Count"."""
FAMILY_NAMES_OF_ADDRESS: Final = _LISTS["family names of address"]
"""What a family calls its own as if it were a name."""

PLACE_LAST: Final = _LISTS["place last"]
PLACE_FIRST: Final = _LISTS["place first"]
EVENT_HEADS: Final = _LISTS["event heads"]
ORGANIZATION_HEADS: Final = _LISTS["organization heads"]
OBJECT_HEADS: Final = _LISTS["object heads"]
NAMED_OBJECTS: Final = _LISTS["named objects"]
"""Nouns before or after the name of a thing: "the frigate *Hydra*"."""
PLACE_NOUNS: Final = _LISTS["place nouns"]
ORGANIZATION_NOUNS: Final = _LISTS["organization nouns"]
EVENT_NOUNS: Final = _LISTS["event nouns"]
HEADS: Final = PLACE_LAST | EVENT_HEADS | ORGANIZATION_HEADS | OBJECT_HEADS
"""What the name of a thing, a place or a body ends in."""
COUNTRIES_AND_CITIES: Final = _LISTS["countries and cities"]
"""Well-known names of places; they are places unless the text says otherwise."""
OF_PEOPLES: Final = LANGUAGES | _LISTS["of peoples"]
"""Adjectives and nouns of peoples, creeds and parties: no entities by themselves."""
_MORE_GIVEN: Final = _LISTS["more given"]
"""Given names beside those of ``offbook.names.nicknames``."""
_ENDINGS: Final = {
    3.0: "shire",
    2.0: "stan polis",
    1.5: "land lands grad",
    1.2: "burgh borough mouth",
    1.0: "ville burg chester",
    0.8: "bury wick",
    0.6: "dale",
    0.5: "ton ford ham",
    0.4: "ia",
}
PLACE_ENDINGS: Final = tuple(
    (ending, weight) for weight, endings in _ENDINGS.items() for ending in endings.split()
)
"""How names of places end, and how much that says; families are named after places."""
OCCUPATIONS: Final = PERSON_NOUNS | _LISTS["more occupations"]


def is_given_name(word: str) -> bool:
    """Whether a lower-case word is known as a given name."""
    return word in _MORE_GIVEN or is_given(fold(word))


INTERJECTIONS: Final = _LISTS["interjections"]
_OTHER: Final = _LISTS["other function words"]


@lru_cache(maxsize=1 << 14)
def is_common(word: str) -> bool:
    """Whether a lower-case word is an ordinary one, whatever else it may be."""
    word = word.replace("’", "'")
    if word in _FUNCTION:
        return True
    if is_given_name(word) or word in COUNTRIES_AND_CITIES:
        return False
    parts = word.split("-")
    if len(parts) > 1:
        return all(is_common(part) for part in parts if part)
    return word.isalpha() and (word in PERSON_NOUNS or is_english(fold(word)))


def is_function(word: str) -> bool:
    """Whether a lower-case word has no meaning of its own: articles, pronouns, conjunctions."""
    return word in _FUNCTION


_FUNCTION: Final = FUNCTION | ENGLISH | _OTHER | INTERJECTIONS
