"""Names, found in a text in any case and spelling of accents, without a call.

Takes: names with what they stand for, and a text.  Gives: which names the text holds, longest
first, on the borders of words; names in Han or Hangul wherever they stand. A name of several
entities gives them all. Source: ours.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from offbook.names.nicknames import is_given, latin
from offbook.names.person import PersonName, parse_name
from offbook.names.titles import GIVEN_TITLES
from offbook.text.concepts import is_general
from offbook.text.words import CONTRACTION_ENDINGS, ENGLISH, fold

_HAN: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
)
_HANGUL: Final = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
_SPACELESS: Final = "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1780-\u17d3"
_KANA: Final = "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_SIGNS: Final = "\u0300-\u036f\u0900-\u0963\u0970-\u0dff\u0f71-\u0f84"
"""Signs that belong to the letter before them, and are no letters to the regular expression."""

_ATOM: Final = re.compile(
    f"[{_HAN}{_HANGUL}{_SPACELESS}]|[\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff]+|[\u3041-\u309f]+"
    f"|(?:(?![{_HAN}{_HANGUL}{_SPACELESS}{_KANA}])[^\\W_]|[{_SIGNS}])+"
)
_APOSTROPHES: Final = "'’‘ʼ＇"
_WIDE: Final = re.compile(f"[{_HAN}{_HANGUL}{_SPACELESS}]")
_APART: Final = re.compile(r"[,;:!?()\n，。；：！？、]")
"""What stands between two words that are no one name."""
_ARTICLES: Final = frozenset({"the", "a", "an"})
_LONGEST: Final = 40
"""Atoms of the longest name that is looked for inside a text; a longer one is found by itself."""

Key = tuple[str, ...]


class Atom(NamedTuple):
    """The smallest part of a name: a word, or one character of Han, Hangul, Thai ..."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NameInText:
    """A name that stands in a text.

    Args:
        text: As the text writes it.
        key: Its atoms.
        start: Offset in the text, in Unicode's composed form.
        entities: What it stands for, in the order in which they were given.
        sure: Whether it can hardly be an ordinary word: capitals, several words, or a word that
            is not of everyday life.
    """

    text: str
    key: Key
    start: int
    entities: tuple[int, ...]
    sure: bool


def atoms(text: str) -> list[Atom]:
    """The atoms of a text in order; endings of possessives and contractions are left out."""
    parts: list[Atom] = []
    for match in _ATOM.finditer(text):
        start, end = match.span()
        folded = fold(match.group())
        joined = bool(parts) and parts[-1].end == start - 1 and text[start - 1] in _APOSTROPHES
        if not (joined and (folded == "s" or folded in CONTRACTION_ENDINGS)):
            parts.append(Atom(folded, start, end))
        elif folded == "t":
            # "don't" is no Don: the whole is one word that is nobody's name.
            parts[-1] = Atom(f"{parts[-1].text}'t", parts[-1].start, end)
    return parts


def key_of(name: str) -> Key:
    """The atoms of a name, without an article in front of them."""
    key = tuple(atom.text for atom in atoms(composed(name)))
    return key[1:] if len(key) > 1 and key[0] in _ARTICLES else key


def composed(text: str) -> str:
    """The text with letters and accents joined; the offsets of what is found refer to it."""
    return unicodedata.normalize("NFC", text)


class NameTable:
    """Names and the entities that have them; several entities may share a name."""

    def __init__(self, names: Iterable[tuple[str, int]]) -> None:
        self._entities: dict[Key, list[int]] = {}
        self._written: dict[Key, str] = {}
        self._longest: dict[str, int] = {}
        for name, entity in names:
            key = key_of(name)
            if not key:
                continue
            self._written.setdefault(key, name)
            known = self._entities.setdefault(key, [])
            if entity not in known:
                known.append(entity)
            if len(key) <= _LONGEST:
                self._longest[key[0]] = max(len(key), self._longest.get(key[0], 0))

    def lookup(self, name: str) -> tuple[int, ...]:
        """The entities of exactly this name, in any case, with or without accents and article."""
        return tuple(self._entities.get(key_of(name), ()))

    def bearing(self, part: str) -> tuple[int, ...]:
        """The entities that ``part`` may be, where they are people.

        A part is a given or a family name, with a title or without: "Silas", "Mr. Crane". A title
        that no name has beside it is left out, where it does not say another gender.
        """
        key = key_of(part)
        entities = self._holding(key, lambda name: _holds(name, key))
        if not entities and (read := parse_name(part)).titles:
            bare = key_of(" ".join(read.words))
            entities = self._holding(
                bare,
                lambda name: (
                    (name == bare or _holds(name, bare))
                    and not _is_other(read, parse_name(self._written[name]))
                ),
            )
        return entities

    def _holding(self, key: Key, holds: Callable[[Key], bool]) -> tuple[int, ...]:
        if len("".join(key)) < 2 or all(word in ENGLISH for word in key):
            return ()
        positions = (
            place
            for name, of in self._entities.items()
            if holds(name) and _names(self._written[name], name, key)
            for place in of
        )
        return tuple(dict.fromkeys(positions))

    def find(self, text: str) -> list[NameInText]:
        """The names in a text in the order of the text; of those that overlap, the longest."""
        text = composed(text)
        parts = atoms(text)
        spans = sorted(self._spans(text, parts), key=lambda span: (span[0] - span[1], span[0]))
        taken: set[int] = set()
        names_in_text: list[NameInText] = []
        for first, last in spans:
            if not taken.isdisjoint(range(first, last)):
                continue
            name = self._name(text, parts, first, last)
            if name is not None:
                taken.update(range(first, last))
                names_in_text.append(name)
        return sorted(names_in_text, key=lambda name: name.start)

    def _spans(self, text: str, parts: Sequence[Atom]) -> Iterator[tuple[int, int]]:
        words = [part.text for part in parts]
        for first, word in enumerate(words):
            for last in range(first, min(self._longest.get(word, 0) + first, len(words))):
                if last > first and _APART.search(text, parts[last - 1].end, parts[last].start):
                    break
                if tuple(words[first : last + 1]) in self._entities:
                    yield first, last + 1

    def _name(self, text: str, parts: Sequence[Atom], first: int, last: int) -> NameInText | None:
        """The name of a span, or None where its words are rather meant as words."""
        key = tuple(part.text for part in parts[first:last])
        start = parts[first].start
        written = text[start : parts[last - 1].end]
        wide = bool(_WIDE.search(written))
        if len("".join(key)) < 2:
            return None  # "I", or one character of a word in Han
        capital = _is_capital(text, start)
        if all(word in ENGLISH for word in key) and not (capital and not _opens(text, start)):
            return None  # "will" is a verb, and "Will" at the head of a question as well
        sure = wide or len(key) > 1 or (capital and not _opens(text, start))
        entities = tuple(self._entities[key])
        return NameInText(written, key, start, entities, sure or not is_general(key[0]))


def _holds(name: Key, part: Key) -> bool:
    """Whether a longer name has all of a part, with nothing between or from its first to its last.

    So "Mr. Crane" is in "Mr. Silas Crane", and "Mrs. Crane" is not; characters of Han, which are
    atoms of their own, have to stand together.
    """
    if len(name) <= len(part):
        return False
    if any(name[place : place + len(part)] == part for place in range(len(name))):
        return True
    rest = iter(name)
    ends = part[0] == name[0] and part[-1] == name[-1]
    return ends and all(len(word) > 1 and word in rest for word in part)


def _is_other(one: PersonName, other: PersonName) -> bool:
    """Whether two names with equal words cannot be one person's: "Mrs. Crane", "Silas Crane"."""
    return bool(one.gender and other.gender and one.gender != other.gender) or bool(
        one.titles & GIVEN_TITLES
    ) != bool(other.titles & GIVEN_TITLES)


def _names(written: str, name: Key, part: Key) -> bool:
    """Whether a part of a person's name is a name itself, and not a title, a place or a noun."""
    read = parse_name(written)
    if written.lower() == written.upper():  # a script without capitals
        at_end = part in (name[: len(part)], name[-len(part) :])
        return "".join(part) in read.words or (at_end and not read.titles)
    words = {atom.text for word in read.words if word != read.place for atom in atoms(word)}
    return any(
        latin(word) in words
        and (not is_general(word) or is_given(word) or latin(word) == read.surname)
        for word in part
    )


def _is_capital(text: str, start: int) -> bool:
    return text[start].isupper() or text[start].istitle()


def _opens(text: str, start: int) -> bool:
    """Whether a sentence begins there, where any word has a capital."""
    before = text[:start].rstrip(" \t\n\"'“‘«(¿¡")
    return not before or before[-1] in ".!?…:;"


__all__ = ["Atom", "Key", "NameInText", "NameTable", "atoms", "composed", "key_of"]
