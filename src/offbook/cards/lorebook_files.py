"""Lorebooks in files: the card's own shape, ``lorebook_v3``, World Info, Agnai, NovelAI, RisuAI.

Takes: a path or bytes.  Gives: one model for all of them, and any of them back from it; a lorebook
that is written in the format that it came in is the same as it was, unknown fields included.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from offbook.cards.fields import ENTRY_FIELDS, fill_required
from offbook.cards.findings import Findings, shown
from offbook.cards.keys import is_delimited
from offbook.cards.lenient_json import read_json, write_json
from offbook.cards.lorebook import SPEC, Lorebook, LoreEntry, mend_book
from offbook.cards.lorebook_formats import (
    DEFAULTS,
    KEPT,
    ForeignBook,
    foreign_book,
    from_foreign,
    from_world_info,
    is_world_info,
    kept_name,
    to_foreign,
    to_world_info,
)
from offbook.cards.raw_json import Json, object_of
from offbook.cards.sources import DEFAULT_LIMITS, CardLimits, opened, read_whole, stem_of
from offbook.errors import UnreadableCard, UsageError
from offbook.types import Finding

BookFormat = Literal["book", "lorebook_v3", "sillytavern", "agnai", "novelai", "risu"]
BOOK_FORMATS: Final[tuple[BookFormat, ...]] = get_args(BookFormat)
_ROOT: Final = "offbook/root"
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


@dataclass(frozen=True, slots=True)
class ReadLorebook:
    """A lorebook as it was read, and the format that it was in."""

    book: Lorebook
    warnings: tuple[Finding, ...]
    source_format: BookFormat


def read_lorebook(
    source: Path | str | bytes, limits: CardLimits = DEFAULT_LIMITS, *, file_name: str = ""
) -> ReadLorebook:
    """Read the lorebook in a JSON file.

    Raises:
        UnreadableCard: there is none in it, or it is damaged or too large.
    """
    path = Path(source) if isinstance(source, str) else source
    findings = Findings(limits.findings)
    with opened(path, limits) as file:
        data = read_whole(file, limits.card_bytes, "the lorebook", "card_bytes")
    raw = read_json(data, findings, limits)
    format_, book = _book(raw)
    mend_book(book, 3, "", findings, limits)
    if not isinstance(book.get("name"), str) and (stem := stem_of(path, file_name)):
        # A book without a name is called as its file, for a person to tell it from others; the
        # raw object keeps having none.
        findings.add("note", "book-name", "name", f"the lorebook has no name; its file is {stem!r}")
    return ReadLorebook(Lorebook(book), findings.all(), format_)


def _book(raw: Any) -> tuple[BookFormat, Json]:
    if not isinstance(raw, dict):
        raise UnreadableCard(f"the JSON is {shown(raw)} and no lorebook", "a lorebook is an object")
    foreign = foreign_book(raw)
    if foreign is not None:
        return foreign, from_foreign(raw, foreign)
    if is_world_info(raw):
        return "sillytavern", from_world_info(raw)
    data = raw.get("data")
    if raw.get("spec") == SPEC and isinstance(data, dict):
        book = dict(data)
        rest = {key: value for key, value in raw.items() if key not in ("spec", "data")}
        if rest:
            book["extensions"] = {**object_of(book.get("extensions")), _ROOT: rest}
        return "lorebook_v3", book
    if isinstance(data, dict) and isinstance(data.get("character_book"), dict):
        raise UnreadableCard("the file is a card and no lorebook", "read it as a card")
    if isinstance(raw.get("entries"), list | dict) and "data" not in raw:
        return "book", raw
    raise UnreadableCard(
        "the JSON has no entries of a lorebook", "is it a card, a chat log or a preset?"
    )


def require_format(name: str) -> BookFormat:
    """The lorebook format of a name.

    Raises:
        UsageError: there is none.
    """
    for known in BOOK_FORMATS:
        if known == name:
            return known
    raise UsageError(f"there is no lorebook format {name!r}", f"formats: {', '.join(BOOK_FORMATS)}")


def write_lorebook(book: Lorebook, format_: BookFormat = "lorebook_v3") -> bytes:
    """The bytes of a lorebook file in one of the formats.

    Raises:
        UsageError: there is no such format.
    """
    require_format(format_)
    raw = copy.deepcopy(book.raw)
    return write_json(_written(raw, format_), indent=2)


def as_read_in(book: Lorebook, format_: BookFormat) -> Lorebook:
    """The lorebook as its reader has it when it was written in one of the formats."""
    _, raw = _book(_written(copy.deepcopy(book.raw), format_))
    mend_book(raw, 3, "", Findings(), DEFAULT_LIMITS)
    return Lorebook(raw)


def _written(raw: Json, format_: BookFormat) -> Json:
    if format_ == "sillytavern":
        return to_world_info(raw)
    if format_ in ("agnai", "novelai", "risu"):
        foreign: ForeignBook = format_
        return to_foreign(raw, foreign)
    rest = object_of(raw.get("extensions")).pop(_ROOT, {})
    if raw.get("extensions") is None:
        raw["extensions"] = {}
    for entry in raw.get("entries") or ():
        fill_required(entry, ENTRY_FIELDS, 3)
    if format_ == "book":
        return raw
    return {"spec": SPEC, "data": raw, **object_of(rest)}


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
        # Keys of SillyTavern are patterns only between slashes.
        "use_regex": "selectiveLogic" not in entry.extensions
        or any(map(is_delimited, (*entry.keys, *entry.secondary_keys))),
        "selective": bool(entry.secondary_keys),
        "position": entry.position != "before_char",
        **dict.fromkeys(_NAMES, False),
    }
    for name in _lost(entry.raw, made.raw, format_):
        if meant.get(name, True):
            yield name


def _lost(raw: Json, made: Json, format_: BookFormat) -> Iterator[str]:
    """The fields of ``raw`` that say something, and are not in ``made`` as they were."""
    for name, value in raw.items():
        if name not in _APART and _says(value) and made.get(name) != value:
            yield name
    extensions, made_extensions = (object_of(each.get("extensions")) for each in (raw, made))
    for name, value in extensions.items():
        program = _KEPT.get(name)
        if name in _APART:
            continue
        if program is not None:
            only = value.get("only") if isinstance(value, dict) and program != format_ else None
            yield from only if isinstance(only, Mapping) else ()
        elif _says(value) and DEFAULTS.get(name) != value and made_extensions.get(name) != value:
            yield f"extensions.{name}"


def _says(value: Any) -> bool:
    return value not in ("", [], {}, None, False)
