"""Recursive windows: cuts a stretch of text into overlapping pieces at the best separators.

Takes: text, a stretch of it, the longest piece and the longest overlap.  Gives: offsets, in order.
Paper: 003, section 4.1 (the recursive splitter that ACTS rests on).

Separators, best first: paragraph (blank line), line, sentence, space, character. A piece ends at
the best separator that leaves it longer than the overlap, except that a unit (paragraph, line,
sentence, word) that fits into one piece is never cut. The overlap begins at the first line that
begins in it, else at a sentence (at a word where a sentence was cut), and is shortened where the
unit behind it would not fit. Each piece
is found from the end of the one before by searching a window of its length, so the time is linear
in the text, and no list of all words or sentences is ever made.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

from offbook.documents.chunk_ids import Span
from offbook.documents.headings import trimmed
from offbook.documents.rulers import CharacterRuler, Ruler
from offbook.language.sentences import TERMINATORS, first_sentence_end, last_sentence_end

_NONSPACE: Final = re.compile(r"\S")
_SPACES: Final = " \t\u00a0\u2009\u2028\u3000"
_BEGINNING: Final = 10_000
"""Nearly all text has a sentence that ends in its beginning: no need to read all of it for that."""


class _Mark:
    """A level of separators that is one string."""

    def __init__(self, mark: str) -> None:
        self._mark, self._width = mark, len(mark)

    def last(self, text: str, low: int, high: int) -> int:
        """The last offset in ``(low, high]`` before which a unit of this level ends, or -1."""
        return text.rfind(self._mark, low + 1, high + self._width)

    def first(self, text: str, low: int, high: int) -> int:
        """The first such offset in ``(low, high]``, or -1."""
        return text.find(self._mark, low + 1, high + self._width)


class _Spaces:
    """The level of words: any of several characters that are blank.

    Which of them occur in the text is looked up when that is first asked for, because in much text
    nothing is ever cut at a word.
    """

    def __init__(self, text: str, marks: tuple[str, ...]) -> None:
        self._text, self._marks = text, marks

    @cached_property
    def occurring(self) -> str:
        """The characters that end words and occur in the text."""
        return _occurring(_SPACES, self._text) + ("\n" if self._marks else "")

    def last(self, text: str, low: int, high: int) -> int:
        """The last offset in ``(low, high]`` before which a word ends, or -1."""
        best = -1
        for space in self.occurring:
            best = max(best, text.rfind(space, max(low + 1, best), high + 1))
        return best

    def first(self, text: str, low: int, high: int) -> int:
        """The first such offset in ``(low, high]``, or -1."""
        best = -1
        for space in self.occurring:
            found = text.find(space, low + 1, high + 1)
            if found >= 0:
                best, high = found, found - 1
        return best


class _Sentences:
    """The level of sentences; a line break ends one, too."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def occur(self) -> bool:
        """Whether the text has any character that can end a sentence."""
        near = first_sentence_end(self._text, 0, _BEGINNING) >= 0
        return near or any(mark in self._text for mark in TERMINATORS)

    @cached_property
    def _occurring(self) -> str:
        """Those characters; looked up late, because most text is never cut at a sentence."""
        return _occurring(TERMINATORS, self._text)

    def last(self, text: str, low: int, high: int) -> int:
        """The last offset in ``(low, high]`` where a sentence ends, or -1."""
        line = text.rfind("\n", low + 1, high + 1)
        return max(line, last_sentence_end(text, max(low, line), high, self._occurring))

    def first(self, text: str, low: int, high: int) -> int:
        """The first such offset, or -1."""
        line = text.find("\n", low + 1, high + 1)
        end = first_sentence_end(text, low, high if line < 0 else line)
        return line if end < 0 else end


_Level = _Mark | _Spaces | _Sentences


def _occurring(characters: str, text: str) -> str:
    return "".join(character for character in characters if character in text)


class _Levels:
    """The separators that occur in a stretch of text.

    Attributes:
        mark: The best separator, if that is a string; else empty.
        stops: Paragraph, line, sentence, word: where pieces may end, best first.
        sentences: Where an overlap begins, beside at lines; None in text without any terminator.
        words: Where it begins if a sentence was cut; None in text without blanks.
    """

    def __init__(self, marks: tuple[str, ...], text: str) -> None:
        self.mark = marks[0] if marks else ""
        self.stops: list[_Level] = [_Mark(mark) for mark in marks]
        sentences, words = _Sentences(text), _Spaces(text, marks)
        self.sentences = sentences if sentences.occur else None
        self.words = words if marks or words.occurring else None
        self.stops += [level for level in (self.sentences, self.words) if level is not None]


class WindowCutter:
    """Cuts stretches of one text; made once a document, because it looks up what occurs in it.

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

    @cached_property
    def _in_blocks(self) -> _Levels:
        return _Levels(("\n\n", "\n"), self._text)

    @cached_property
    def _in_lines(self) -> _Levels:
        return _Levels(("\n",), self._text)

    @cached_property
    def _in_one_line(self) -> _Levels:
        return _Levels((), self._text)

    def cut(self, start: int, end: int) -> list[Span]:
        """Pieces of ``text[start:end]``, which begins and ends with other than white space.

        Each begins and ends behind those before it; together they hold all but white space, and
        none is longer than ``longest``.
        """
        if self._reach(start, end) >= end:
            return [(start, end)]
        levels = self._levels(start, end)
        if levels.mark and type(self._ruler) is CharacterRuler:
            return self._cut_at_marks(levels, start, end)
        forward, pieces, fresh = self._ruler.forward, [], start
        while (limit := forward(start, self._longest)) < end:
            limit = self._skip_blanks(limit, end)
            if limit <= fresh:  # the overlap fills a piece, where a character has several tokens
                start = fresh
                continue
            low = max(fresh, forward(start, self._overlap))
            stop, kept, mid_sentence = self._stop(levels, low, fresh, limit, end)
            pieces.append((start, stop))
            fresh = self._skip_blanks(stop, end)
            low = self._overlap_low(levels, stop, kept, fresh, end)
            start = self._begin_of_overlap(levels, low, stop, fresh, mid_sentence)
        pieces.append((start, end))
        return pieces

    def _cut_at_marks(self, levels: _Levels, start: int, end: int) -> list[Span]:
        """What ``cut`` gives, in characters and where a string is the best separator, but faster.

        Most pieces end at that separator, and the unit behind it fits: this finds their ends
        without a call of a method, and leaves the others to the general rules.
        """
        text, mark, longest, overlap = self._text, levels.mark, self._longest, self._overlap
        find, rfind, skip = text.find, text.rfind, self._skip_blanks
        width = len(mark)
        pieces: list[Span] = []
        fresh = start
        while (limit := start + longest) < end:
            limit = skip(limit, end) if text[limit].isspace() else limit
            low = start + overlap if start + overlap > fresh else fresh
            # A search for one character is many times as fast as one for two.
            stop = rfind("\n", low + width, limit + width) + 1 - width
            if stop > 0 and text[stop] != "\n":
                stop = rfind(mark, low + 1, stop + width)
            kept, mid_sentence, behind = -1, False, stop + width
            if stop < 0 or text[stop - 1].isspace():
                stop, kept, mid_sentence = self._stop(levels, low, fresh, limit, end)
                behind = stop
            pieces.append((start, stop))
            fresh = skip(behind, end) if text[behind].isspace() else behind
            low = fresh - overlap
            if kept < 0:
                kept = find("\n", fresh + 1, fresh + longest + 1)
                if text[kept : kept + width] != mark:
                    kept = find(mark, fresh + 1, fresh + longest + width)
            if kept < 0 or (kept - longest > low and text[kept - 1].isspace()):
                low = self._overlap_low(levels, stop, -1, fresh, end)
            elif kept - longest > low:
                low = kept - longest
            line = find("\n", low - 1 if low else 0, stop) if low < stop else -1
            if line >= 0:
                begin = line + width  # where the next paragraph begins, unless more blanks follow
                exact = text[begin - 1] == "\n" and not text[begin].isspace()
                start = begin if exact else skip(line, stop)
            else:
                start = self._begin_in_line(levels, low, stop, fresh, mid_sentence)
        pieces.append((start, end))
        return pieces

    def _levels(self, start: int, end: int) -> _Levels:
        """The separators that occur between ``start`` and ``end``."""
        if self._text.find("\n", start, end) < 0:
            return self._in_one_line
        return self._in_lines if self._text.find("\n\n", start, end) < 0 else self._in_blocks

    def _reach(self, start: int, end: int) -> int:
        """How far a piece from ``start`` may reach; blanks at its end do not count."""
        reach = self._ruler.forward(start, self._longest)
        return end if reach >= end else self._skip_blanks(reach, end)

    def _skip_blanks(self, position: int, end: int) -> int:
        """The first offset from ``position`` on that is not white space."""
        match = _NONSPACE.search(self._text, position, end)
        return match.start() if match else end

    def _stop(
        self, levels: _Levels, low: int, fresh: int, limit: int, end: int
    ) -> tuple[int, int, bool]:
        """Where the piece whose new text begins at ``fresh`` ends: in ``(low, limit]`` if it can.

        Returns:
            The end; the end of the unit behind it that the next piece must hold whole, -1 where
            that is for the next piece to choose; and whether a sentence was cut.
        """
        text = self._text
        for level in levels.stops:
            stop = level.last(text, low, limit)
            if stop >= 0:
                return self._trim(fresh, stop), -1, level is levels.words
            before = level.last(text, fresh, low)
            if before >= 0:
                # The unit behind `before` reaches over the limit: leave it whole if it can be.
                reach = self._reach(self._skip_blanks(before, end), end)
                unit_end = self._unit_end(level, limit, reach, end)
                if unit_end >= 0:
                    return self._trim(fresh, before), unit_end, level is levels.words
        return self._trim(fresh, limit), -1, True

    def _unit_end(self, level: _Level, low: int, reach: int, end: int) -> int:
        """Where the unit that holds ``low`` ends, if that is within ``reach``; else -1."""
        found = level.first(self._text, low, reach)
        if found < 0:
            return end if reach >= end else -1
        return self._trim(low, found)

    def _trim(self, start: int, end: int) -> int:
        """``end``, or before it, so that no white space ends ``text[start:end]``."""
        return trimmed(self._text, start, end)[1] if self._text[end - 1].isspace() else end

    def _overlap_low(self, levels: _Levels, stop: int, kept: int, fresh: int, end: int) -> int:
        """Before which offset the next piece, whose new text begins at ``fresh``, must not begin.

        It is to hold ``kept`` or, if that is -1, the largest unit at ``fresh`` that fits.
        """
        backward = self._ruler.backward
        low = backward(fresh, self._overlap)
        if low >= stop:
            return low
        if kept < 0:
            reach = self._reach(fresh, end)
            for level in levels.stops:
                kept = self._unit_end(level, fresh, reach, end)
                if kept >= 0:
                    break
        return low if kept < 0 else max(low, backward(kept, self._longest))

    def _begin_of_overlap(
        self, levels: _Levels, low: int, stop: int, fresh: int, mid_sentence: bool
    ) -> int:
        """Where the next piece begins: in ``[low, stop)``; ``fresh`` if nothing begins there."""
        if levels.mark and low < stop:
            line = self._text.find("\n", low - 1 if low else 0, stop)
            if line >= 0 and (begin := self._skip_blanks(line, stop)) < stop:
                return begin
        return self._begin_in_line(levels, low, stop, fresh, mid_sentence)

    def _begin_in_line(
        self, levels: _Levels, low: int, stop: int, fresh: int, mid_sentence: bool
    ) -> int:
        """The same, where no line begins in ``[low, stop)``."""
        if low >= stop:
            return fresh
        text = self._text
        if levels.sentences is not None:
            found = low - 2 if low > 1 else 0  # what ends a sentence stands before the next begins
            while (found := first_sentence_end(text, found, stop - 1)) >= 0:
                found = found + 1 if text[found].isspace() else found
                if text[found].isspace():
                    found = self._skip_blanks(found, stop)
                if found >= low:
                    return found
        if not mid_sentence:
            return fresh
        begin = self._begin_of_word(levels.words, low, stop) if levels.words is not None else stop
        return begin if begin < stop else low

    def _begin_of_word(self, words: _Spaces, low: int, high: int) -> int:
        """The first offset in ``[low, high)`` where a word begins; else ``high``."""
        text = self._text
        position = low - 2 if low > 1 else 0
        while (found := words.first(text, position, high - 1)) >= 0:
            match = _NONSPACE.search(text, found, high)
            if match is None:
                break
            position = match.start()
            if position >= low:
                return position
        return high
