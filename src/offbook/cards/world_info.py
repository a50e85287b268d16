"""SillyTavern's World Info files as lorebooks, and lorebooks as World Info files.

Takes: raw objects.  Gives: raw objects of the other format, with what has no place there kept so
that the way back is exact. Source: SillyTavern 1.12, ``convertCharacterBook``; docs "World Info".
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final

from offbook.cards.lorebook import empty_entry
from offbook.cards.residue import Json, residue, restore

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

DEFAULTS: Final[Mapping[str, Any]] = dict(_EXTENSIONS.values())
"""What extensions of an entry are where nobody says otherwise, by the entry's names."""


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
    found = raw["entries"]
    pairs = list(found.items() if isinstance(found, dict) else enumerate(found))
    entries = [
        _entry(str(key), item, isinstance(found, dict))
        for key, item in pairs
        if isinstance(item, dict)
    ]
    name = raw.get("name")
    book: Json = {"name": name} if isinstance(name, str) else {}
    book |= {"extensions": {}, "entries": entries}
    rest = {key: copy.deepcopy(value) for key, value in raw.items() if key != "entries"}
    kept = residue(rest, {"name": name} if isinstance(name, str) else {})
    odd = {str(key): item for key, item in pairs if not isinstance(item, dict)}
    if odd:
        kept["odd_entries"] = odd
    kept["entries"] = "object" if isinstance(found, dict) else "list"
    book["extensions"][KEPT] = kept
    return book


def _entry(key: str, item: Json, keyed: bool) -> Json:
    made = _translated(item)
    kept = residue(item, _world_info_entry(made, 0))
    if keyed and key != str(item.get("uid")):
        kept["entry_key"] = key
    if kept:
        made["extensions"][KEPT] = kept
    return made


def _translated(item: Json) -> Json:
    made = empty_entry()
    if isinstance(item.get("uid"), int | str):
        made["id"] = item["uid"]
    for theirs, (ours, default) in _PLAIN.items():
        value = item.get(theirs, default)
        made[ours] = copy.deepcopy(value if _same_kind(value, default) else default)
    made["enabled"] = not _truth(item.get("disable", False))
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


def _same_kind(value: Any, default: Any) -> bool:
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(default, int):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(default, list):
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, type(default))


def _truth(value: Any) -> bool:
    return value if isinstance(value, bool) else bool(value)


def to_world_info(book: Json) -> Json:
    """A World Info file from a raw lorebook; the exact original where it was read from one."""
    kept = _kept(book)
    items: dict[str, Json] = {}
    used = _numbers(book)
    for index, entry in enumerate(_entries(book)):
        uid = entry.get("id")
        number = uid if isinstance(uid, int) and not isinstance(uid, bool) else next(used)
        made = _world_info_entry(entry, number)
        entry_kept = _kept(entry)
        made = restore(made, entry_kept)
        key = entry_kept.get("entry_key", str(made.get("uid", number)))
        items[_free(str(key), items, index)] = made
    odd = kept.get("odd_entries")
    if isinstance(odd, dict):
        items |= copy.deepcopy(odd)
    name = book.get("name")
    root: Json = {"name": name} if isinstance(name, str) else {}
    root = restore(root, kept)
    root["entries"] = list(items.values()) if kept.get("entries") == "list" else items
    return root


def _numbers(book: Json) -> Any:
    taken = {entry.get("id") for entry in _entries(book)}
    return (number for number in range(1 << 31) if number not in taken)


def _free(key: str, items: Mapping[str, Any], index: int) -> str:
    """``key``, or another one where it is taken."""
    while key in items:
        key = f"{key}-{index}"
    return key


def _entries(book: Json) -> list[Json]:
    found = book.get("entries")
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _kept(raw: Json) -> Json:
    extensions = raw.get("extensions")
    found = extensions.get(KEPT) if isinstance(extensions, dict) else None
    return found if isinstance(found, dict) else {}


def _world_info_entry(entry: Json, number: int) -> Json:
    """A World Info entry with every field that SillyTavern has."""
    found = entry.get("extensions")
    extensions: Json = found if isinstance(found, dict) else {}
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
