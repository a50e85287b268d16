"""Names in a German passage, where every noun has a capital and a capital says nothing.

Takes: a passage.  Gives: whether it is German, and the spans of its names: behind titles, known
given names with what follows them, family names told that way, countries and cities. Source: ours.
"""

from __future__ import annotations

from typing import Final

from offbook.rules.entity_kinds import Span
from offbook.rules.name_words import COUNTRIES_AND_CITIES, PERSON_TITLES, is_given_name
from offbook.rules.passage_words import Passage
from offbook.text.english_words import is_english
from offbook.text.grammar import word_set
from offbook.text.word_lists import word_lists
from offbook.text.words import fold, words

_LISTS: Final = word_lists("offbook.rules")

_TITLES: Final = _LISTS["german titles"]
"""What stands before names; alone it names nobody."""
_PARTICLES: Final = word_set("von vom zu zum zur van de")
_NO_NAMES: Final = _LISTS["german nouns like names"]
"""Nouns that are names elsewhere."""
_TELLING: Final = _LISTS["german function words"]
"""Frequent words of German that English and its other neighbours hardly write."""
_ENGLISH: Final = word_set("the of and to his was that with for he she it is they had were")
_SHARE: Final = 0.12
_FEWEST: Final = 3
_LONGEST: Final = 5


def is_german(passage: Passage) -> bool:
    """Whether the function words of the passage are German ones."""
    total = german = english = 0
    for token in passage.tokens:
        if token.is_word:
            total += 1
            german += token.low in _TELLING
            english += token.low in _ENGLISH
    return german >= max(_FEWEST, _SHARE * total) and german > 2 * english


def german_spans(passage: Passage, character: str) -> tuple[list[Span], frozenset[Span]]:
    """Find the names in order, those of ``character`` among them, and which of them are places."""
    people: list[Span] = []
    index = 0
    while index < len(passage.tokens):
        last = _end_of_name(passage, index)
        if last > index:
            people.append((index, last))
        index = max(last, index + 1)
    families = {passage.word(last - 1) for first, last in people if last - first > 1}
    families |= set(words(character)) - _TELLING - _PARTICLES - PERSON_TITLES
    taken = {index for span in people for index in range(*span)}
    free = [index for index in range(len(passage.tokens)) if index not in taken]
    capitals = [index for index in free if _is_noun(passage, index)]
    people += [(index, index + 1) for index in capitals if passage.word(index) in families]
    places = {(index, index + 1) for index in capitals} - set(people)
    places = {span for span in places if passage.word(span[0]) in COUNTRIES_AND_CITIES}
    return sorted((*people, *places)), frozenset(places)


def _is_noun(passage: Passage, index: int) -> bool:
    if not 0 <= index < len(passage.tokens) or passage.titled[index]:
        return False
    token = passage.tokens[index]
    function = token.low in _TELLING or token.low in passage.plain
    return token.is_word and token.is_capital and not function


def _end_of_name(passage: Passage, first: int) -> int:
    """The end of the name that begins at a title or a known given name; ``first`` without one."""
    low = passage.word(first)
    is_given = is_given_name(low) and low not in _NO_NAMES and not is_english(fold(low))
    if not _is_noun(passage, first) or not (is_given or _is_title(low)):
        return first
    last = first + 1
    while last - first < _LONGEST and passage.touches(last - 1, last):
        ahead = last + (passage.word(last) in _PARTICLES)
        if not _is_noun(passage, ahead) or not passage.touches(ahead - 1, ahead):
            break
        last = ahead + 1
    return first if _is_title(passage.word(last - 1)) else last


def _is_title(word: str) -> bool:
    return word in _TITLES or fold(word) in PERSON_TITLES
