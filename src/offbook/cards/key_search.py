"""Keys of a lorebook entry in a text: whole words, parts of words, or JavaScript patterns.

Takes: an entry's keys, and a text.  Gives: which of them stand in it, and what could not be
searched for. Source: Character Card V3 specification, "Lorebook"; SillyTavern, "World Info".

Keys are whole words, but not in scripts that write none; macros in them are replaced; a pattern
that is wrong, or takes too long, is no match, and says so.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from offbook.cards.javascript_regex import (
    SEARCH_SECONDS,
    PatternRefused,
    SafePattern,
    Stopwatch,
    compile_key,
    is_delimited,
)
from offbook.cards.lorebook import LoreEntry
from offbook.cards.macros import MacroValues, expand
from offbook.language.tokens import WIDE

_WIDE: Final = re.compile(f"[{WIDE}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_QUOTES: Final = str.maketrans({"‘": "'", "’": "'", "ʼ": "'", "“": '"', "”": '"'})
_READ_SECONDS: Final = 0.5


class Searched:
    """A text for patterns, and for words as people type them, with and without case; made once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.typed = _typed(text)
        self.folded = self.typed.casefold()


@dataclass(slots=True)
class PatternTime:
    """The processor time that patterns may take together: to be read, and to be searched for.

    ``unread`` counts those for which no time was left.
    """

    search_seconds: float = 0.25
    read_seconds: float = _READ_SECONDS
    unread: int = 0
    watch: Stopwatch = field(init=False)

    def __post_init__(self) -> None:
        self.watch = Stopwatch(self.search_seconds)

    def read(self, key: str, *, ignore_case: bool) -> SafePattern:
        """The pattern of a key.

        Raises:
            PatternRefused: it is wrong, or the patterns before it have taken all the time.
        """
        if self.read_seconds <= 0:
            self.unread += 1
            raise PatternRefused("the patterns before it take too long to read")
        started = time.thread_time()
        try:
            return compile_key(key, ignore_case=ignore_case)
        finally:
            self.read_seconds -= time.thread_time() - started


class KeySearch:
    """Looks for the keys of one entry, as the entry wants them looked for.

    Args:
        entry: The entry.
        whole_words: Whether a key must not stand inside of a longer word, where the entry does not
            say otherwise.
        case_sensitive: Whether case counts, where the entry does not say otherwise.
        values: What macros in keys stand for; None: they stay as they are.
        clock: The time that patterns may take.
    """

    def __init__(
        self,
        entry: LoreEntry,
        *,
        whole_words: bool,
        case_sensitive: bool,
        values: MacroValues | None,
        clock: PatternTime,
    ) -> None:
        extensions = entry.extensions
        own_case = extensions.get("case_sensitive")
        if not isinstance(own_case, bool):
            own_case = entry.case_sensitive
        own_words = extensions.get("match_whole_words")
        self._case = own_case if isinstance(own_case, bool) else case_sensitive
        self._words = own_words if isinstance(own_words, bool) else whole_words
        # Keys of SillyTavern are patterns only between slashes, whatever ``use_regex`` says.
        self._bare_patterns = entry.use_regex and "selectiveLogic" not in extensions
        self._patterns = entry.use_regex
        self._values = values
        self._clock = clock
        self._trouble: list[str] = []

    @property
    def trouble(self) -> tuple[str, ...]:
        """Keys that could not be searched for, and why."""
        return tuple(dict.fromkeys(self._trouble))

    def first(self, keys: Sequence[str], where: Searched) -> str | None:
        """The first of ``keys`` that is in the text."""
        return next((key for key in keys if self.holds(key, where)), None)

    def count(self, keys: Sequence[str], where: Searched) -> int:
        """How many of ``keys`` are in the text."""
        return sum(self.holds(key, where) for key in keys)

    def holds(self, key: str, where: Searched) -> bool:
        """Whether ``key`` is in the text."""
        bare = key.strip()
        is_pattern = self._bare_patterns or (self._patterns and is_delimited(bare))
        if self._values is not None and ("{{" in bare or "<" in bare):
            bare = expand(bare, _quoted(self._values) if is_pattern else self._values).text.strip()
        if not bare:
            return False
        if is_pattern:
            return self._pattern_is_in(bare, where)
        bare = _typed(bare)
        if self._case:
            return is_said(bare, where.typed, whole_words=self._words)
        return is_said(bare.casefold(), where.folded, whole_words=self._words)

    def _pattern_is_in(self, key: str, where: Searched) -> bool:
        try:
            pattern = self._clock.read(key, ignore_case=not self._case)
        except PatternRefused as error:
            self._trouble.append(f"the pattern {key[:60]!r} is not used: {error}")
            return False
        watch = self._clock.watch
        most = min(SEARCH_SECONDS, watch.left)
        try:
            if most > 0:
                return watch.timed(lambda: pattern.search(where.text, most)) is not None
        except TimeoutError:
            pass
        self._trouble.append(f"the pattern {key[:60]!r} takes too long")
        return False


def _typed(text: str) -> str:
    """A text in which it does not matter what somebody's keyboard makes of accents and quotes."""
    return text if text.isascii() else unicodedata.normalize("NFC", text).translate(_QUOTES)


def _quoted(values: MacroValues) -> MacroValues:
    """The same values as parts of a pattern, in which a name is no pattern."""
    char, user = re.escape(values.char), re.escape(values.user)
    return replace(values, char=char, user=user, persona=re.escape(values.persona))


def is_said(key: str, text: str, *, whole_words: bool) -> bool:
    """Whether ``key`` stands in ``text``; as whole words, unless its script has none."""
    if not whole_words:
        return key in text
    at = text.find(key)
    while at >= 0:
        end = at + len(key)
        if not _continues(text[max(0, at - 1) : at], key[0]) and not _continues(
            text[end : end + 1], key[-1]
        ):
            return True
        at = text.find(key, at + 1)
    return False


def _continues(neighbour: str, edge: str) -> bool:
    """Whether a word goes on from ``edge`` of a key into its ``neighbour``."""
    if not neighbour or not _is_word(neighbour) or not _is_word(edge):
        return False
    return not _WIDE.match(edge) and not _WIDE.match(neighbour)


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_" or (not sign.isascii() and _is_vowel_sign(sign))


def _is_vowel_sign(sign: str) -> bool:
    """Whether it writes a vowel, or that there is none, as in scripts of India; accents do not."""
    return unicodedata.category(sign)[0] == "M" and unicodedata.combining(sign) in (0, 9)
