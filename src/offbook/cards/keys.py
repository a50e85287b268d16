"""Keys of a lorebook entry in a text: whole words, parts of words, or JavaScript patterns.

Takes: an entry's keys, and a text.  Gives: which of them stand in it, and what could not be
searched for. Source: Character Card V3 specification, "Lorebook"; SillyTavern, "World Info";
ECMA-262, section 22.2.

Keys are whole words, but not in scripts that write none; macros in them are replaced; a pattern
that is wrong, or takes too long, is no match, and says so.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

import corvus_regex_ecma262 as ecma262

from offbook.cards.lorebook import LoreEntry
from offbook.cards.macros import MacroValues, expand
from offbook.text.tokens import WIDE

LONGEST_PATTERN: Final = 2_000
SEARCH_SECONDS: Final = 0.05
"""For one search: one without a reference back takes microseconds, whatever the text."""
_LEAST_SECONDS: Final = 0.001
_SHARES: Final = (1, 4, 16)
"""So many times as long a search may take that others have slowed, since its limit is by the clock
on the wall; what counts is the time of this thread."""
_MOST_PATTERNS: Final = 5_000
"""Patterns that are read for one question: some 0.4 ms each."""
_DELIMITED: Final = re.compile(r"/(.+)/([a-z]*)", re.DOTALL)
_OPEN_SLASH: Final = re.compile(r"(?:^|[^\\])/")
_FLAGS: Final = frozenset("dgimsuvy")
_WIDE: Final = re.compile(f"[{WIDE}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_QUOTES: Final = str.maketrans({"‘": "'", "’": "'", "ʼ": "'", "“": '"', "”": '"'})


class PatternRefused(ValueError):
    """A pattern is wrong, or too long; the message says what."""


@dataclass(frozen=True, slots=True)
class SafePattern:
    """A compiled pattern with a bound on the time of each search."""

    source: str
    compiled: ecma262.Regex

    def search(self, text: str, seconds: float = SEARCH_SECONDS) -> tuple[int, int] | None:
        """Return where the pattern first matches.

        Raises:
            TimeoutError: it took longer than ``seconds`` of this thread's processor time.
        """
        ends = time.thread_time() + seconds
        for share in _SHARES if seconds > 0 else ():
            left = max(ends - time.thread_time(), _LEAST_SECONDS)
            try:
                match = self.compiled.search(text, timeout=left * share)
            except ecma262.MatchLimitError:
                if ends - time.thread_time() < _LEAST_SECONDS:
                    break
            else:
                return None if match is None else match.span()
        raise TimeoutError(f"the pattern {self.source[:60]!r} takes too long")


def is_delimited(key: str) -> bool:
    """Whether a key is written as ``/pattern/flags``."""
    match = _DELIMITED.fullmatch(key.strip())
    # As in SillyTavern, with a slash inside that is not escaped it is a text.
    return match is not None and set(match[2]) <= _FLAGS and not _OPEN_SLASH.search(match[1])


@lru_cache(maxsize=2 * _MOST_PATTERNS)
def compile_key(key: str, *, ignore_case: bool = False) -> SafePattern:
    """Compile the pattern of a key.

    Args:
        key: ``/pattern/flags``, or a pattern without them.
        ignore_case: Whether case counts where the key has no flags of its own.

    Raises:
        PatternRefused: why it cannot be used.
    """
    match = _DELIMITED.fullmatch(key.strip())
    pattern, flags = (match[1], match[2]) if match else (key, "i" if ignore_case else "")
    if len(pattern) > LONGEST_PATTERN:
        raise PatternRefused(f"it is longer than {LONGEST_PATTERN} characters")
    try:
        return SafePattern(key, ecma262.Regex(pattern, flags))
    except ecma262.error as error:
        reason = str(error).removeprefix("ecmaregex: ")
        raise PatternRefused(f"it is no valid pattern: {reason}") from error


@dataclass(slots=True)
class PatternTime:
    """What patterns may take together: so many are read, and so long they are searched for.

    ``unread`` counts those that came too late to be read. ``seconds`` are left of the processor's
    time, as for each search: a busy machine makes no pattern fail.
    """

    seconds: float = 0.25
    patterns: int = _MOST_PATTERNS
    unread: int = 0
    _read: dict[tuple[str, bool], SafePattern] = field(default_factory=dict)

    def finds(self, pattern: SafePattern, text: str) -> bool:
        """Whether a pattern matches; the time that this takes is no longer left.

        Raises:
            TimeoutError: it takes too long, or no time is left.
        """
        started = time.thread_time()
        try:
            return pattern.search(text, min(SEARCH_SECONDS, self.seconds)) is not None
        finally:
            self.seconds -= time.thread_time() - started

    def read(self, key: str, *, ignore_case: bool) -> SafePattern:
        """Read the pattern of a key.

        Raises:
            PatternRefused: it is wrong, or there are too many before it.
        """
        pattern = self._read.get((key, ignore_case))
        if pattern is not None:
            return pattern
        if self.patterns <= 0:
            self.unread += 1
            raise PatternRefused("there are too many patterns before it")
        self.patterns -= 1
        pattern = self._read[key, ignore_case] = compile_key(key, ignore_case=ignore_case)
        return pattern


class Searched:
    """A text for patterns, and for words as people type them, with and without case; made once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.typed = _typed(text)
        self.folded = self.typed.lower()


class KeySearch:
    """Looks for the keys of one entry, as the entry wants them looked for.

    Args:
        whole_words: Whether a key must not stand inside of a longer word, where the entry does not
            say otherwise.
        case_sensitive: Whether case counts, where the entry does not say otherwise.
        values: What macros in keys stand for; None: they stay as they are.
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
        self._bare_patterns = entry.use_regex and not entry.is_of_sillytavern
        self._patterns = entry.use_regex or entry.is_of_sillytavern
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
        return is_said(bare.lower(), where.folded, whole_words=self._words)

    def _pattern_is_in(self, key: str, where: Searched) -> bool:
        try:
            pattern = self._clock.read(key, ignore_case=not self._case)
        except PatternRefused as error:
            self._trouble.append(f"the pattern {key[:60]!r} is not used: {error}")
            return False
        try:
            return self._clock.finds(pattern, where.text)
        except TimeoutError:
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
    """Whether ``key`` stands in ``text``; as a whole word, unless its script has none.

    As in SillyTavern, one of several words may go on: "forest spirit" is in "forest spirits".
    """
    if not whole_words or len(key.split()) > 1:
        return key in text
    start = text.find(key)
    while start >= 0:
        end = start + len(key)
        if not _continues(text[max(0, start - 1) : start], key[0]) and not _continues(
            text[end : end + 1], key[-1]
        ):
            return True
        start = text.find(key, start + 1)
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
