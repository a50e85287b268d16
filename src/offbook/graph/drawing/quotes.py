"""The sentence around a mention, word for word.

A source may be wider than a mention: where a name was not found letter by letter, the whole chunk
stands for it. Then the sentence is quoted that names most of those whom the source is about.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from offbook.text.sentences import sentences
from offbook.text.words import ENGLISH
from offbook.types import Document, Source

LONGEST_CHARS: Final = 600
"""What is quoted of a sentence at most: lists and verse can run on for pages."""

_WORD: Final = re.compile(r"\w+")
_AT_A_WORD: Final = 40
"""How far a cut may move so that no word is cut in two."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage of a document: ``document.text[start : start + len(text)] == text``.

    ``document`` is the document's name. ``mark`` is where in ``text`` the mention stands, None
    where the source does not tell. ``cut_before`` and ``cut_after`` say that the sentence goes on.
    """

    document: str
    text: str
    start: int
    mark: tuple[int, int] | None = None
    cut_before: bool = False
    cut_after: bool = False


class _Text:
    """A document whose sentences are looked for once."""

    def __init__(self, document: Document) -> None:
        self.name = document.name
        self.text = document.text
        self._bounds = sentences(document.text)
        self._starts = [start for start, _ in self._bounds]
        self._ends = [end for _, end in self._bounds]

    def touched(self, start: int, end: int) -> list[tuple[int, int]]:
        """The sentences that share a character with ``[start, end)``."""
        return self._bounds[bisect_right(self._ends, start) : bisect_left(self._starts, end)]


class Quotes:
    """Cuts quotations from documents.

    Args:
        documents: All that the sources are from.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = {document.id: document for document in documents}
        self._read: dict[str, _Text] = {}

    @property
    def documents(self) -> Sequence[Document]:
        """All of them, in their order."""
        return tuple(self._documents.values())

    @property
    def names(self) -> dict[str, str]:
        """Names of the documents by id, in their order."""
        return {document.id: document.name for document in self._documents.values()}

    def quote(self, source: Source, *subjects: Sequence[str]) -> Quote:
        """The sentence of ``source``.

        Args:
            source: Where something is mentioned.
            subjects: What it is about, each by all its names: one entity, or the two ends of a
                relation.

        Raises:
            KeyError: the document of the source was not given.
        """
        text = self._text(source.document)
        touched = text.touched(source.start, source.end)
        if not touched:
            return Quote(text.name, "", min(source.start, len(text.text)))
        if len(touched) <= 2:  # a mention, at most across a boundary that is none
            start, end = touched[0][0], touched[-1][1]
            inside = start <= source.start and source.end <= end and source.end - source.start
            mark = (source.start, source.end) if inside and (start, end) != _span(source) else None
        else:
            start, end = _best(text.text, touched, subjects)
            mark = None
        mark = mark or _named(text.text, start, end, subjects)
        return _cut(text, start, end, mark)

    def _text(self, document: str) -> _Text:
        text = self._read.get(document)
        if text is None:
            text = self._read[document] = _Text(self._documents[document])
        return text


def _span(source: Source) -> tuple[int, int]:
    return source.start, source.end


def _best(
    text: str, touched: list[tuple[int, int]], subjects: Sequence[Sequence[str]]
) -> tuple[int, int]:
    """The first of the sentences that name most of the subjects, a part of a name for half."""
    wholes = [[name.casefold() for name in names] for names in subjects]
    parts = [_proper_words(names) for names in subjects]

    def named(bounds: tuple[int, int]) -> int:
        sentence = " ".join(text[bounds[0] : bounds[1]].casefold().split())
        words = set(_WORD.findall(sentence))
        return sum(
            2 if any(name in sentence for name in whole) else not words.isdisjoint(part)
            for whole, part in zip(wholes, parts, strict=True)
        )

    return max(touched, key=named)


def _proper_words(names: Sequence[str]) -> set[str]:
    words = {word for name in names for word in _WORD.findall(name) if word[0].isupper()}
    return {word.casefold() for word in words} - ENGLISH


def _named(
    text: str, start: int, end: int, subjects: Sequence[Sequence[str]]
) -> tuple[int, int] | None:
    """Where the first name of the first subject stands that is there, wrapped or not."""
    wrapped = "\n" in text[start:end]
    for names in subjects:
        for name in sorted(names, key=len, reverse=True):
            place = text.find(name, start, end) if name else -1
            if place >= 0:
                return place, place + len(name)
            words = name.split() if wrapped else ()
            if len(words) > 1:
                pattern = re.compile(r"\s+".join(map(re.escape, words)))
                match = pattern.search(text, start, end)
                if match:
                    return match.span()
    return None


def _cut(text: _Text, start: int, end: int, mark: tuple[int, int] | None) -> Quote:
    """The sentence, or as much of it as may be quoted, around the mark."""
    low, high = start, end
    if end - start > LONGEST_CHARS:
        first, last = mark or (start, start)
        middle = (first + min(last, first + LONGEST_CHARS)) // 2
        low = max(start, min(middle - LONGEST_CHARS // 2, end - LONGEST_CHARS))
        high = low + LONGEST_CHARS
        if low > start:
            low = _at_a_word(text.text, low, min(first, low + _AT_A_WORD))
        if high < end:
            high = _at_a_word(text.text, high, max(min(last, high), high - _AT_A_WORD))
    inside = mark is not None and low <= mark[0] and mark[1] <= high
    return Quote(
        text.name,
        text.text[low:high],
        low,
        (mark[0] - low, mark[1] - low) if mark is not None and inside else None,
        cut_before=low > start,
        cut_after=high < end,
    )


def _at_a_word(text: str, cut: int, limit: int) -> int:
    """The nearest edge of a word between ``cut`` and ``limit``; ``cut`` where there is none."""
    if limit >= cut:
        blanks = (place for place in range(cut, limit) if text[place].isspace())
        return next(blanks, cut - 1) + 1
    blanks = (place for place in range(cut, limit, -1) if text[place].isspace())
    return next(blanks, cut)
