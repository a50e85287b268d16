"""Windows over a text: how far a budget reaches in it, and where to cut a stretch of it.

Lengths are code points, the built-in estimate of tokens (``offbook.text.tokens``), or the tokens
of an encoding on this disk (``offbook.text.encodings``).
Paper: AMADEUS (003), section 4.1 (the recursive splitter that ACTS rests on).

Separators, best first: paragraph (blank line), line, sentence, space, character. A piece ends at
the best separator that leaves it longer than the overlap, except that a unit (paragraph, line,
sentence, word) that fits into one piece is never cut. The overlap begins at the first line that
begins in it, else at a sentence (at a word where a sentence was cut), and is shortened where the
unit behind it would not fit.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from typing import Any, Final, Literal, Protocol

from offbook.documents.chunk_ids import Span
from offbook.documents.sections import trimmed
from offbook.text.encodings import token_starts
from offbook.text.sentences import TERMINATORS, first_sentence_end, last_sentence_end
from offbook.text.tokens import token_runs

Unit = Literal["characters", "tokens"]
UNITS: Final[tuple[Unit, ...]] = ("characters", "tokens")


class Ruler(Protocol):
    """Measures stretches of one text."""

    def length(self, start: int, end: int) -> int:
        """Length of ``text[start:end]``."""

    def forward(self, start: int, budget: int, /) -> int:
        """The furthest end such that ``text[start:end]`` is at most ``budget`` long."""

    def backward(self, end: int, budget: int, /) -> int:
        """The furthest start such that ``text[start:end]`` is at most ``budget`` long."""


class CharacterRuler:
    """Code points. Offsets may fall outside of the text."""

    def length(self, start: int, end: int) -> int:
        """Length of ``text[start:end]`` in code points."""
        return end - start

    def forward(self, start: int, budget: int) -> int:
        """``budget`` code points behind ``start``."""
        return start + budget

    def backward(self, end: int, budget: int) -> int:
        """``budget`` code points before ``end``."""
        return end - budget


class TokenRuler:
    """Tokens of one text: those that begin or lie in a stretch of it.

    The text is divided once, as a whole. A stretch that is encoded by itself may have a few tokens
    more or less, because encodings join a word with the blank before it.

    Args:
        text: What is measured.
        encoding: The tiktoken encoding whose tokens count; None for the built-in estimate.
    """

    def __init__(self, text: str, encoding: str | None) -> None:
        self._size = len(text)
        if encoding is not None:
            self._starts = array("q", token_starts(encoding, text))
            return
        self._starts = array("q")
        for start, end, characters_per_token in token_runs(text):
            self._starts.extend(range(start, end, characters_per_token))

    def _first(self, position: int) -> int:
        """The first token of those that the character at ``position`` belongs to."""
        token = bisect_right(self._starts, position) - 1
        return bisect_left(self._starts, self._starts[token]) if token >= 0 else 0

    def length(self, start: int, end: int) -> int:
        """Tokens of which ``text[start:end]`` has a part."""
        return bisect_left(self._starts, end) - self._first(start) if start < end else 0

    def forward(self, start: int, budget: int) -> int:
        """The furthest end that ``budget`` tokens reach: a character at least, if any."""
        behind = self._first(start) + budget
        if behind >= len(self._starts):
            return self._size
        reach = self._starts[behind]
        if reach <= start < self._size and budget > 0:  # one character that has more tokens
            return start + 1
        return max(reach, start)

    def backward(self, end: int, budget: int) -> int:
        """The furthest start that ``budget`` tokens reach; 0 at least."""
        first = bisect_left(self._starts, end) - budget
        if first <= 0:
            return 0
        if first >= len(self._starts):
            return end
        start = self._starts[first]
        if self._starts[first - 1] == start:  # amid the tokens of one character
            later = bisect_right(self._starts, start)
            start = self._starts[later] if later < len(self._starts) else self._size
        return min(start, end)


def ruler(text: str, unit: Unit, encoding: str | None = None) -> Ruler:
    """Return the ruler of ``text`` in ``unit``; arguments as those of :class:`TokenRuler`.

    Raises:
        ConfigurationError: the encoding is not on this disk.
    """
    return CharacterRuler() if unit == "characters" else TokenRuler(text, encoding)


def counted_in(unit: Unit, encoding: str | None) -> dict[str, Any]:
    """Return the unit as chunks record it: with the encoding, where tokens of one are counted."""
    shown = {"encoding": encoding} if encoding is not None and unit == "tokens" else {}
    return {"unit": unit, **shown}


_NONSPACE: Final = re.compile(r"\S")
_SPACES: Final = " \t\u00a0\u2009\u2028\u3000"


class _Marks:
    """A level of separators that are strings of one length."""

    def __init__(self, *marks: str) -> None:
        self._marks, self._width = marks, len(marks[0])

    def last(self, text: str, low: int, high: int) -> int:
        """The last offset in ``(low, high]`` before which a unit of this level ends, or -1."""
        return max(text.rfind(mark, low + 1, high + self._width) for mark in self._marks)

    def first(self, text: str, low: int, high: int) -> int:
        """The first such offset in ``(low, high]``, or -1."""
        ends = (text.find(mark, low + 1, high + self._width) for mark in self._marks)
        return min((end for end in ends if end >= 0), default=-1)


class _Sentences:
    """The level of sentences; a line break ends one, too."""

    def last(self, text: str, low: int, high: int) -> int:
        """The last offset in ``(low, high]`` where a sentence ends, or -1."""
        line = text.rfind("\n", low + 1, high + 1)
        return max(line, last_sentence_end(text, max(low, line), high))

    def first(self, text: str, low: int, high: int) -> int:
        """The first such offset, or -1."""
        line = text.find("\n", low + 1, high + 1)
        end = first_sentence_end(text, low, high if line < 0 else line)
        return line if end < 0 else end


_Level = _Marks | _Sentences
_PARAGRAPHS: Final = _Marks("\n\n")
_LINES: Final = _Marks("\n")
_SENTENCES: Final = _Sentences()
_WORDS: Final = _Marks(*_SPACES, "\n")


class WindowCutter:
    """Cuts stretches of one text.

    Args:
        text: The document's text.
        ruler: Measures it.
        longest: The most that a piece measures, at least 1.
        overlap: The most that a piece repeats of the one before, less than ``longest``.
    """

    def __init__(self, text: str, ruler: Ruler, longest: int, overlap: int) -> None:
        if not 0 <= overlap < longest:
            raise ValueError(f"overlap {overlap!r} must lie in [0, {longest!r})")
        self._text, self._ruler = text, ruler
        self._longest, self._overlap = longest, overlap
        self._has_sentences = any(mark in text for mark in TERMINATORS)
        self._has_blanks = any(space in text for space in _SPACES)

    def cut(self, start: int, end: int) -> list[Span]:
        """Cut ``text[start:end]``, which begins and ends with other than white space, into pieces.

        Each begins and ends behind those before it; together they hold all but white space, and
        none is longer than ``longest``.
        """
        if self._reach(start, end) >= end:
            return [(start, end)]
        levels = self._levels(start, end)
        forward, pieces, fresh = self._ruler.forward, [], start
        while (limit := forward(start, self._longest)) < end:
            limit = self._skip_blanks(limit, end)
            if limit <= fresh:  # the overlap fills a piece, where a character has several tokens
                start = fresh
                continue
            low = max(fresh, forward(start, self._overlap))
            stop, unit_end, mid_sentence = self._stop(levels, low, fresh, limit, end)
            pieces.append((start, stop))
            fresh = self._skip_blanks(stop, end)
            low = self._overlap_low(levels, stop, unit_end, fresh, end)
            start = self._begin_of_overlap(levels, low, stop, fresh, mid_sentence)
        pieces.append((start, end))
        return pieces

    def _levels(self, start: int, end: int) -> list[_Level]:
        """Where pieces of a stretch may end, best first."""
        has_lines = self._text.find("\n", start, end) >= 0
        occurring: list[tuple[bool, _Level]] = [
            (self._text.find("\n\n", start, end) >= 0, _PARAGRAPHS),
            (has_lines, _LINES),
            (self._has_sentences, _SENTENCES),
            (self._has_blanks or has_lines, _WORDS),
        ]
        return [level for occurs, level in occurring if occurs]

    def _reach(self, start: int, end: int) -> int:
        """How far a piece from ``start`` may reach; blanks at its end do not count."""
        reach = self._ruler.forward(start, self._longest)
        return end if reach >= end else self._skip_blanks(reach, end)

    def _skip_blanks(self, position: int, end: int) -> int:
        """The first offset from ``position`` on that is not white space."""
        match = _NONSPACE.search(self._text, position, end)
        return match.start() if match else end

    def _stop(
        self, levels: list[_Level], low: int, fresh: int, limit: int, end: int
    ) -> tuple[int, int, bool]:
        """Where the piece whose new text begins at ``fresh`` ends: in ``(low, limit]`` if it can.

        Returns:
            The end; the end of the unit behind it that the next piece must hold whole, -1 where
            that is for the next piece to choose; and whether a sentence was cut.
        """
        text = self._text
        for level in levels:
            stop = level.last(text, low, limit)
            if stop >= 0:
                return self._trim(fresh, stop), -1, level is _WORDS
            before = level.last(text, fresh, low)
            if before >= 0:
                # The unit behind `before` reaches over the limit: leave it whole if it can be.
                reach = self._reach(self._skip_blanks(before, end), end)
                unit_end = self._unit_end(level, limit, reach, end)
                if unit_end >= 0:
                    return self._trim(fresh, before), unit_end, level is _WORDS
        return self._trim(fresh, limit), -1, True

    def _unit_end(self, level: _Level, low: int, reach: int, end: int) -> int:
        """Where the unit that holds ``low`` ends, if that is within ``reach``; else -1."""
        stop = level.first(self._text, low, reach)
        if stop < 0:
            return end if reach >= end else -1
        return self._trim(low, stop)

    def _trim(self, start: int, end: int) -> int:
        """``end``, or before it, so that no white space ends ``text[start:end]``."""
        return trimmed(self._text, start, end)[1] if self._text[end - 1].isspace() else end

    def _overlap_low(
        self, levels: list[_Level], stop: int, unit_end: int, fresh: int, end: int
    ) -> int:
        """Before which offset the next piece, whose new text begins at ``fresh``, must not begin.

        It is to hold all up to ``unit_end`` or, if that is -1, the largest unit at ``fresh`` that
        fits.
        """
        backward = self._ruler.backward
        low = backward(fresh, self._overlap)
        if low >= stop:
            return low
        if unit_end < 0:
            reach = self._reach(fresh, end)
            ends = (self._unit_end(level, fresh, reach, end) for level in levels)
            unit_end = next((stop_of_unit for stop_of_unit in ends if stop_of_unit >= 0), -1)
        return low if unit_end < 0 else max(low, backward(unit_end, self._longest))

    def _begin_of_overlap(
        self, levels: list[_Level], low: int, stop: int, fresh: int, mid_sentence: bool
    ) -> int:
        """Where the next piece begins: in ``[low, stop)``; ``fresh`` if nothing begins there."""
        if low >= stop:
            return fresh
        text = self._text
        line = text.find("\n", low - 1 if low else 0, stop) if _LINES in levels else -1
        if line >= 0 and (begin := self._skip_blanks(line, stop)) < stop:
            return begin
        begin = low - 2 if low > 1 else 0  # what ends a sentence stands before the next begins
        while (begin := first_sentence_end(text, begin, stop - 1)) >= 0:
            begin = self._skip_blanks(begin, stop)
            if begin >= low:
                return begin
        return self._begin_of_word(low, stop) if mid_sentence else fresh

    def _begin_of_word(self, low: int, high: int) -> int:
        """The first offset in ``[low, high)`` where a word begins; else ``low``."""
        position = low - 2 if low > 1 else 0
        while (blank := _WORDS.first(self._text, position, high - 1)) >= 0:
            position = self._skip_blanks(blank, high)
            if low <= position < high:
                return position
        return low
