"""What of a lorebook the format of another program has no place for.

Takes: a lorebook, and the format that it is written in.  Gives: a finding for each field that is
not there when the file is read again, with the entries that had it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from offbook.cards.findings import Finding, Findings, shown
from offbook.cards.javascript_regex import is_delimited
from offbook.cards.lorebook import Lorebook, LoreEntry
from offbook.cards.lorebook_files import BookFormat, as_read_in
from offbook.cards.other_lorebooks import kept_name
from offbook.cards.residue import Json
from offbook.cards.world_info import DEFAULTS, KEPT

_WHOLE: Final = ("book", "lorebook_v3")
_KEPT: Final = {
    KEPT: "sillytavern",
    kept_name("agnai"): "agnai",
    kept_name("novelai"): "novelai",
    kept_name("risu"): "risu",
}
_APART: Final = frozenset({"entries", "extensions", "id", "display_index"})
"""What is looked at by itself, and what says no more than the order of the entries."""
_NAMES: Final = ("name", "comment")  # every program has one of the two
_SHOWN: Final = 3


def lorebook_losses(book: Lorebook, format_: BookFormat) -> tuple[Finding, ...]:
    """What ``write_lorebook`` leaves out of ``book`` in a format."""
    if format_ in _WHOLE:
        return ()
    again, losses = as_read_in(book, format_), Findings()
    for name in _lost(book.raw, again.raw, format_):
        losses.warn("lost-in-lorebook", name, f"{format_} has no place for {name}; it is left out")
    lost: dict[str, list[str]] = {}
    for entry, made in zip(book.entries, again.entries, strict=False):
        for name in _lost_of_entry(entry, made, format_):
            lost.setdefault(name, []).append(shown(entry.title))
    for name, titles in lost.items():
        more = ", ..." if len(titles) > _SHOWN else ""
        losses.warn(
            "lost-in-lorebook",
            f"entries[].{name}",
            f"{format_} has no place for {name}; it is left out of "
            f"{', '.join(titles[:_SHOWN])}{more} ({len(titles)})",
        )
    return losses.all()


def _lost_of_entry(entry: LoreEntry, made: LoreEntry, format_: BookFormat) -> Iterator[str]:
    if made.enabled and not entry.enabled:
        yield "enabled"
    yield from (
        name for name in _NAMES if getattr(entry, name) not in (made.name, made.comment, "")
    )
    meant = {
        "use_regex": _has_patterns(entry),
        "selective": bool(entry.secondary_keys),
        "position": entry.position != "before_char",
        **dict.fromkeys(_NAMES, False),
    }
    for name in _lost(entry.raw, made.raw, format_):
        if meant.get(name, True):
            yield name


def _has_patterns(entry: LoreEntry) -> bool:
    """Whether its keys are read as patterns: those of SillyTavern only between slashes."""
    keys = (*entry.keys, *entry.secondary_keys)
    return "selectiveLogic" not in entry.extensions or any(map(is_delimited, keys))


def _lost(raw: Json, made: Json, format_: BookFormat) -> Iterator[str]:
    """The fields of ``raw`` that say something, and are not in ``made`` as they were."""
    for name, value in raw.items():
        if name not in _APART and _says(value) and made.get(name) != value:
            yield name
    own, kept = _extensions(raw), _extensions(made)
    for name, value in own.items():
        program = _KEPT.get(name)
        if name in _APART:
            continue
        if program is not None:
            only = value.get("only") if isinstance(value, dict) and program != format_ else None
            yield from only if isinstance(only, Mapping) else ()
        elif _says(value) and DEFAULTS.get(name) != value and kept.get(name) != value:
            yield f"extensions.{name}"


def _extensions(raw: Json) -> Json:
    found = raw.get("extensions")
    return found if isinstance(found, dict) else {}


def _says(value: Any) -> bool:
    return value not in ("", [], {}, None, False)
