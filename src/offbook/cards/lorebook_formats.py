"""Lorebooks of SillyTavern (World Info), Agnai, NovelAI and RisuAI as V3 lorebooks, and back.

Takes: raw objects.  Gives: raw objects of the other format, with what has no place there kept so
that the way back is exact. Source: SillyTavern 1.12, ``convertCharacterBook`` and its importers.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from offbook.cards.lorebook import empty_entry
from offbook.cards.raw_json import (
    Json,
    extension_of,
    list_of,
    object_of,
    residue,
    restore,
    text_of,
)

KEPT: Final = "offbook/sillytavern"

_PLAIN: Final[Mapping[str, tuple[str, Any]]] = {
    "key": ("keys", []),
    "keysecondary": ("secondary_keys", []),
    "comment": ("comment", ""),
    "content": ("content", ""),
    "constant": ("constant", False),
    "selective": ("selective", True),
    "order": ("insertion_order", 100),
}
"""World Info field: the field of a lorebook entry, and the default."""

_EXTENSIONS: Final[Mapping[str, tuple[str, Any]]] = {
    "position": ("position", 0),
    "selectiveLogic": ("selectiveLogic", 0),
    "depth": ("depth", 4),
    "role": ("role", 0),
    "scanDepth": ("scan_depth", None),
    "caseSensitive": ("case_sensitive", None),
    "matchWholeWords": ("match_whole_words", None),
    "useGroupScoring": ("use_group_scoring", None),
    "probability": ("probability", 100),
    "useProbability": ("useProbability", True),
    "group": ("group", ""),
    "groupOverride": ("group_override", False),
    "groupWeight": ("group_weight", 100),
    "excludeRecursion": ("exclude_recursion", False),
    "preventRecursion": ("prevent_recursion", False),
    "delayUntilRecursion": ("delay_until_recursion", False),
    "sticky": ("sticky", None),
    "cooldown": ("cooldown", None),
    "delay": ("delay", None),
    "vectorized": ("vectorized", False),
    "automationId": ("automation_id", ""),
    "displayIndex": ("display_index", 0),
    "outletName": ("outlet_name", ""),
    "matchPersonaDescription": ("match_persona_description", False),
    "matchCharacterDescription": ("match_character_description", False),
    "matchCharacterPersonality": ("match_character_personality", False),
    "matchCharacterDepthPrompt": ("match_character_depth_prompt", False),
    "matchScenario": ("match_scenario", False),
    "matchCreatorNotes": ("match_creator_notes", False),
    "triggers": ("triggers", []),
    "ignoreBudget": ("ignore_budget", False),
}

_ROOT_FIELDS: Final[Mapping[str, type]] = {
    "name": str,
    "scan_depth": int,
    "token_budget": int,
    "recursive_scanning": bool,
}
"""SillyTavern writes only the name; the others stand where an author or a program put them."""

DEFAULTS: Final[Mapping[str, Any]] = dict(_EXTENSIONS.values())
"""What extensions of an entry are where nobody says otherwise, by the entry's names."""
ForeignBook = Literal["agnai", "novelai", "risu"]
_MARKS: Final[Mapping[ForeignBook, tuple[frozenset[str], frozenset[str]]]] = {
    "agnai": (frozenset({"keywords", "entry"}), frozenset({"keys", "key", "content"})),
    "novelai": (frozenset({"keys", "text", "displayName"}), frozenset({"content"})),
    "risu": (frozenset({"key", "content", "secondkey"}), frozenset({"keys", "keysecondary"})),
}
"""Fields that the entries of a program have, and those that they have not."""


def is_world_info(raw: Mapping[str, Any]) -> bool:
    """Whether ``raw`` is a World Info file: its entries have ``key`` and not ``keys``."""
    entries = raw.get("entries")
    if isinstance(entries, dict):
        items = list(entries.values())
    elif isinstance(entries, list):
        items = entries
    else:
        return False
    objects = [item for item in items if isinstance(item, dict)]
    if not objects:
        return isinstance(entries, dict)
    return not any("keys" in item for item in objects) and any(
        "key" in item or "uid" in item for item in objects
    )


def from_world_info(raw: Json) -> Json:
    """A raw V3 lorebook from a World Info file."""
    keyed = isinstance(raw["entries"], dict)
    pairs = list(raw["entries"].items() if keyed else enumerate(raw["entries"]))
    entries = [_entry(str(key), item, keyed) for key, item in pairs if isinstance(item, dict)]
    book = {**_root_fields(raw), "extensions": {}, "entries": entries}
    rest = {key: copy.deepcopy(value) for key, value in raw.items() if key != "entries"}
    left_over = residue(rest, _root_fields(raw))
    if more := [field for field in _root_fields(raw) if field != "name"]:
        left_over["root_fields"] = more
    odd = {str(key): item for key, item in pairs if not isinstance(item, dict)}
    if odd:
        left_over["odd_entries"] = odd
    left_over["entries"] = "object" if keyed else "list"
    book["extensions"][KEPT] = left_over
    return book


def _root_fields(raw: Json) -> Json:
    """Return what a World Info file and a lorebook have in common beside their entries."""
    return {
        name: raw[name]
        for name, kind in _ROOT_FIELDS.items()
        if isinstance(raw.get(name), kind) and (kind is bool or not isinstance(raw[name], bool))
    }


def _entry(key: str, item: Json, keyed: bool) -> Json:
    made = _translated(item)
    left_over = residue(item, _world_info_entry(made, 0))
    if keyed and key != str(item.get("uid")):
        left_over["entry_key"] = key
    if left_over:
        made["extensions"][KEPT] = left_over
    return made


def _translated(item: Json) -> Json:
    made = empty_entry()
    if isinstance(item.get("uid"), int | str):
        made["id"] = item["uid"]
    for theirs, (ours, default) in _PLAIN.items():
        made[ours] = _as(item.get(theirs, default), default)
    made["enabled"] = not item.get("disable")
    made["position"] = "before_char" if item.get("position", 0) == 0 else "after_char"
    made["use_regex"] = True  # keys of SillyTavern may always be /patterns/
    extensions = {
        ours: copy.deepcopy(item[theirs])
        for theirs, (ours, _) in _EXTENSIONS.items()
        if theirs in item
    }
    extensions.setdefault("position", 0)
    extensions.setdefault("selectiveLogic", 0)
    made["extensions"] = extensions
    if isinstance(extensions.get("case_sensitive"), bool):
        made["case_sensitive"] = extensions["case_sensitive"]  # what other programs read
    return made


def _as(value: Any, default: Any) -> Any:
    """A value of the default's type, of a list its texts; else the default."""
    if isinstance(default, list):
        return [item for item in list_of(value) if isinstance(item, str)]
    if isinstance(default, bool | str) or isinstance(value, bool):
        return value if type(value) is type(default) else default
    return value if isinstance(value, int | float) else default


def to_world_info(book: Json) -> Json:
    """A World Info file from a raw lorebook; the exact original where it was read from one."""
    left_over = extension_of(book, KEPT)
    items: dict[str, Json] = {}
    taken = {entry.get("id") for entry in _entries(book)}
    free = (number for number in range(1 << 31) if number not in taken)
    for index, entry in enumerate(_entries(book)):
        uid = entry.get("id")
        number = uid if isinstance(uid, int) and not isinstance(uid, bool) else next(free)
        made = _world_info_entry(entry, number)
        entry_left_over = extension_of(entry, KEPT)
        made = restore(made, entry_left_over)
        key = str(entry_left_over.get("entry_key", made.get("uid", number)))
        while key in items:
            key = f"{key}-{index}"
        items[key] = made
    items |= copy.deepcopy(object_of(left_over.get("odd_entries")))
    # SillyTavern reads no field but the name: another one is written where it stood already.
    written = ["name", *list_of(left_over.get("root_fields"))]
    fields = {name: value for name, value in _root_fields(book).items() if name in written}
    root = restore(fields, left_over)
    root["entries"] = list(items.values()) if left_over.get("entries") == "list" else items
    return root


def _entries(book: Json) -> list[Json]:
    return [item for item in list_of(book.get("entries")) if isinstance(item, dict)]


def _world_info_entry(entry: Json, number: int) -> Json:
    """A World Info entry with every field that SillyTavern has."""
    extensions = object_of(entry.get("extensions"))
    uid = entry.get("id", number)
    made: Json = {"uid": uid if isinstance(uid, int | str) else number}
    for theirs, (ours, default) in _PLAIN.items():
        value = entry.get(ours)
        made[theirs] = copy.deepcopy(default if value is None else value)
    if not made["comment"] and isinstance(entry.get("name"), str):
        made["comment"] = entry["name"]  # what SillyTavern calls an entry
    made["disable"] = entry.get("enabled") is False
    made["addMemo"] = bool(made["comment"])
    for theirs, (ours, default) in _EXTENSIONS.items():
        made[theirs] = copy.deepcopy(extensions.get(ours, default))
    if "position" not in extensions:
        made["position"] = 1 if entry.get("position") == "after_char" else 0
    if extensions.get("case_sensitive") is None and "case_sensitive" in entry:
        made["caseSensitive"] = entry["case_sensitive"]
    return made


@dataclass(frozen=True, slots=True)
class _Format:
    """How one program writes a lorebook; ``fields`` are ours and the default by theirs."""

    entries: str
    head: Mapping[str, Any]
    book_fields: Mapping[str, str]
    fields: Mapping[str, tuple[str, Any]]

    def read(self, item: Json) -> Json:
        """Return a raw V3 entry."""
        made = {
            ours: _as(item.get(theirs), default) for theirs, (ours, default) in self.fields.items()
        }
        if self is _FORMATS["novelai"]:
            order = object_of(item.get("contextConfig")).get("budgetPriority")
            made["insertion_order"] = _as(order, 0)
            made["use_regex"] = any(key.startswith("/") for key in made["keys"])
        if self is _FORMATS["risu"]:
            made |= {ours: _comma_texts(item.get(theirs)) for theirs, ours in _RISU_KEYS.items()}
            if (chance := _as(item.get("activationPercent"), None)) is not None:
                made["extensions"] = {"probability": chance, "useProbability": True}
        return empty_entry(**made)

    def write(self, entry: Json) -> Json:
        """Return an entry of the program."""
        made = {
            theirs: _as(entry.get(ours), default) for theirs, (ours, default) in self.fields.items()
        }
        for theirs, (ours, _) in self.fields.items():
            if other := {"name": "comment", "comment": "name"}.get(ours):
                made[theirs] = made[theirs] or text_of(entry.get(other))
        if self is _FORMATS["novelai"]:
            made["contextConfig"] = {"budgetPriority": _as(entry.get("insertion_order"), 0)}
        if self is _FORMATS["risu"]:
            for theirs, ours in _RISU_KEYS.items():
                made[theirs] = ", ".join(_as(entry.get(ours), []))
            made["mode"] = "normal"
            chance = _as(object_of(entry.get("extensions")).get("probability"), None)
            made |= {} if chance is None else {"activationPercent": chance}
        return made


_RISU_KEYS: Final = {"key": "keys", "secondkey": "secondary_keys"}


def _comma_texts(value: Any) -> list[str]:
    return [part for part in (part.strip() for part in text_of(value).split(",")) if part]


def foreign_book(raw: Mapping[str, Any]) -> ForeignBook | None:
    """Whose lorebook ``raw`` is, or None: by its mark, or where that is gone by its entries."""
    entries, data = raw.get("entries"), raw.get("data")
    if isinstance(entries, list):
        if raw.get("kind") == "memory":
            return "agnai"
        if "lorebookVersion" in raw:
            return "novelai"
    if raw.get("type") == "risu" and isinstance(data, list):
        return "risu"
    items = entries if isinstance(entries, list) else list_of(data)
    names = {field for item in items if isinstance(item, dict) for field in item}
    for name, (typical, others) in _MARKS.items():
        if typical <= names and not others & names:
            listed = _FORMATS[name].entries
            return name if isinstance(raw.get(listed), list) else None
    return None


def from_foreign(raw: Json, name: ForeignBook) -> Json:
    """A raw V3 lorebook from one of another program."""
    spec = _FORMATS[name]
    items = raw[spec.entries]
    entries: list[Json] = []
    for item in items:
        if not isinstance(item, dict):
            continue
        made = spec.read(item)
        left_over = residue(item, spec.write(made))
        if left_over:
            made["extensions"][kept_name(name)] = left_over
        entries.append(made)
    book: Json = {
        ours: raw[theirs]
        for theirs, ours in spec.book_fields.items()
        if isinstance(raw.get(theirs), str)
    }
    book |= {"extensions": {}, "entries": entries}
    rest = {key: value for key, value in raw.items() if key != spec.entries}
    left_over = residue(rest, _head(book, spec))
    odd = [item for item in items if not isinstance(item, dict)]
    if odd:
        left_over["odd_entries"] = copy.deepcopy(odd)
    if left_over:
        book["extensions"][kept_name(name)] = left_over
    return book


def to_foreign(book: Json, name: ForeignBook) -> Json:
    """A lorebook of another program from a raw V3 lorebook."""
    spec = _FORMATS[name]
    extension = kept_name(name)
    left_over = extension_of(book, extension)
    entries: list[Any] = [
        restore(spec.write(item), extension_of(item, extension)) for item in _entries(book)
    ]
    entries += copy.deepcopy(list_of(left_over.get("odd_entries")))
    return {**restore(_head(book, spec), left_over), spec.entries: entries}


def _head(book: Json, spec: _Format) -> Json:
    named = {theirs: book[ours] for theirs, ours in spec.book_fields.items() if book.get(ours)}
    return {**spec.head, **named}


def kept_name(name: ForeignBook) -> str:
    """The extension under which what only this program knows is kept."""
    return f"offbook/{name}"


_FORMATS: Final[Mapping[ForeignBook, _Format]] = {
    "agnai": _Format(
        "entries",
        {"kind": "memory"},
        {"name": "name", "description": "description"},
        {
            "name": ("name", ""),
            "entry": ("content", ""),
            "keywords": ("keys", []),
            "priority": ("priority", 0),
            "weight": ("insertion_order", 0),
            "enabled": ("enabled", True),
        },
    ),
    "novelai": _Format(
        "entries",
        {"lorebookVersion": 5},
        {},
        {
            "text": ("content", ""),
            "displayName": ("name", ""),
            "keys": ("keys", []),
            "enabled": ("enabled", True),
            "forceActivation": ("constant", False),
        },
    ),
    "risu": _Format(
        "data",
        {"type": "risu", "ver": 1},
        {},
        {
            "comment": ("comment", ""),
            "content": ("content", ""),
            "alwaysActive": ("constant", False),
            "selective": ("selective", False),
            "insertorder": ("insertion_order", 100),
            "useRegex": ("use_regex", False),
        },
    ),
}
