"""Who has no name but speaks: "said the barman", "asked the man with the black beard".

Takes: texts.  Gives: the places of such descriptions, as those of names. Source: ours; a noun that
stands twice behind a quotation and a verb of speech means one who speaks.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from offbook.rules.cast_names import Place, place_at
from offbook.rules.name_words import is_function
from offbook.text.grammar import GROUP_NOUNS, word_set
from offbook.text.word_lists import word_lists

_LISTS: Final = word_lists("offbook.rules")
_SPEAKING: Final = _LISTS["speaking"]
_WORD: Final = r"[a-z]+(?:-[a-z]+)*"
_TAG: Final = re.compile(rf"[”\"’'»] ({_WORD}) the ((?:{_WORD} ?){{1,8}})")
_ANYBODY: Final = word_set(
    "man woman boy girl lad lass child baby lady gentleman gentlewoman person fellow youth maiden"
    " creature chap"
)
"""What may be said of too many to tell one; "with a beard" behind it may."""
_TO_OTHERS: Final = word_set(
    "friend companion visitor guest host hostess neighbour neighbor lover husband wife bride"
    " bridegroom widow heroine hero speaker newcomer intruder invalid patient prisoner owner master"
    " mistress employer pupil other others latter former first second third last one two voice"
    " figure"
)
"""What somebody with a name is called for a moment."""
_NOT_THE_SAME: Final = word_set("first second third fourth next last other same former latter two")
_SOME: Final = 2
"""So many times a description must speak."""
_EPISODE: Final = 30_000
"""Characters within which they speak; who does so all over a book has a name as a rule."""
_MOST: Final = 0.65
"""So many of the times that they speak are within an episode."""


def role_places_of(texts: Sequence[str]) -> list[Place]:
    """Find where texts describe those who speak and have no name, in order."""
    spoke: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, text in enumerate(texts):
        for match in _TAG.finditer(text):
            if match[1] in _SPEAKING and (role := _role(match[2].split())):
                spoke[role].append((number, match.start()))
    owned = (role for role, positions in spoke.items() if _is_own(positions))
    roles = sorted(owned, key=len, reverse=True)
    if not roles:
        return []
    every = "|".join(map(re.escape, roles))
    pattern = re.compile(rf"\b[Tt]he (?P<like>(?:{_WORD} ){{0,2}}?)(?P<role>{every})(?![\w-])")
    return [place for number, text in enumerate(texts) for place in _places(pattern, number, text)]


def _is_own(spoke: Sequence[tuple[int, int]]) -> bool:
    """Whether who speaks at these places is somebody without a name."""
    together = max(
        sum(text == first and 0 <= place - start <= _EPISODE for text, place in spoke)
        for first, start in spoke
    )
    return together >= _SOME and together >= _MOST * len(spoke)


def _places(pattern: re.Pattern[str], number: int, text: str) -> Iterator[Place]:
    for match in pattern.finditer(text):
        like = match["like"].split()
        if not any(is_function(word) or word in _NOT_THE_SAME for word in like):
            start, end = match.span("role")
            yield place_at(number, text, (start, end), f"the {match['role']}", match.start())


def _role(words: Sequence[str]) -> str:
    """The noun of a description, with what tells it from others; empty if it means nobody."""
    end = _end(words, 0)
    if not end:
        return ""
    noun = words[end - 1]
    if noun in _ANYBODY:
        last = _end(words, end + 2) if words[end : end + 1] == ["with"] else 0
        return " ".join(words[end - 1 : last])
    return "" if noun in _TO_OTHERS or noun in GROUP_NOUNS or noun.endswith("s") else noun


def _end(words: Sequence[str], start: int) -> int:
    """Where the words of a noun end that begin at ``start``."""
    end = start
    while end < len(words) and not is_function(words[end]) and not words[end].endswith("ly"):
        if end > start and words[end].endswith("ing"):
            break
        end += 1
    return end if end > start else 0
