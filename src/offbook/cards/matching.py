"""Whether an entry of a lorebook belongs to what is being said: its keys and its decorators.

Takes: an entry and messages.  Gives: an ``Outcome``: yes or no, and why. Source: Character Card V3
specification, "Lorebook" and "Decorators"; SillyTavern's documentation, "World Info".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from offbook.cards.decorators import Decorated
from offbook.cards.keys import KeySearch, PatternTime, Searched
from offbook.cards.lorebook import LoreEntry
from offbook.cards.macros import MacroValues
from offbook.cards.raw_json import whole_of

_MARK: Final = "\x01"
"""What SillyTavern puts before each message, the newest first, so that patterns can tell where one
begins; patterns of lorebooks are written for that text."""

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
        greeting: Number of the greeting that the chat began with (0: the first message), for
            ``@@is_greeting``; None: it is not known, and no entry of one greeting is active.
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

    ``trouble`` are keys that could not be searched for; ``barred`` is whether the entry says itself
    that it does not belong here, so that no likeness in meaning calls for it.
    """

    active: bool
    why: str
    keys: tuple[str, ...] = ()
    trouble: tuple[str, ...] = ()
    barred: bool = False


@dataclass(slots=True)
class Scan:
    """The messages, prepared for searching; texts are joined once for each depth.

    ``earlier`` is how many messages of the conversation stand before those that are given.
    """

    messages: Sequence[LoreMessage]
    settings: ScanSettings = field(default_factory=ScanSettings)
    book_depth: int | None = None
    values: MacroValues | None = None
    clock: PatternTime | None = None
    earlier: int = 0
    added: str = ""
    _texts: dict[int, Searched] = field(default_factory=dict)
    _before: dict[int, Searched] = field(default_factory=dict)

    @property
    def replies(self) -> int:
        """How many messages the character has said."""
        replies = sum(message.role == "assistant" for message in self.messages)
        return replies + (self.earlier + 1) // 2

    def recent(self, depth: int | None) -> Searched:
        """The last ``depth`` messages; None: as many as the book says, or the settings."""
        if depth is None:
            depth = self._own_depth
        depth = max(0, min(depth, len(self.messages)))
        if depth not in self._texts:
            self._texts[depth] = Searched(
                self._joined(self.messages[len(self.messages) - depth :]) + self.added
            )
        return self._texts[depth]

    def before(self, depth: int | None) -> Searched:
        """Everything before the last ``depth`` messages."""
        end = max(0, len(self.messages) - (self._own_depth if depth is None else depth))
        if end not in self._before:
            self._before[end] = Searched(self._joined(self.messages[:end]))
        return self._before[end]

    @property
    def _own_depth(self) -> int:
        return self.settings.scan_depth if self.book_depth is None else self.book_depth

    def add(self, text: str) -> None:
        """Add the text of active entries, in which further keys are found."""
        self.added = f"{self.added}\n{_MARK}{text}"[-self.settings.scan_chars :]
        self._texts.clear()

    def search(self, entry: LoreEntry) -> KeySearch:
        """What looks for the keys of an entry."""
        if self.clock is None:
            self.clock = PatternTime(self.settings.pattern_seconds)
        return KeySearch(
            entry,
            whole_words=self.settings.whole_words,
            case_sensitive=self.settings.case_sensitive,
            values=self.values,
            clock=self.clock,
        )

    def _joined(self, messages: Sequence[LoreMessage]) -> str:
        parts: list[str] = []
        room = self.settings.scan_chars
        for message in reversed(messages):
            if room <= 0:
                break
            line = f"{message.name}: {message.text}" if message.name else message.text
            parts.append(f"{_MARK}{line.strip()[-room:]}")
            room -= len(line) + 1
        return "\n".join(parts)


def matches(
    entry: LoreEntry,
    messages: Sequence[LoreMessage],
    settings: ScanSettings | None = None,
    *,
    book_depth: int | None = None,
    values: MacroValues | None = None,
) -> Outcome:
    """Whether ``entry`` is active for ``messages``, and why."""
    return scan_entry(entry, Scan(messages, settings or ScanSettings(), book_depth, values))


def scan_entry(entry: LoreEntry, scan: Scan) -> Outcome:
    """``matches`` on messages that are prepared once for many entries."""
    if not entry.enabled:
        return Outcome(False, "it is switched off", barred=True)
    decorated = entry.decorated
    if decorated.has("activate"):  # in any case, the specification says
        return Outcome(True, "@@activate")
    refused = _refused(decorated, scan) or _other_occasion(entry)
    if refused is not None:
        return Outcome(False, refused, barred=True)
    if entry.constant:
        return Outcome(True, "it is constant")
    return _by_keys(entry, decorated, scan)


def key_score(entry: LoreEntry, scan: Scan) -> int:
    """How many keys of an active entry are said, as SillyTavern counts them within a group."""
    search, recent = scan.search(entry), scan.recent(_depth(entry, entry.decorated))
    primary = search.count(entry.keys, recent)
    if not entry.keys or not entry.secondary_keys:
        return primary
    secondary = search.count(entry.secondary_keys, recent)
    match whole_of(entry.extensions.get("selectiveLogic")) or _ANY:
        case 0:
            return primary + secondary
        case 3:
            return primary + (secondary if secondary == len(entry.secondary_keys) else 0)
    return primary


def _refused(decorated: Decorated, scan: Scan) -> str | None:
    """Why the decorators keep an entry out, whatever its keys."""
    if not decorated.known:
        return None
    if decorated.has("dont_activate"):
        return "@@dont_activate"
    after, every = decorated.whole("activate_only_after"), decorated.whole("activate_only_every")
    if after is not None and scan.replies < after:
        return f"@@activate_only_after {after}: there are {scan.replies} replies"
    if every and scan.replies % every:
        return f"@@activate_only_every {every}: there are {scan.replies} replies"
    greeting, begun = decorated.whole("is_greeting"), scan.settings.greeting
    if greeting is not None and greeting != begun:
        known = "it is not known what the chat began with"
        return f"@@is_greeting {greeting}: " + (
            known if begun is None else f"the chat began with {begun}"
        )
    return None


def _other_occasion(entry: LoreEntry) -> str | None:
    """Why an entry is for other occasions than a reply."""
    occasions = entry.other_occasions
    if not occasions:
        return None
    return f"it is for other occasions than a reply: {', '.join(occasions)[:60]}"


def _depth(entry: LoreEntry, decorated: Decorated) -> int | None:
    depth = decorated.whole("scan_depth")
    return whole_of(entry.extensions.get("scan_depth")) if depth is None else depth


def _by_keys(entry: LoreEntry, decorated: Decorated, scan: Scan) -> Outcome:
    search, depth = scan.search(entry), _depth(entry, decorated)
    recent = scan.recent(depth)
    excluded = search.first(decorated.names("exclude_keys"), recent)
    if excluded is not None:
        return _out(search, f"@@exclude_keys: {excluded!r} is said", barred=True)
    keys, also = _keys(entry, decorated)
    keep = decorated.has("keep_activate_after_match")
    once = decorated.has("dont_activate_after_match")
    earlier = search.first(keys, scan.before(depth)) if keep or once else None
    if once and earlier is not None:
        why = f"@@dont_activate_after_match: {earlier!r} was said before"
        return _out(search, why, barred=True)
    key = search.first(keys, recent)
    if keep and key is None and earlier is not None:
        why = f"@@keep_activate_after_match: {earlier!r} was said before"
        return Outcome(True, why, (earlier,), search.trouble)
    if key is None:
        return _out(search, "none of its keys is said")
    for names in also:
        if search.first(names, recent) is None:
            return _out(search, f"@@additional_keys: none of {', '.join(names)[:60]!r} is said")
    return _with_secondary(entry, search, recent, key)


def _keys(entry: LoreEntry, decorated: Decorated) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Keys of which one must be said, and for each ``@@additional_keys`` those of which one must.

    Where keys are patterns, or there are none, additional ones are further keys.
    """
    also = decorated.every("additional_keys")
    if (entry.use_regex or not entry.keys) and also:
        return (*entry.keys, *(name for names in also for name in names)), []
    return entry.keys, also


def _out(search: KeySearch, why: str, *, barred: bool = False) -> Outcome:
    return Outcome(False, why, (), search.trouble, barred)


def _with_secondary(
    entry: LoreEntry, search: KeySearch, recent: Searched, key_found: str
) -> Outcome:
    secondary = entry.secondary_keys
    if not entry.selective or not secondary:
        return Outcome(True, f"the key {key_found!r} is said", (key_found,), search.trouble)
    logic = whole_of(entry.extensions.get("selectiveLogic")) or _ANY
    matched = [key for key in secondary if search.holds(key, recent)]
    allowed = {
        _ANY: bool(matched),
        _NOT_ALL: len(matched) < len(secondary),
        _NOT_ANY: not matched,
        _ALL: len(matched) == len(secondary),
    }.get(logic, bool(matched))
    if not allowed:
        why = f"the key {key_found!r} is said, the secondary keys do not fit"
        return _out(search, why, barred=logic in (_NOT_ALL, _NOT_ANY))
    with_ = f", with {matched[0]!r}" if matched else ""
    return Outcome(
        True, f"the key {key_found!r} is said{with_}", (key_found, *matched), search.trouble
    )
