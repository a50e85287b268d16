"""People whom a text names in headings alone, as pages of wikis and sheets of a game do.

Takes: texts.  Gives: the places of such names. Source: ours; a chapter's title is seldom a name, so
headings count below "Characters", or where most of those beside them are names too and what stands
below tells of a person; and the title of a page that begins to tell of its bearer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from offbook.rules.cast_names import CAPITALIZED, Place, place_at, written
from offbook.rules.name_words import HEADS, is_common, is_function, is_given_name
from offbook.text.grammar import word_set
from offbook.text.words import fold

_HEADING: Final = re.compile(r"(?m)^(#{1,6}) +(?P<title>\S.*?)[ #]*$")
_PRONOUN: Final = re.compile(
    r"\b(?:(?P<person>he|she|his|her|him|hers)|it|its|they|their|this|there)\b", re.IGNORECASE
)
_PEOPLE: Final = word_set("characters people persons personae cast npcs family members party crew")
_SAMPLE: Final = 300
"""Characters below a heading in which a pronoun says whether it names a person."""


@dataclass(frozen=True, slots=True)
class _Heading:
    """A heading: its level, where its title stands, and the title above it."""

    level: int
    start: int
    title: str
    above: str


def heading_places_of(texts: Sequence[str]) -> list[Place]:
    """Find the headings that name persons, in order."""
    return [
        place
        for number, text in enumerate(texts)
        for siblings in _siblings(text)
        for place in _places(number, text, siblings)
    ]


def _siblings(text: str) -> Iterator[list[_Heading]]:
    """The headings under one that have one level, of each in turn."""
    groups: dict[tuple[int, int], list[_Heading]] = {}
    path: list[_Heading] = []
    for match in _HEADING.finditer(text):
        level = len(match[1])
        path = [heading for heading in path if heading.level < level]
        above = path[-1] if path else _Heading(0, -1, "", "")
        path.append(_Heading(level, match.start("title"), match["title"], above.title))
        groups.setdefault((above.start, level), []).append(path[-1])
    yield from groups.values()


def _places(number: int, text: str, siblings: Sequence[_Heading]) -> Iterator[Place]:
    names = [heading for heading in siblings if _may_name(heading.title)]
    is_page = len(siblings) == 1 and not siblings[0].above
    is_list = not _PEOPLE.isdisjoint(fold(siblings[0].above).split())
    if not (is_page or is_list) and (len(names) < 2 or 2 * len(names) < len(siblings)):
        return
    for heading in names:
        end = heading.start + len(heading.title)
        is_told_of = _is_told_of if is_page else _is_person
        if is_list or is_told_of(heading.title, text[end:]):
            span, form = (heading.start, end), written(heading.title)
            place = place_at(number, text, span, form, heading.start)
            place.article, place.labels = False, True
            yield place


def _may_name(title: str) -> bool:
    """Whether all of it has capitals, and not all of it is words of every day."""
    lows = [fold(word).rstrip(".") for word in title.split()]
    if not CAPITALIZED.fullmatch(title) or any(map(is_function, lows)):
        return False
    return not all(map(is_common, lows))


def _is_told_of(title: str, behind: str) -> bool:
    """Whether a page is about the person of its title: a paragraph begins with the whole name."""
    words = fold(title).split()
    is_full = len(words) > 1 and words[-1] not in HEADS
    return is_full and f"\n{title} " in behind


def _is_person(title: str, behind: str) -> bool:
    """Whether the first pronoun below a heading, or a given name in it, tells of a person."""
    pronoun = _PRONOUN.search(behind[:_SAMPLE].partition("\n#")[0])
    return bool(pronoun["person"]) if pronoun else is_given_name(fold(title.split(maxsplit=1)[0]))
