"""The reader of DOCX: headings by style, paragraphs, lists and tables, as Markdown.

Deleted text and comments are left out, inserted text is kept; notes stand at the end.
Source: ECMA-376.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from offbook.documents.packed import Packed, attribute, below, local
from offbook.documents.places import Places

_ITEM: Final = "paragraph of a list"
_DOCUMENT: Final = "word/document.xml"
_STYLES: Final = "word/styles.xml"
_NOTES: Final = {"footnote": "", "endnote": "endnote "}
"""Notes by the name of their elements, and what stands in front of their numbers."""
_HEADING: Final = re.compile(
    r"(?:heading|überschrift|titre|título|заголовок) ?([1-6])", re.IGNORECASE
)
_TITLES: Final = frozenset({"title", "titel", "titre", "título", "название"})
_SPACE: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}
_AROUND: Final = frozenset({"sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"})
"""What may stand around paragraphs, tables, rows and cells."""
_LEFT_OUT: Final = frozenset({"del", "moveFrom", "instrText", "delText", "Fallback"})


def docx_text(path: Path, data: bytes) -> tuple[str, Places]:
    """The text of a document as Markdown, and its paragraphs, tables and notes, each from 1.

    Raises:
        UnreadableDocument: the file is damaged, locked, or no DOCX.
    """
    packed = Packed(path, data, "DOCX")
    levels = _levels(packed.xml(_STYLES)) if _STYLES in packed.names else {}
    bodies = below(packed.xml(_DOCUMENT), "body")
    parts = list(_blocks(bodies[0], levels)) if bodies else []
    for kind, mark in _NOTES.items():
        file = f"word/{kind}s.xml"
        for note in below(packed.xml(file), kind) if file in packed.names else []:
            if text := _on_one_line(note):
                number = f"{mark}{attribute(note, 'id')}"
                parts.append((f"[{number}] {text}", "note"))
    pieces, places, size = list[str](), list[tuple[int, int | str]](), 0
    numbers: Counter[str] = Counter()
    for row, (part, kind) in enumerate(parts):
        between = "\n" if row and kind == parts[row - 1][1] == _ITEM else "\n\n" if row else ""
        called = kind.partition(" ")[0]
        numbers[called] += 1
        places.append((size + len(between) if row else 0, f"{called} {numbers[called]}"))
        pieces += between, part
        size += len(between) + len(part)
    return "".join(pieces) + "\n", tuple(places)


def _levels(styles: Any) -> dict[str, int]:
    """The level of the heading that each style makes, by the style's id."""
    levels: dict[str, int] = {}
    for style in below(styles, "style"):
        name = next((attribute(each, "val") for each in below(style, "name")), "")
        outline = next((attribute(each, "val") for each in below(style, "outlineLvl")), "")
        if match := _HEADING.fullmatch(name):
            levels[attribute(style, "styleId")] = int(match[1])
        elif name.lower() in _TITLES:
            levels[attribute(style, "styleId")] = 1
        elif outline.isdecimal() and int(outline) < len("######"):
            levels[attribute(style, "styleId")] = int(outline) + 1
    return levels


def _blocks(body: Any, levels: dict[str, int]) -> Iterator[tuple[str, str]]:
    """Paragraphs and tables in order, and what each is; items of a list are paragraphs."""
    for child in _children(body):
        kind = local(child)
        if kind == "p":
            text = _text(child).strip()
            if not text:
                continue
            style = next((attribute(each, "val") for each in below(child, "pStyle")), "")
            level = levels.get(style, 0)
            if level:
                yield f"{'#' * level} {' '.join(text.split())}", "paragraph"
            elif below(child, "numPr"):
                yield f"- {text}", _ITEM
            else:
                yield text, "paragraph"
        elif kind == "tbl":
            yield _table(child), "table"


def _children(element: Any) -> Iterator[Any]:
    """The elements in an element, those that others stand around among them."""
    for child in element:
        if local(child) in _AROUND:
            yield from _children(child)
        else:
            yield child


def _table(table: Any) -> str:
    """A table as Markdown; its first row is its head."""
    rows = [
        [_on_one_line(cell) for cell in _children(row) if local(cell) == "tc"]
        for row in _children(table)
        if local(row) == "tr"
    ]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if lines:
        lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def _on_one_line(element: Any) -> str:
    return " ".join(_text(element).split())


def _text(element: Any) -> str:
    """The text of an element as it stands, changes accepted; paragraphs in it are lines."""
    pieces: list[str] = []

    def walk(element: Any) -> None:
        for child in element:
            name = local(child)
            if name == "t":
                pieces.append(child.text or "")
            elif name in _SPACE:
                pieces.append(_SPACE[name])
            elif (note := name.removesuffix("Reference")) != name and note in _NOTES:
                pieces.append(f"[{_NOTES[note]}{attribute(child, 'id')}]")
            elif name == "p":
                pieces.append("\n")
                walk(child)
                pieces.append("\n")
            elif name not in _LEFT_OUT:
                walk(child)

    walk(element)
    return "".join(pieces)
