"""JavaScript regular expressions, as keys of lorebooks have them, translated and run within bounds.

Takes: ``/pattern/flags`` or a bare pattern.  Gives: a compiled pattern that stops by itself; an
error where the pattern is wrong, or uses what is not translated. Source: ECMA-262, section 22.2.

A pattern may take longer than the age of the universe (``(a|aa)+$``). It runs in the ``regex``
package, which looks at the clock inside of its loop: no thread, nothing that is left behind.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar

T = TypeVar("T")

LONGEST_PATTERN: Final = 2_000
MOST_GROUPS: Final = 100
MOST_REPEATS: Final = 1_000
DEEPEST_GROUPS: Final = 50
SEARCH_SECONDS: Final = 0.05
_LEAST_SECONDS: Final = 0.001
_SHARED: Final = 4
"""So many times as long a search may take that others of the process's threads have slowed."""

_DELIMITED: Final = re.compile(r"/(.+)/([a-z]*)", re.DOTALL)
_FLAGS: Final = frozenset("dgimsuvy")
_QUANTIFIER: Final = re.compile(r"(?:[*+?]|\{(\d{1,6})(?:(,)(\d{0,6}))?\})(\??)")
_GROUP_NAME: Final = re.compile(r"\(\?<([A-Za-z_][A-Za-z0-9_]{0,40})>")
_PLAIN_GROUPS: Final = ("(?:", "(?=", "(?!", "(?<=", "(?<!")
_PROPERTY: Final = re.compile(r"\\[pP]\{[A-Za-z_=]{1,60}\}")
_HEX: Final = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\})")
_NUMBER: Final = re.compile(r"\\([1-9]\d{0,2})")
_NAMED_REFERENCE: Final = re.compile(r"\\k<([A-Za-z_][A-Za-z0-9_]{0,40})>")
_BLANKS: Final = (
    "\\t\\n\\v\\f\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"
)
_CLASSES: Final[Mapping[str, str]] = {
    "d": "0-9",
    "w": "A-Za-z0-9_",
    "s": _BLANKS,
}
_COMPLEMENTS: Final[Mapping[str, str]] = {
    "D": "\\x00-/:-\\U0010ffff",
    "W": "\\x00-/:-@\\[-\\^`{-\\U0010ffff",
    "S": (
        "\\x00-\\x08\\x0e-\\x1f!-\\x9f\\xa1-\\u167f\\u1681-\\u1fff\\u200b-\\u2027\\u202a-\\u202e"
        "\\u2030-\\u205e\\u2060-\\u2fff\\u3001-\\ufefe\\uff00-\\U0010ffff"
    ),
}
"""What ``\\D``, ``\\W`` and ``\\S`` are inside of a character class."""
_CONTROLS: Final[Mapping[str, str]] = {
    "n": "\\n",
    "r": "\\r",
    "t": "\\t",
    "v": "\\v",
    "f": "\\f",
    "0": "\\x00",
}
_BREAKS: Final = "\\n\\r\\u2028\\u2029"
_WORD: Final = "[A-Za-z0-9_]"


class PatternRefused(ValueError):
    """A pattern is wrong, or uses something that is not translated; the message says what."""


@dataclass(frozen=True, slots=True)
class SafePattern:
    """A compiled pattern with a bound on the time of each search."""

    source: str
    compiled: Any

    def search(self, text: str, seconds: float = SEARCH_SECONDS) -> tuple[int, int] | None:
        """Where the pattern first matches.

        Raises:
            TimeoutError: it took longer than ``seconds`` of this thread's processor time.
        """
        ends, shared = time.thread_time() + seconds, 1
        while True:
            left = max(ends - time.thread_time(), _LEAST_SECONDS)
            try:
                found = self.compiled.search(text, timeout=left * shared, concurrent=True)
            except TimeoutError:
                # The package looks at the clock of the whole process, whose other threads may be
                # the ones that took the time. It begins anew, while they go on.
                if ends - time.thread_time() < _LEAST_SECONDS:
                    raise
                shared = _SHARED
            else:
                return None if found is None else (found.start(), found.end())


@dataclass(slots=True)
class Stopwatch:
    """The time that all searches of one scan may take together; ``left`` of it are seconds.

    It is that of the processor, as it is for each search: a busy machine makes no pattern fail. It
    runs while something is searched for, and stands still between: the rest is no pattern's fault.
    """

    left: float
    clock: Callable[[], float] = time.thread_time

    def timed(self, search: Callable[[], T]) -> T:
        """What ``search`` gives; the time that it takes is no longer left."""
        started = self.clock()
        try:
            return search()
        finally:
            self.left -= self.clock() - started


def is_delimited(key: str) -> bool:
    """Whether a key is written as ``/pattern/flags``."""
    match = _DELIMITED.fullmatch(key.strip())
    return match is not None and set(match[2]) <= _FLAGS


@lru_cache(maxsize=4096)
def compile_key(key: str, *, ignore_case: bool = False) -> SafePattern:
    """The pattern of a key.

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
    strange = sorted(set(flags) - _FLAGS)
    if strange or len(set(flags)) < len(flags):
        raise PatternRefused(f"its flags {flags!r} are not those of JavaScript")
    translated = _Translation(pattern, flags).run()
    import regex

    options = regex.V0 | (regex.IGNORECASE if "i" in flags else 0)
    try:
        return SafePattern(key, regex.compile(translated, options))
    except (regex.error, OverflowError, RecursionError, ValueError) as error:
        raise PatternRefused(f"it is no valid pattern: {error}") from error


class _Translation:
    """One pattern, from left to right."""

    def __init__(self, pattern: str, flags: str) -> None:
        self._pattern = pattern
        self._flags = flags
        self._at = 0
        self._depth = 0
        self._groups = 0
        self._repeats = 1  # all bounded repeats, multiplied
        self._quantifiable = False
        self._names: set[str] = set()
        self._made: list[str] = []

    def run(self) -> str:
        """The pattern for the regex package."""
        while self._at < len(self._pattern):
            sign = self._pattern[self._at]
            step = _STEPS.get(sign)
            if step is not None:
                step(self)
            else:
                self._put(re.escape(sign), 1)
        if self._depth:
            raise PatternRefused("a bracket is not closed")
        return "".join(self._made)

    def _put(self, text: str, length: int, *, quantifiable: bool = True) -> None:
        self._made.append(text)
        self._at += length
        self._quantifiable = quantifiable

    def dot(self) -> None:
        self._put("[\\s\\S]" if "s" in self._flags else f"[^{_BREAKS}]", 1)

    def start(self) -> None:
        many = f"(?:(?<=[{_BREAKS}])|(?<![\\s\\S]))"
        self._put(many if "m" in self._flags else "(?<![\\s\\S])", 1, quantifiable=False)

    def end(self) -> None:
        many = f"(?:(?=[{_BREAKS}])|(?![\\s\\S]))"
        self._put(many if "m" in self._flags else "(?![\\s\\S])", 1, quantifiable=False)

    def bar(self) -> None:
        self._put("|", 1, quantifiable=False)

    def open(self) -> None:
        self._depth += 1
        self._groups += 1
        if self._depth > DEEPEST_GROUPS or self._groups > MOST_GROUPS:
            raise PatternRefused("it has too many brackets")
        for kind in _PLAIN_GROUPS:
            if self._pattern.startswith(kind, self._at):
                self._put(kind, len(kind), quantifiable=False)
                return
        named = _GROUP_NAME.match(self._pattern, self._at)
        if named is not None:
            if named[1] in self._names:
                raise PatternRefused(f"there are two groups {named[1]!r}")
            self._names.add(named[1])
            self._put(f"(?P<{named[1]}>", len(named[0]), quantifiable=False)
            return
        if self._pattern.startswith("(?", self._at):
            raise PatternRefused(f"{self._pattern[self._at : self._at + 4]!r} is not translated")
        self._put("(", 1, quantifiable=False)

    def close(self) -> None:
        if not self._depth:
            raise PatternRefused("a bracket is closed that was not opened")
        self._depth -= 1
        self._put(")", 1)

    def quantifier(self) -> None:
        match = _QUANTIFIER.match(self._pattern, self._at)
        if match is None:
            self._put(re.escape(self._pattern[self._at]), 1)
            return
        if not self._quantifiable:
            raise PatternRefused("there is nothing to repeat")
        if match[1] is not None:
            self._bound(int(match[1]), match[2], match[3])
        self._put(match[0], len(match[0]), quantifiable=False)

    def _bound(self, least: int, comma: str | None, most: str | None) -> None:
        greatest = int(most) if most else least
        if comma and most and greatest < least:
            raise PatternRefused("a repeat ends before it begins")
        self._repeats *= max(greatest, 1)
        if self._repeats > MOST_REPEATS:
            raise PatternRefused(f"its repeats multiply to more than {MOST_REPEATS}")

    def escape(self) -> None:
        letter = self._pattern[self._at + 1 : self._at + 2]
        if letter in ("b", "B"):
            self._put(_boundary(letter == "b"), 2, quantifiable=False)
            return
        for expression in (_NUMBER, _NAMED_REFERENCE):
            match = expression.match(self._pattern, self._at)
            if match is not None:
                number = match[1].isdigit()
                self._put(f"(?:\\{match[1]})" if number else f"(?P={match[1]})", len(match[0]))
                return
        text, length, _ = self._single(inside=False)
        self._put(text, length)

    def _single(self, *, inside: bool) -> tuple[str, int, bool]:
        """An escape that stands for characters: its text, its length, and whether it is a class."""
        pattern, at = self._pattern, self._at
        letter = pattern[at + 1 : at + 2]
        if not letter:
            raise PatternRefused("it ends in a backslash")
        hexadecimal = _HEX.match(pattern, at)
        if hexadecimal is not None:
            return _code_point(hexadecimal), len(hexadecimal[0]), False
        prop = _PROPERTY.match(pattern, at)
        if prop is not None and ("u" in self._flags or "v" in self._flags):
            return prop[0], len(prop[0]), True
        if letter.lower() in _CLASSES:
            return _class_escape(letter, inside=inside), 2, True
        if letter in _CONTROLS:
            return _CONTROLS[letter], 2, False
        if inside and letter == "b":
            return "\\x08", 2, False
        return re.escape(letter), 2, False

    def character_class(self) -> None:
        self._at += 1
        negated = self._pattern.startswith("^", self._at)
        self._at += negated
        parts: list[str] = []
        while True:
            sign = self._pattern[self._at : self._at + 1]
            if not sign:
                raise PatternRefused("a character class is not closed")
            if sign == "]":
                break
            parts.append(self._member(last=self._pattern[self._at + 1 : self._at + 2] == "]"))
        everything = "[\\s\\S]" if negated else "(?!)"
        self._put(f"[{'^' * negated}{''.join(parts)}]" if parts else everything, 1)

    def _member(self, *, last: bool) -> str:
        """One member of a character class; a hyphen at its end is a plain one."""
        sign = self._pattern[self._at]
        if sign == "\\":
            text, length, _ = self._single(inside=True)
        elif sign == "-" and not last:
            text, length = "-", 1
        else:
            text, length = _class_sign(sign), 1
        self._at += length
        return text


def _class_sign(sign: str) -> str:
    return sign if sign.isalnum() or ord(sign) > 0x7F else f"\\x{ord(sign):02x}"


def _class_escape(letter: str, *, inside: bool) -> str:
    members = _CLASSES[letter.lower()]
    if letter.islower():
        return members if inside else f"[{members}]"
    return _COMPLEMENTS[letter] if inside else f"[^{members}]"


def _boundary(at_word: bool) -> str:
    inside = f"(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD})"
    return f"(?!{inside})" if at_word else f"(?:{inside})"


def _code_point(match: re.Match[str]) -> str:
    number = int(match[1] or match[2] or match[3], 16)
    if number > 0x10FFFF:
        raise PatternRefused(f"{match[0]} is no character")
    return f"\\U{number:08x}"


_STEPS: Final[Mapping[str, Callable[[_Translation], None]]] = {
    ".": _Translation.dot,
    "^": _Translation.start,
    "$": _Translation.end,
    "|": _Translation.bar,
    "(": _Translation.open,
    ")": _Translation.close,
    "*": _Translation.quantifier,
    "+": _Translation.quantifier,
    "?": _Translation.quantifier,
    "{": _Translation.quantifier,
    "\\": _Translation.escape,
    "[": _Translation.character_class,
}
