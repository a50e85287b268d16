"""Whether an entry of a lorebook belongs to what is being said: its keys, decorators and timers.

Takes: an entry and messages.  Gives: an ``Outcome``: yes or no, and why. Source: Character Card V3
specification, "Lorebook" and "Decorators"; SillyTavern's documentation, "World Info".

Keys are whole words, but not in scripts that write none; a pattern that is wrong, or takes too
long, is no match, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from offbook.cards.decorators import Decorated
from offbook.cards.javascript_regex import (
    SEARCH_SECONDS,
    PatternRefused,
    Stopwatch,
    compile_key,
    is_delimited,
)
from offbook.cards.lorebook import LoreEntry
from offbook.language.tokens import WIDE

_WIDE: Final = re.compile(f"[{WIDE}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_BETWEEN: Final = "\x01"  # what SillyTavern puts between messages, so that patterns can tell

_ANY, _NOT_ALL, _NOT_ANY, _ALL = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class LoreMessage:
    """A message of the conversation that is searched for keys."""

    text: str
    name: str = ""
    role: Literal["system", "user", "assistant"] = "user"


@dataclass(frozen=True, slots=True)
class ScanSettings:
    """How messages are searched, where neither book nor entry says otherwise.

    Attributes:
        scan_depth: How many of the last messages are searched.
        whole_words: Whether a key must not stand inside of a longer word.
        case_sensitive: Whether case counts.
        scan_chars: How much text is searched at most: its end.
        pattern_seconds: Time for all patterns of one scan together.
        greeting: Number of the greeting that the chat began with, for ``@@is_greeting``.
    """

    scan_depth: int = 2
    whole_words: bool = True
    case_sensitive: bool = False
    scan_chars: int = 20_000
    pattern_seconds: float = 0.25
    greeting: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether an entry is active, why (or why not), and the keys that were found.

    ``trouble`` are keys that could not be searched for.
    """

    active: bool
    why: str
    keys: tuple[str, ...] = ()
    trouble: tuple[str, ...] = ()


@dataclass(slots=True)
class Scan:
    """The messages, prepared for searching; texts are joined once for each depth."""

    messages: Sequence[LoreMessage]
    settings: ScanSettings = field(default_factory=ScanSettings)
    book_depth: int | None = None
    added: str = ""
    watch: Stopwatch = field(init=False)
    _texts: dict[int, _Text] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.watch = Stopwatch(self.settings.pattern_seconds)

    @property
    def replies(self) -> int:
        """How many messages the character has said."""
        return sum(message.role == "assistant" for message in self.messages)

    def recent(self, depth: int | None) -> _Text:
        """The last ``depth`` messages; None: as many as the book says, or the settings."""
        if depth is None:
            depth = self.settings.scan_depth if self.book_depth is None else self.book_depth
        depth = max(0, min(depth, len(self.messages)))
        if depth not in self._texts:
            self._texts[depth] = self._joined(self.messages[len(self.messages) - depth :], depth)
        return self._texts[depth]

    def before(self, depth: int | None) -> _Text:
        """Everything before the last ``depth`` messages."""
        own = self.settings.scan_depth if self.book_depth is None else self.book_depth
        end = max(0, len(self.messages) - (own if depth is None else depth))
        return self._joined(self.messages[:end], -1)

    def add(self, text: str) -> None:
        """Add the text of an active entry, in which further keys are found."""
        self.added = f"{self.added}{_BETWEEN}{text}"[-self.settings.scan_chars :]
        self._texts.clear()

    def _joined(self, messages: Sequence[LoreMessage], depth: int) -> _Text:
        parts: list[str] = []
        room = self.settings.scan_chars
        for message in reversed(messages):
            if room <= 0:
                break
            line = f"{message.name}: {message.text}" if message.name else message.text
            parts.append(line[-room:])
            room -= len(line) + 1
        text = _BETWEEN.join(reversed(parts))
        return _Text(text + self.added if depth >= 0 else text)


class _Text:
    """A text, and the same without case, made once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = text.casefold()


def matches(
    entry: LoreEntry,
    messages: Sequence[LoreMessage],
    settings: ScanSettings | None = None,
    *,
    book_depth: int | None = None,
) -> Outcome:
    """Whether ``entry`` is active for ``messages``, and why."""
    return scan_entry(entry, Scan(messages, settings or ScanSettings(), book_depth))


def scan_entry(entry: LoreEntry, scan: Scan) -> Outcome:
    """``matches`` on messages that are prepared once for many entries."""
    if not entry.enabled:
        return Outcome(False, "it is switched off")
    decorated = entry.decorated
    refused = _refused(decorated, scan)
    if refused is not None:
        return Outcome(False, refused)
    if decorated.has("activate"):
        return Outcome(True, "@@activate")
    if entry.constant:
        return Outcome(True, "it is constant")
    return _by_keys(entry, decorated, scan)


def _refused(decorated: Decorated, scan: Scan) -> str | None:
    """Why the decorators keep an entry out, whatever its keys."""
    if decorated.has("dont_activate"):
        return "@@dont_activate"
    after, every = decorated.whole("activate_only_after"), decorated.whole("activate_only_every")
    if after is not None and scan.replies < after:
        return f"@@activate_only_after {after}: there are {scan.replies} replies"
    if every and scan.replies % every:
        return f"@@activate_only_every {every}: there are {scan.replies} replies"
    greeting = decorated.whole("is_greeting")
    if greeting is not None and greeting != scan.settings.greeting:
        return f"@@is_greeting {greeting}: the chat began with another one"
    return None


def _by_keys(entry: LoreEntry, decorated: Decorated, scan: Scan) -> Outcome:
    search = _Search(entry, scan)
    depth = decorated.whole("scan_depth")
    if depth is None:
        depth = _whole(entry.extensions.get("scan_depth"))
    recent = scan.recent(depth)
    excluded = search.first(decorated.names("exclude_keys"), recent)
    if excluded is not None:
        return search.outcome(False, f"@@exclude_keys: {excluded!r} is said")
    keys = (*entry.keys, *decorated.names("additional_keys"))
    keep = decorated.has("keep_activate_after_match")
    once = decorated.has("dont_activate_after_match")
    earlier = search.first(keys, scan.before(depth)) if keep or once else None
    if once and earlier is not None:
        return search.outcome(False, f"@@dont_activate_after_match: {earlier!r} was said before")
    found = search.first(keys, recent)
    if found is None:
        if keep and earlier is not None:
            why = f"@@keep_activate_after_match: {earlier!r} was said before"
            return search.outcome(True, why, earlier)
        return search.outcome(False, "none of its keys is said")
    return _with_secondary(entry, search, recent, found)


def _with_secondary(entry: LoreEntry, search: _Search, recent: _Text, found: str) -> Outcome:
    secondary = entry.secondary_keys
    if not entry.selective or not secondary:
        return search.outcome(True, f"the key {found!r} is said", found)
    logic = _whole(entry.extensions.get("selectiveLogic")) or _ANY
    said = [key for key in secondary if search.first((key,), recent) is not None]
    allowed = {
        _ANY: bool(said),
        _NOT_ALL: len(said) < len(secondary),
        _NOT_ANY: not said,
        _ALL: len(said) == len(secondary),
    }.get(logic, bool(said))
    if not allowed:
        return search.outcome(False, f"the key {found!r} is said, the secondary keys do not fit")
    also = f", with {said[0]!r}" if said else ""
    return search.outcome(True, f"the key {found!r} is said{also}", found, *said)


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


class _Search:
    """Looks for the keys of one entry, as the entry wants them looked for."""

    def __init__(self, entry: LoreEntry, scan: Scan) -> None:
        settings, extensions = scan.settings, entry.extensions
        own_case = extensions.get("case_sensitive")
        if not isinstance(own_case, bool):
            own_case = entry.case_sensitive
        own_words = extensions.get("match_whole_words")
        self._case = own_case if isinstance(own_case, bool) else settings.case_sensitive
        self._words = own_words if isinstance(own_words, bool) else settings.whole_words
        # Keys of SillyTavern are patterns only between slashes, whatever ``use_regex`` says.
        self._bare_patterns = entry.use_regex and "selectiveLogic" not in extensions
        self._patterns = entry.use_regex
        self._watch = scan.watch
        self._trouble: list[str] = []

    def outcome(self, active: bool, why: str, *keys: str) -> Outcome:
        return Outcome(active, why, keys, tuple(dict.fromkeys(self._trouble)))

    def first(self, keys: Sequence[str], where: _Text) -> str | None:
        """The first of ``keys`` that is in the text."""
        return next((key for key in keys if self._is_in(key, where)), None)

    def _is_in(self, key: str, where: _Text) -> bool:
        bare = key.strip()
        if not bare:
            return False
        if self._bare_patterns or (self._patterns and is_delimited(bare)):
            return self._pattern_is_in(bare, where)
        if self._case:
            return is_said(bare, where.text, whole_words=self._words)
        return is_said(bare.casefold(), where.folded, whole_words=self._words)

    def _pattern_is_in(self, key: str, where: _Text) -> bool:
        try:
            pattern = compile_key(key, ignore_case=not self._case)
        except PatternRefused as error:
            self._trouble.append(f"the pattern {key[:60]!r} is not used: {error}")
            return False
        left = min(SEARCH_SECONDS, self._watch.left())
        try:
            if left > 0:
                return pattern.search(where.text, left) is not None
        except TimeoutError:
            pass
        self._trouble.append(f"the pattern {key[:60]!r} takes too long")
        return False


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
    return sign.isalnum() or sign == "_"
