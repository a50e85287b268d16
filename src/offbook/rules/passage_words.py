"""A passage as tokens, sentences and lines, with the places where a capital says nothing.

Takes: the text of a passage.  Gives: its tokens, the sentence of each, and whether a capital letter
there may owe to the place alone. Source: ours.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from typing import Final

from offbook.text.clauses import Token, tokens_of
from offbook.text.sentences import sentences

_OPENERS: Final = frozenset("“\"‘'«‹([—–-:*_•·>#|")
_INITIAL: Final = re.compile(r"(?:\A|(?<=[\s.(]))(?!I\.)[A-Z]\.\Z")
_LINE: Final = re.compile(r"[^\n]+")
_LIST_NUMBER: Final = re.compile(r"\d{1,4}|[ivxlc]{1,6}|[a-z]", re.IGNORECASE)
_SHORT_LINE: Final = 12
_WRAPPED: Final = 40
_PRONOUN_I: Final = frozenset(("i", "i'm", "i'll", "i'd", "i've"))


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage and what is known of each of its tokens.

    Args:
        text: The passage.
        tokens: Its words and signs, in order.
        sentences: Offsets ``[start, end)`` of its sentences.
        sentence: For each token the number of its sentence.
        opens: For each token whether a capital there may owe to the place: the head of a
            sentence, of a quotation, of a bullet.
        titled: For each token whether it stands in a line of capitals, such as a heading.
        capitals: How often a folded word is capitalised where it need not be.
        plain: Lower-case words of the passage.
    """

    text: str
    tokens: list[Token]
    sentences: list[tuple[int, int]]
    sentence: list[int]
    opens: list[bool]
    titled: list[bool]
    capitals: Counter[str]
    plain: frozenset[str]

    def between(self, first: int, last: int) -> str:
        """The characters between two neighbouring tokens."""
        return self.text[self.tokens[first].end : self.tokens[last].start]

    def touches(self, first: int, last: int) -> bool:
        """Whether two tokens are parted by blanks of one paragraph only."""
        gap = self.between(first, last)
        if "\n" not in gap:
            return bool(gap) and gap.isspace()
        # Prose is wrapped at a width; what stands in a shorter line is an item of a list.
        end = self.tokens[first].end
        wrapped = end - (self.text.rfind("\n", 0, end) + 1) >= _WRAPPED
        return wrapped and gap.isspace() and gap.count("\n") == 1

    def span_of(self, start: int, end: int) -> tuple[int, int] | None:
        """The tokens ``[first, last)`` that begin and end at these offsets; None where none do."""
        first = bisect_left(self.tokens, start, key=lambda token: token.start)
        last = bisect_left(self.tokens, end, lo=first, key=lambda token: token.end)
        within = last < len(self.tokens) and self.tokens[last].end == end
        return (first, last + 1) if within and self.tokens[first].start == start else None

    def word(self, index: int) -> str:
        """The lower-case word at ``index``; empty outside the passage."""
        return self.tokens[index].low if 0 <= index < len(self.tokens) else ""


def read_passage(text: str) -> Passage:
    """Tokens, sentences and openings of ``text``."""
    tokens = tokens_of(text)
    spans = _past_initials(text, sentences(text))
    sentence = _sentence_numbers(tokens, spans)
    opens = [_opens(tokens, sentence, index) for index in range(len(tokens))]
    titled = _titled(text, tokens)
    capitals = Counter(
        token.low
        for token, opening, title in zip(tokens, opens, titled, strict=True)
        if token.is_capital and not opening and not title
    )
    plain = frozenset(token.low for token in tokens if token.text[0].islower())
    return Passage(text, tokens, spans, sentence, opens, titled, capitals, plain)


def _past_initials(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The sentences, joined again where they were parted behind an initial ("J. R. Tamsin")."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and _INITIAL.search(text[max(joined[-1][0], joined[-1][1] - 4) : joined[-1][1]]):
            gap = text[joined[-1][1] : start]
            if "\n\n" not in gap:
                joined[-1] = (joined[-1][0], end)
                continue
        joined.append((start, end))
    return joined


def _sentence_numbers(tokens: list[Token], spans: list[tuple[int, int]]) -> list[int]:
    numbers: list[int] = []
    index = 0
    for token in tokens:
        while index + 1 < len(spans) and spans[index][1] <= token.start:
            index += 1
        numbers.append(index)
    return numbers


def _opens(tokens: list[Token], sentence: list[int], index: int) -> bool:
    """Whether nothing but signs stands between the token and the head of sentence or quotation."""
    place = index - 1
    if place < 0 or sentence[place] != sentence[index]:
        return True
    before = tokens[place]
    if before.is_word:
        numbered = place == 0 or sentence[place - 1] != sentence[place]
        return numbered and bool(_LIST_NUMBER.fullmatch(before.text)) and before.text[0].isdigit()
    if before.text in "“‘«‹([—–*_•·>#|":
        return True
    if before.text in _OPENERS:
        # A straight quotation mark opens where it touches what follows, not what precedes.
        apart = place == 0 or tokens[place - 1].end < before.start
        return (apart and before.end == tokens[index].start) or before.text == ":"
    # "1. Name": a list number and its stop.
    listed = place >= 1 and before.text in ".)" and tokens[place - 1].text.isdigit()
    return before.text in "!?…" or (
        listed and (place < 2 or sentence[place - 2] != sentence[place])
    )


def _titled(text: str, tokens: list[Token]) -> list[bool]:
    """Whether each token stands in a heading: a short line of capitals without a full stop."""
    flags = [False] * len(tokens)
    index = 0
    for line in _LINE.finditer(text):
        first = index
        while index < len(tokens) and tokens[index].start < line.end():
            index += 1
        if _is_title(line.group(), tokens[first:index]):
            flags[first:index] = [True] * (index - first)
    return flags


def _is_title(line: str, tokens: list[Token]) -> bool:
    words = [token for token in tokens if token.is_word and token.text[0].isalpha()]
    if not words or len(words) > 2 * _SHORT_LINE:
        return False
    shouting = sum(token.text.isupper() for token in words if token.low not in _PRONOUN_I)
    if len(words) > 1 and shouting >= 0.8 * len(words):
        return True
    if line.lstrip().startswith("#"):
        return True
    ends = line.rstrip()[-1:] in '.!?,;:"”’)…'
    short = len(words) <= _SHORT_LINE and not ends
    return short and sum(token.is_capital for token in words) > 0.5 * len(words)
