"""Lorebooks of Agnai, NovelAI and RisuAI as V3 lorebooks, and back.

Takes: raw objects.  Gives: raw objects of the other format, with what has no place there kept so
that the way back is exact. Source: the importers of SillyTavern 1.12 for these formats.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from offbook.cards.lorebook import empty_entry
from offbook.cards.residue import Json, residue, restore

ForeignBook = Literal["agnai", "novelai", "risu"]

_MARKS: Final[Mapping[ForeignBook, tuple[frozenset[str], frozenset[str]]]] = {
    "agnai": (frozenset({"keywords", "entry"}), frozenset({"keys", "key", "content"})),
    "novelai": (frozenset({"keys", "text", "displayName"}), frozenset({"content"})),
    "risu": (frozenset({"key", "content", "secondkey"}), frozenset({"keys", "keysecondary"})),
}
"""Fields that the entries of a program have, and those that they have not."""


@dataclass(frozen=True, slots=True)
class _Format:
    """How one program writes a lorebook."""

    entries: str
    head: Mapping[str, Any]
    book_fields: Mapping[str, str]
    read: Callable[[Json], Json]
    write: Callable[[Json], Json]


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
    names = _entry_fields(entries if isinstance(entries, list) else data)
    for name, (own, others) in _MARKS.items():
        if own <= names and not others & names:
            listed = _FORMATS[name].entries
            return name if isinstance(raw.get(listed), list) else None
    return None


def _entry_fields(entries: Any) -> set[str]:
    """The fields that entries have, whichever of them."""
    items = entries if isinstance(entries, list) else []
    return {field for item in items if isinstance(item, dict) for field in item}


def from_foreign(raw: Json, name: ForeignBook) -> Json:
    """A raw V3 lorebook from one of another program."""
    spec = _FORMATS[name]
    found = raw[spec.entries]
    entries: list[Json] = []
    for item in found:
        if not isinstance(item, dict):
            continue
        made = spec.read(item)
        kept = residue(item, spec.write(made))
        if kept:
            made["extensions"][kept_name(name)] = kept
        entries.append(made)
    book: Json = {
        ours: raw[theirs]
        for theirs, ours in spec.book_fields.items()
        if isinstance(raw.get(theirs), str)
    }
    book |= {"extensions": {}, "entries": entries}
    rest = {key: value for key, value in raw.items() if key != spec.entries}
    kept = residue(rest, _head(book, spec))
    odd = [item for item in found if not isinstance(item, dict)]
    if odd:
        kept["odd_entries"] = copy.deepcopy(odd)
    if kept:
        book["extensions"][kept_name(name)] = kept
    return book


def to_foreign(book: Json, name: ForeignBook) -> Json:
    """A lorebook of another program from a raw V3 lorebook."""
    spec = _FORMATS[name]
    kept = _kept(book, name)
    found = book.get("entries")
    items = [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
    entries: list[Any] = [restore(spec.write(item), _kept(item, name)) for item in items]
    odd = kept.get("odd_entries")
    entries += copy.deepcopy(odd) if isinstance(odd, list) else []
    return {**restore(_head(book, spec), kept), spec.entries: entries}


def _head(book: Json, spec: _Format) -> Json:
    named = {theirs: book[ours] for theirs, ours in spec.book_fields.items() if book.get(ours)}
    return {**spec.head, **named}


def kept_name(name: ForeignBook) -> str:
    """The extension under which what only this program knows is kept."""
    return f"offbook/{name}"


def _kept(raw: Json, name: ForeignBook) -> Json:
    extensions = raw.get("extensions")
    found = extensions.get(kept_name(name)) if isinstance(extensions, dict) else None
    return found if isinstance(found, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _number(value: Any, default: float) -> float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else default


def _comma_texts(value: Any) -> list[str]:
    return [part for part in (part.strip() for part in _text(value).split(",")) if part]


def _read_agnai(item: Json) -> Json:
    return empty_entry(
        keys=_texts(item.get("keywords")),
        content=_text(item.get("entry")),
        name=_text(item.get("name")),
        priority=_number(item.get("priority"), 0),
        insertion_order=_number(item.get("weight"), 0),
        enabled=item.get("enabled") is not False,
    )


def _write_agnai(entry: Json) -> Json:
    return {
        "name": _text(entry.get("name")) or _text(entry.get("comment")),
        "entry": _text(entry.get("content")),
        "keywords": _texts(entry.get("keys")),
        "priority": _number(entry.get("priority"), 0),
        "weight": _number(entry.get("insertion_order"), 0),
        "enabled": entry.get("enabled") is not False,
    }


def _read_novelai(item: Json) -> Json:
    context = item.get("contextConfig")
    config: Json = context if isinstance(context, dict) else {}
    return empty_entry(
        keys=_texts(item.get("keys")),
        content=_text(item.get("text")),
        name=_text(item.get("displayName")),
        insertion_order=_number(config.get("budgetPriority"), 0),
        enabled=item.get("enabled") is not False,
        constant=item.get("forceActivation") is True,
        use_regex=any(key.startswith("/") for key in _texts(item.get("keys"))),
    )


def _write_novelai(entry: Json) -> Json:
    return {
        "text": _text(entry.get("content")),
        "displayName": _text(entry.get("name")) or _text(entry.get("comment")),
        "keys": _texts(entry.get("keys")),
        "enabled": entry.get("enabled") is not False,
        "forceActivation": entry.get("constant") is True,
        "contextConfig": {"budgetPriority": _number(entry.get("insertion_order"), 0)},
    }


def _read_risu(item: Json) -> Json:
    made = empty_entry(
        keys=_comma_texts(item.get("key")),
        secondary_keys=_comma_texts(item.get("secondkey")),
        comment=_text(item.get("comment")),
        content=_text(item.get("content")),
        constant=item.get("alwaysActive") is True,
        selective=item.get("selective") is True,
        insertion_order=_number(item.get("insertorder"), 100),
        use_regex=item.get("useRegex") is True,
    )
    chance = item.get("activationPercent")
    if isinstance(chance, int | float) and not isinstance(chance, bool):
        made["extensions"] = {"probability": chance, "useProbability": True}
    return made


def _write_risu(entry: Json) -> Json:
    extensions = entry.get("extensions")
    chance = extensions.get("probability") if isinstance(extensions, dict) else None
    made: Json = {
        "key": ", ".join(_texts(entry.get("keys"))),
        "secondkey": ", ".join(_texts(entry.get("secondary_keys"))),
        "comment": _text(entry.get("comment")) or _text(entry.get("name")),
        "content": _text(entry.get("content")),
        "mode": "normal",
        "alwaysActive": entry.get("constant") is True,
        "selective": entry.get("selective") is True,
        "insertorder": _number(entry.get("insertion_order"), 100),
        "useRegex": entry.get("use_regex") is True,
    }
    if isinstance(chance, int | float) and not isinstance(chance, bool):
        made["activationPercent"] = chance
    return made


_FORMATS: Final[Mapping[ForeignBook, _Format]] = {
    "agnai": _Format(
        "entries",
        {"kind": "memory"},
        {"name": "name", "description": "description"},
        _read_agnai,
        _write_agnai,
    ),
    "novelai": _Format("entries", {"lorebookVersion": 5}, {}, _read_novelai, _write_novelai),
    "risu": _Format("data", {"type": "risu", "ver": 1}, {}, _read_risu, _write_risu),
}
