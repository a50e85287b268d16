"""Lorebooks in files: the card's own shape, ``lorebook_v3``, World Info, Agnai, NovelAI, RisuAI.

Takes: a path or bytes.  Gives: one model for all of them, and any of them back from it; a lorebook
that is written in the format that it came in is the same as it was, unknown fields included.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args

from offbook.cards.fields import ENTRY_FIELDS, fill_required
from offbook.cards.findings import Finding, Findings, shown
from offbook.cards.lenient_json import read_json, write_json
from offbook.cards.limits import DEFAULT_LIMITS, CardLimits
from offbook.cards.lorebook import SPEC, Lorebook, mend_book
from offbook.cards.other_lorebooks import ForeignBook, foreign_book, from_foreign, to_foreign
from offbook.cards.residue import Json
from offbook.cards.sources import opened, read_whole, stem_of
from offbook.cards.world_info import from_world_info, is_world_info, to_world_info
from offbook.errors import UnreadableCard, UsageError

BookFormat = Literal["book", "lorebook_v3", "sillytavern", "agnai", "novelai", "risu"]
BOOK_FORMATS: Final[tuple[BookFormat, ...]] = get_args(BookFormat)
_ROOT: Final = "offbook/root"


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
            extensions = book.get("extensions")
            book["extensions"] = {**(extensions if isinstance(extensions, dict) else {})}
            book["extensions"][_ROOT] = rest
        return "lorebook_v3", book
    if isinstance(data, dict) and isinstance(data.get("character_book"), dict):
        raise UnreadableCard("the file is a card and no lorebook", "read it as a card")
    if isinstance(raw.get("entries"), list | dict) and "data" not in raw:
        return "book", raw
    raise UnreadableCard(
        "the JSON has no entries of a lorebook", "is it a card, a chat log or a preset?"
    )


def write_lorebook(book: Lorebook, format_: BookFormat = "lorebook_v3") -> bytes:
    """The bytes of a lorebook file in one of the formats.

    Raises:
        UsageError: there is no such format.
    """
    if format_ not in BOOK_FORMATS:
        raise UsageError(
            f"there is no lorebook format {format_!r}", f"formats: {', '.join(BOOK_FORMATS)}"
        )
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
    extensions = raw.get("extensions")
    rest = extensions.pop(_ROOT, {}) if isinstance(extensions, dict) else {}
    if raw.get("extensions") is None:
        raw["extensions"] = {}
    for entry in raw.get("entries") or ():
        fill_required(entry, ENTRY_FIELDS, 3)
    if format_ == "book":
        return raw
    return {"spec": SPEC, "data": raw, **(rest if isinstance(rest, dict) else {})}
