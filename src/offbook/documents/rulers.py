"""Rulers: how far a number of characters, or of tokens, reaches in a text.

Takes: a text and a budget.  Gives: offsets.  Source: ours (methods.md 1.1 and 2).
Lengths are code points, the built-in estimate of tokens (``offbook.language.tokens``), or the
tokens of an encoding on this disk (``offbook.language.encodings``).
"""

from __future__ import annotations

import operator
from array import array
from bisect import bisect_left, bisect_right
from typing import Any, Final, Literal, Protocol

from offbook.language.encodings import token_starts
from offbook.language.tokens import token_runs

Unit = Literal["characters", "tokens"]
UNITS: Final[tuple[Unit, ...]] = ("characters", "tokens")


class Ruler(Protocol):
    """Measures stretches of one text."""

    def length(self, start: int, end: int) -> int:
        """Length of ``text[start:end]``."""
        ...

    def forward(self, start: int, budget: int, /) -> int:
        """The furthest end such that ``text[start:end]`` is at most ``budget`` long."""
        ...

    def backward(self, end: int, budget: int, /) -> int:
        """The furthest start such that ``text[start:end]`` is at most ``budget`` long."""
        ...


class CharacterRuler:
    """Code points. Offsets may fall outside of the text; built of C functions, for speed."""

    forward = staticmethod(operator.add)
    backward = staticmethod(operator.sub)

    def length(self, start: int, end: int) -> int:
        """Length of ``text[start:end]`` in code points."""
        return end - start


class TokenRuler:
    """Tokens of one text, counted once: each question costs two binary searches."""

    def __init__(self, text: str) -> None:
        self._size = len(text)
        self._starts, self._ends, self._before = array("q"), array("q"), array("q", [0])
        self._per_token = array("b")
        total = 0
        for start, end, characters_per_token in token_runs(text):
            self._starts.append(start)
            self._ends.append(end)
            self._per_token.append(characters_per_token)
            total += -((start - end) // characters_per_token)
            self._before.append(total)

    def _cost(self, run: int, start: int, end: int) -> int:
        """Tokens of the part of ``run`` that lies in ``[start, end)``."""
        characters = min(end, self._ends[run]) - max(start, self._starts[run])
        return -(-characters // self._per_token[run])

    def length(self, start: int, end: int) -> int:
        """Tokens of ``text[start:end]``."""
        first = bisect_right(self._ends, start)
        behind = bisect_left(self._starts, end)
        if first >= behind:
            return 0
        if first == behind - 1:
            return self._cost(first, start, end)
        inner = self._before[behind - 1] - self._before[first + 1]
        return self._cost(first, start, end) + inner + self._cost(behind - 1, start, end)

    def forward(self, start: int, budget: int) -> int:
        """The furthest end that ``budget`` tokens reach; the end of the text at most."""
        first = bisect_right(self._ends, start)
        if first >= len(self._starts):
            return self._size
        own = self._cost(first, start, self._ends[first])
        if own > budget:
            return max(start, self._starts[first]) + budget * self._per_token[first]
        reach = self._before[first + 1] + budget - own
        run = bisect_right(self._before, reach) - 1
        if run >= len(self._starts):
            return self._size
        return self._starts[run] + (reach - self._before[run]) * self._per_token[run]

    def backward(self, end: int, budget: int) -> int:
        """The furthest start that ``budget`` tokens reach; 0 at least."""
        last = bisect_left(self._starts, end) - 1
        if last < 0:
            return 0
        own = self._cost(last, self._starts[last], end)
        if own > budget:
            return min(end, self._ends[last]) - budget * self._per_token[last]
        reach = self._before[last] - (budget - own)
        run = bisect_left(self._before, reach)
        if run == 0:
            return 0
        return self._ends[run - 1] - (self._before[run] - reach) * self._per_token[run - 1]


class EncodedRuler:
    """Tokens of one text in a tiktoken encoding: those that begin or lie in a stretch of it.

    The text is encoded once, as a whole. A stretch that is encoded by itself may have a few tokens
    more or less, because encodings join a word with the blank before it.
    """

    def __init__(self, text: str, encoding: str) -> None:
        self._size = len(text)
        self._starts = array("q", token_starts(encoding, text))

    def _first(self, position: int) -> int:
        """The first token of those that the character at ``position`` belongs to."""
        at = bisect_right(self._starts, position) - 1
        return bisect_left(self._starts, self._starts[at]) if at >= 0 else 0

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
    """The ruler of ``text`` in ``unit``.

    Args:
        text: What is measured.
        unit: What it is counted in.
        encoding: The tiktoken encoding whose tokens count; None for the built-in estimate.

    Raises:
        ConfigurationError: the encoding is not on this disk.
    """
    if unit == "characters":
        return CharacterRuler()
    return TokenRuler(text) if encoding is None else EncodedRuler(text, encoding)


def counted_in(unit: Unit, encoding: str | None) -> dict[str, Any]:
    """The unit as chunks record it: with the encoding, where tokens of one are counted."""
    told = {"encoding": encoding} if encoding is not None and unit == "tokens" else {}
    return {"unit": unit, **told}
