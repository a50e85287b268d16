"""A lorebook and its entries: a view on the raw JSON of a V3 lorebook, whatever it was read from.

Takes: a raw object.  Gives: ``Lorebook`` and ``LoreEntry``, typed to read and write; what they do
not know stays in the raw object, in its order. Source: Character Card V3 specification, "Lorebook".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from offbook.cards.decorators import Decorated, read_decorators
from offbook.cards.fields import BOOK_FIELDS, ENTRY_FIELDS, keep_unread, mend_fields
from offbook.cards.findings import Findings, shown
from offbook.cards.raw_json import (
    Json,
    flag,
    json_object,
    number,
    optional_flag,
    optional_whole,
    text,
    text_of,
    texts,
)
from offbook.cards.sources import CardLimits
from offbook.errors import UnreadableCard
from offbook.text.tokens import count_tokens

SPEC: Final = "lorebook_v3"
USUAL_TOKENS: Final = 2_048
"""What all entries stay below where nobody says how large the model's window is."""
_GUARDS: Final = (
    "dont_activate",
    "activate_only_after",
    "activate_only_every",
    "dont_activate_after_match",
    "is_greeting",
    "exclude_keys",
)
_EXCLUDING: Final = (1, 2)  # SillyTavern's NOT_ALL and NOT_ANY


@dataclass(slots=True, eq=False)
class LoreEntry:
    """One entry of a lorebook; ``content`` still has its decorators, ``text`` has not."""

    raw: Json

    keys = texts("keys")
    secondary_keys = texts("secondary_keys")
    content = text("content")
    comment = text("comment")
    name = text("name")
    position = text("position")
    insertion_order = number("insertion_order")
    priority = number("priority")
    constant = flag("constant")
    selective = flag("selective")
    use_regex = flag("use_regex")
    enabled = flag("enabled", default=True)
    case_sensitive = optional_flag("case_sensitive")
    extensions = json_object("extensions")

    @property
    def id(self) -> str | int | float | None:
        """The entry's own name in its book, if it has one."""
        identity = self.raw.get("id")
        return identity if isinstance(identity, str | int | float) else None

    @property
    def title(self) -> str:
        """What a person would call the entry: its name, its comment, its first key or its id."""
        first = self.keys[0] if self.keys else ""
        return self.name or self.comment or first or f"entry {self.id}"

    @property
    def decorated(self) -> Decorated:
        """The content, and the decorators on top of it."""
        return read_decorators(self.content)

    @property
    def text(self) -> str:
        """The content without decorators."""
        return self.decorated.text

    @property
    def other_occasions(self) -> tuple[str, ...]:
        """What it is for, where that is no reply (SillyTavern's ``triggers``)."""
        triggers = self.extensions.get("triggers")
        if not isinstance(triggers, list) or "normal" in triggers:
            return ()
        return tuple(map(str, triggers))

    @property
    def is_of_sillytavern(self) -> bool:
        """Whether SillyTavern has written it, which knows no priority and patterns in any key."""
        return "selectiveLogic" in self.extensions

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of which one entry is told; there may be several, with commas between."""
        names = text_of(self.extensions.get("group")).split(",")
        return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))

    @property
    def ignores_budget(self) -> bool:
        """Whether it is told however little may be told, and takes nothing of that."""
        return self.extensions.get("ignore_budget") is True

    @property
    def is_guarded(self) -> bool:
        """Whether it is kept back until something is the case, or as long as something is."""
        decorated, extensions = self.decorated, self.extensions
        if decorated.has("activate"):
            return False
        delay, logic = extensions.get("delay"), extensions.get("selectiveLogic")
        return (
            bool(self.other_occasions)
            or any(decorated.has(name) for name in _GUARDS)
            or (isinstance(delay, int) and delay > 0)
            or (self.selective and bool(self.secondary_keys) and logic in _EXCLUDING)
        )


@dataclass(slots=True, eq=False)
class Lorebook:
    """A lorebook: the card's own, or one of a file by itself."""

    raw: Json

    name = text("name")
    description = text("description")
    scan_depth = optional_whole("scan_depth")
    token_budget = optional_whole("token_budget")
    recursive_scanning = flag("recursive_scanning", default=True)
    extensions = json_object("extensions")

    @property
    def entries(self) -> tuple[LoreEntry, ...]:
        """The entries in the order of the file."""
        return tuple(LoreEntry(entry) for entry in self._raw_entries())

    def never_fit(self, budget_tokens: int) -> int:
        """How many entries are too large for the budget alone: the book's own, or a given one."""
        own = self.token_budget
        budget = own if own is not None and own > 0 else budget_tokens
        return sum(
            count_tokens(entry.text.strip()) >= budget
            for entry in self.entries
            if entry.enabled and not entry.ignores_budget and entry.text.strip()
        )

    def _raw_entries(self) -> Iterator[Json]:
        entries = self.raw.get("entries")
        if isinstance(entries, list):
            yield from (entry for entry in entries if isinstance(entry, dict))


def empty_entry(**fields: Any) -> Json:
    """A raw V3 entry with all required fields, in the order of the specification."""
    base: Json = {
        "keys": [],
        "content": "",
        "extensions": {},
        "enabled": True,
        "insertion_order": 100,
        "use_regex": False,
        "constant": False,
    }
    return {**base, **fields}


def mend_book(raw: Json, version: int, path: str, findings: Findings, limits: CardLimits) -> None:
    """Give every known field of a raw lorebook and of its entries its right type, in its place."""
    mend_fields(raw, BOOK_FIELDS, version, path, findings)
    where = f"{path}.entries" if path else "entries"
    entries = raw.get("entries")
    if isinstance(entries, dict):
        findings.warn(
            "book-entries", where, "the entries are an object with keys; they are read as a list"
        )
        if list(entries) != [str(number) for number in range(len(entries))]:
            keep_unread(raw, {"entry_keys": list(entries)})
        entries = raw["entries"] = list(entries.values())
    if not isinstance(entries, list):
        if entries is not None:
            findings.warn("book-entries", where, f"{shown(entries)} is no list of entries")
            keep_unread(raw, {"entries": entries})
        entries = raw["entries"] = []
    if len(entries) > limits.entries:
        raise UnreadableCard(
            f"the lorebook has {len(entries)} entries, and the limit is {limits.entries}",
            "split it, or raise CardLimits.entries in Python",
        )
    odd = [entry for entry in entries if not isinstance(entry, dict)]
    if odd:
        findings.warn(
            "book-entry", where, f"{len(odd)} entries are no objects: {shown(odd[0])} ..."
        )
        keep_unread(raw, {"entries": odd})
        entries = raw["entries"] = [entry for entry in entries if isinstance(entry, dict)]
    for index, entry in enumerate(entries):
        mend_fields(entry, ENTRY_FIELDS, version, f"{where}[{index}]", findings)
