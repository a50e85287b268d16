"""The reader of DOCX: headings by style, paragraphs, lists and tables, as Markdown.

Deleted text and comments are left out, inserted text is kept; footnotes stand at the end.
Source: ECMA-376.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from offbook.documents.packed import Packed, attribute, below, local

_DOCUMENT: Final = "word/document.xml"
_STYLES: Final = "word/styles.xml"
_FOOTNOTES: Final = "word/footnotes.xml"
_HEADING: Final = re.compile(
    r"(?:heading|überschrift|titre|título|заголовок) ?([1-6])", re.IGNORECASE
)
_TITLES: Final = frozenset({"title", "titel", "titre", "título", "название"})
_SPACE: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}
_LEFT_OUT: Final = frozenset({"del", "moveFrom", "instrText", "delText", "Fallback"})


def docx_text(path: Path, data: bytes) -> str:
    """The text of a document as Markdown.

    Raises:
        UnreadableDocument: the file is damaged, locked, or no DOCX.
    """
    packed = Packed(path, data, "DOCX")
    levels = _levels(packed.xml(_STYLES)) if _STYLES in packed.names else {}
    bodies = below(packed.xml(_DOCUMENT), "body")
    parts = list(_blocks(bodies[0], levels)) if bodies else []
    if _FOOTNOTES in packed.names:
        for note in below(packed.xml(_FOOTNOTES), "footnote"):
            text = " ".join(" ".join(_text(each).split()) for each in below(note, "p")).strip()
            if text:
                parts.append((f"[{attribute(note, 'id')}] {text}", False))
    whole = ""
    for at, (part, listed) in enumerate(parts):
        between = "\n" if at and listed and parts[at - 1][1] else "\n\n"
        whole += (between if at else "") + part
    return whole + "\n"


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


def _blocks(body: Any, levels: dict[str, int]) -> Iterator[tuple[str, bool]]:
    """Paragraphs and tables in order, and whether one is an item of a list."""
    for child in body:
        kind = local(child)
        if kind == "p":
            text = _text(child).strip()
            if not text:
                continue
            style = next((attribute(each, "val") for each in below(child, "pStyle")), "")
            level = levels.get(style, 0)
            if level:
                yield f"{'#' * level} {' '.join(text.split())}", False
            elif below(child, "numPr"):
                yield f"- {text}", True
            else:
                yield text, False
        elif kind == "tbl":
            yield _table(child), False
        elif kind in ("sdt", "sdtContent", "ins", "customXml"):
            yield from _blocks(child, levels)


def _table(table: Any) -> str:
    """A table as Markdown; its first row is its head."""
    rows = [
        [
            " ".join(" ".join(_text(each).split()) for each in below(cell, "p")).strip()
            for cell in row
            if local(cell) == "tc"
        ]
        for row in table
        if local(row) == "tr"
    ]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if lines:
        lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def _text(paragraph: Any) -> str:
    """The text of a paragraph as it stands, changes accepted."""
    pieces: list[str] = []

    def walk(element: Any) -> None:
        for child in element:
            name = local(child)
            if name == "t":
                pieces.append(child.text or "")
            elif name in _SPACE:
                pieces.append(_SPACE[name])
            elif name == "footnoteReference":
                pieces.append(f"[{attribute(child, 'id')}]")
            elif name not in _LEFT_OUT:
                walk(child)

    walk(paragraph)
    return "".join(pieces)
