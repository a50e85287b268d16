"""The rules for lorebooks and their entries.

Takes: a lorebook.  Gives: findings. Source: V2 specification, "CharacterBook"; V3 specification,
"Lorebook" and "Decorators".
"""

from __future__ import annotations

from typing import Final

from offbook.cards.decorators import DECORATORS, Decorated, argument_trouble
from offbook.cards.fields import BOOK_FIELDS, ENTRY_FIELDS, fits
from offbook.cards.findings import Findings, shown
from offbook.cards.javascript_regex import PatternRefused, is_delimited
from offbook.cards.key_search import PatternTime
from offbook.cards.lint_fields import lint_fields, say
from offbook.cards.lore_places import unheard_wishes
from offbook.cards.lorebook import Lorebook, LoreEntry
from offbook.cards.macros import unknown_macros

_POSITIONS: Final = frozenset({"before_char", "after_char"})
_DEEPEST: Final = 7  # "@@" and five fallbacks


def lint_book_fields(book: Lorebook, version: int, path: str, findings: Findings) -> None:
    """What is wrong with a book and its entries."""
    where = f"{path}." if path else ""
    lint_fields(book.raw, BOOK_FIELDS, version, where, findings)
    entries = book.raw.get("entries")
    if not isinstance(entries, list):
        code = "field-missing" if entries is None else "field-type"
        say(findings, code, f"{where}entries", f"{shown(entries)} is no list of entries")
    for name in ("scan_depth", "token_budget"):
        value = getattr(book, name)
        if value is not None and value < 0:
            say(findings, "book-number", f"{where}{name}", f"{value} is negative")
    seen: set[str] = set()
    clock = PatternTime()
    for index, entry in enumerate(book.entries):
        here = f"{where}entries[{index}]"
        lint_fields(entry.raw, ENTRY_FIELDS, version, f"{here}.", findings)
        _Entry(entry, version, here, findings, clock).check(seen)
    if clock.unread:
        told = f"{clock.unread} patterns are not checked: those before them take too long to read"
        say(findings, "patterns-many", f"{where}entries", told, "write words where words will do")


class _Entry:
    def __init__(
        self, entry: LoreEntry, version: int, path: str, findings: Findings, clock: PatternTime
    ) -> None:
        self._clock = clock
        self._entry = entry
        self._version = version
        self._path = path
        self._findings = findings

    def check(self, seen: set[str]) -> None:
        self._id(seen)
        position = self._entry.raw.get("position")
        if isinstance(position, str) and position not in _POSITIONS:
            self._note("entry-position", "position", f"{shown(position)} is neither of the two")
        decorated = self._entry.decorated
        self._activation(decorated)
        self._keys()
        self._decorators(decorated)
        for macro in unknown_macros(decorated.text):
            self._note("macro-unknown", "content", f"{macro!r} stays as it is", "write it out")
        for wish in unheard_wishes(self._entry):
            self._note("entry-wish", "", f"offbook does not follow this wholly: {wish}")

    def _note(self, code: str, name: str, message: str, mend: str = "") -> None:
        path = f"{self._path}.{name}" if name else self._path
        say(self._findings, code, path, message, mend)

    def _id(self, seen: set[str]) -> None:
        own = self._entry.id
        if own is None:
            return
        if str(own) in seen:
            self._note("entry-id-twice", "id", f"{own!r} is the id of another entry too")
        seen.add(str(own))
        if self._version < 3 and not fits(own, "number"):
            self._note("entry-id-type", "id", f"{shown(own)} is no number")

    def _activation(self, decorated: Decorated) -> None:
        entry = self._entry
        keys = [*entry.keys, *decorated.names("additional_keys")]
        free = entry.constant or decorated.has("activate")
        if entry.enabled and not free and not any(key.strip() for key in keys):
            self._note("entry-never", "keys", "it has no keys and is not constant", "add a key")
        if entry.enabled and not decorated.text.strip():
            self._note("entry-empty", "content", "its content is empty")
        if entry.selective and not entry.secondary_keys and entry.raw.get("use_regex") is not True:
            # World Info files have ``selective`` everywhere, and mean nothing by it.
            self._note("entry-selective", "secondary_keys", "selective, and no secondary keys")

    def _keys(self) -> None:
        entry = self._entry
        for name in ("keys", "secondary_keys"):
            for index, key in enumerate(getattr(entry, name)):
                self._key(key, f"{name}[{index}]")

    def _key(self, key: str, path: str) -> None:
        if not key.strip():
            self._note("key-empty", path, "it is empty", "take it out")
            return
        if "{{" in key:
            self._note("macro-in-key", path, f"{shown(key)} is looked for with its macros replaced")
        world_info = "selectiveLogic" in self._entry.extensions
        if self._entry.use_regex and (is_delimited(key) or not world_info):
            self._pattern(key, path)

    def _pattern(self, key: str, path: str) -> None:
        unread = self._clock.unread
        try:
            self._clock.read(key, ignore_case=False)
        except PatternRefused as error:
            if self._clock.unread == unread:
                self._note("key-pattern", path, f"{shown(key)} is never found: {error}")

    def _decorators(self, decorated: Decorated) -> None:
        if decorated.lines and self._version < 3:
            names = ", ".join(f"@@{line.name}" for line in decorated.lines[:5])
            self._note("decorator-v2", "content", f"{names} in a V{self._version} card")
        if decorated.lines and decorated.lines[0].level > 2:
            self._note("decorator-fallback", "content", "it begins with a fallback")
        if any(line.level > _DEEPEST for line in decorated.lines):
            self._note("decorator-deep", "content", "fallbacks are nested too deep")
        for line, _ in decorated.unused:
            trouble = argument_trouble(line)
            if line.name not in DECORATORS:
                self._note("decorator-unknown", "content", f"@@{line.name[:40]} is not known")
            elif trouble is not None:
                self._note("decorator-value", "content", f"@@{line.name}: {trouble}")
            else:
                self._note("decorator-unused", "content", f"@@{line.name} does not count")
