"""The fields of cards and lorebooks as the specifications define them, and how odd ones are mended.

Takes: raw JSON objects.  Gives: the same objects with every known field of its right type, and a
warning for each change. Source: Character Card V1, V2 and V3 specifications.

What cannot be mended is moved to ``extensions["offbook/unread"]``, never dropped.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from offbook.cards.findings import Findings, shown
from offbook.cards.raw_json import Json

Kind = Literal["text", "texts", "object", "whole", "number", "flag", "label", "book", "assets"]
UNREAD: Final = "offbook/unread"


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its type, the versions that have it and those in which it must be there."""

    kind: Kind
    since: int = 1
    required_since: int | None = None


CARD_FIELDS: Final[Mapping[str, Field]] = {
    "name": Field("text", 1, 1),
    "description": Field("text", 1, 1),
    "personality": Field("text", 1, 1),
    "scenario": Field("text", 1, 1),
    "first_mes": Field("text", 1, 1),
    "mes_example": Field("text", 1, 1),
    "creator_notes": Field("text", 2, 2),
    "system_prompt": Field("text", 2, 2),
    "post_history_instructions": Field("text", 2, 2),
    "alternate_greetings": Field("texts", 2, 2),
    "character_book": Field("book", 2),
    "tags": Field("texts", 1, 2),
    "creator": Field("text", 2, 2),
    "character_version": Field("text", 2, 2),
    "extensions": Field("object", 2, 2),
    "group_only_greetings": Field("texts", 3, 3),
    "nickname": Field("text", 3),
    "creator_notes_multilingual": Field("object", 3),
    "source": Field("texts", 3),
    "assets": Field("assets", 3),
    "creation_date": Field("whole", 3),
    "modification_date": Field("whole", 3),
}
BOOK_FIELDS: Final[Mapping[str, Field]] = {
    "name": Field("text", 2),
    "description": Field("text", 2),
    "scan_depth": Field("whole", 2),
    "token_budget": Field("whole", 2),
    "recursive_scanning": Field("flag", 2),
    "extensions": Field("object", 2, 2),
}
ENTRY_FIELDS: Final[Mapping[str, Field]] = {
    "keys": Field("texts", 2, 2),
    "content": Field("text", 2, 2),
    "extensions": Field("object", 2, 2),
    "enabled": Field("flag", 2, 2),
    "insertion_order": Field("number", 2, 2),
    "use_regex": Field("flag", 3, 3),
    "case_sensitive": Field("flag", 2),
    "name": Field("text", 2),
    "priority": Field("number", 2),
    "id": Field("label", 2),
    "comment": Field("text", 2),
    "selective": Field("flag", 2),
    "secondary_keys": Field("texts", 2),
    "constant": Field("flag", 2),
    "position": Field("text", 2),
}

_DEFAULTS: Final[Mapping[Kind, Callable[[], Any]]] = {
    "text": str,
    "texts": list,
    "object": dict,
    "whole": int,
    "number": int,
    "flag": bool,
    "label": str,
    "assets": list,
}
_SPLIT: Final = frozenset({"tags", "keys", "secondary_keys"})
_YES: Final = frozenset({"true", "yes", "on", "1"})
_NO: Final = frozenset({"false", "no", "off", "0", ""})


def default_of(kind: Kind, name: str = "") -> Any:
    """What a field without a value stands for; an entry without ``enabled`` is enabled."""
    return True if name == "enabled" else _DEFAULTS[kind]()


def fits(value: Any, kind: Kind) -> bool:
    """Whether ``value`` is of the type that ``kind`` asks for; what is inside of it included."""
    match kind:
        case "text":
            return isinstance(value, str)
        case "texts":
            return isinstance(value, list) and all(isinstance(item, str) for item in value)
        case "object" | "book":
            return isinstance(value, dict)
        case "flag":
            return isinstance(value, bool)
        case "assets":
            return isinstance(value, list) and all(isinstance(item, dict) for item in value)
        case "label":
            return isinstance(value, str) or _is_number(value)
        case "whole":
            return _is_number(value) and value == int(value)
        case "number":
            return _is_number(value)


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that is greater than any other program counts to
        return False


def mend_fields(
    data: Json, fields: Mapping[str, Field], version: int, path: str, findings: Findings
) -> None:
    """Give every known field of ``data`` its right type, in its place.

    null is the same as absent: it stays where the field is optional, and becomes the empty value
    where it is required.
    """
    unread: Json = {}
    for name, field in fields.items():
        if name not in data or field.since > version or fits(data[name], field.kind):
            continue
        value, where = data[name], f"{path}.{name}" if path else name
        required = field.required_since is not None and field.required_since <= version
        if value is None:
            if required:
                data[name] = default_of(field.kind, name)
                findings.warn("field-null", where, "null is read as empty", "write the empty value")
            continue
        if field.kind == "book":
            continue  # mended by whoever reads lorebooks
        made = mended(value, field.kind, name)
        if made is None or _has_names(value):
            unread[name] = data[name]
        if made is None:
            if required:
                data[name] = default_of(field.kind, name)
            else:
                del data[name]
            message = f"{shown(value)} cannot be read as {_NAMES[field.kind]}; it is kept unread"
        else:
            data[name] = made
            message = f"{shown(value)} is read as {_NAMES[field.kind]}: {shown(made)}"
        findings.warn("field-type", where, message, f"make it {_NAMES[field.kind]}")
    if unread:
        keep_unread(data, unread)


def _has_names(value: Any) -> bool:
    """Whether a list of its values is not all that an object says."""
    return isinstance(value, dict) and list(value) != [str(number) for number in range(len(value))]


_NAMES: Final[Mapping[Kind, str]] = {
    "text": "a text",
    "texts": "a list of texts",
    "object": "an object",
    "whole": "a whole number",
    "number": "a number",
    "flag": "true or false",
    "label": "a text or a number",
    "book": "a lorebook",
    "assets": "a list of assets",
}


def kind_name(kind: Kind) -> str:
    """How a message calls a type."""
    return _NAMES[kind]


def keep_unread(data: Json, unread: Json) -> None:
    """Keep values that could not be read among the extensions of ``data``."""
    extensions = data.get("extensions")
    if not isinstance(extensions, dict):
        extensions = data["extensions"] = {}
    stored = extensions.setdefault(UNREAD, {})
    if isinstance(stored, dict):
        stored.update(unread)


def mended(value: Any, kind: Kind, name: str = "") -> Any:
    """``value`` made to fit, or None where that would lose something or guess."""
    match kind:
        case "text":
            return _text(value)
        case "texts":
            return _texts(value, split=name in _SPLIT)
        case "flag":
            return _flag(value)
        case "whole" | "number":
            return _number(value, whole=kind == "whole")
        case _:
            return None


def _text(value: Any) -> str | None:
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return None


def _texts(value: Any, *, split: bool) -> list[str] | None:
    if isinstance(value, str):
        parts = [part.strip() for part in value.split(",")] if split else [value]
        return [part for part in parts if part]
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return None
    made = [item if isinstance(item, str) else _text(item) for item in value if item is not None]
    return None if None in made else [item for item in made if item is not None]


def _flag(value: Any) -> bool | None:
    if isinstance(value, int | float):
        return bool(value)
    word = value.strip().lower() if isinstance(value, str) else None
    return word in _YES if word in _YES or word in _NO else None


def _number(value: Any, *, whole: bool) -> int | float | None:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        try:
            value = float(value) if len(value) <= 40 else None
        except ValueError:
            return None
    if not _is_number(value):
        return None
    return int(value) if whole or value == int(value) else float(value)


def fill_required(data: Json, fields: Mapping[str, Field], version: int) -> None:
    """Add the required fields that ``data`` lacks, empty."""
    for name, field in fields.items():
        required = field.required_since is not None and field.required_since <= version
        if required and data.get(name) is None:
            data[name] = default_of(field.kind, name)
